//! Quoted phrases whose words stand a little apart. The random histories of `model` hold their matches and scores against
//! every choice of places.

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    FragmentBounds, LexicalIndex, LexicalQuery, Operand, SignalReader, TextSignals,
};

use crate::support::{add, all, open_empty};

fn query(text: &str, phrase_slop: u32) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k: 100,
        phrase_slop,
        ..LexicalQuery::default()
    }
}

fn index_of(texts: &[&str]) -> (tempfile::TempDir, LexicalIndex) {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for (doc, text) in (0..).zip(texts) {
        add(&index, &[(doc, &[("title", text)])]);
    }
    (dir, index)
}

fn found(index: &LexicalIndex, query: &LexicalQuery) -> Vec<u32> {
    let hits = index.search(query, &all(1_000)).unwrap().hits;
    hits.into_iter().map(|(doc, _)| doc).collect()
}

#[test]
fn each_slop_lets_words_stand_further_apart() {
    let texts = [
        "open water",
        "open cold water",
        "water open",
        "open the cold water",
        "open out the cold water",
        "open",
    ];
    let (_dir, index) = index_of(&texts);
    for (slop, expected) in [
        (0, vec![0]),
        (1, vec![0, 1]),
        (2, vec![0, 1, 2, 3]),
        (3, vec![0, 1, 2, 3, 4]),
        (u32::MAX, vec![0, 1, 2, 3, 4]),
    ] {
        let mut docs = found(&index, &query("\"open water\"", slop));
        docs.sort_unstable();
        assert_eq!(docs, expected, "{slop}");
        index.flush().unwrap();
    }
    // The nearer words stand the more they count.
    assert_eq!(found(&index, &query("\"open water\"", 3))[..2], [0, 1]);
}

#[test]
fn only_quoted_phrases_have_slop() {
    let (_dir, index) = index_of(&["t big shirt", "t-shirt"]);
    assert_eq!(found(&index, &query("t-shirt", 5)), [1]);
    assert_eq!(found(&index, &query("\"t-shirt\"", 5)), [1, 0]);
    // As required words they are two terms, of which a document has both.
    let both = LexicalQuery {
        operand: Operand::And,
        ..query("\"t-shirt\" t-shirt", 5)
    };
    assert_eq!(found(&index, &both), [1]);
}

#[test]
fn a_word_that_a_phrase_repeats_stands_there_twice() {
    let (_dir, index) = index_of(&["new york", "new old york new", "new new york"]);
    let mut docs = found(&index, &query("\"new york new\"", 4));
    docs.sort_unstable();
    assert_eq!(docs, [1, 2]);
}

#[test]
fn a_phrase_side_by_side_scores_as_without_slop() {
    let texts = ["open water and open water", "deep open water", "storm"];
    let (_dir, index) = index_of(&texts);
    let hits = |slop| {
        let found = index.search(&query("\"open water\"", slop), &all(3));
        found.unwrap().hits
    };
    assert_eq!(hits(0), hits(1));
}

#[test]
fn the_words_that_a_phrase_found_are_marked() {
    let texts = ["cold water, open sea; the water is open and cold water"];
    let (_dir, index) = index_of(&texts);
    let marked = |slop| -> Vec<String> {
        let asked = query("\"open water\"", slop);
        let words = index.reader().highlighter(&asked, &Cancellation::never());
        let bounds = FragmentBounds { size: 1, count: 0 };
        let fragments = words
            .unwrap()
            .fragments("title", &texts, bounds, &Cancellation::never())
            .unwrap();
        let marks = fragments.iter().flat_map(|fragment| &fragment.marks);
        marks
            .map(|mark| {
                let before = texts[0][..mark.start].split(' ').count() - 1;
                format!("{before} {}", &texts[0][mark.clone()])
            })
            .collect()
    };
    assert_eq!(marked(0), Vec::<String>::new());
    assert_eq!(
        marked(2),
        ["1 water", "2 open", "5 water", "7 open", "10 water"]
    );
}

#[test]
fn words_apart_are_less_exact_than_side_by_side() {
    let (_dir, index) = index_of(&["open water", "open cold water"]);
    let asked = query("\"open water\"", 1);
    let read = |text: &str| -> TextSignals {
        let words = index.reader().highlighter(&asked, &Cancellation::never());
        let mut signals = SignalReader::new(words.unwrap(), &asked);
        let read = signals.read([("title", text)], &[], &Cancellation::never());
        read.unwrap()
    };
    assert!(read("open water").exactness > read("open cold water").exactness);
    assert!(read("open cold water").exactness > 0.0);
    assert!(read("open").exactness == 0.0);
}
