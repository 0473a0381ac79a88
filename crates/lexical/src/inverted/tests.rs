use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::analysis::{Analysis, Analyzer, FieldAnalysis};

/// Some are longer than the prefix by which terms are ordered, and agree in it.
const WORDS: [&str; 8] = [
    "red",
    "re",
    "dog",
    "12345678",
    "123456789",
    "1234567890",
    "手",
    "机",
];
const FIELDS: [&str; 3] = ["title", "body", "tag"];

type Document = Vec<(&'static str, String)>;

fn document() -> impl Strategy<Value = Document> {
    let text = vec(select(&WORDS[..]), 0..6).prop_map(|words| words.join(" "));
    vec((select(&FIELDS[..]), text), 0..4)
}

fn batch(documents: &[Document]) -> InvertedBatch {
    let pairs = |document: &'_ Document| -> Vec<(&'static str, String)> { document.clone() };
    let documents: Vec<_> = documents.iter().map(pairs).collect();
    let borrowed = documents.iter().map(|document| {
        let pairs = document.iter();
        pairs.map(|(name, text)| (*name, text.as_str()))
    });
    InvertedBatch::new(
        &mut Analyzer::default(),
        |_| FieldAnalysis::default(),
        borrowed,
    )
}

/// Field numbers of all batches alike, documents from `base` on.
fn added(documents: &[Document], base: u32) -> Inverted {
    let batch = batch(documents);
    let slot = |field: u32| {
        FIELDS
            .iter()
            .position(|name| *name == batch.names()[field as usize])
    };
    let slot = |field| slot(field).unwrap() as u32;
    batch.inverted().renumbered(|row| Some(base + row), slot)
}

/// All there is, in plain values.
fn contents(inverted: &Inverted) -> impl PartialEq + std::fmt::Debug + use<> {
    let rows = 0..inverted.documents().len();
    let documents: Vec<_> = rows
        .map(|row| {
            let fields: Vec<_> = inverted.field_lengths(row).collect();
            (inverted.documents()[row], fields)
        })
        .collect();
    let terms: Vec<_> = (0..inverted.term_count())
        .map(|term| {
            let lists = inverted.lists(term).map(|list| {
                let mut postings = Vec::new();
                list.for_each(|doc, length, positions| {
                    postings.push((doc, length, positions.to_vec()));
                });
                (list.field, postings, list.postings.frequencies.to_vec())
            });
            let text = inverted.term(term).to_owned();
            (
                text,
                lists.collect::<Vec<_>>(),
                inverted.documents_with(term),
            )
        })
        .collect();
    (documents, terms)
}

/// The documents with positions of each term and field, read off the texts one by one.
fn plain(documents: &[Document]) -> Vec<(String, u32, u32, Vec<u32>)> {
    let mut found = std::collections::BTreeMap::<(String, u32, u32), Vec<u32>>::new();
    for (doc, document) in documents.iter().enumerate() {
        for (slot, name) in FIELDS.iter().enumerate() {
            let mut positions = crate::positions::Positions::default();
            for (_, text) in document.iter().filter(|(field, _)| field == name) {
                positions.begin_text();
                for token in Analyzer::default().tokens(text, Analysis::default()) {
                    positions.push(&token, &mut String::new(), |position, token| {
                        let key = (token.to_owned(), slot as u32, doc as u32);
                        found.entry(key).or_default().push(position);
                    });
                }
            }
        }
    }
    let flat = |((token, slot, doc), positions)| (token, slot, doc, positions);
    found.into_iter().map(flat).collect()
}

fn flattened(inverted: &Inverted) -> Vec<(String, u32, u32, Vec<u32>)> {
    let mut all = Vec::new();
    for term in 0..inverted.term_count() {
        for list in inverted.lists(term) {
            list.for_each(|doc, _, positions| {
                let token = inverted.term(term).to_owned();
                all.push((token, list.field, doc, positions.to_vec()));
            });
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_batch_holds_what_its_texts_say(documents in vec(document(), 0..8)) {
        prop_assert_eq!(flattened(&added(&documents, 0)), plain(&documents));
    }

    #[test]
    fn merged_parts_are_what_one_batch_of_all_is(parts in vec(vec(document(), 0..4), 1..7)) {
        let (mut base, mut inverted) = (0, Vec::new());
        for part in &parts {
            inverted.push(added(part, base));
            base += part.len() as u32;
        }
        let merged = merge(&inverted.iter().collect::<Vec<_>>());
        let whole = added(&parts.concat(), 0);
        prop_assert_eq!(contents(&merged), contents(&whole));
        for term in 0..merged.term_count() {
            let text = merged.term(term);
            prop_assert_eq!(merged.find(term_hash(text), text), Some(term));
        }
        prop_assert_eq!(merged.find(term_hash("absent"), "absent"), None);
    }

    #[test]
    fn documents_left_out_leave_nothing_behind(
        documents in vec((document(), any::<bool>()), 0..8),
    ) {
        let all: Vec<Document> = documents.iter().map(|(document, _)| document.clone()).collect();
        let kept = documents.iter().filter(|(_, kept)| *kept);
        let kept: Vec<Document> = kept.map(|(document, _)| document.clone()).collect();
        let mut next = 0;
        let numbers: Vec<Option<u32>> = documents
            .iter()
            .map(|(_, kept)| kept.then(|| { next += 1; next - 1 }))
            .collect();
        let left = added(&all, 0).renumbered(|doc| numbers[doc as usize], |field| field);
        prop_assert_eq!(contents(&left), contents(&added(&kept, 0)));
    }
}

#[test]
fn fields_that_change_their_order_are_sorted_again() {
    let batch = batch(&[vec![("title", "red".into()), ("body", "red dog".into())]]);
    let turned = batch.inverted().renumbered(Some, |field| 1 - field);
    let red = turned.find(term_hash("red"), "red").unwrap();
    let lists: Vec<_> = turned
        .lists(red)
        .map(|list| (list.field, list.postings.lengths))
        .collect();
    assert_eq!(lists, [(0, &[2][..]), (1, &[1][..])]);
}

#[test]
fn a_batch_is_inverted_in_linear_time() {
    let texts = |count: usize| -> Vec<String> {
        let word = |i: usize| format!("w{} often", i * 7919 % count);
        (0..count / 8)
            .map(|row| (0..8).map(|i| word(row * 8 + i) + " ").collect())
            .collect()
    };
    pelorus_growth::assert_linear("a batch", 1 << 12, texts, |texts: &Vec<String>| {
        let documents = texts.iter().map(|text| [("body", text.as_str())]);
        let batch = InvertedBatch::new(
            &mut Analyzer::default(),
            |_| FieldAnalysis::default(),
            documents,
        );
        assert_eq!(batch.document_count(), texts.len());
    });
}
