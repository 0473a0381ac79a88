//! The graph's edges.
//!
//! Level 0 has a row of `2m` links for every node, the few nodes of higher levels have a row of
//! `m` for each of them elsewhere. A link is a node plus one, 0 ends a row. One thread writes at a
//! time; readers take no lock and may see a row while it is rewritten: a mixture of old and new
//! links, each of which is a node of the graph, so a search at worst takes a detour.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pelorus_kernels::prefetch;

use crate::blocks::Cells;

/// No node rises higher, which already suits far more nodes than there can be.
const LEVEL_MAX: usize = 12;

pub(crate) struct Links {
    m: usize,
    seed: u64,
    base: Cells,
    upper: Cells,
    /// Row of `upper` for level 1 of a node, plus one; its further levels follow.
    upper_starts: Cells,
    upper_len: AtomicUsize,
    /// Links on level 0 that lead to a node.
    incoming: Cells,
    /// Where searches begin, plus one.
    entry: AtomicU32,
}

impl Links {
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
        }
    }

    /// The highest level of a node, from 0: each level has one node in `m` of the one below.
    pub fn level_of(&self, node: u32) -> usize {
        let uniform = (mix(self.seed ^ u64::from(node)) >> 11) as f64 / (1u64 << 53) as f64;
        let level = -(1.0 - uniform).ln() / (self.m as f64).ln();
        (level as usize).min(LEVEL_MAX)
    }

    /// The most links a node may have on `level`.
    pub fn capacity(&self, level: usize) -> usize {
        if level == 0 { 2 * self.m } else { self.m }
    }

    /// The node where searches begin, on its highest level.
    pub fn entry(&self) -> Option<u32> {
        self.entry.load(Ordering::Acquire).checked_sub(1)
    }

    pub fn set_entry(&self, node: u32) {
        self.entry.store(node + 1, Ordering::Release);
    }

    #[inline(always)]
    fn row(&self, node: u32, level: usize) -> Option<&[AtomicU32]> {
        if level == 0 {
            return self.base.row(node as usize);
        }
        let start = self.upper_starts.get(node as usize).checked_sub(1)?;
        self.upper.row(start as usize + level - 1)
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

    /// Makes the rows of a node that is about to be linked.
    pub fn add_node(&self, node: u32) {
        self.base.row_to_write(node as usize);
        let level = self.level_of(node);
        if level > 0 && self.upper_starts.get(node as usize) == 0 {
            let start = self.upper_len.fetch_add(level, Ordering::Relaxed);
            self.upper.row_to_write(start + level - 1);
            self.upper.row_to_write(start);
            self.upper_starts.set(node as usize, start as u32 + 1);
        }
    }

    /// Replaces the neighbours of a node.
    pub fn set(&self, node: u32, level: usize, neighbors: &[u32]) {
        let row = self
            .row(node, level)
            .expect("only nodes that were added are linked");
        assert!(
            neighbors.len() <= row.len(),
            "{} links of {}",
            neighbors.len(),
            row.len()
        );
        if level == 0 {
            self.neighbors(node, 0).for_each(|old| self.count(old, -1));
            neighbors.iter().for_each(|&new| self.count(new, 1));
        }
        let links = neighbors
            .iter()
            .map(|&neighbor| neighbor + 1)
            .chain(std::iter::repeat(0));
        row.iter()
            .zip(links)
            .for_each(|(cell, link)| cell.store(link, Ordering::Release));
    }

    /// Appends a neighbour unless the row is full, and tells whether it did.
    pub fn append(&self, node: u32, level: usize, neighbor: u32) -> bool {
        let row = self
            .row(node, level)
            .expect("only nodes that were added are linked");
        let Some(free) = row.iter().find(|link| link.load(Ordering::Relaxed) == 0) else {
            return false;
        };
        free.store(neighbor + 1, Ordering::Release);
        if level == 0 {
            self.count(neighbor, 1);
        }
        true
    }

    /// The number of links on level 0 that lead to `node`.
    pub fn incoming(&self, node: u32) -> u32 {
        self.incoming.get(node as usize)
    }

    fn count(&self, node: u32, change: i32) {
        let count = self.incoming(node).saturating_add_signed(change);
        self.incoming.set(node as usize, count);
    }

    pub fn memory_bytes(&self) -> usize {
        [&self.base, &self.upper, &self.upper_starts, &self.incoming]
            .iter()
            .map(|cells| cells.memory_bytes())
            .sum()
    }
}

/// The finaliser of SplitMix64: a bijection whose output bits look independent of the input's.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_row_fills_up_and_can_be_replaced_by_a_shorter_one() {
        let links = Links::new(2, 0);
        links.add_node(9);
        assert_eq!(neighbors(&links, 9, 0), []);
        for neighbor in [0, 5, 6, 7] {
            assert!(links.append(9, 0, neighbor));
        }
        assert!(!links.append(9, 0, 8));
        assert_eq!(neighbors(&links, 9, 0), [0, 5, 6, 7]);
        links.set(9, 0, &[3]);
        assert_eq!(neighbors(&links, 9, 0), [3]);
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
                links.set(node, level, &[(10 * i + level) as u32]);
            }
        }
        for (i, &node) in tall.iter().enumerate() {
            for level in 0..=links.level_of(node) {
                assert_eq!(neighbors(&links, node, level), [(10 * i + level) as u32]);
            }
        }
    }
}
