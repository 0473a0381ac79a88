//! Nodes with the same vector.
//!
//! Linked to each other they would fill each other's rows and cut themselves off from the rest. So only
//! the first, the *representative*, is a node of the graph. The others are a linked list on it, newest
//! first, and are found where it is found.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::storage::blocks::Cells;
use crate::storage::node_table::NodeTable;
use crate::sync::{AtomicBool, Ordering, fence};

/// Lists of equal nodes. One thread writes at a time; readers take no lock.
pub(crate) struct Duplicates {
    /// The newest duplicate of a representative, plus one.
    first: Cells,
    /// The duplicate before this one, plus one.
    next: Cells,
    /// The representative of a duplicate, plus one.
    of: Cells,
    any: AtomicBool,
}

impl Duplicates {
    pub fn new() -> Self {
        Self {
            first: Cells::new(1),
            next: Cells::new(1),
            of: Cells::new(1),
            any: AtomicBool::new(false),
        }
    }

    /// Adds `duplicate` to the list of `representative`.
    pub fn attach(&self, representative: u32, duplicate: u32) {
        self.next
            .set(duplicate as usize, self.first.get(representative as usize));
        self.of.set(duplicate as usize, representative + 1);
        self.first.set(representative as usize, duplicate + 1);
        self.any.store(true, Ordering::Release);
    }

    /// The node a duplicate is equal to; none for nodes of the graph.
    pub fn representative(&self, node: u32) -> Option<u32> {
        self.of.get(node as usize).checked_sub(1)
    }

    /// The duplicates of `node`.
    #[inline(always)]
    pub fn of(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut next = match self.any.load(Ordering::Acquire) {
            true => self.first.get(node as usize),
            false => 0,
        };
        std::iter::from_fn(move || {
            let duplicate = next.checked_sub(1)?;
            next = self.next.get(duplicate as usize);
            Some(duplicate)
        })
    }

    /// Tells whether the graph can do without a node: it is dead, and so is every duplicate of it. Such a node stays
    /// gone, as long as duplicates are only added to nodes that are not.
    #[inline]
    pub fn is_gone(&self, node: u32, nodes: &NodeTable) -> bool {
        nodes.is_dead(node) && self.has_only_dead(node, nodes)
    }

    #[cold]
    fn has_only_dead(&self, node: u32, nodes: &NodeTable) -> bool {
        // The other half of the fence in `attach_to_living`.
        fence(Ordering::SeqCst);
        self.of(node).all(|duplicate| nodes.is_dead(duplicate))
    }

    /// Adds `duplicate` to `representative` and tells whether that was sure to be in time: false if the
    /// representative died meanwhile, and others may already have taken it for gone.
    pub fn attach_to_living(&self, representative: u32, duplicate: u32, nodes: &NodeTable) -> bool {
        self.attach(representative, duplicate);
        // Whoever saw the representative dead before it had this duplicate makes us see it dead, too.
        fence(Ordering::SeqCst);
        !nodes.is_dead(representative)
            || self
                .of(representative)
                .any(|other| other != duplicate && !nodes.is_dead(other))
    }

    /// Takes the nodes that are not to be kept out of a list.
    pub fn retain(&self, representative: u32, keep: impl Fn(u32) -> bool) {
        let kept: Vec<u32> = self
            .of(representative)
            .filter(|&duplicate| keep(duplicate))
            .collect();
        let links = kept.iter().map(|duplicate| duplicate + 1).chain([0]);
        let cells = [(&self.first, representative)];
        let cells = cells
            .into_iter()
            .chain(kept.iter().map(|&duplicate| (&self.next, duplicate)));
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
/// mean that a duplicate is taken for a node of its own.
#[derive(Default)]
pub(crate) struct DuplicateMap(HashMap<u32, u32, BuildHasherDefault<Hashed>>);

impl DuplicateMap {
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

    fn of(duplicates: &Duplicates, node: u32) -> Vec<u32> {
        duplicates.of(node).collect()
    }

    #[test]
    fn duplicates_are_listed_by_their_representative_newest_first() {
        let duplicates = Duplicates::new();
        assert_eq!(of(&duplicates, 3), []);
        for duplicate in [5, 6, 90_000] {
            duplicates.attach(3, duplicate);
        }
        assert_eq!(
            (of(&duplicates, 3), of(&duplicates, 5)),
            (vec![90_000, 6, 5], vec![])
        );
        assert_eq!(
            (duplicates.representative(6), duplicates.representative(3)),
            (Some(3), None)
        );
    }

    #[test]
    fn a_list_loses_only_what_is_not_kept() {
        let duplicates = Duplicates::new();
        (4..10).for_each(|duplicate| duplicates.attach(1, duplicate));
        duplicates.retain(1, |duplicate| duplicate % 3 != 0);
        assert_eq!(of(&duplicates, 1), [8, 7, 5, 4]);
        duplicates.retain(1, |duplicate| duplicate > 20);
        assert_eq!(of(&duplicates, 1), []);
        duplicates.attach(1, 30);
        assert_eq!(of(&duplicates, 1), [30]);
    }

    #[test]
    fn equal_vectors_have_one_entry_and_others_have_none() {
        let mut duplicate_map = DuplicateMap::default();
        duplicate_map.set(DuplicateMap::hash(&[0.0, 1.0, 2.0]), 7);
        assert_eq!(
            duplicate_map.get(DuplicateMap::hash(&[-0.0, 1.0, 2.0])),
            Some(7)
        );
        assert_eq!(
            duplicate_map.get(DuplicateMap::hash(&[1.0, 0.0, 2.0])),
            None
        );
    }
}
