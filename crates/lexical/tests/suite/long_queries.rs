//! Long queries and long words: answered in full or refused, never cut.

use crate::support::{add, all, docs, open_empty, query};
use pelorus_growth::assert_linear;
use pelorus_lexical::{LexicalError, LexicalIndex, LexicalQuery, Operand};

fn sample(dir: &std::path::Path) -> LexicalIndex {
    let index = open_empty(dir);
    add(&index, &[(0, &[("body", "x0q good dog")])]);
    index
}

/// The bound a query is over: what, how many are allowed, how many came.
fn refusal(index: &LexicalIndex, text: &str) -> (&'static str, usize, usize) {
    match index.search(&query(text), &all(9)) {
        Err(LexicalError::QueryTooLong {
            what,
            limit,
            received,
        }) => (what, limit, received),
        other => panic!("expected a refusal, received {other:?}"),
    }
}

#[test]
fn a_required_phrase_counts_however_far_behind_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let known = "\"x0q\" ".repeat(10);
    let blanks = " ".repeat(1_000);
    assert!(docs(&index, &format!("{known}{blanks}\"nonexistent\"")).is_empty());
    assert_eq!(docs(&index, &format!("{known}{blanks}\"good\"")), [0]);
    let many: String = (0..63).map(|_| "\"good dog\" \"dog\" ").collect();
    assert_eq!(docs(&index, &many), [0]);
    assert!(docs(&index, &format!("{many}\"dog good\"")).is_empty());
}

#[test]
fn blanks_are_free_and_a_late_word_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, &format!("{}dog", " ".repeat(1_100))), [0]);
    assert_eq!(docs(&index, &format!("{}dog", "\n".repeat(60_000))), [0]);
    let inside = format!("\"good{}dog\"", " ".repeat(10_000));
    assert_eq!(docs(&index, &inside), [0]);
    let unknown: String = (0..500).map(|i| format!("u{i} ")).collect();
    assert_eq!(docs(&index, &format!("{unknown}dog")), [0]);
}

#[test]
fn a_query_at_a_bound_is_answered_and_one_over_it_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let words = |count: usize| -> String { (0..count).map(|i| format!(" u{i}")).collect() };
    assert_eq!(docs(&index, &format!("dog{}", words(511))), [0]);
    assert_eq!(refusal(&index, &words(513)), ("distinct terms", 512, 513));

    let phrases = |count: usize| -> String { (0..count).map(|i| format!(" a-{i}")).collect() };
    assert_eq!(docs(&index, &format!("dog{}", phrases(64))), [0]);
    let over = ("distinct phrases of several words", 64, 65);
    assert_eq!(refusal(&index, &phrases(65)), over);
    let quoted: String = (0..65).map(|i| format!("\"a {i}\" ")).collect();
    assert_eq!(refusal(&index, &quoted), over);

    assert_eq!(docs(&index, &format!("dog {}", "a".repeat(4_093))), [0]);
    assert_eq!(
        refusal(&index, &format!("dog {}", "é".repeat(4_094))),
        ("characters besides blanks", 4_096, 4_097)
    );
    assert_eq!(
        refusal(&index, &" ".repeat(65_537)),
        ("bytes", 65_536, 65_537)
    );
}

#[test]
fn pairs_of_a_script_without_spaces_count_as_terms() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let run: String = (0..514)
        .map(|i| char::from_u32(0x4E00 + i).unwrap())
        .collect();
    assert_eq!(refusal(&index, &run), ("distinct terms", 512, 513));
    assert_eq!(docs(&index, &format!("dog {}", "手机".repeat(2_000))), [0]);
}

#[test]
fn a_repeated_term_counts_once_against_the_bounds_and_each_time_in_the_score() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let score = |text: &str| index.search(&query(text), &all(9)).unwrap().hits[0].1;
    let (once, often) = (score("dog"), score(&"dog ".repeat(1_000)));
    assert!((often / once - 1_000.0).abs() < 0.1, "{often} of {once}");
    assert_eq!(docs(&index, &"good-dog ".repeat(500)), [0]);
}

#[test]
fn the_bounds_hold_for_required_words_of_operand_and_too() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let text: String = (0..513).map(|i| format!("u{i} ")).collect();
    let query = LexicalQuery {
        operand: Operand::And,
        ..query(&text)
    };
    let refused = index.search(&query, &all(9)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a lexical query has at most 512 distinct terms, received 513"
    );
}

/// Their bytes are over the bound before anything of them is counted or split.
#[test]
fn megabytes_of_query_are_refused_for_their_length() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let quotes = "\"".repeat(1 << 20);
    let unfinished = "\"x0q x0q ".repeat(250_000);
    let words: String = (0..200_000).map(|i| format!("w{i} ")).collect();
    let run = "红色的手机壳".repeat(60_000);
    for text in [quotes, unfinished, words, run] {
        assert_eq!(refusal(&index, &text).0, "bytes");
    }
}

#[test]
fn texts_up_to_the_longest_that_is_read_are_answered_or_refused_in_linear_time() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    for piece in ["\"", "\" ", "\\\"", "a ", "\"a ", "-", "红", "\"a\" ", "😀"] {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        assert_linear(&format!("{piece:?}"), 8_192, text, |text: &String| {
            assert!(matches!(
                index.search(&query(text), &all(9)),
                Ok(_) | Err(LexicalError::QueryTooLong { .. })
            ));
        });
    }
}

#[test]
fn a_phrase_that_repeats_a_word_is_searched_in_linear_time() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for doc in 0..2_000 {
        index.add(doc, &[("body", "a a a a b a a")]).unwrap();
    }
    index.publish();
    let phrase = |count: usize| format!("\"{}\"", "a ".repeat(count));
    let total = |text: &str| index.search(&query(text), &all(9_000)).unwrap().total;
    for _ in 0..2 {
        assert_eq!([total(&phrase(4)), total(&phrase(5))], [2_000, 0]);
        assert_linear("phrase", 250, phrase, |text: &String| {
            assert_eq!(total(text), 0);
        });
        index.flush().unwrap();
    }
}

#[test]
fn long_words_are_found_by_themselves_and_not_by_others() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let lengths = [127, 128, 129, 200, 5_000];
    for (doc, length) in lengths.iter().enumerate() {
        add(
            &index,
            &[(doc as u32, &[("body", "a".repeat(*length).as_str())])],
        );
    }
    for _ in 0..2 {
        for (doc, &length) in lengths.iter().enumerate().take(4) {
            assert_eq!(docs(&index, &"a".repeat(length)), [doc as u32], "{length}");
            assert_eq!(docs(&index, &"À".repeat(length)), [doc as u32], "{length}");
        }
        assert!(docs(&index, &"a".repeat(300)).is_empty());
        let longest = index.contains("body", &"A".repeat(5_000)).unwrap();
        assert_eq!(longest.iter().collect::<Vec<_>>(), [4]);
        index.flush().unwrap();
    }
}
