//! However documents came and wherever they are kept, the index answers the same, bit for bit.

use crate::support;
use crate::support::{all, open_empty};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalHits, LexicalIndex, LexicalQuery, MergePolicy, Operand};
use pelorus_random::SplitMix64;
use proptest::collection::vec;
use proptest::prelude::*;

/// Enough for parts of three sizes where they come one by one.
const DOCUMENTS: u32 = 300;
const WORDS: usize = 40;
const FIELDS: [&str; 3] = ["title", "body", "tag"];

const QUERIES: [&str; 7] = [
    "w0",
    "w1 w39 absent",
    "\"w0 w1\"",
    "\"w2\" w3 w4-w0",
    "\"手机\" w0",
    "w0 w1 w2 w3 w4 w5 w6 w7",
    "\"w0 w0\" \"w1\"",
];

type Document = Vec<(&'static str, String)>;

fn documents(seed: u64) -> Vec<Document> {
    let mut random = SplitMix64(seed);
    let word = |random: &mut SplitMix64| match random.below(20) {
        0 => "手机".to_owned(),
        // The first words are common, the last ones rare.
        _ => format!("w{}", random.below(WORDS) * random.below(WORDS) / WORDS),
    };
    let field = |random: &mut SplitMix64| {
        let words: Vec<String> = (0..random.below(12)).map(|_| word(random)).collect();
        (*random.pick(&FIELDS), words.join(" "))
    };
    let mut document = |_| (0..random.below(4)).map(|_| field(&mut random)).collect();
    (0..DOCUMENTS).map(&mut document).collect()
}

/// Adds documents in batches of these sizes, in turn.
fn add(index: &LexicalIndex, documents: &[Document], sizes: &[usize], flush_at: Option<usize>) {
    let mut rest = documents;
    let mut next = 0;
    for &size in sizes.iter().cycle() {
        let (batch, others) = rest.split_at(size.min(rest.len()));
        rest = others;
        let pairs = batch.iter().map(|document| {
            let pairs = document.iter();
            pairs.map(|(name, text)| (*name, text.as_str()))
        });
        let ordinals: Vec<Option<u32>> = (next..next + batch.len() as u32).map(Some).collect();
        next += batch.len() as u32;
        index.add_batch(&index.invert(pairs), &ordinals).unwrap();
        index.publish();
        if flush_at.is_some_and(|at| (next as usize).is_multiple_of(at)) {
            index.flush().unwrap();
        }
        if rest.is_empty() {
            return;
        }
    }
}

fn remove(index: &LexicalIndex, one_in: u32) -> BitSet {
    let (dead, alive): (Vec<u32>, Vec<u32>) =
        (0..DOCUMENTS).partition(|doc| doc.is_multiple_of(one_in));
    dead.into_iter().for_each(|doc| index.remove(doc));
    index.publish();
    alive.into_iter().collect()
}

fn answers(index: &LexicalIndex, alive: &BitSet) -> Vec<LexicalHits> {
    let scopes = [None, Some(vec!["body".to_owned()])];
    let mut answers = Vec::new();
    for fields in scopes {
        for text in QUERIES {
            let query = LexicalQuery {
                text: text.to_owned(),
                fields: fields.clone(),
                k: 50,
                operand: Operand::Or,
                ..LexicalQuery::default()
            };
            answers.push(index.search(&query, alive).unwrap());
        }
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_any_size_answer_as_one_batch_does(
        seed in any::<u64>(),
        sizes in vec(1..40_usize, 1..5),
        one_in in 2..9_u32,
        flush_at in proptest::option::of(20..150_usize),
    ) {
        let documents = documents(seed);
        let expected = {
            let dir = tempfile::tempdir().unwrap();
            let index = open_empty(dir.path());
            add(&index, &documents, &[documents.len()], None);
            let whole = answers(&index, &all(DOCUMENTS));
            (whole, answers(&index, &remove(&index, one_in)))
        };
        for sizes in [&sizes[..], &[1]] {
            let dir = tempfile::tempdir().unwrap();
            let index = open_empty(dir.path());
            add(&index, &documents, sizes, flush_at);
            prop_assert_eq!(&answers(&index, &all(DOCUMENTS)), &expected.0);
            let alive = remove(&index, one_in);
            prop_assert_eq!(&answers(&index, &alive), &expected.1);
            index.close().unwrap();
            prop_assert_eq!(&answers(&index, &alive), &expected.1);
            while index.needs_flush(MergePolicy::Leveled) {
                index.flush().unwrap();
            }
            prop_assert_eq!(&answers(&index, &alive), &expected.1);
        }
    }
}

#[test]
fn rows_without_an_ordinal_are_left_out_and_so_are_their_fields() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let texts = [
        [("a", "red dog"), ("b", "")],
        [("only", "red cat"), ("a", "red")],
        [("c", "cat"), ("a", "red dog")],
    ];
    let batch = index.invert(texts);
    assert_eq!(batch.document_count(), 3);
    index.add_batch(&batch, &[Some(4), None, Some(9)]).unwrap();
    index.publish();
    assert_eq!(index.fields(), ["a", "b", "c"]);
    assert_eq!(index.document_count(), 2);
    assert_eq!(support::docs(&index, "red"), [4, 9]);
    assert_eq!(support::docs(&index, "cat"), [9]);
    assert_eq!(support::docs(&index, "\"red dog\""), [4, 9]);
    // A batch stays as it is: it may be added again, as a new version of its documents.
    index.add_batch(&batch, &[None, Some(10), None]).unwrap();
    index.publish();
    assert_eq!(support::docs(&index, "cat"), [9, 10]);
}

#[test]
fn a_batch_out_of_order_adds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let batch = index.invert([[("a", "red")], [("b", "dog")]]);
    let error = index.add_batch(&batch, &[Some(5), Some(5)]).unwrap_err();
    assert!(
        error.to_string().contains("at least 6, received 5"),
        "{error}"
    );
    index.publish();
    assert_eq!(index.document_count(), 0);
    assert!(index.fields().is_empty());
    index.add_batch(&batch, &[Some(0), Some(1)]).unwrap();
    index.publish();
    assert_eq!(index.document_count(), 2);
}

/// Memory that an account leaves out is bounded by nobody: 14 bytes for a posting with its
/// position, and the text of each distinct word.
#[test]
fn the_account_of_memory_is_near_what_the_documents_take() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let words: Vec<String> = (0..5_000).map(|i| format!("word{i}")).collect();
    let text = words.join(" ");
    for doc in 0..16 {
        index.add(doc, &[("a", &text)]).unwrap();
    }
    index.publish();
    let postings = 16 * 5_000 * 14;
    let least = postings + text.len();
    let most = 2 * (postings + 5_000 * 48);
    let received = index.memory_bytes();
    assert!(
        (least..most).contains(&received),
        "{least}, {received}, {most}"
    );
}
