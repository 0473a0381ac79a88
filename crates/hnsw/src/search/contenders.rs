//! The results of a scan, however alike the keys around the query are.

use crate::search::doc_pool::{Candidate, DocPool, Pool};

/// Contenders kept before those that were overtaken are dropped for the first time.
const ROOM_MIN: usize = 1_024;

/// Every document that may be among the `k` nearest, given how far each key may be off.
///
/// With u the k-th smallest of key + error, that is each candidate with key - error ≤ u. Far from the query, or in a
/// crowd around it, these are many more than `k`.
pub(crate) struct Contenders {
    /// The `k` documents of least key + error, which stands in place of the key.
    upper: DocPool,
    found: Vec<Contender>,
    /// The largest error so far.
    error: f32,
    /// Contenders to hold before some are dropped.
    room: usize,
}

struct Contender {
    candidate: Candidate,
    /// key - error.
    lower: f32,
}

impl Contenders {
    pub fn new(k: usize) -> Self {
        Self {
            upper: DocPool::new(k),
            found: Vec::new(),
            error: 0.0,
            room: ROOM_MIN.max(2 * k),
        }
    }

    fn drop_overtaken(&mut self) {
        let bound = self.upper.bound();
        self.found.retain(|contender| contender.lower <= bound);
    }

    /// The documents, each by its nearest chunk, nearest first by key.
    pub fn into_candidates(mut self) -> Vec<Candidate> {
        self.upper.entries();
        self.drop_overtaken();
        let mut found: Vec<Candidate> = self
            .found
            .iter()
            .map(|contender| contender.candidate)
            .collect();
        found.sort_unstable_by_key(Candidate::by_document);
        found.dedup_by_key(|candidate| candidate.doc);
        found.sort_unstable_by_key(Candidate::by_nearness);
        found
    }
}

impl Pool for Contenders {
    fn bound(&self) -> f32 {
        self.upper.bound() + self.error
    }

    fn offer(&mut self, candidate: Candidate, error: impl FnOnce() -> f32) {
        if candidate.key > self.bound() {
            return;
        }
        let error = error();
        let lower = candidate.key - error;
        if lower > self.upper.bound() {
            return;
        }
        self.error = self.error.max(error);
        self.upper.offer(Candidate {
            key: candidate.key + error,
            ..candidate
        });
        self.found.push(Contender { candidate, lower });
        if self.found.len() >= self.room {
            self.drop_overtaken();
            self.room = ROOM_MIN.max(2 * self.found.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_document_is_missed_whose_key_is_off_by_at_most_its_error(
            offers in vec((0.0f32..100.0, 0u32..900, 0.0f32..20.0, -1.0f32..1.0), 0..3_000),
            k in 1usize..300,
        ) {
            let (mut contenders, mut nearest) = (Contenders::new(k), BTreeMap::new());
            for (node, &(distance, doc, error, off)) in (0..).zip(&offers) {
                let candidate = Candidate { key: distance + off * error, doc, node };
                // As a scan does with those whose lower bound is too great.
                if candidate.key - error <= contenders.bound() {
                    contenders.offer(candidate, || error * 1.001);
                }
                let least = nearest.entry(doc).or_insert(distance);
                *least = distance.min(*least);
            }
            let mut expected: Vec<(f32, u32)> = nearest.into_iter().map(|(doc, distance)| (distance, doc)).collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let found: Vec<u32> = contenders.into_candidates().iter().map(|found| found.doc).collect();
            for (_, doc) in expected.into_iter().take(k) {
                prop_assert!(found.contains(&doc), "{doc} of {found:?}");
            }
        }
    }

    #[test]
    fn where_keys_are_exact_the_nearest_alone_are_left() {
        let mut contenders = Contenders::new(2);
        for (node, key) in (0..).zip([5.0, 3.0, 4.0, 3.0, 9.0, 1.0]) {
            let doc = node % 5;
            contenders.offer(Candidate { key, doc, node }, || 0.0);
        }
        let found = contenders.into_candidates();
        let found: Vec<(u32, u32)> = found.iter().map(|found| (found.doc, found.node)).collect();
        assert_eq!(
            found,
            [(0, 5), (1, 1), (3, 3)],
            "equal keys are told apart later"
        );
    }
}
