//! Words with typos, against the edit distance by its definition to every word there is.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, FragmentBounds, Language, LexicalIndex, LexicalQuery, MergePolicy, Operand,
    PrefixWords, Typing, Typos,
};
use pelorus_random::SplitMix64;

use crate::support::{add, all, open_empty};

fn forgiving(prefix: PrefixWords) -> Typing {
    Typing {
        prefix,
        typos: Some(Typos::default()),
        ..Typing::default()
    }
}

fn query(text: &str, typing: Typing) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 10_000,
        operand: Operand::Or,
        language: None,
        typing,
        ..LexicalQuery::default()
    }
}

/// Documents of one word each, which is its own token.
fn index_of_words(
    dir: &std::path::Path,
    words: &[String],
    random: &mut SplitMix64,
) -> LexicalIndex {
    let index = open_empty(dir);
    let as_they_are = FieldAnalysis {
        language: Some(Language::En),
        stemming: pelorus_lexical::Stemming::None,
    };
    index.set_field_analysis("f", as_they_are);
    for (doc, word) in (0..).zip(words) {
        index.add(doc, &[("f", word)]).unwrap();
        if random.below(20) == 0 {
            index.publish();
        }
        if random.below(60) == 0 {
            index.flush().unwrap();
        }
    }
    index.publish();
    index
}

/// Edits of optimal string alignment, by their definition.
pub fn edits(a: &[char], b: &[char]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            let least = match (i, j) {
                (0, _) | (_, 0) => i + j,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    match is_swap {
                        true => least.min(table[i - 2][j - 2] + 1),
                        false => least,
                    }
                }
            };
            table[i][j] = least;
        }
    }
    table[a.len()][b.len()]
}

/// The place of a word among matches: 0 for the typed word itself, 1 for one that it begins, and so on as far as the
/// edits go; none for words that do not match.
fn place(typed: &str, word: &str, is_beginning: bool) -> Option<usize> {
    let [typed, word] = [typed, word].map(|word| word.chars().collect::<Vec<char>>());
    let allowed = match typed.len() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    let whole = edits(&typed, &word);
    let beginnings = (0..=word.len()).map(|end| edits(&typed, &word[..end]));
    let beginning = beginnings.min().filter(|_| is_beginning);
    let whole = (whole <= allowed).then_some(2 * whole);
    let beginning = beginning.filter(|edits| *edits <= allowed);
    let beginning = beginning.map(|edits| 2 * edits + 1);
    match (whole, beginning) {
        (Some(0), _) => Some(0),
        (_, Some(1)) => Some(1),
        (whole, beginning) => whole.into_iter().chain(beginning).min(),
    }
}

/// Tells whether a word has four characters, of which what was typed lacks one.
pub fn lost_one(typed: &str, word: &str) -> bool {
    let [typed, word] = [typed, word].map(|word| word.chars().collect::<Vec<char>>());
    typed.len() == 3 && word.len() == 4 && edits(&typed, &word) == 1
}

fn random_word(random: &mut SplitMix64, letters: &[char]) -> String {
    let length = 2 + random.below(9);
    (0..length).map(|_| *random.pick(letters)).collect()
}

/// A word with an edit or two.
fn misspelt(random: &mut SplitMix64, word: &str, letters: &[char]) -> String {
    let mut chars: Vec<char> = word.chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(chars.len());
        match random.below(4) {
            0 => chars[at] = *random.pick(letters),
            1 => chars.insert(at, *random.pick(letters)),
            2 if chars.len() > 1 => drop(chars.remove(at)),
            _ => {
                let other = (at + 1) % chars.len();
                chars.swap(at, other);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn words_within_the_edits_are_found_the_nearest_first() {
    let alphabets = [
        &['a', 'b', 'c'][..],
        &['k', 'e', 't', 'l'],
        &['н', 'о', 'к', 'ж', 'p'],
    ];
    for (seed, letters) in (0..).zip(alphabets.iter().cycle().take(6)) {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        // Fewer than expansions are taken, so that none is left out.
        let words: BTreeSet<String> = (0..45).map(|_| random_word(&mut random, letters)).collect();
        let words: Vec<String> = words.into_iter().collect();
        let mut documents = words.clone();
        documents.extend((0..100).map(|_| random.pick(&words).clone()));
        let index = index_of_words(dir.path(), &documents, &mut random);
        for round in 0..30 {
            let word = random.pick(&words).clone();
            let typed = misspelt(&mut random, &word, letters);
            let prefix = *random.pick(&[PrefixWords::None, PrefixWords::Last]);
            let is_beginning = prefix == PrefixWords::Last;
            let mut places: BTreeMap<u32, usize> = (0..)
                .zip(&documents)
                .filter_map(|(doc, word)| Some((doc, place(&typed, word, is_beginning)?)))
                .collect();
            if places.is_empty() {
                let longer = (0..).zip(&documents);
                let longer = longer.filter(|(_, word)| lost_one(&typed, word));
                places.extend(longer.map(|(doc, _)| (doc, 2)));
            }
            let asked = query(&typed, forgiving(prefix));
            let found = index.search(&asked, &all(1_000)).unwrap();
            let hits: BTreeSet<u32> = found.hits.iter().map(|(doc, _)| *doc).collect();
            let expected: BTreeSet<u32> = places.keys().copied().collect();
            assert_eq!(
                hits, expected,
                "{typed} of seed {seed} {prefix:?} in {documents:?}"
            );
            let order: Vec<usize> = found.hits.iter().map(|(doc, _)| places[doc]).collect();
            assert!(order.is_sorted(), "{typed} of seed {seed}: {order:?}");
            check_explained(&index, &asked, &found.hits, &places);
            if round == 15 {
                index.flush().unwrap();
                index.maintain(MergePolicy::Leveled).unwrap();
            }
        }
    }
}

/// Scores add up, and say by how many edits a word matched.
fn check_explained(
    index: &LexicalIndex,
    asked: &LexicalQuery,
    hits: &[(u32, f32)],
    places: &BTreeMap<u32, usize>,
) {
    let mut hits = hits.to_vec();
    hits.sort_by_key(|(doc, _)| *doc);
    let docs: Vec<u32> = hits.iter().map(|(doc, _)| *doc).collect();
    let explained = index.reader().explain(asked, &docs, &Cancellation::never());
    for ((doc, score), terms) in hits.into_iter().zip(explained.unwrap()) {
        assert_eq!(terms.iter().fold(0.0, |sum, term| sum + term.score), score);
        let words = terms
            .iter()
            .filter_map(|term| term.share.as_ref()?.word.as_ref());
        for word in words {
            let place = 2 * usize::from(word.edits) + usize::from(word.is_completed);
            assert_eq!(place, places[&doc], "{}: {terms:?}", asked.text);
        }
    }
}

fn texts(index: &LexicalIndex, text: &str, typing: Typing) -> Vec<u32> {
    let hits = index.search(&query(text, typing), &all(100)).unwrap().hits;
    hits.into_iter().map(|(doc, _)| doc).collect()
}

#[test]
fn a_word_is_corrected_as_it_is_written_and_not_by_its_stem() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("f", "running shoes")]),
            (1, &[("f", "a kettle")]),
            (2, &[("f", "Übungen")]),
            (3, &[("f", "x200 socket")]),
        ],
    );
    let found = |text: &str| texts(&index, text, forgiving(PrefixWords::None));
    for (typed, doc) in [
        ("runing", 0),
        ("runnign", 0),
        ("kettel", 1),
        ("ketle", 1),
        ("ubungem", 2),
        ("SOKCET", 3),
    ] {
        assert_eq!(found(typed), [doc], "{typed}");
    }
    for exact in ["\"kettel\"", "x201", "x20", "sho", "shoexxs"] {
        assert!(found(exact).is_empty(), "{exact}");
    }
    assert_eq!(
        texts(&index, "kettel shos", forgiving(PrefixWords::None)),
        [0, 1]
    );
}

#[test]
fn a_word_of_three_letters_that_nothing_holds_may_lack_one() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let stored = ["lamp", "map", "mapss", "clamp", "lap top", "lamq"];
    for (doc, text) in (0..).zip(stored) {
        add(&index, &[(doc, &[("f", text)])]);
    }
    add(&index, &[(6, &[("g", "lmp")])]);
    let found = |text: &str, typing| {
        let asked = LexicalQuery {
            fields: Some(vec!["f".to_owned()]),
            ..query(text, typing)
        };
        let hits = index.search(&asked, &all(100)).unwrap().hits;
        hits.into_iter().map(|(doc, _)| doc).collect::<Vec<_>>()
    };
    let alone = || forgiving(PrefixWords::None);
    // Another letter, two that were swapped and a letter too many are no typos of so short a word.
    assert_eq!(found("lmp", alone()), [0]);
    assert!(found("lpa", alone()).is_empty());
    // It is taken to be right where documents hold it or a word that it begins.
    assert_eq!(found("lap", alone()), [4]);
    assert_eq!(found("cla", forgiving(PrefixWords::Last)), [3]);
    assert!(found("lm", alone()).is_empty());
    assert!(found("\"lmp\"", alone()).is_empty());
    let five = Typing {
        typos: Some(Typos {
            one_from: 5,
            ..Typos::default()
        }),
        ..Typing::default()
    };
    assert!(found("lmp", five.clone()).is_empty());
    assert_eq!(found("camp", five), [3]);
    // Once the word itself is removed, it is right no more.
    assert_eq!(texts(&index, "lmp", alone()), [6]);
    index.remove(6);
    index.publish();
    assert_eq!(
        index
            .search(&query("lmp", alone()), &BitSet::full(6))
            .unwrap()
            .total,
        1
    );
}

#[test]
fn a_field_may_be_exact() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[(0, &[("title", "kettle")]), (1, &[("brand", "kettle")])],
    );
    let typing = |prefix| Typing {
        typos: Some(Typos {
            exact_fields: vec!["brand".to_owned()],
            ..Typos::default()
        }),
        ..forgiving(prefix)
    };
    assert_eq!(texts(&index, "kettel", typing(PrefixWords::None)), [0]);
    assert_eq!(texts(&index, "kett", typing(PrefixWords::Last)), [0, 1]);
    assert_eq!(texts(&index, "ketel", typing(PrefixWords::Last)), [0]);
}

#[test]
fn corrected_words_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "a kettle for tea")])]);
    let asked = query("kettel", forgiving(PrefixWords::None));
    let never = Cancellation::never();
    let highlighter = index.reader().highlighter(&asked, &never).unwrap();
    let whole = FragmentBounds { size: 1, count: 0 };
    let fragments = highlighter.fragments("f", &["a kettle for tea"], whole, &never);
    let marks = fragments.unwrap().into_iter().flat_map(|one| one.marks);
    let marks: Vec<_> = marks.map(|mark| (mark.start, mark.end)).collect();
    assert_eq!(marks, [(2, 8)]);
}

/// The inverse document frequency of a term in `matching` of so many documents.
fn idf(documents: f64, matching: f64) -> f64 {
    (1.0 + (documents - matching + 0.5) / (matching + 0.5)).ln()
}

/// The scores of the documents that a search finds.
fn scores(index: &LexicalIndex, text: &str, typing: Typing) -> BTreeMap<u32, f64> {
    let found = index.search(&query(text, typing), &all(100)).unwrap();
    let hits = found.hits.into_iter();
    hits.map(|(doc, score)| (doc, f64::from(score))).collect()
}

#[test]
fn corrections_of_a_word_that_documents_hold_weigh_next_to_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let stored = [
        "wing",
        "ring ring",
        "a wing of a long text about flow",
        "flow",
        "other",
    ];
    for (doc, text) in (0..).zip(stored) {
        add(&index, &[(doc, &[("f", text)])]);
    }
    let exact = scores(&index, "wing", Typing::default());
    let forgiving_scores = scores(&index, "wing", forgiving(PrefixWords::None));
    let idf = idf(5.0, 3.0);
    assert_eq!(exact.keys().copied().collect::<Vec<_>>(), [0, 2]);
    for (doc, score) in &exact {
        let more = forgiving_scores[doc] - score;
        assert!((more - idf / 16.0).abs() < 1e-6, "{doc}: {more}");
    }
    let near = forgiving_scores[&1] / (idf / 16.0);
    assert!((3.0 / 16.0..3.0 / 4.0).contains(&near), "{near}");
    // Which is why the other words decide.
    let mut exact = texts(&index, "wing flow", Typing::default());
    exact.push(1);
    assert_eq!(
        texts(&index, "wing flow", forgiving(PrefixWords::None)),
        exact
    );
}

#[test]
fn corrections_of_a_word_that_no_document_holds_weigh_what_it_would() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let texts = ["kettle", "kettle and water", "accommodations", "water"];
    for (doc, text) in (0..).zip(texts) {
        add(&index, &[(doc, &[("f", text)])]);
    }
    let (k1, typing) = (1.2, || forgiving(PrefixWords::None));
    let (one, two) = ([3.0 / 16.0, 3.0 / 4.0], [3.0 / 64.0, 9.0 / 64.0]);
    for (typed, docs, matching, [from, to]) in [
        ("kettel", &[0, 1][..], 2.0, one),
        // Two edits are as near as any word is.
        ("acomodations", &[2][..], 1.0, two),
    ] {
        let found = scores(&index, typed, typing());
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), docs, "{typed}");
        let middle = |[from, to]: [f64; 2]| (from + to) / 2.0;
        for score in found.values() {
            let factor = (k1 + 1.0) * middle(one) / middle([from, to]);
            let share = score / (idf(4.0, matching) * factor);
            assert!((from..to).contains(&share), "{typed}: {share}");
        }
    }
    // The word that is searched for need not be one of the field.
    let named = LexicalQuery {
        fields: Some(vec!["f".to_owned()]),
        ..query("kettel", typing())
    };
    add(&index, &[(4, &[("g", "kettel")])]);
    let hits = index.search(&named, &all(100)).unwrap().hits;
    assert!(hits[0].1 > 0.5, "{hits:?}");
}

#[test]
fn corrections_beside_completions_weigh_a_quarter() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let texts = ["kettle", "kitten", "other", "others", "more"];
    for (doc, text) in (0..).zip(texts) {
        add(&index, &[(doc, &[("f", text)])]);
    }
    let found = scores(&index, "kett", forgiving(PrefixWords::Last));
    // Corrections are not counted.
    let share = |doc| found[&doc] / idf(5.0, 1.0);
    assert_eq!(found.len(), 2);
    assert!((0.75..1.0).contains(&share(0)), "{found:?}");
    assert!((9.0 / 256.0..3.0 / 64.0).contains(&share(1)), "{found:?}");
}

#[test]
fn corrections_leave_a_rare_word_its_weight_beside_completions() {
    for is_flushed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        // So many that a segment keeps the shares.
        let common = (0..5_000).map(|doc| (doc, "form"));
        let rare = [
            (5_000, "farm"),
            (5_001, "farmers"),
            (5_002, "farmers"),
            (5_003, "other"),
        ];
        for (doc, text) in common.chain(rare) {
            add(&index, &[(doc, &[("f", text)])]);
        }
        if is_flushed {
            index.flush().unwrap();
        }
        let alive: BitSet = (0..5_004).filter(|&doc| doc != 5_002).collect();
        index.remove(5_002);
        index.publish();
        let typing = |typos: Option<Typos>| Typing {
            prefix: PrefixWords::Last,
            typos,
            ..Typing::default()
        };
        let of = |typos| {
            let asked = LexicalQuery {
                k: 2,
                ..query("farm", typing(typos))
            };
            let hits = index.search(&asked, &alive).unwrap().hits;
            let docs: Vec<u32> = hits.iter().map(|(doc, _)| *doc).collect();
            let explained = index
                .reader()
                .explain(&asked, &docs, &Cancellation::never());
            let sums = explained.unwrap().into_iter();
            let sums = sums.map(|terms| terms.iter().fold(0.0, |sum, term| sum + term.score));
            assert!(sums.eq(hits.iter().map(|(_, score)| *score)), "{hits:?}");
            hits
        };
        let exact = of(None);
        assert_eq!(exact.len(), 2);
        for _ in 0..2 {
            // Kept shares count the same.
            assert_eq!(of(Some(Typos::default())), exact, "{is_flushed}");
        }
    }
}

#[test]
fn the_nearest_words_of_most_documents_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    // 60 words of one edit, each in one document; one in three; and one of two edits in five.
    let letters = ('a'..='z').chain('0'..='9').filter(|letter| *letter != 'l');
    let replaced = letters.clone().map(|letter| format!("kettlebel{letter}"));
    let added = letters.map(|letter| format!("kettlebell{letter}"));
    let mut words: Vec<String> = replaced.chain(added).take(60).collect();
    words.extend(std::iter::repeat_n("kettlexbell".to_owned(), 3));
    words.extend(std::iter::repeat_n("kettlexxbell".to_owned(), 5));
    let index = index_of_words(dir.path(), &words, &mut SplitMix64(1));
    let alive: BitSet = (0..words.len() as u32).collect();
    let asked = query("kettlebell", forgiving(PrefixWords::None));
    let found = index.search(&asked, &alive).unwrap();
    assert_eq!(found.total, 49 + 3);
    assert!(found.hits.iter().any(|(doc, _)| *doc == 62));
    assert!(found.hits.iter().all(|(doc, _)| *doc < 63));
}
