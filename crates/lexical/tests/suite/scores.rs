//! The documented scores, from memory and from segments.

use crate::support::{add, all, assert_close, open_empty, query};
use pelorus_lexical::LexicalIndex;

const TEXT_FIELD_1: [&str; 10] = [
    "dogs",
    "puppies",
    "canines",
    "huskies",
    "four-legged animals",
    "hot dogs",
    "dogs is a word",
    "something something dogs",
    "dogs random words",
    "dogs dogs dogs",
];
const TEXT_FIELD_2: [&str; 3] = ["dogs but wrong field", "puppies puppies", "canines canines"];

fn documents_1_to_13(index: &LexicalIndex) {
    let mut doc = 0;
    for (field, texts) in [
        ("text_field_1", &TEXT_FIELD_1[..]),
        ("text_field_2", &TEXT_FIELD_2),
    ] {
        for text in texts {
            doc += 1;
            add(index, &[(doc, &[(field, text)])]);
        }
    }
}

fn assert_scores(index: &LexicalIndex, fields: Option<&[&str]>, expected: &[(u32, f64)]) {
    let mut query = query("dogs");
    query.fields = fields.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    let found = index.search(&query, &(1..14).collect()).unwrap();
    let docs: Vec<u32> = found.hits.iter().map(|hit| hit.0).collect();
    assert_eq!(docs, expected.iter().map(|hit| hit.0).collect::<Vec<_>>());
    for (&(doc, score), &(_, exact)) in found.hits.iter().zip(expected) {
        assert_close(score, exact, &format!("document {doc}"));
    }
}

const ALL_FIELDS: [(u32, f64); 7] = [
    (10, 0.909_911_703_588_340_5),
    (1, 0.803_432_674_445_024_1),
    (6, 0.648_263_273_801_135_2),
    (8, 0.543_328_571_207_426_3),
    (9, 0.543_328_571_207_426_3),
    (11, 0.518_165_841_494_560_9),
    (7, 0.467_632_640_234_255_5),
];

#[test]
fn all_fields_share_the_count_of_documents_that_match_in_any() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    documents_1_to_13(&index);
    assert_scores(&index, None, &ALL_FIELDS);
    index.flush().unwrap();
    assert_scores(&index, None, &ALL_FIELDS);
}

#[test]
fn a_named_field_uses_its_own_count() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    documents_1_to_13(&index);
    let expected = [
        (10, 1.118_528_596_124_743_8),
        (1, 0.987_636_951_897_380_3),
        (6, 0.796_891_617_839_946_3),
        (8, 0.667_898_370_347_867_8),
        (9, 0.667_898_370_347_867_8),
        (7, 0.574_847_513_797_856),
    ];
    assert_scores(&index, Some(&["text_field_1"]), &expected);
    index.flush().unwrap();
    assert_scores(&index, Some(&["text_field_1"]), &expected);
}

#[test]
fn one_combined_field_gives_the_older_recorded_scores() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for (i, text) in TEXT_FIELD_1.iter().chain(&TEXT_FIELD_2).enumerate() {
        add(&index, &[(i as u32 + 1, &[("text", text)])]);
    }
    let expected = [
        (10, 0.921_570_120_778_917_3),
        (1, 0.812_508_568_024_015_7),
        (6, 0.660_163_211_519_512_7),
        (8, 0.555_926_914_963_800_3),
        (9, 0.555_926_914_963_800_3),
        (7, 0.480_118_699_286_918_36),
        (11, 0.480_118_699_286_918_36),
    ];
    assert_scores(&index, None, &expected);
}

#[test]
fn removed_and_replaced_documents_leave_no_trace_in_the_scores() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[(0, &[("text_field_1", "dogs and dogs and many more words")])],
    );
    index.flush().unwrap();
    documents_1_to_13(&index);
    add(&index, &[(14, &[("text_field_2", "dogs")]), (15, &[])]);
    for doc in [0, 14, 15] {
        index.remove(doc);
    }
    index.publish();
    assert_scores(&index, None, &ALL_FIELDS);
    index.flush().unwrap();
    assert_scores(&index, None, &ALL_FIELDS);
}

#[test]
fn a_document_without_text_counts_among_all_documents() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("a", "dog")])]);
    let before = index.search(&query("dog"), &all(2)).unwrap().hits[0].1;
    add(&index, &[(1, &[])]);
    let after = index.search(&query("dog"), &all(2)).unwrap().hits[0].1;
    assert_eq!(index.document_count(), 2);
    assert!(after > before);
}
