//! Words that complete typed beginnings, against a look at every word of every document.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, FragmentBounds, Language, LexicalIndex, LexicalOptions, LexicalQuery,
    MergePolicy, Operand, PlaceAnalyzer, PrefixWords, Typing, WordAnalyzer,
};
use pelorus_random::SplitMix64;

use crate::support::{add, all, open_empty};

const FIELDS: [&str; 2] = ["title", "body"];
/// Roots and endings: words of which some share a stem, and some begin others.
const ROOTS: [&str; 14] = [
    "kettl",
    "kett",
    "run",
    "runn",
    "pony",
    "poni",
    "bak",
    "übung",
    "йогурт",
    "caf",
    "car",
    "cart",
    "x2",
    "手",
];
const ENDINGS: [&str; 8] = ["", "e", "s", "ing", "er", "ed", "é", "ies"];

type Document = BTreeMap<&'static str, String>;

fn typing(prefix: PrefixWords) -> Typing {
    Typing {
        prefix,
        ..Typing::default()
    }
}

fn query(text: &str, typing: Typing) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 1_000,
        operand: Operand::Or,
        language: None,
        typing,
        ..LexicalQuery::default()
    }
}

fn docs(index: &LexicalIndex, query: &LexicalQuery) -> Vec<u32> {
    let hits = index.search(query, &all(1_000)).unwrap().hits;
    hits.into_iter().map(|(doc, _)| doc).collect()
}

fn english() -> FieldAnalysis {
    FieldAnalysis {
        language: Some(Language::En),
        ..FieldAnalysis::default()
    }
}

/// The words of a text, folded, each with its token.
fn words_of(text: &str) -> Vec<(String, String)> {
    let mut tokens = Vec::new();
    PlaceAnalyzer::default().for_each_token(text, english(), |token, is_first| {
        if is_first {
            tokens.push(token.to_owned());
        }
    });
    let words = WordAnalyzer::new().words(text);
    assert_eq!(words.len(), tokens.len(), "{text}");
    words.into_iter().zip(tokens).collect()
}

fn random_word(random: &mut SplitMix64) -> String {
    format!("{}{}", random.pick(&ROOTS), random.pick(&ENDINGS))
}

fn random_document(random: &mut SplitMix64) -> Document {
    let mut document = Document::new();
    for field in FIELDS {
        let words: Vec<String> = (0..random.below(5)).map(|_| random_word(random)).collect();
        document.insert(field, words.join(" "));
    }
    document
}

/// The documents that hold the token of a typed word in a field, or of a word that begins with it.
fn completed(documents: &BTreeMap<u32, Document>, typed: &str, fields: &[&str]) -> BTreeSet<u32> {
    let whole = words_of(typed);
    let [(beginning, own)] = &*whole else {
        panic!("{typed} is one word");
    };
    let is_letter_alone = beginning.starts_with('手');
    let mut tokens = BTreeSet::from([own.clone()]);
    for document in documents.values() {
        for (word, token) in document.values().flat_map(|text| words_of(text)) {
            if word.starts_with(beginning) && !is_letter_alone {
                tokens.insert(token);
            }
        }
    }
    let holds = |document: &Document| {
        let texts = document.iter().filter(|(field, _)| fields.contains(field));
        let mut words = texts.flat_map(|(_, text)| words_of(text));
        words.any(|(_, token)| tokens.contains(&token))
    };
    let found = documents.iter().filter(|(_, document)| holds(document));
    found.map(|(ordinal, _)| *ordinal).collect()
}

#[test]
fn the_last_word_finds_what_it_begins_whatever_part_documents_are_in() {
    for seed in 0..6 {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        for field in FIELDS {
            index.set_field_analysis(field, english());
        }
        let mut documents = BTreeMap::new();
        for ordinal in 0..120 {
            let document = random_document(&mut random);
            let pairs: Vec<(&str, &str)> = document.iter().map(|(f, t)| (*f, &**t)).collect();
            index.add(ordinal, &pairs).unwrap();
            documents.insert(ordinal, document);
            if random.below(6) == 0 {
                let gone = random.below(ordinal as usize + 1) as u32;
                documents.remove(&gone);
                index.remove(gone);
            }
            if random.below(4) == 0 {
                index.publish();
            }
            if random.below(25) == 0 {
                index.flush().unwrap();
            }
        }
        index.publish();
        let alive: BitSet = documents.keys().copied().collect();
        for _ in 0..20 {
            let word = random_word(&mut random);
            let chars = word.chars().count();
            let typed: String = word.chars().take(1 + random.below(chars)).collect();
            if typed.starts_with('手') && typed.chars().count() > 1 {
                continue;
            }
            for fields in [None, Some(vec!["title"]), Some(vec!["title", "body"])] {
                let named = fields.clone().unwrap_or(FIELDS.to_vec());
                let expected = completed(&documents, &typed, &named);
                let asked = LexicalQuery {
                    fields: fields.map(|names| names.into_iter().map(str::to_owned).collect()),
                    ..query(&typed, typing(PrefixWords::Last))
                };
                let found = index.search(&asked, &alive).unwrap();
                let hits: BTreeSet<u32> = found.hits.iter().map(|(doc, _)| *doc).collect();
                assert_eq!(hits, expected, "{typed} of seed {seed}");
                assert_eq!(found.total, expected.len() as u64, "{typed} of seed {seed}");
                check_order_and_explanation(&index, &asked, &alive, &typed);
            }
        }
    }
}

/// Documents with the word itself come first, and explained scores add up.
fn check_order_and_explanation(
    index: &LexicalIndex,
    asked: &LexicalQuery,
    alive: &BitSet,
    typed: &str,
) {
    let found = index.search(asked, alive).unwrap();
    let plain = LexicalQuery {
        typing: Typing::default(),
        ..asked.clone()
    };
    let own: BTreeSet<u32> = index
        .search(&plain, alive)
        .unwrap()
        .hits
        .into_iter()
        .map(|(doc, _)| doc)
        .collect();
    let are_own: Vec<bool> = found
        .hits
        .iter()
        .map(|(doc, _)| own.contains(doc))
        .collect();
    assert!(are_own.is_sorted_by(|a, b| a >= b), "{typed}: {are_own:?}");
    let mut by_doc = found.hits.clone();
    by_doc.sort_by_key(|(doc, _)| *doc);
    let ordinals: Vec<u32> = by_doc.iter().map(|(doc, _)| *doc).collect();
    let explained = index
        .reader()
        .explain(asked, &ordinals, &Cancellation::never());
    for ((doc, score), terms) in by_doc.into_iter().zip(explained.unwrap()) {
        let sum = terms.iter().fold(0.0, |sum, term| sum + term.score);
        assert_eq!(sum, score, "{typed} in {doc}: {terms:?}");
        let shares = terms.iter().filter_map(|term| term.share.as_ref());
        for share in shares {
            let whole = share.share == 1.0;
            assert_eq!(whole, own.contains(&doc), "{typed} in {doc}: {terms:?}");
            let beginning = &words_of(typed)[0].0;
            let begins = share
                .word
                .as_ref()
                .is_none_or(|word| word.word.starts_with(beginning));
            assert!(begins && share.word.is_none() == whole, "{terms:?}");
        }
    }
}

/// An index of English texts, each a document.
fn index_of(texts: &[&str]) -> (tempfile::TempDir, LexicalIndex) {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let documents = (0..).zip(texts).map(|(doc, text)| (doc, [("f", *text)]));
    let documents: Vec<(u32, [(&str, &str); 1])> = documents.collect();
    let documents: Vec<(u32, &[(&str, &str)])> = documents
        .iter()
        .map(|(doc, fields)| (*doc, &fields[..]))
        .collect();
    add(&index, &documents);
    (dir, index)
}

#[test]
fn beginnings_are_those_of_words_and_not_of_stems() {
    let (_dir, index) = index_of(&["running shoes", "a kettle", "puppies", "Café Übungen"]);
    let last = |text: &str| docs(&index, &query(text, typing(PrefixWords::Last)));
    for (typed, found) in [
        ("runnin", 0),
        ("run", 0),
        ("kett", 1),
        ("kettl", 1),
        ("KETTLE", 1),
        ("puppi", 2),
        ("puppie", 2),
        ("cafe", 3),
        ("caf", 3),
        ("ubunge", 3),
    ] {
        assert_eq!(last(typed), [found], "{typed}");
    }
    assert!(last("ettle").is_empty());
    assert!(last("runningx").is_empty());
}

#[test]
fn only_the_words_that_are_named_are_beginnings() {
    let (_dir, index) = index_of(&["red kettle", "reddish", "kettle"]);
    let found = |text: &str, prefix| docs(&index, &query(text, typing(prefix)));
    assert!(found("re ket", PrefixWords::None).is_empty());
    assert_eq!(found("re ket", PrefixWords::Last), [2, 0]);
    assert_eq!(found("re ket", PrefixWords::All), [0, 1, 2]);
    assert_eq!(found("re ket ", PrefixWords::Last), [2, 0]);
    assert!(found("\"ket\"", PrefixWords::All).is_empty());
    assert!(found("re \"ket\"", PrefixWords::All).is_empty());
    assert_eq!(found("ket \"red\"", PrefixWords::All), [0]);
    assert!(found("ket \"x\"", PrefixWords::Last).is_empty());
    let every = LexicalQuery {
        operand: Operand::And,
        ..query("re ket", typing(PrefixWords::All))
    };
    assert_eq!(docs(&index, &every), [0]);
}

#[test]
fn a_field_may_have_beginnings_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("title", "kettle")]),
            (1, &[("sku", "kettle")]),
            (2, &[("sku", "ket")]),
        ],
    );
    let named = Typing {
        prefix: PrefixWords::None,
        prefix_fields: vec![("title".to_owned(), PrefixWords::Last)],
        ..Typing::default()
    };
    assert_eq!(docs(&index, &query("ket", named.clone())), [2, 0]);
    let highlighter = index
        .reader()
        .highlighter(&query("ket", named), &Cancellation::never())
        .unwrap();
    let whole = FragmentBounds { size: 1, count: 0 };
    let marks = |field| {
        let never = Cancellation::never();
        let fragments = highlighter.fragments(field, &["a kettle"], whole, &never);
        let marks = fragments.unwrap().into_iter().flat_map(|one| one.marks);
        marks.map(|mark| (mark.start, mark.end)).collect::<Vec<_>>()
    };
    assert_eq!(marks("title"), [(2, 8)]);
    assert!(marks("sku").is_empty());
}

#[test]
fn a_word_of_several_tokens_is_completed_at_its_end() {
    let (_dir, index) = index_of(&["t-shirt", "shirt t", "t-bone"]);
    let found = docs(&index, &query("t-shi", typing(PrefixWords::Last)));
    assert_eq!(found, [0]);
}

#[test]
fn the_fifty_words_of_most_documents_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let mut ordinal = 0;
    // w10 is in one document, w11 in two, and so on: in one part, and then in two.
    for word in 10..70 {
        for _ in 9..word {
            index.add(ordinal, &[("f", &format!("w{word}"))]).unwrap();
            ordinal += 1;
        }
        if word == 40 {
            index.publish();
            index.flush().unwrap();
        }
    }
    index.publish();
    let expected: u64 = (20..70).map(|word| word - 9).sum();
    for _ in 0..2 {
        let found = index.search(&query("w", typing(PrefixWords::Last)), &all(10_000));
        assert_eq!(found.unwrap().total, expected);
        index.flush().unwrap();
        index.maintain(MergePolicy::Leveled).unwrap();
    }
}

#[test]
fn words_of_purged_documents_take_no_place() {
    let dir = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    for doc in 0..200 {
        let word = match doc < 100 {
            true => format!("gone{}", doc % 50),
            false => format!("gonew{doc}"),
        };
        index.add(doc, &[("f", &word)]).unwrap();
    }
    index.publish();
    index.flush().unwrap();
    for doc in 0..160 {
        index.remove(doc);
    }
    index.publish();
    for _ in 0..3 {
        index.maintain(MergePolicy::Leveled).unwrap();
    }
    let alive: BitSet = (160..200).collect();
    let found = index
        .search(&query("gone", typing(PrefixWords::Last)), &alive)
        .unwrap();
    assert_eq!(found.total, 40);
}

#[test]
fn documents_of_one_text_have_one_score_wherever_they_lie() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let words = [(7, "kettlebell"), (11, "kettledrum"), (13, "kettle")];
    let text_of = |doc: u32| {
        let held = words.iter().filter(|(every, _)| doc.is_multiple_of(*every));
        let held: Vec<&str> = held.map(|(_, word)| *word).collect();
        held.join(" ")
    };
    // More than are looked at together.
    let end = 40_000;
    for doc in 0..end {
        index.add(doc, &[("title", &text_of(doc))]).unwrap();
    }
    index.publish();
    for _ in 0..2 {
        let asked = LexicalQuery {
            k: end as usize,
            ..query("kettle", typing(PrefixWords::Last))
        };
        let found = index.search(&asked, &all(end)).unwrap();
        let docs: BTreeSet<u32> = found.hits.iter().map(|(doc, _)| *doc).collect();
        let expected = (0..end).filter(|doc| !text_of(*doc).is_empty());
        assert!(docs == expected.collect(), "{} documents", docs.len());
        let mut scores: BTreeMap<String, f32> = BTreeMap::new();
        for (doc, score) in found.hits {
            let same = *scores.entry(text_of(doc)).or_insert(score);
            assert_eq!(score, same, "{doc}");
        }
        assert_eq!(scores.len(), 7);
        index.flush().unwrap();
    }
}
