//! The result of a search, beside a look at every document.

use std::convert::Infallible;

use pelorus_kernels::BitSet;
use pelorus_random::SplitMix64;
use pelorus_sparse::{SparseIndex, SparseVector};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{Documents, search, vector};

/// Indices of a vocabulary in which an index is the rarer the later it stands.
fn index_of(random: &mut SplitMix64, vocabulary: usize) -> u32 {
    let below = random.below(vocabulary) + 1;
    random.below(below) as u32 * 7919
}

/// Weights of which many are equal, so that scores are too.
fn random_vector(random: &mut SplitMix64, entries: usize, vocabulary: usize) -> SparseVector {
    let mut weights = std::collections::BTreeMap::new();
    for _ in 0..entries {
        weights.insert(index_of(random, vocabulary), random.below(6) as f32 * 0.3);
    }
    vector(&weights.into_iter().collect::<Vec<_>>())
}

/// One of several filters: all, few, every other one, a range, none.
fn random_accept(random: &mut SplitMix64, end: u32) -> BitSet {
    match random.below(5) {
        0 => BitSet::full(end),
        1 => (0..end).filter(|_| random.below(50) == 0).collect(),
        2 => (0..end).filter(|doc| doc % 2 == 0).collect(),
        3 => (end / 3..end / 2).collect(),
        _ => BitSet::default(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_search_finds_what_a_look_at_every_document_finds(
        seed in any::<u64>(),
        count in 0..3000_u32,
        vocabulary in prop::sample::select(vec![1, 5, 300, 5000]),
        entries in 1..40_usize,
    ) {
        let mut random = SplitMix64(seed);
        let (mut index, mut documents) = (SparseIndex::default(), Documents::default());
        for doc in 0..count {
            // Some have none, and some ordinals are free.
            if random.below(10) > 0 {
                let made = random_vector(&mut random, entries, vocabulary);
                index.insert(doc, &made);
                documents.0.insert(doc, made);
            }
        }
        let removed: Vec<u32> = documents.0.keys().copied().filter(|_| random.below(4) == 0).collect();
        for doc in removed {
            let gone = documents.0.remove(&doc).unwrap();
            index.remove(doc, gone.entries().len());
        }
        for _ in 0..8 {
            let query = random_vector(&mut random, 1 + entries / 2, vocabulary);
            let accept = random_accept(&mut random, count + 10);
            for k in [0, 1, 10, 100, 5000] {
                prop_assert_eq!(search(&index, &query, k, &accept), documents.best(&query, k, &accept));
            }
            let go_on = || Ok::<(), Infallible>(());
            let matches = index.matches(&query, &accept, &go_on).unwrap();
            prop_assert_eq!(matches, documents.matches(&query, &accept));
        }
    }
}

#[test]
fn equal_scores_are_in_the_order_of_documents_wherever_a_block_ends() {
    let mut index = SparseIndex::default();
    for doc in 0..1000 {
        index.insert(doc, &vector(&[(5, 1.0)]));
    }
    let query = vector(&[(5, 2.0), (6, 1.0)]);
    let found = search(&index, &query, 130, &BitSet::full(1000));
    assert!(found.iter().map(|hit| hit.0).eq(0..130) && found.iter().all(|hit| hit.1 == 2.0));
    // The best stands behind many that are equal to the last.
    index.insert(5000, &vector(&[(5, 1.0), (6, 0.5)]));
    let found = search(&index, &query, 2, &BitSet::full(6000));
    assert_eq!(found, [(5000, 2.5), (0, 2.0)]);
}

#[test]
fn documents_may_come_in_any_order() {
    let (mut index, mut documents) = (SparseIndex::default(), Documents::default());
    let mut random = SplitMix64(7);
    for at in 0..2000_u32 {
        let doc = at * 1_231 % 2_003;
        let made = random_vector(&mut random, 12, 100);
        index.insert(doc, &made);
        documents.0.insert(doc, made);
    }
    let query = random_vector(&mut random, 10, 100);
    let accept = BitSet::full(2_003);
    assert_eq!(
        search(&index, &query, 50, &accept),
        documents.best(&query, 50, &accept)
    );
}

#[test]
fn an_error_of_whoever_waits_ends_a_search() {
    let mut index = SparseIndex::default();
    index.insert(3, &vector(&[(5, 1.0)]));
    let stopped = || Err("stopped");
    let accept = BitSet::full(9);
    let query = vector(&[(5, 1.0)]);
    assert_eq!(index.search(&query, 1, &accept, &stopped), Err("stopped"));
    assert_eq!(index.matches(&query, &accept, &stopped), Err("stopped"));
}
