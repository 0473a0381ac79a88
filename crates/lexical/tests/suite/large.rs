//! Enough documents for many blocks and windows: memory and segments answer bit for bit alike,
//! and as BM25 computed over the plain documents does.

use crate::support::{assert_same, open_empty, query};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalHits, LexicalIndex, LexicalQuery};

const DOCUMENTS: u32 = 12_000;
const WORDS: [&str; 6] = ["often", "half", "some", "few", "rare", "never"];
/// A document holds word i in a field once in this many times.
const ONE_IN: [u32; 6] = [1, 2, 9, 70, 1_500, u32::MAX];

struct PlainDocument {
    ordinal: u32,
    fields: [Vec<usize>; 2],
}

/// Deterministic noise (Murmur's finaliser).
fn noise(n: u32) -> u32 {
    let n = (n ^ n >> 16).wrapping_mul(0x85eb_ca6b);
    let n = (n ^ n >> 13).wrapping_mul(0xc2b2_ae35);
    n ^ n >> 16
}

/// Ordinals with gaps here and there, as failed and replaced documents leave them.
fn documents() -> Vec<PlainDocument> {
    let mut ordinal = 0;
    let document = |i: u32| {
        ordinal += if noise(i).is_multiple_of(50) {
            1 + noise(i + 1) % 90
        } else {
            1
        };
        let words = |field: u32| {
            let mut words = Vec::new();
            for (word, one_in) in ONE_IN.into_iter().enumerate() {
                let roll = noise(i * 64 + field * 32 + word as u32);
                if roll.is_multiple_of(one_in) {
                    words.extend(vec![word; 1 + (roll as usize >> 16) % 3]);
                }
            }
            words
        };
        let second = if i.is_multiple_of(13) {
            words(1)
        } else {
            Vec::new()
        };
        PlainDocument {
            ordinal,
            fields: [words(0), second],
        }
    };
    (0..DOCUMENTS).map(document).collect()
}

fn add(index: &LexicalIndex, document: &PlainDocument) {
    let text = |words: &[usize]| {
        words
            .iter()
            .map(|&word| WORDS[word])
            .collect::<Vec<_>>()
            .join(" ")
    };
    let [first, second] = document.fields.each_ref().map(|words| text(words));
    index
        .add(document.ordinal, &[("first", &first), ("second", &second)])
        .unwrap();
}

/// Scores over all fields of live documents, from their definition.
fn expected(live: &[&PlainDocument], terms: &[usize], accept: &BitSet) -> Vec<(u32, f64)> {
    let average = |field: usize| {
        let lengths = live
            .iter()
            .map(|d| d.fields[field].len())
            .filter(|&length| length > 0);
        let (count, sum) = lengths.fold((0, 0), |(count, sum), length| (count + 1, sum + length));
        sum as f64 / f64::from(count)
    };
    let averages = [average(0), average(1)];
    let mut scores = vec![0.0; live.len()];
    for &term in terms {
        let holds = |d: &&&PlainDocument| d.fields.iter().any(|words| words.contains(&term));
        let n = live.iter().filter(holds).count() as f64;
        let idf = (1.0 + (live.len() as f64 - n + 0.5) / (n + 0.5)).ln();
        for (document, score) in live.iter().zip(&mut scores) {
            for (words, average) in document.fields.iter().zip(averages) {
                let tf = words.iter().filter(|&&word| word == term).count() as f64;
                let norm = 1.2 * (0.25 + 0.75 * words.len() as f64 / average);
                *score += idf * tf * 2.2 / (tf + norm);
            }
        }
    }
    let ordinals = live.iter().map(|d| d.ordinal);
    let mut hits: Vec<(u32, f64)> = ordinals
        .zip(scores)
        .filter(|&(doc, score)| score > 0.0 && accept.contains(doc))
        .collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits
}

#[test]
fn memory_and_segments_and_the_definition_agree() {
    let documents = documents();
    let (in_memory, in_segments) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let memory = open_empty(in_memory.path());
    let segments = open_empty(in_segments.path());
    for (i, document) in documents.iter().enumerate() {
        add(&memory, document);
        add(&segments, document);
        if i % 5_000 == 4_999 {
            segments.publish();
            segments.flush().unwrap();
        }
    }
    segments.publish();
    let (live, dead): (Vec<_>, Vec<_>) = documents
        .iter()
        .partition(|d| !noise(d.ordinal).is_multiple_of(7));
    for document in dead {
        memory.remove(document.ordinal);
        segments.remove(document.ordinal);
    }
    memory.publish();
    segments.publish();

    let alive: BitSet = live.iter().map(|d| d.ordinal).collect();
    let few: BitSet = alive.iter().filter(|doc| doc % 97 == 3).collect();
    for round in 0..3 {
        for accept in [&alive, &few] {
            for terms in [
                &[0][..],
                &[1, 3],
                &[2, 4, 5],
                &[4],
                &[0, 1, 2, 3, 4, 5],
                &[5],
            ] {
                let text: Vec<&str> = terms.iter().map(|&term| WORDS[term]).collect();
                let query = LexicalQuery {
                    k: 25,
                    ..query(&text.join(" "))
                };
                let found: [LexicalHits; 2] =
                    [&memory, &segments].map(|index| index.search(&query, accept).unwrap());
                assert_eq!(found[0], found[1], "{text:?} in round {round}");
                assert_same(
                    &found[0],
                    &expected(&live, terms, accept),
                    25,
                    &format!("{text:?}"),
                );
            }
        }
        segments.flush().unwrap();
    }
}

#[test]
fn required_terms_meet_across_blocks_and_windows() {
    let documents = documents();
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    documents.iter().for_each(|document| add(&index, document));
    index.publish();
    let alive: BitSet = documents.iter().map(|d| d.ordinal).collect();
    for _ in 0..2 {
        for (text, all_of) in [
            ("\"rare\" \"half\"", &[4, 1][..]),
            ("\"rare\" few some", &[4]),
            ("\"half\" \"some\" rare few", &[1, 2]),
        ] {
            let holds = |d: &PlainDocument, word: &usize| d.fields.iter().any(|f| f.contains(word));
            let matching = documents
                .iter()
                .filter(|d| all_of.iter().all(|word| holds(d, word)));
            let found = index
                .search(
                    &LexicalQuery {
                        k: 100_000,
                        ..query(text)
                    },
                    &alive,
                )
                .unwrap();
            let mut docs: Vec<u32> = found.hits.iter().map(|hit| hit.0).collect();
            docs.sort_unstable();
            assert_eq!(
                docs,
                matching.map(|d| d.ordinal).collect::<Vec<_>>(),
                "{text}"
            );
            assert_eq!(found.total, docs.len() as u64);
        }
        index.flush().unwrap();
    }
}
