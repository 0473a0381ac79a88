//! The results of a running search, keyed by document.

/// A document and the node of its best chunk so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The key by which the search orders; smaller is nearer.
    pub key: f32,
    pub doc: u32,
    pub node: u32,
}

impl Candidate {
    fn precedes(&self, other: &Self) -> bool {
        (self.key, self.doc, self.node) < (other.key, other.doc, other.node)
    }

    /// Sorts as [`Candidate::precedes`] says; one integer is compared sooner than three numbers.
    pub fn by_nearness(&self) -> u128 {
        packed([ascending(self.key), self.doc, self.node])
    }

    /// Sorts by document, and of each the nearest chunk first.
    pub fn by_document(&self) -> u128 {
        packed([self.doc, ascending(self.key), self.node])
    }
}

/// Sorts as the numbers do, the first of them first.
fn packed([first, second, third]: [u32; 3]) -> u128 {
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

/// An integer that is greater the greater the key is.
fn ascending(key: f32) -> u32 {
    // Both zeros are one.
    let bits = (key + 0.0).to_bits();
    match bits >> 31 {
        0 => bits | 1 << 31,
        _ => !bits,
    }
}

/// The documents that a scan has found so far.
pub(crate) trait Pool {
    /// A key that is above this does not get in.
    fn bound(&self) -> f32;

    /// Takes a candidate in, unless it is too far; `error` is the bound of the error of its key.
    fn offer(&mut self, candidate: Candidate, error: impl FnOnce() -> f32);
}

impl Pool for DocPool {
    #[inline]
    fn bound(&self) -> f32 {
        DocPool::bound(self)
    }

    #[inline]
    fn offer(&mut self, candidate: Candidate, _error: impl FnOnce() -> f32) {
        DocPool::offer(self, candidate);
    }
}

/// Pools up to this size are kept sorted at all times.
const EAGER_MAX: usize = 256;

/// The nearest documents, each once however many of its chunks are near, in order of key and then
/// document; of equally near chunks the first node counts.
///
/// A small pool takes each candidate to its place at once. A large one gathers as many candidates as
/// it holds before it puts them in order, so that a candidate costs little however large it is.
pub(crate) struct DocPool {
    capacity: usize,
    entries: Vec<Candidate>,
    /// Candidates of a large pool that wait to be put in order.
    waiting: Vec<Candidate>,
}

impl DocPool {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Vec::with_capacity(capacity.min(EAGER_MAX) + 1),
            waiting: Vec::new(),
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
    /// Answers its position if it got in; in a large pool, the first it may have.
    #[inline]
    pub fn offer(&mut self, candidate: Candidate) -> Option<usize> {
        let full = self.entries.len() == self.capacity;
        let last = self.entries.last().filter(|_| full);
        if last.is_some_and(|last| !candidate.precedes(last)) {
            return None;
        }
        if self.capacity > EAGER_MAX {
            self.waiting.push(candidate);
            if self.waiting.len() >= self.capacity {
                self.settle();
            }
            return Some(0);
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

    /// Puts waiting candidates in order.
    fn settle(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let all = &mut self.entries;
        all.append(&mut self.waiting);
        all.sort_unstable_by_key(Candidate::by_document);
        all.dedup_by_key(|candidate| candidate.doc);
        if self.capacity < all.len() {
            all.select_nth_unstable_by_key(self.capacity, Candidate::by_nearness);
            all.truncate(self.capacity);
        }
        all.sort_unstable_by_key(Candidate::by_nearness);
    }

    /// Tells whether a document that gets in displaces another.
    pub fn is_full(&mut self) -> bool {
        self.entries().len() == self.capacity
    }

    /// Tells whether fewer than `count` documents are held.
    #[inline]
    pub fn holds_less_than(&mut self, count: usize) -> bool {
        // Not before there can be enough is it worth to tell them apart.
        self.entries.len() < count
            && (self.entries.len() + self.waiting.len() < count || self.entries().len() < count)
    }

    /// The documents held, nearest first.
    pub fn entries(&mut self) -> &[Candidate] {
        self.settle();
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
        fn a_pool_holds_the_nearest_documents_by_their_best_chunk(
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

        #[test]
        fn a_large_pool_holds_the_same(
            offers in vec((0u16..4000, 0u32..900), 0..2000),
            extra in 0usize..50,
        ) {
            let capacity = EAGER_MAX + 1 + extra;
            let mut pool = DocPool::new(capacity);
            let mut best = BTreeMap::new();
            for (node, &(key, doc)) in offers.iter().enumerate() {
                let candidate = Candidate { key: f32::from(key), doc, node: node as u32 };
                prop_assert!(candidate.key <= pool.bound() || pool.offer(candidate).is_none());
                pool.offer(candidate);
                let kept = best.entry(doc).or_insert((key, node as u32));
                *kept = (key, node as u32).min(*kept);
                prop_assert_eq!(pool.holds_less_than(200), best.len() < 200);
            }
            let mut expected: Vec<(u16, u32, u32)> =
                best.iter().map(|(&doc, &(key, node))| (key, doc, node)).collect();
            expected.sort();
            expected.truncate(capacity);
            let found: Vec<(u16, u32, u32)> =
                pool.entries().iter().map(|entry| (entry.key as u16, entry.doc, entry.node)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    proptest! {
        #[test]
        fn integers_sort_candidates_as_numbers_do(
            pairs in vec([(-2i8..3, 0u32..3, 0u32..3), (-2i8..3, 0u32..3, 0u32..3)], 1..50), scale in -1e30f32..1e30,
        ) {
            for pair in pairs {
                let [a, b] = pair.map(|(key, doc, node)| Candidate { key: f32::from(key) * scale, doc, node });
                prop_assert_eq!(a.by_nearness() < b.by_nearness(), a.precedes(&b));
            }
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
