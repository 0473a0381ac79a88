//! The results of a running search, keyed by document.

/// A document and the node of its best chunk so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// What the search orders by; smaller is nearer.
    pub key: f32,
    pub doc: u32,
    pub node: u32,
}

impl Candidate {
    fn precedes(&self, other: &Self) -> bool {
        (self.key, self.doc, self.node) < (other.key, other.doc, other.node)
    }
}

/// The nearest documents, each once however many of its chunks are near, in order of key and then
/// document; of equally near chunks the first node counts. Linear in its capacity for each candidate
/// that gets in, which few do.
pub(crate) struct DocPool {
    capacity: usize,
    entries: Vec<Candidate>,
}

impl DocPool {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Vec::with_capacity(capacity.min(1024) + 1),
        }
    }

    /// A key that is not below this cannot get in.
    #[inline]
    pub fn bound(&self) -> f32 {
        match self.entries.last() {
            Some(last) if self.entries.len() == self.capacity => last.key,
            _ => f32::INFINITY,
        }
    }

    /// Takes a candidate in, in place of a worse chunk of its document or of the last entry.
    /// Answers its position if it got in.
    pub fn offer(&mut self, candidate: Candidate) -> Option<usize> {
        let full = self.entries.len() == self.capacity;
        if full
            && !self
                .entries
                .last()
                .is_some_and(|last| candidate.precedes(last))
        {
            return None;
        }
        if let Some(at) = self
            .entries
            .iter()
            .position(|entry| entry.doc == candidate.doc)
        {
            if !candidate.precedes(&self.entries[at]) {
                return None;
            }
            self.entries.remove(at);
        } else if full {
            self.entries.pop();
        }
        let at = self
            .entries
            .partition_point(|entry| entry.precedes(&candidate));
        self.entries.insert(at, candidate);
        Some(at)
    }

    /// Whether a document that gets in displaces another.
    pub fn is_full(&self) -> bool {
        self.entries.len() == self.capacity
    }

    /// The documents held, nearest first.
    pub fn entries(&self) -> &[Candidate] {
        &self.entries
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
        fn it_holds_the_nearest_documents_by_their_best_chunk(
            offers in vec((0u8..40, 0u32..12), 0..120),
            capacity in 1usize..8,
        ) {
            let mut pool = DocPool::new(capacity);
            let mut best = BTreeMap::new();
            for (node, &(key, doc)) in offers.iter().enumerate() {
                pool.offer(Candidate { key: f32::from(key), doc, node: node as u32 });
                let kept = best.entry(doc).or_insert(key);
                *kept = key.min(*kept);
            }
            let mut expected: Vec<(u8, u32)> = best.iter().map(|(&doc, &key)| (key, doc)).collect();
            expected.sort();
            expected.truncate(capacity);
            let found: Vec<(u8, u32)> =
                pool.entries().iter().map(|entry| (entry.key as u8, entry.doc)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_bound_opens_until_the_pool_is_full() {
        let mut pool = DocPool::new(2);
        assert_eq!(
            pool.offer(Candidate {
                key: 2.0,
                doc: 1,
                node: 0
            }),
            Some(0)
        );
        assert_eq!(pool.bound(), f32::INFINITY);
        assert_eq!(
            pool.offer(Candidate {
                key: 1.0,
                doc: 2,
                node: 1
            }),
            Some(0)
        );
        assert_eq!(pool.bound(), 2.0);
        assert_eq!(
            pool.offer(Candidate {
                key: 3.0,
                doc: 3,
                node: 2
            }),
            None
        );
    }
}
