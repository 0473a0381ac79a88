//! The graph's edges.
//!
//! Level 0 has a row of `2m` links for every node, the few nodes of higher levels have a row of
//! `m` for each of them elsewhere. A link is a node plus one, 0 ends a row. Rows are changed under
//! the lock of their node ([`RowEdit`]); readers take no lock and may see a row while it is
//! rewritten: a mixture of old and new links, each of which is a node of the graph, so a search at
//! worst takes a detour.

use pelorus_kernels::prefetch;

use crate::graph::landmarks::Landmarks;
use crate::storage::blocks::Cells;
use crate::sync::{AtomicU32, AtomicUsize, Mutex, MutexGuard, Ordering, UNDER_SHUTTLE};

/// Bits that hold a level.
const START_SHIFT: u32 = 4;
/// Locks that all nodes share: enough that threads which link seldom meet at one.
const LOCK_COUNT: usize = if UNDER_SHUTTLE { 2 } else { 1024 };

pub(crate) struct Links {
    m: usize,
    seed: u64,
    base: Cells,
    upper: Cells,
    /// For each node of the graph: its level, and in the bits left of [`START_SHIFT`] the row of
    /// `upper` for level 1, plus one in all. Further levels follow.
    upper_starts: Cells,
    upper_len: AtomicUsize,
    /// Links on level 0 that lead to a node.
    incoming: Cells,
    /// The node at which searches begin, plus one.
    entry: AtomicU32,
    /// Nodes that ends of descents are compared with.
    pub(super) landmarks: Landmarks,
    /// One for each node by its number, shared by those that are as many apart.
    locks: Box<[Mutex<()>]>,
}

impl Links {
    /// No node rises higher, which already suits far more nodes than there can be.
    pub const LEVEL_MAX: usize = 12;

    pub fn new(m: usize, seed: u64) -> Self {
        Self {
            m,
            seed,
            base: Cells::new(2 * m),
            upper: Cells::new(m),
            upper_starts: Cells::new(1),
            upper_len: AtomicUsize::new(0),
            incoming: Cells::new(1),
            entry: AtomicU32::new(0),
            landmarks: Landmarks::default(),
            locks: (0..LOCK_COUNT).map(|_| Mutex::new(())).collect(),
        }
    }

    /// The highest level of a node, from 0.
    pub fn level_of(&self, node: u32) -> usize {
        match self.upper_starts.get(node as usize).checked_sub(1) {
            Some(start) => (start & ((1 << START_SHIFT) - 1)) as usize,
            None => self.drawn_level(node),
        }
    }

    /// The level that a node gets: each has one node in `m` of the one below.
    fn drawn_level(&self, node: u32) -> usize {
        let uniform = (mix(self.seed ^ u64::from(node)) >> 11) as f64 / (1u64 << 53) as f64;
        let level = -(1.0 - uniform).ln() / (self.m as f64).ln();
        (level as usize).min(Self::LEVEL_MAX)
    }

    /// The most links a node may have on `level`.
    pub fn capacity(&self, level: usize) -> usize {
        if level == 0 { 2 * self.m } else { self.m }
    }

    /// The node where searches begin, on its highest level.
    pub fn entry(&self) -> Option<u32> {
        self.entry.load(Ordering::Acquire).checked_sub(1)
    }

    /// Makes `node` the entry if there is none, and answers the one there is.
    pub fn entry_or_first(&self, node: u32) -> u32 {
        let first = self
            .entry
            .compare_exchange(0, node + 1, Ordering::AcqRel, Ordering::Acquire);
        first.map_or_else(|there| there - 1, |_| node)
    }

    /// Makes `node` the entry where `gives_way` holds for the one there is. All links of `node` are
    /// written before.
    pub fn replace_entry(&self, node: u32, gives_way: impl Fn(u32) -> bool) {
        let mut entry = self.entry.load(Ordering::Acquire);
        while entry.checked_sub(1).is_none_or(&gives_way) {
            let exchanged = self.entry.compare_exchange_weak(
                entry,
                node + 1,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match exchanged {
                Ok(_) => return,
                Err(there) => entry = there,
            }
        }
    }

    /// Keeps all other threads from changing the rows of a node. A thread holds one at a time: two
    /// nodes may share a lock.
    pub(super) fn lock(&self, node: u32) -> MutexGuard<'_, ()> {
        self.locks[node as usize % self.locks.len()].lock()
    }

    #[inline(always)]
    pub fn row(&self, node: u32, level: usize) -> Option<&[AtomicU32]> {
        if level == 0 {
            return self.base.row(node as usize);
        }
        let start = self.upper_starts.get(node as usize).checked_sub(1)?;
        if level > (start & ((1 << START_SHIFT) - 1)) as usize {
            return None;
        }
        self.upper.row((start >> START_SHIFT) as usize + level - 1)
    }

    /// The neighbours of a node on a level it reaches; none on others.
    #[inline(always)]
    pub fn neighbors(&self, node: u32, level: usize) -> impl Iterator<Item = u32> {
        let row = self.row(node, level).unwrap_or_default();
        row.iter()
            .map_while(|link| link.load(Ordering::Acquire).checked_sub(1))
    }

    /// Hints that the neighbours of `node` on level 0 will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.base.row(node as usize).unwrap_or_default());
    }

    /// There will be `count` nodes at least: a hint.
    pub fn expect(&self, count: usize) {
        for cells in [&self.base, &self.upper_starts, &self.incoming] {
            cells.expect(count);
        }
    }

    /// Makes the rows of a node that is about to be linked. One thread at a time.
    pub fn add_node(&self, node: u32) {
        self.add_node_on(node, self.level_of(node));
    }

    /// Makes the rows of a node, `level` being its highest. One thread at a time.
    pub fn add_node_on(&self, node: u32, level: usize) {
        self.base.row_to_write(node as usize);
        self.incoming.row_to_write(node as usize);
        if self.upper_starts.get(node as usize) != 0 {
            return;
        }
        let start = self.upper_len.fetch_add(level, Ordering::Relaxed);
        if level > 0 {
            self.upper.row_to_write(start + level - 1);
            self.upper.row_to_write(start);
        }
        let cell = ((start as u32) << START_SHIFT | level as u32) + 1;
        self.upper_starts.set(node as usize, cell);
    }

    /// Tells whether a node was added.
    pub fn has(&self, node: u32) -> bool {
        self.upper_starts.get(node as usize) != 0
    }

    /// The number of links on level 0 that lead to `node`.
    pub fn incoming(&self, node: u32) -> u32 {
        self.incoming.get(node as usize)
    }

    /// Counts a link that leads to `node`: before it is written, so that the count is never short.
    pub(super) fn count(&self, node: u32) {
        self.incoming_cell(node).fetch_add(1, Ordering::Relaxed);
    }

    /// Takes back what [`count`](Self::count) counted and answers how many links are left. If
    /// several threads take away the last ones, exactly one sees none left.
    pub(super) fn discount(&self, node: u32) -> u32 {
        self.incoming_cell(node).fetch_sub(1, Ordering::Relaxed) - 1
    }

    fn incoming_cell(&self, node: u32) -> &AtomicU32 {
        let cell = self.incoming.row(node as usize);
        &cell.expect("only nodes that were added are linked")[0]
    }

    pub fn memory_bytes(&self) -> usize {
        [&self.base, &self.upper, &self.upper_starts, &self.incoming]
            .iter()
            .map(|cells| cells.memory_bytes())
            .sum()
    }
}

/// The finaliser of SplitMix64: a bijection whose output bits look independent of the input's.
pub(super) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The rows of a node while no other thread changes them.
pub(crate) struct RowEdit<'a> {
    links: &'a Links,
    node: u32,
    _lock: MutexGuard<'a, ()>,
}

impl Links {
    /// Begins to change the rows of a node. A thread edits one node at a time: the lock of another
    /// may be the same.
    pub fn edit(&self, node: u32) -> RowEdit<'_> {
        RowEdit {
            links: self,
            node,
            _lock: self.lock(node),
        }
    }
}

impl RowEdit<'_> {
    /// The neighbours, into `row`.
    pub fn read(&self, level: usize, row: &mut Vec<u32>) {
        row.clear();
        row.extend(self.links.neighbors(self.node, level));
    }

    /// Appends a neighbour unless it is there or the row is full, and tells whether it is there now.
    /// `row` is what [`read`](Self::read) read and no other change has followed; it is kept up.
    pub fn append(&self, level: usize, neighbor: u32, row: &mut Vec<u32>) -> bool {
        if row.contains(&neighbor) {
            return true;
        }
        if row.len() == self.links.capacity(level) {
            return false;
        }
        if level == 0 {
            self.links.count(neighbor);
        }
        self.cells(level)[row.len()].store(neighbor + 1, Ordering::Release);
        row.push(neighbor);
        true
    }

    /// Replaces the neighbours.
    pub fn replace(&self, level: usize, neighbors: &[u32]) {
        if level == 0 {
            self.replace_counts(neighbors);
        }
        self.write(level, neighbors);
    }

    /// Replaces the neighbours on level 0 by `chosen`. Those of `rivals` that were not chosen and
    /// that no other node leads to are put among the chosen, in place of ones that others lead to.
    pub fn replace_sparing(&self, chosen: &mut Vec<u32>, rivals: &[u32]) {
        let links = self.links;
        self.replace_counts(chosen);
        // Counts are those of the row to come: of two rows that drop the last links to a node at
        // the same time, at least one finds none left here.
        for &rival in rivals.iter().filter(|&&rival| links.incoming(rival) == 0) {
            if chosen.len() < links.capacity(0) {
                chosen.push(rival);
            } else if let Some(at) = chosen.iter().rposition(|&node| self.can_drop(node)) {
                chosen[at] = rival;
            } else {
                continue;
            }
            links.count(rival);
        }
        self.write(0, chosen);
    }

    /// Counts `neighbors` in place of the neighbours on level 0. They are counted first, so that no
    /// count is ever short.
    fn replace_counts(&self, neighbors: &[u32]) {
        let links = self.links;
        neighbors.iter().for_each(|&new| links.count(new));
        links.neighbors(self.node, 0).for_each(|old| {
            links.discount(old);
        });
    }

    /// Takes back the count of one link unless it is the only one to `node`; tells whether it did.
    fn can_drop(&self, node: u32) -> bool {
        let others = self.links.discount(node) > 0;
        if !others {
            self.links.count(node);
        }
        others
    }

    fn cells(&self, level: usize) -> &[AtomicU32] {
        let row = self.links.row(self.node, level);
        row.expect("only nodes that were added are linked")
    }

    fn write(&self, level: usize, neighbors: &[u32]) {
        let row = self.cells(level);
        assert!(
            neighbors.len() <= row.len(),
            "{} links of {}",
            neighbors.len(),
            row.len()
        );
        let links = neighbors
            .iter()
            .map(|&neighbor| neighbor + 1)
            .chain(std::iter::repeat(0));
        row.iter()
            .zip(links)
            .for_each(|(cell, link)| cell.store(link, Ordering::Release));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn neighbors(links: &Links, node: u32, level: usize) -> Vec<u32> {
        links.neighbors(node, level).collect()
    }

    #[test]
    fn each_level_has_about_one_in_m_nodes_of_the_one_below() {
        let links = Links::new(16, 7);
        let count = |level| {
            (0..64_000)
                .filter(|&node| links.level_of(node) >= level)
                .count()
        };
        assert!((3_600..4_400).contains(&count(1)), "{}", count(1));
        assert!((200..300).contains(&count(2)), "{}", count(2));
    }

    #[test]
    fn levels_of_a_node_do_not_share_rows() {
        let links = Links::new(2, 1);
        let tall: Vec<u32> = (0..200)
            .filter(|&node| links.level_of(node) >= 2)
            .take(2)
            .collect();
        for (i, &node) in tall.iter().enumerate() {
            links.add_node(node);
            for level in 0..=links.level_of(node) {
                let target = (10 * i + level) as u32;
                links.add_node(target);
                links.edit(node).replace(level, &[target]);
            }
        }
        for (i, &node) in tall.iter().enumerate() {
            for level in 0..=links.level_of(node) {
                assert_eq!(neighbors(&links, node, level), [(10 * i + level) as u32]);
            }
        }
    }

    #[test]
    fn the_entry_is_replaced_only_where_the_condition_holds() {
        let links = Links::new(2, 1);
        assert_eq!((links.entry(), links.entry_or_first(5)), (None, 5));
        assert_eq!(links.entry_or_first(6), 5);
        links.replace_entry(7, |there| there > 5);
        assert_eq!(links.entry(), Some(5));
        links.replace_entry(7, |there| there == 5);
        assert_eq!(links.entry(), Some(7));
    }

    fn links(m: usize, nodes: u32) -> Links {
        let links = Links::new(m, 0);
        (0..nodes).for_each(|node| links.add_node(node));
        links
    }

    #[test]
    fn a_row_fills_up_and_can_be_replaced_by_a_shorter_one() {
        let links = links(2, 10);
        assert_eq!(neighbors(&links, 9, 0), []);
        let mut row = Vec::new();
        for neighbor in [0, 5, 6, 5, 7] {
            assert!(links.edit(9).append(0, neighbor, &mut row));
        }
        assert!(!links.edit(9).append(0, 8, &mut row));
        assert_eq!(neighbors(&links, 9, 0), [0, 5, 6, 7]);
        links.edit(9).replace(0, &[3, 5]);
        assert_eq!(neighbors(&links, 9, 0), [3, 5]);
        let counts: Vec<u32> = (0..10).map(|node| links.incoming(node)).collect();
        assert_eq!(counts, [0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn a_candidate_without_other_incoming_links_replaces_one_that_has_some() {
        let links = links(2, 10);
        links.edit(9).replace(0, &[1, 2, 3, 4]);
        links.edit(8).replace(0, &[3, 4, 6]);
        let mut chosen = vec![5, 6, 3, 7];
        links
            .edit(9)
            .replace_sparing(&mut chosen, &[1, 4, 5, 6, 3, 7]);
        assert_eq!(
            neighbors(&links, 9, 0),
            [5, 6, 1, 7],
            "3 gave way, 4 has another"
        );
        let counts: Vec<u32> = (0..10).map(|node| links.incoming(node)).collect();
        assert_eq!(counts, [0, 1, 0, 1, 1, 1, 2, 1, 0, 0]);
    }

    #[test]
    fn rows_that_drop_a_node_at_the_same_time_leave_it_a_link() {
        let links = links(2, 8);
        for _ in 0..200 {
            for row in [0, 1] {
                links.edit(row).replace(0, &[2, 3, 4, 5]);
            }
            thread::scope(|scope| {
                for row in [0, 1] {
                    let links = &links;
                    scope.spawn(move || {
                        links.edit(row).replace_sparing(&mut vec![3, 4, 5, 6], &[2]);
                    });
                }
            });
            assert!(links.incoming(2) > 0);
            assert!((0..2).any(|row| neighbors(&links, row, 0).contains(&2)));
        }
    }
}
