//! Nodes with the same vector.
//!
//! To the graph they are one place: linked to each other they would fill each other's rows and
//! cut themselves off, so only the first, the *representative*, is a node of the graph. The others
//! hang on it in a chain, newest first, and are found where it is found.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::storage::blocks::Cells;
use crate::storage::vectors::Vectors;
use crate::sync::{AtomicBool, Ordering, fence};

/// Chains of equal nodes. One thread writes at a time; readers take no lock.
pub(crate) struct Twins {
    /// The newest twin of a representative, plus one.
    first: Cells,
    /// The twin before this one, plus one.
    next: Cells,
    /// The representative of a twin, plus one.
    of: Cells,
    any: AtomicBool,
}

impl Twins {
    pub fn new() -> Self {
        Self {
            first: Cells::new(1),
            next: Cells::new(1),
            of: Cells::new(1),
            any: AtomicBool::new(false),
        }
    }

    /// Hangs `twin` on `representative`.
    pub fn attach(&self, representative: u32, twin: u32) {
        self.next
            .set(twin as usize, self.first.get(representative as usize));
        self.of.set(twin as usize, representative + 1);
        self.first.set(representative as usize, twin + 1);
        self.any.store(true, Ordering::Release);
    }

    /// The node a twin hangs on; none for nodes of the graph.
    pub fn representative(&self, node: u32) -> Option<u32> {
        self.of.get(node as usize).checked_sub(1)
    }

    /// The nodes that hang on `node`.
    #[inline(always)]
    pub fn of(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut next = match self.any.load(Ordering::Acquire) {
            true => self.first.get(node as usize),
            false => 0,
        };
        std::iter::from_fn(move || {
            let twin = next.checked_sub(1)?;
            next = self.next.get(twin as usize);
            Some(twin)
        })
    }

    /// Whether the graph can do without a node: it is dead, and so is every twin of it. What is gone
    /// stays gone, as long as twins are only hung on nodes that are not.
    #[inline]
    pub fn is_gone(&self, node: u32, vectors: &Vectors) -> bool {
        vectors.is_dead(node) && self.has_only_dead(node, vectors)
    }

    #[cold]
    fn has_only_dead(&self, node: u32, vectors: &Vectors) -> bool {
        // The other half of the fence in `attach_to_living`.
        fence(Ordering::SeqCst);
        self.of(node).all(|twin| vectors.is_dead(twin))
    }

    /// Hangs `twin` on `representative` and tells whether that was sure to be in time: false if the
    /// representative died meanwhile, and others may already have taken it for gone.
    pub fn attach_to_living(&self, representative: u32, twin: u32, vectors: &Vectors) -> bool {
        self.attach(representative, twin);
        // Whoever saw the representative dead before it had this twin makes us see it dead, too.
        fence(Ordering::SeqCst);
        !vectors.is_dead(representative)
            || self
                .of(representative)
                .any(|other| other != twin && !vectors.is_dead(other))
    }

    /// Takes the nodes that are not to be kept out of a chain.
    pub fn retain(&self, representative: u32, keep: impl Fn(u32) -> bool) {
        let kept: Vec<u32> = self.of(representative).filter(|&twin| keep(twin)).collect();
        let links = kept.iter().map(|twin| twin + 1).chain([0]);
        let cells = [(&self.first, representative)];
        let cells = cells
            .into_iter()
            .chain(kept.iter().map(|&twin| (&self.next, twin)));
        for ((cells, node), link) in cells.zip(links) {
            if cells.get(node as usize) != link {
                cells.set(node as usize, link);
            }
        }
    }

    pub fn memory_bytes(&self) -> usize {
        [&self.first, &self.next, &self.of]
            .iter()
            .map(|cells| cells.memory_bytes())
            .sum()
    }
}

/// Finds the node of the graph that has a given vector: by a hash, whose rare collisions only
/// mean that a twin is taken for a node of its own.
#[derive(Default)]
pub(crate) struct Places(HashMap<u32, u32, BuildHasherDefault<Hashed>>);

impl Places {
    /// The node last set for a hash.
    pub fn get(&self, hash: u32) -> Option<u32> {
        self.0.get(&hash).copied()
    }

    pub fn set(&mut self, hash: u32, node: u32) {
        self.0.insert(hash, node);
    }

    /// All hashes with their nodes, in no order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.0.iter().map(|(&hash, &node)| (hash, node))
    }

    /// FNV-1a over words, finished as MurmurHash3 finishes. Both zeros are equal, as they compare.
    pub fn hash(vector: &[f32]) -> u32 {
        let fold = |hash: u64, &x: &f32| {
            (hash ^ u64::from((x + 0.0).to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
        };
        let mut hash = vector.iter().fold(0xcbf2_9ce4_8422_2325, fold);
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (hash >> 32) as u32
    }

    pub fn memory_bytes(&self) -> usize {
        self.0.capacity() * (size_of::<(u32, u32)>() + 1)
    }
}

/// Keys that are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("keys are u32")
    }

    fn write_u32(&mut self, key: u32) {
        // Tables take the place from the low bits and a tag from the high ones.
        self.0 = u64::from(key) << 32 | u64::from(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(twins: &Twins, node: u32) -> Vec<u32> {
        twins.of(node).collect()
    }

    #[test]
    fn twins_hang_on_their_representative_newest_first() {
        let twins = Twins::new();
        assert_eq!(of(&twins, 3), []);
        for twin in [5, 6, 90_000] {
            twins.attach(3, twin);
        }
        assert_eq!((of(&twins, 3), of(&twins, 5)), (vec![90_000, 6, 5], vec![]));
        assert_eq!(
            (twins.representative(6), twins.representative(3)),
            (Some(3), None)
        );
    }

    #[test]
    fn a_chain_loses_only_what_is_not_kept() {
        let twins = Twins::new();
        (4..10).for_each(|twin| twins.attach(1, twin));
        twins.retain(1, |twin| twin % 3 != 0);
        assert_eq!(of(&twins, 1), [8, 7, 5, 4]);
        twins.retain(1, |twin| twin > 20);
        assert_eq!(of(&twins, 1), []);
        twins.attach(1, 30);
        assert_eq!(of(&twins, 1), [30]);
    }

    #[test]
    fn equal_vectors_are_the_same_place_and_others_are_not() {
        let mut places = Places::default();
        places.set(Places::hash(&[0.0, 1.0, 2.0]), 7);
        assert_eq!(places.get(Places::hash(&[-0.0, 1.0, 2.0])), Some(7));
        assert_eq!(places.get(Places::hash(&[1.0, 0.0, 2.0])), None);
    }
}
