//! Giving back the memory of the dead.
//!
//! Nodes are numbered in the order of their arrival, and everything is kept by number. So the living
//! are copied under new numbers, in the same order, into a graph of their own: their codes as they
//! are, their links renumbered. Nothing is linked anew.

use std::io;

use crate::graph::Graph;
use crate::graph::duplicates::DuplicateMap;
use crate::graph::maintenance::Maintenance;
use crate::storage::full_vectors::FullVectors;
use crate::storage::row_numbers::RowNumbers;
use crate::sync::Ordering;

/// Compaction is worth its work when one node in this many is dead, ...
const DEAD_ONE_IN: usize = 4;
/// ... and at least this many.
const DEAD_MIN: usize = 1024;
/// Even if there is more to do, when so many nodes are dead for each that is alive, ...
const DEAD_PER_LIVING: usize = 2;
/// ... and to one node in this many at most links may still lead through the dead.
const UNSWEPT_ONE_IN: usize = 8;
/// In place of a new number: the node is not kept.
const DROPPED: u32 = u32::MAX;

impl Graph {
    /// Tells whether a good part of the nodes is dead, and the graph no longer leads through them.
    pub fn is_worth_compacting(&self) -> bool {
        let (nodes, dead) = (self.nodes.len(), self.nodes.dead());
        dead >= DEAD_MIN && dead * DEAD_ONE_IN >= nodes
    }

    /// Tells whether compaction cannot wait until there is nothing else to do: where documents are replaced without a
    /// pause, that never comes, and the dead would fill the memory.
    pub fn is_overdue_for_compaction(&self) -> bool {
        let (living, dead) = (self.len(), self.nodes.dead());
        dead >= DEAD_MIN
            && dead >= DEAD_PER_LIVING * living
            && self.unswept() * UNSWEPT_ONE_IN <= self.linked()
    }
}

/// The new numbers of a graph's nodes.
pub(crate) struct Renumbering {
    /// By old number.
    to: Vec<u32>,
    /// For each node of the graph, by old number: the new node in its place, which for a dead one
    /// is the first of its living duplicates.
    places: Vec<u32>,
    kept: usize,
}

impl Renumbering {
    /// New numbers for the nodes that are alive now.
    pub fn of(graph: &Graph) -> Self {
        let quantizer = graph.quantizer.load();
        let codes = quantizer.as_deref().and_then(|g| g.codes.as_ref());
        let len = codes.map_or(graph.nodes.len(), |codes| codes.len());
        let mut kept = 0;
        let to: Vec<u32> = (0..len as u32)
            .map(|node| match graph.nodes.is_dead(node) {
                true => DROPPED,
                false => {
                    kept += 1;
                    kept - 1
                }
            })
            .collect();
        let in_place = |node: u32| match to[node as usize] {
            DROPPED => {
                let duplicates = graph
                    .duplicates
                    .of(node)
                    .map(|duplicate| to[duplicate as usize]);
                duplicates.min().unwrap_or(DROPPED)
            }
            number => number,
        };
        let places = (0..graph.linked() as u32).map(in_place).collect();
        Self {
            to,
            places,
            kept: kept as usize,
        }
    }

    /// Nodes that are not kept.
    pub fn dropped(&self) -> usize {
        self.to.len() - self.kept
    }

    /// The graph of the nodes that are kept, their vectors appended to the empty `full`. Nodes that
    /// died meanwhile may be alive in it.
    ///
    /// # Errors
    /// Errors of the system while it wrote the vectors, [`io::ErrorKind::InvalidData`] when
    /// the old ones are damaged, and those of `go_on`, which is asked before each vector.
    pub fn copy(
        &self,
        old: &Graph,
        maintenance: &mut Maintenance,
        full: FullVectors,
        go_on: impl Fn() -> io::Result<()>,
    ) -> io::Result<Graph> {
        // Damage that was copied would have a good checksum from then on.
        old.nodes.full().verify(self.to.len())?;
        let kept = || (0..self.to.len() as u32).filter(|&node| self.to[node as usize] != DROPPED);
        for node in kept() {
            go_on()?;
            old.nodes.with(node, |vector| full.append(vector))?;
        }
        let new = Graph::over(old.params.clone(), full);
        for node in kept() {
            let (doc, chunk) = (old.nodes.doc(node), old.nodes.chunk(node));
            new.nodes.own(self.to[node as usize], doc, chunk);
        }
        // A quantizer of no vectors would say nothing about those to come.
        if let Some(quantizer) = old.quantizer.load().as_deref().filter(|_| self.kept > 0) {
            let copy = quantizer.copy(kept(), self.kept);
            new.quantizer.store(Some(copy.into()));
        }
        let linked = kept().take_while(|&node| (node as usize) < self.places.len());
        let linked: Vec<u32> = linked.collect();
        self.copy_links(old, &new, &linked);
        new.linked.store(linked.len(), Ordering::Release);
        new.find_landmarks();
        let mut duplicate_map = DuplicateMap::default();
        for (hash, node) in maintenance.tail_mut().duplicate_map().iter() {
            if let Some(&number) = self.places.get(node as usize)
                && number != DROPPED
            {
                duplicate_map.set(hash, number);
            }
        }
        let relink = maintenance.tail_mut().relink.iter();
        let relink = relink.filter_map(|node| self.places.get(node as usize).copied());
        let mut resumed = new.maintenance.write();
        resumed.resume(linked.len(), duplicate_map);
        resumed.tail_mut().relink = relink.filter(|&place| place != DROPPED).collect();
        drop(resumed);
        Ok(new)
    }

    /// Copies the links of the nodes in `linked`, by new numbers.
    fn copy_links(&self, old: &Graph, new: &Graph, linked: &[u32]) {
        // The old node whose place a kept one takes, if it is one of the graph.
        let role = |node: u32| {
            let representative = old.duplicates.representative(node).unwrap_or(node);
            let takes_it = self.places[representative as usize] == self.to[node as usize];
            takes_it.then_some(representative)
        };
        new.links.expect(linked.len());
        for &node in linked {
            let number = self.to[node as usize];
            match role(node) {
                Some(role) => new.links.add_node_on(number, old.links.level_of(role)),
                None => {
                    let representative = old.duplicates.representative(node).unwrap_or(node);
                    new.duplicates
                        .attach(self.places[representative as usize], number);
                }
            }
        }
        let mut row = Vec::new();
        for &node in linked {
            let (number, Some(role)) = (self.to[node as usize], role(node)) else {
                continue;
            };
            for level in 0..=old.links.level_of(role) {
                row.clear();
                let neighbors = old.links.neighbors(role, level);
                let places = neighbors.filter_map(|near| self.places.get(near as usize).copied());
                row.extend(places.filter(|&place| place != DROPPED && place != number));
                new.links.edit(number).replace(level, &row);
            }
        }
        let entry = old.links.entry().map(|entry| self.places[entry as usize]);
        // An entry that died leaves its part to any node that reaches as high as the kept ones do.
        let entry = entry.filter(|&entry| entry != DROPPED);
        let highest = || {
            let numbers = linked.iter().filter(|&&node| role(node).is_some());
            let numbers = numbers.map(|&node| self.to[node as usize]);
            numbers.max_by_key(|&number| new.links.level_of(number))
        };
        if let Some(entry) = entry.or_else(highest) {
            new.links.entry_or_first(entry);
        }
    }

    /// Pushes to `new` the vectors that `old` got since the numbers were given, and removes those
    /// that it lost. Rows keep the numbers that they had. Nothing may be pushed or removed
    /// meanwhile.
    ///
    /// # Errors
    /// Errors of the system while it wrote the vectors.
    pub fn catch_up(&self, old: &Graph, new: &mut Graph) -> io::Result<()> {
        let kept = |(node, number): (usize, &u32)| (*number != DROPPED).then_some(node);
        let mut kept: Vec<usize> = self.to.iter().enumerate().filter_map(kept).collect();
        for (node, &number) in (0..).zip(&self.to) {
            if number != DROPPED && old.nodes.is_dead(node) {
                new.remove(number);
            }
        }
        for node in self.to.len() as u32..old.nodes.len() as u32 {
            if !old.nodes.is_dead(node) {
                let (doc, chunk) = (old.nodes.doc(node), old.nodes.chunk(node));
                old.nodes.with(node, |x| new.push(x, doc, chunk))?;
                kept.push(node as usize);
            }
        }
        let rows = kept.into_iter().map(|node| old.numbers.number(node));
        let next = old.numbers.number(old.nodes.len());
        new.numbers = RowNumbers::listing(rows, next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HnswParams, Metric, NumericType};

    #[test]
    fn a_node_to_be_linked_again_is_so_under_its_new_number() {
        let graph = Graph::new(HnswParams {
            dim: 1,
            metric: Metric::Euclidean,
            numeric: NumericType::Float,
            m: 2,
            ef_construction: 20,
            seed: 1,
        });
        for doc in 0..3_000 {
            graph.push(&[doc as f32], doc, 0).unwrap();
        }
        graph.maintain(2_000);
        graph.link_unless_busy(500);
        (0..2_200).step_by(2).for_each(|node| graph.remove(node));
        let full = FullVectors::in_memory(1, NumericType::Float);
        let maintenance = &mut *graph.maintenance.write();
        let new = Renumbering::of(&graph).copy(&graph, maintenance, full, || Ok(()));
        let new = new.unwrap();
        let mut to_relink = new.maintenance.write();
        let to_relink: Vec<u32> = to_relink.tail_mut().relink.iter().collect();
        // 1,000 of 2,000 and 100 of 200 are left, and 300 more.
        assert_eq!(to_relink, (1_000..1_400).collect::<Vec<_>>());
    }
}
