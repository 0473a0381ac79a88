//! Documents that are removed, and the room that they leave.

use pelorus_kernels::BitSet;
use pelorus_random::SplitMix64;
use pelorus_sparse::SparseIndex;

use super::{Documents, search, vector};

/// Twenty entries of a vocabulary of 500.
fn made(random: &mut SplitMix64) -> pelorus_sparse::SparseVector {
    let first = random.below(25) as u32;
    let weights: Vec<(u32, f32)> = (0..20)
        .map(|at| (first + at * 25, 0.5 + random.below(9) as f32))
        .collect();
    vector(&weights)
}

#[test]
fn removed_documents_are_found_no_more_while_their_entries_are_taken_out() {
    let mut random = SplitMix64(11);
    let (mut index, mut documents) = (SparseIndex::default(), Documents::default());
    let query = vector(&[(3, 1.0), (28, 0.5), (53, 2.0), (480, 1.0)]);
    let mut next = 0;
    for round in 0..60 {
        for _ in 0..200 {
            let one = made(&mut random);
            index.insert(next, &one);
            documents.0.insert(next, one);
            next += 1;
        }
        // Fewer than came at first, and then more: the index becomes smaller again.
        let share = if round < 30 { 3 } else { 1 };
        let gone: Vec<u32> = documents
            .0
            .keys()
            .copied()
            .filter(|_| random.below(4) >= share)
            .collect();
        for doc in gone {
            let one = documents.0.remove(&doc).unwrap();
            assert!(index.holds(doc, &one));
            index.remove(doc, one.entries().len());
            assert!(!index.holds(doc, &one), "a removed document holds nothing");
        }
        let accept = BitSet::full(next);
        assert_eq!(
            search(&index, &query, 20, &accept),
            documents.best(&query, 20, &accept)
        );
        assert!(documents.0.iter().all(|(&doc, one)| index.holds(doc, one)));
    }
    for (doc, one) in std::mem::take(&mut documents.0) {
        index.remove(doc, one.entries().len());
    }
    assert!(search(&index, &query, 20, &BitSet::full(next)).is_empty());
}

#[test]
fn churn_does_not_let_memory_grow() {
    let mut random = SplitMix64(5);
    let mut index = SparseIndex::default();
    let mut alive = std::collections::VecDeque::new();
    let mut bytes = Vec::new();
    for doc in 0..30_000 {
        let one = made(&mut random);
        index.insert(doc, &one);
        alive.push_back((doc, one));
        if alive.len() > 2_000 {
            let (old, one) = alive.pop_front().unwrap();
            index.remove(old, one.entries().len());
        }
        if doc % 1_000 == 999 {
            bytes.push(index.memory_bytes());
        }
    }
    let (early, late) = (
        bytes[4..10].iter().max().unwrap(),
        bytes[20..].iter().max().unwrap(),
    );
    assert!(late < &(early * 3 / 2), "{bytes:?}");
}

#[test]
fn a_document_comes_back_under_the_ordinal_that_it_had() {
    let mut index = SparseIndex::default();
    let (before, after) = (vector(&[(1, 1.0), (2, 1.0)]), vector(&[(2, 3.0)]));
    index.insert(9, &before);
    index.remove(9, before.entries().len());
    index.insert(9, &after);
    assert!(index.holds(9, &after) && !index.holds(9, &before));
    assert_eq!(search(&index, &before, 5, &BitSet::full(10)), [(9, 3.0)]);
    assert_eq!((index.weight(1, 9), index.weight(2, 9)), (None, Some(3.0)));
}
