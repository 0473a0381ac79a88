//! Words that a query leaves out, against queries that were typed without them.

use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, FragmentBounds, Language, LexicalHits, LexicalIndex, LexicalQuery, Operand,
    PrefixWords, StopWords, Typing, Typos,
};
use pelorus_random::SplitMix64;

use crate::support::{add, all, open_empty};

const STOP: [&str; 6] = ["the", "of", "And", "in,", "(to)", "WITH"];
const CONTENT: [&str; 6] = ["storm", "boat", "sea", "red", "x2", "kettle"];

fn query(text: &str, stop_words: StopWords) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k: 1_000,
        stop_words,
        ..LexicalQuery::default()
    }
}

fn found(index: &LexicalIndex, query: &LexicalQuery) -> LexicalHits {
    index.search(query, &all(1_000)).unwrap()
}

fn docs(index: &LexicalIndex, query: &LexicalQuery) -> Vec<u32> {
    let hits = found(index, query).hits.into_iter();
    hits.map(|(doc, _)| doc).collect()
}

fn random_index(dir: &std::path::Path, random: &mut SplitMix64) -> LexicalIndex {
    let index = open_empty(dir);
    for doc in 0..120 {
        let words = (0..random.below(7)).map(|_| match random.below(2) {
            0 => *random.pick(&STOP),
            _ => *random.pick(&CONTENT),
        });
        let words: Vec<&str> = words.collect();
        index.add(doc, &[("text", &words.join(" "))]).unwrap();
        if random.below(30) == 0 {
            index.publish();
            index.flush().unwrap();
        }
    }
    index.publish();
    index
}

#[test]
fn a_query_finds_what_it_finds_without_its_stop_words() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = SplitMix64(7);
    let index = random_index(dir.path(), &mut random);
    let own: Vec<String> = STOP.map(str::to_owned).to_vec();
    for round in 0..300 {
        // Words, each with what is left of it; phrases are left as they are.
        let parts: Vec<(String, String)> = (0..1 + random.below(6))
            .map(|_| match random.below(5) {
                0 | 1 => (random.pick(&STOP).to_string(), String::new()),
                2 => {
                    let phrase = [*random.pick(&STOP), *random.pick(&CONTENT)].join(" ");
                    (format!("\"{phrase}\""), format!("\"{phrase}\""))
                }
                _ => {
                    let word = random.pick(&CONTENT).to_string();
                    (word.clone(), word)
                }
            })
            .collect();
        let (typed, left): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        let (typed, left) = (typed.join(" "), left.join(" "));
        // Nothing is left out where nothing is left.
        let left = match left.trim() {
            "" => typed.clone(),
            left => left.to_owned(),
        };
        let stop_words = match round % 3 {
            0 => StopWords::Auto,
            1 => StopWords::Of(Language::En),
            _ => StopWords::Words(own.clone()),
        };
        let operand = *random.pick(&[Operand::Or, Operand::And]);
        let asked = LexicalQuery {
            operand,
            ..query(&typed, stop_words)
        };
        let plain = LexicalQuery {
            operand,
            ..query(&left, StopWords::None)
        };
        assert_eq!(found(&index, &asked), found(&index, &plain), "{typed}");
    }
}

#[test]
fn the_language_is_the_one_that_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "die")]), (1, &[("f", "the")])]);
    let of = |text: &str, stop_words: StopWords, tag: Option<&str>| {
        let language = tag.map(Language::from_tag);
        docs(
            &index,
            &LexicalQuery {
                language,
                ..query(text, stop_words)
            },
        )
    };
    let german = Some("de");
    assert_eq!(of("die storm", StopWords::Auto, None), [0]);
    assert_eq!(of("die storm", StopWords::Auto, german), [] as [u32; 0]);
    assert_eq!(of("the storm", StopWords::Auto, german), [1]);
    // Its words tell it.
    assert_eq!(
        of("wie die Katze schläft auf dem Sofa", StopWords::Auto, None),
        [] as [u32; 0]
    );
    let de = StopWords::Of(Language::De);
    assert_eq!(of("die the", de, None), [1]);
    let own = StopWords::Words(vec!["DIÉ".to_owned(), "storm".to_owned()]);
    assert_eq!(of("die the", own, None), [1]);

    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let german = FieldAnalysis {
        language: Some(Language::De),
        ..FieldAnalysis::default()
    };
    index.set_field_analysis("f", german);
    add(&index, &[(0, &[("f", "die")])]);
    assert!(docs(&index, &query("die storm", StopWords::Auto)).is_empty());
}

#[test]
fn the_last_word_stays_while_it_is_typed_and_no_document_has_to_have_it() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("f", "a storm")]),
            (1, &[("f", "a thermos")]),
            (2, &[("f", "a storm and a thermos")]),
        ],
    );
    let typed = |text: &str, operand: Operand, prefix: PrefixWords| LexicalQuery {
        operand,
        typing: Typing {
            prefix,
            typos: Some(Typos::default()),
            ..Typing::default()
        },
        ..query(text, StopWords::Auto)
    };
    let last = PrefixWords::Last;
    assert_eq!(
        docs(&index, &typed("storm the", Operand::Or, last)),
        [2, 0, 1]
    );
    assert_eq!(
        docs(&index, &typed("storm the", Operand::And, last)),
        [2, 0]
    );
    assert_eq!(docs(&index, &typed("the", Operand::And, last)), [1, 2]);
    assert_eq!(docs(&index, &typed("the storm", Operand::Or, last)), [0, 2]);
    // No beginning, no word.
    assert_eq!(
        docs(&index, &typed("storm the", Operand::Or, PrefixWords::None)),
        [0, 2]
    );
    // Typos are those of the words that are left.
    assert_eq!(
        docs(&index, &typed("the stomr", Operand::And, last)),
        [0, 2]
    );
}

#[test]
fn highlights_mark_the_words_that_are_left() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let text = "the storm of the sea";
    add(&index, &[(0, &[("f", text)])]);
    let marked = |text_of_query: &str| {
        let query = query(text_of_query, StopWords::Auto);
        let never = pelorus_cancellation::Cancellation::never();
        let words = index.reader().highlighter(&query, &never).unwrap();
        let bounds = FragmentBounds {
            size: 100,
            count: 5,
        };
        let fragments = words.fragments("f", &[text], bounds, &never).unwrap();
        fragments
            .iter()
            .map(|fragment| fragment.marks.len())
            .sum::<usize>()
    };
    assert_eq!(marked("the sea"), 1);
    assert_eq!(marked("\"the sea\" of"), 2);
    assert_eq!(marked("of the"), 3);
}

#[test]
fn words_apart_are_no_neighbours() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "wifi")]), (1, &[("f", "wi fi")])]);
    let joined = |text: &str| LexicalQuery {
        typing: Typing {
            split_join: true,
            ..Typing::default()
        },
        ..query(text, StopWords::Auto)
    };
    let found: BitSet = docs(&index, &joined("wi fi")).into_iter().collect();
    assert_eq!(found.len(), 2);
    assert_eq!(docs(&index, &joined("wi the fi")), [1]);
}
