//! The documents that a query finds.

use crate::support::{add, all, docs, open_empty, query};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalQuery, Operand};

fn sample(dir: &std::path::Path) -> LexicalIndex {
    let index = open_empty(dir);
    add(
        &index,
        &[
            (
                0,
                &[
                    ("title", "Red cotton t-shirt"),
                    ("body", "A shirt for summer"),
                ],
            ),
            (
                1,
                &[
                    ("title", "Blue shirt"),
                    ("body", "t for tea, shirt for the garden"),
                ],
            ),
        ],
    );
    index.flush().unwrap();
    add(
        &index,
        &[
            (2, &[("title", "红色的手机壳"), ("body", "phone case")]),
            (
                3,
                &[
                    ("title", "Café crème"),
                    ("body", "the exact words of the label"),
                ],
            ),
        ],
    );
    index
}

#[test]
fn a_star_finds_every_accepted_document_with_score_zero() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let accept: BitSet = [0, 1, 3].into_iter().collect();
    let found = index
        .search(&LexicalQuery { k: 2, ..query("*") }, &accept)
        .unwrap();
    assert_eq!(found.hits, [(0, 0.0), (1, 0.0)]);
    assert_eq!(found.total, 3);
}

#[test]
fn an_empty_query_and_a_quoted_star_find_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    for text in [
        "",
        "\"*\"",
        "\"exact\" *",
        "!!!",
        "\"\"",
        "\"*\" shirt",
        "shirt \"!\"",
        "\"shirt\" \"*\"",
    ] {
        assert!(docs(&index, text).is_empty(), "{text}");
    }
    for text in ["\"exact\" !!!", "\"\" exact", "\" \" exact", "exact *"] {
        assert_eq!(docs(&index, text), [3], "{text}");
    }
}

#[test]
fn any_optional_term_is_enough_and_every_required_one_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, "blue phone nothing"), [2, 1]);
    assert_eq!(docs(&index, "\"shirt\" \"summer\""), [0]);
    assert_eq!(docs(&index, "\"tea\" shirt nothing"), [1]);
    assert!(docs(&index, "\"shirt\" \"nothing\"").is_empty());
}

#[test]
fn beside_required_terms_optional_ones_only_add_to_the_score() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, "\"shirt\" garden"), [1, 0]);
    assert_eq!(docs(&index, "\"shirt\" summer"), [0, 1]);
    let alone = index.search(&query("\"shirt\""), &all(9)).unwrap();
    let beside = index.search(&query("\"shirt\" nothing"), &all(9)).unwrap();
    assert_eq!(beside, alone);
    let only_best = LexicalQuery {
        k: 1,
        ..query("\"shirt\" garden phone")
    };
    let found = index.search(&only_best, &all(9)).unwrap();
    assert_eq!((found.hits[0].0, found.total), (1, 2));
    assert!(docs(&index, "\"nothing\" shirt").is_empty());
}

#[test]
fn required_phrases_may_match_in_different_fields() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, "\"red cotton\" \"for summer\""), [0]);
    assert!(docs(&index, "\"cotton shirt\"").is_empty());
}

#[test]
fn a_word_of_several_tokens_must_be_consecutive() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, "t-shirt"), [0]);
    assert_eq!(docs(&index, "tea-shirt"), [1]);
}

#[test]
fn with_operand_and_every_optional_term_must_match() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let both = LexicalQuery {
        operand: Operand::And,
        ..query("shirt summer")
    };
    let hits = index.search(&both, &all(9)).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), [0]);
}

#[test]
fn only_the_named_fields_are_searched() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let in_fields = |text: &str, fields: &[&str]| -> Vec<u32> {
        let fields = Some(fields.iter().map(|&name| name.to_owned()).collect());
        let hits = index
            .search(
                &LexicalQuery {
                    fields,
                    ..query(text)
                },
                &all(9),
            )
            .unwrap()
            .hits;
        hits.into_iter().map(|(doc, _)| doc).collect()
    };
    assert_eq!(in_fields("tea", &["body"]), [1]);
    assert_eq!(in_fields("tea", &["title", "body", "body"]), [1]);
    assert!(in_fields("tea", &["title"]).is_empty());
    assert!(in_fields("tea", &["unknown"]).is_empty());
    assert_eq!(index.fields(), ["body", "title"]);
}

#[test]
fn case_accents_and_plurals_are_found_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    assert_eq!(docs(&index, "cafe CREME"), [3]);
    assert_eq!(docs(&index, "label's"), Vec::<u32>::new());
    assert_eq!(docs(&index, "labels"), [3]);
}

#[test]
fn chinese_is_found_by_any_part_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    for text in ["手机", "壳", "红色手机", "\"色的手机壳\""] {
        assert_eq!(docs(&index, text), [2], "{text}");
    }
    assert!(docs(&index, "\"红色手机\"").is_empty());
}

#[test]
fn contains_finds_consecutive_tokens_of_one_field() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let contains = |field: &str, value: &str| -> Vec<u32> {
        index.contains(field, value).unwrap().iter().collect()
    };
    assert_eq!(contains("body", "Exact WORDS"), [3]);
    assert_eq!(contains("title", "shirt"), [0, 1]);
    assert_eq!(contains("body", "for"), [0, 1]);
    assert!(contains("title", "shirt red").is_empty());
    assert!(contains("title", "!!!").is_empty());
    assert!(contains("unknown", "shirt").is_empty());
}

#[test]
fn a_field_given_several_times_holds_all_its_texts_but_no_phrase_across() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[(
            0,
            &[("tags", "red dog"), ("tags", "!"), ("tags", "big cat")],
        )],
    );
    for _ in 0..2 {
        assert_eq!(docs(&index, "\"red dog\" \"big cat\""), [0]);
        assert!(docs(&index, "\"dog big\"").is_empty());
        index.flush().unwrap();
    }
}

#[test]
fn a_filter_narrows_the_hits_and_the_total_but_not_the_scores() {
    let dir = tempfile::tempdir().unwrap();
    let index = sample(dir.path());
    let free = index.search(&query("shirt"), &all(9)).unwrap();
    let accept: BitSet = [1].into_iter().collect();
    let filtered = index.search(&query("shirt"), &accept).unwrap();
    assert_eq!((free.total, filtered.total), (2, 1));
    let of_1 = free.hits.iter().find(|hit| hit.0 == 1);
    assert_eq!(filtered.hits.first(), of_1);
}
