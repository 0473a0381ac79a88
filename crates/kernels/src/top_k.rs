//! The best k of a stream.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A floating-point type to rank by.
pub trait Score: Copy {
    /// The total order of IEEE 754.
    fn order(&self, other: &Self) -> Ordering;
}

impl Score for f32 {
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

impl Score for f64 {
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

/// An item with its key.
#[derive(Clone, Copy, Debug)]
pub struct Scored<T, S = f32> {
    /// Larger is better.
    pub score: S,
    /// Breaks ties: the smaller id is better.
    pub id: u32,
    /// Carried along, never compared.
    pub item: T,
}

impl<T, S: Score> Scored<T, S> {
    /// Best first: score descending, then id ascending.
    fn rank(&self, other: &Self) -> Ordering {
        other.score.order(&self.score).then(self.id.cmp(&other.id))
    }
}

/// Heap order: the worst item is the greatest, so it is the one on top.
struct WorstFirst<T, S>(Scored<T, S>);

impl<T, S: Score> Ord for WorstFirst<T, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.rank(&other.0)
    }
}

impl<T, S: Score> PartialOrd for WorstFirst<T, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T, S: Score> PartialEq for WorstFirst<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T, S: Score> Eq for WorstFirst<T, S> {}

/// Keeps the `k` best of all items pushed, by score descending and then id ascending, so the
/// answer does not depend on the order of arrival. To rank by distance push its negation.
pub struct TopK<T, S = f32> {
    k: usize,
    heap: BinaryHeap<WorstFirst<T, S>>,
}

impl<T, S: Score> TopK<T, S> {
    /// An empty collector of at most `k` items; memory grows with the pushed ones.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::new(),
        }
    }

    /// Offers an item and tells whether it is among the best so far.
    pub fn push(&mut self, score: S, id: u32, item: T) -> bool {
        let entry = WorstFirst(Scored { score, id, item });
        if self.heap.len() < self.k {
            self.heap.push(entry);
            return true;
        }
        match self.heap.peek_mut() {
            Some(mut worst) if entry < *worst => {
                *worst = entry;
                true
            }
            _ => false,
        }
    }

    /// The score an item must reach to have a chance, once `k` items are held.
    pub fn threshold(&self) -> Option<S> {
        self.worst().map(|(score, _)| score)
    }

    /// Score and id of the last of the best, once `k` items are held.
    pub fn worst(&self) -> Option<(S, u32)> {
        if self.heap.len() < self.k {
            return None;
        }
        self.heap.peek().map(|worst| (worst.0.score, worst.0.id))
    }

    /// The number of items held, at most `k`.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Tells whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The items held, best first.
    pub fn into_sorted(self) -> Vec<Scored<T, S>> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|entry| entry.0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_a_full_sort_puts_first(scores in vec(-4i8..4, 0..80), k in 0usize..20) {
            let mut top: TopK<u32> = TopK::new(k);
            let mut all: Vec<(i8, u32)> = Vec::new();
            for (id, &score) in scores.iter().enumerate() {
                let id = id as u32 * 7 % 80;
                top.push(f32::from(score), id, id);
                all.push((-score, id));
            }
            all.sort();
            all.truncate(k);
            let found: Vec<(i8, u32)> =
                top.into_sorted().iter().map(|s| (-(s.score as i8), s.item)).collect();
            prop_assert_eq!(found, all);
        }
    }

    #[test]
    fn the_threshold_appears_once_k_items_are_held() {
        let mut top: TopK<(), f64> = TopK::new(2);
        assert!(top.is_empty() && top.push(1.0, 0, ()));
        assert_eq!(top.threshold(), None);
        assert!(top.push(3.0, 1, ()));
        assert_eq!(top.threshold(), Some(1.0));
        assert_eq!(top.worst(), Some((1.0, 0)));
        assert!(!top.push(0.5, 2, ()) && top.push(2.0, 3, ()));
        assert_eq!((top.len(), top.threshold()), (2, Some(2.0)));
    }
}
