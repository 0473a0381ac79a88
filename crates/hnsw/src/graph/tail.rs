//! The queue of nodes that are not linked yet: which wait, which are being linked, which are finished.
//!
//! Threads take nodes in order and finish them in any. The *watermark* is the first node that is not
//! finished: all below were offered to the graph, and searches scan the rest.
//!
//! Behind the new nodes wait those that are to be linked again, since they were linked in haste or by codes that no
//! longer serve.

use std::collections::VecDeque;

use pelorus_kernels::BitSet;

use crate::distance::PairDistance;
use crate::graph::duplicates::DuplicateMap;
use crate::graph::insert::Linker;
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// The nodes that were pushed and are not linked, and those to be linked again.
#[derive(Default)]
pub(crate) struct Tail {
    duplicate_map: DuplicateMap,
    /// Nodes from here on were not handed out yet.
    next: usize,
    /// Tells for each node from the watermark to `next` whether it is finished.
    finished: VecDeque<bool>,
    /// New nodes of the graph that are being linked.
    in_flight: Vec<u32>,
    /// Nodes that were handed out and not linked, since the thread that had them panicked.
    returned: Vec<u32>,
    pub relink: RelinkQueue,
}

/// Nodes to be linked again: near one another where they can be, else the lowest first.
#[derive(Default)]
pub(crate) struct RelinkQueue {
    nodes: BitSet,
    /// No node below is in the set.
    lowest: u32,
    len: usize,
}

impl RelinkQueue {
    /// All nodes below `end`.
    pub fn all_below(end: u32) -> Self {
        Self {
            nodes: BitSet::full(end),
            lowest: 0,
            len: end as usize,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn insert(&mut self, node: u32) {
        self.len += usize::from(self.nodes.insert(node));
        self.lowest = self.lowest.min(node);
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter_from(self.lowest)
    }

    /// Takes the first of `near` that waits, or else the lowest of all.
    fn pop(&mut self, near: impl IntoIterator<Item = u32>) -> Option<u32> {
        let mut near = near.into_iter();
        let node = match near.find(|&node| self.nodes.contains(node)) {
            Some(node) => node,
            None => {
                let lowest = self.iter().next()?;
                self.lowest = lowest;
                lowest
            }
        };
        self.nodes.remove(node);
        self.len -= 1;
        Some(node)
    }
}

impl FromIterator<u32> for RelinkQueue {
    fn from_iter<I: IntoIterator<Item = u32>>(nodes: I) -> Self {
        let mut queue = Self::default();
        nodes.into_iter().for_each(|node| queue.insert(node));
        queue
    }
}

/// The reason for which a node is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// For the first time.
    New,
    /// It has links, which are to be better.
    Again,
}

impl Tail {
    /// The tail of a graph of the nodes below `linked`.
    pub fn after(linked: usize, duplicate_map: DuplicateMap) -> Self {
        Self {
            duplicate_map,
            next: linked,
            ..Self::default()
        }
    }

    /// The map from each vector of the graph to its place.
    pub fn duplicate_map(&self) -> &DuplicateMap {
        &self.duplicate_map
    }

    pub fn memory_bytes(&self) -> usize {
        self.duplicate_map.memory_bytes() + size_of_val(self.relink.nodes.words())
    }

    /// Nodes below `limit` that wait for a thread to take them.
    pub fn waiting(&self, limit: usize) -> usize {
        limit.saturating_sub(self.next) + self.returned.len() + self.relink.len()
    }

    /// New nodes of the graph that are being linked.
    #[cfg(all(test, feature = "shuttle"))]
    pub fn in_flight(&self) -> &[u32] {
        &self.in_flight
    }

    fn watermark(&self) -> usize {
        self.next - self.finished.len()
    }

    /// The next new node, ...
    fn take_new(&mut self, limit: usize) -> Option<u32> {
        // The watermark stands still until these are finished.
        if let Some(node) = self.returned.pop() {
            return Some(node);
        }
        if self.next >= limit {
            return None;
        }
        self.next += 1;
        self.finished.push_back(false);
        Some(self.next as u32 - 1)
    }

    /// ... or, where there is none, one to be linked again, if possible one of `near`.
    fn take(&mut self, limit: usize, near: impl IntoIterator<Item = u32>) -> Option<(u32, Turn)> {
        let new = self.take_new(limit).map(|node| (node, Turn::New));
        new.or_else(|| self.relink.pop(near).map(|node| (node, Turn::Again)))
    }

    fn finish(&mut self, node: u32, linked: &AtomicUsize, in_haste: bool) {
        self.in_flight.retain(|&other| other != node);
        if in_haste {
            self.relink.insert(node);
        }
        let at = node as usize - self.watermark();
        self.finished[at] = true;
        while self.finished.front() == Some(&true) {
            self.finished.pop_front();
        }
        linked.store(self.watermark(), Ordering::Release);
    }

    fn give_back(&mut self, node: u32) {
        self.in_flight.retain(|&other| other != node);
        self.returned.push(node);
    }
}

/// A new node that a thread has taken. Unless it is finished, it goes back.
struct Claim<'a> {
    tail: &'a Mutex<Tail>,
    linked: &'a AtomicUsize,
    node: Option<u32>,
    in_haste: bool,
}

impl Claim<'_> {
    fn finish(mut self) {
        if let Some(node) = self.node.take() {
            self.tail.lock().finish(node, self.linked, self.in_haste);
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(node) = self.node {
            self.tail.lock().give_back(node);
        }
    }
}

impl<P: PairDistance> Linker<'_, P> {
    /// Takes the next node that waits and links it; `linked` is the watermark. None if none waits. In haste only new
    /// ones are taken.
    pub fn link_next(&mut self, tail: &Mutex<Tail>, linked: &AtomicUsize) -> Option<Turn> {
        let mut claim = Claim {
            tail,
            linked,
            node: None,
            in_haste: self.in_haste,
        };
        // After the claim, so that it is unlocked before a claim goes back.
        let mut waiting = tail.lock();
        let (node, turn) = match self.in_haste {
            true => (waiting.take_new(self.pairs.limit())?, Turn::New),
            false => {
                let near = self.work.relinked.iter();
                let near = near.flat_map(|&node| self.links.neighbors(node, 0));
                waiting.take(self.pairs.limit(), near)?
            }
        };
        if turn == Turn::Again {
            self.work.relinked = Some(node);
        }
        claim.node = (turn == Turn::New).then_some(node);
        self.work.peers.clear();
        let task = self.prepare(&mut waiting, node, turn);
        drop(waiting);
        if let Some((node, turn)) = task {
            self.link(node, turn);
        }
        claim.finish();
        Some(turn)
    }

    /// Returns the node to link in the turn of one that was taken: mostly itself, or nothing where it is gone or equal
    /// to another.
    ///
    /// Nodes come here one by one in order. So the representative of a duplicate is never above it, and
    /// when the watermark has passed a duplicate, its representative is linked, too.
    fn prepare(&mut self, waiting: &mut Tail, node: u32, turn: Turn) -> Option<(u32, Turn)> {
        if self.is_gone(node) || self.duplicates.representative(node).is_some() {
            return None;
        }
        let hash = self.nodes.with(node, DuplicateMap::hash);
        if let Some(there) = waiting.duplicate_map.get(hash)
            && there != node
            && !self.is_gone(there)
            && self.nodes.are_equal(there, node)
        {
            // Where that came late, others may have dropped their links to the representative.
            let in_time = self.duplicates.attach_to_living(there, node, self.nodes);
            return (!in_time).then_some((there, Turn::Again));
        }
        waiting.duplicate_map.set(hash, node);
        if turn == Turn::New {
            self.links.add_node(node);
            self.work.peers.extend(&waiting.in_flight);
            waiting.in_flight.push(node);
        }
        Some((node, turn))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::NumericType;
    use crate::graph::duplicates::Duplicates;
    use crate::graph::insert::Workspace;
    use crate::graph::links::Links;
    use crate::storage::full_vectors::FullVectors;
    use crate::storage::node_table::NodeTable;

    fn in_memory() -> NodeTable {
        NodeTable::new(FullVectors::in_memory(1, NumericType::Float))
    }

    #[test]
    fn the_watermark_waits_for_the_oldest_that_is_not_finished() {
        let (mut tail, linked) = (Tail::default(), AtomicUsize::new(0));
        let taken: Vec<_> = std::iter::from_fn(|| tail.take(4, [])).collect();
        assert_eq!(taken, [0, 1, 2, 3].map(|node| (node, Turn::New)));
        let mut after = |node: u32| {
            tail.finish(node, &linked, false);
            linked.load(Ordering::Relaxed)
        };
        assert_eq!([after(1), after(3), after(0), after(2)], [0, 0, 2, 4]);
    }

    #[test]
    fn a_node_linked_in_haste_is_linked_again_once_no_new_node_waits() {
        let (mut tail, linked) = (Tail::default(), AtomicUsize::new(0));
        for node in 0..3 {
            assert_eq!(tail.take_new(4), Some(node));
            tail.finish(node, &linked, node != 1);
        }
        assert_eq!(tail.waiting(4), 3);
        let taken: Vec<_> = std::iter::from_fn(|| tail.take(4, [])).collect();
        assert_eq!(taken, [(3, Turn::New), (0, Turn::Again), (2, Turn::Again)]);
        tail.relink.insert(1);
        assert_eq!(
            tail.take(4, []),
            Some((1, Turn::Again)),
            "a lower one comes later"
        );
        assert_eq!((tail.take(4, []), tail.waiting(4)), (None, 0));
    }

    #[test]
    fn nodes_near_the_last_one_are_linked_again_before_far_ones() {
        let mut queue: RelinkQueue = [2, 3, 5, 7].into_iter().collect();
        let mut pop = |near: &[u32]| queue.pop(near.iter().copied());
        assert_eq!(pop(&[4, 7, 5]), Some(7), "the first that waits");
        assert_eq!(pop(&[7, 4]), Some(2), "none of them waits");
        assert_eq!(pop(&[5]), Some(5));
        assert_eq!((pop(&[]), pop(&[])), (Some(3), None));
        assert_eq!(queue.len(), 0);
    }

    /// Points on a line that fail to be compared once.
    struct Fragile {
        limit: usize,
        fails: AtomicBool,
    }

    impl PairDistance for Fragile {
        fn limit(&self) -> usize {
            self.limit
        }

        fn key(&self, a: u32, b: u32) -> f32 {
            assert!(!self.fails.swap(false, Ordering::Relaxed), "it broke");
            a.abs_diff(b) as f32
        }

        fn prefetch(&self, _node: u32) {}
    }

    #[test]
    fn a_node_whose_thread_panicked_holds_the_watermark_until_it_is_linked_after_all() {
        let (links, nodes, duplicates) = (Links::new(2, 1), in_memory(), Duplicates::new());
        (0..10).for_each(|node| _ = nodes.push(&[node as f32], node, 0));
        let pairs = Fragile {
            limit: 10,
            fails: AtomicBool::new(false),
        };
        let (tail, linked) = (Mutex::new(Tail::default()), AtomicUsize::new(0));
        let mut linker = Linker {
            pairs: &pairs,
            links: &links,
            nodes: &nodes,
            duplicates: &duplicates,
            m: 2,
            ef_construction: 8,
            in_haste: false,
            work: Workspace::default(),
        };
        let mut step = || linker.link_next(&tail, &linked).is_some();
        assert!(step() && step() && step());
        pairs.fails.store(true, Ordering::Relaxed);
        assert!(catch_unwind(AssertUnwindSafe(&mut step)).is_err());
        assert_eq!(
            (linked.load(Ordering::Relaxed), tail.lock().waiting(10)),
            (3, 7)
        );
        assert!(step() && step());
        assert_eq!(linked.load(Ordering::Relaxed), 5);
        while step() {}
        assert_eq!(linked.load(Ordering::Relaxed), 10);
        assert!((1..10).all(|node| links.incoming(node) > 0));
    }
}
