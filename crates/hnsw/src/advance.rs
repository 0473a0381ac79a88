//! The work that writes put off: calibrating codes, linking new nodes, sweeping after removals.

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::VectorIndex;
use crate::codes::codes_apply;
use crate::insert::Linker;
use crate::reach::Audit;
use crate::repair::Repair;
use crate::space::{CodeSpace, FullSpace, Space};
use crate::traverse::Scratch;
use crate::twins::Places;

/// Living nodes below which there is no graph: scanning them all is as quick.
const GRAPH_MIN: usize = 2048;
/// Nodes a sweep may pass over, finding nothing to repair, for one unit of budget.
const LOOKS_PER_UNIT: usize = 64;

/// What the one thread that writes links keeps between calls.
#[derive(Default)]
pub(crate) struct Upkeep {
    repair: Repair,
    /// Nodes to be linked again: codes that misled the first time are replaced.
    relink: Range<u32>,
    audit: Audit,
    places: Places,
    scratch: Scratch,
}

impl VectorIndex {
    /// Does up to `budget` units of the work that was put off and answers how many are left: a
    /// unit links a new node, repairs one that led to removed ones, or passes over 64 sound ones.
    ///
    /// Calibrating codes anew, each time the index has grown by half, comes on top of the budget, as
    /// do audits of the graph: a few microseconds for each vector.
    ///
    /// Meant for one background thread, which calls it until nothing is left; another that calls
    /// at the same time waits. Pushes, removals and searches go on meanwhile.
    pub fn advance(&self, budget: usize) -> usize {
        let mut upkeep = self.upkeep.lock();
        if self.calibrate_if_due() {
            upkeep.relink = 0..self.linked() as u32;
            upkeep.audit.after_changes();
        }
        let (metric, vectors) = (self.params.metric, &self.vectors);
        let generation = self.generation.load_full();
        if generation.is_none() && codes_apply(metric, self.params.dim) {
            return 0;
        }
        if let Some(codes) = generation
            .as_ref()
            .and_then(|current| current.codes.as_ref())
        {
            return self.work(&mut upkeep, &CodeSpace::new(codes), budget);
        }
        let space = FullSpace {
            vectors,
            metric,
            limit: vectors.len(),
        };
        self.work(&mut upkeep, &space, budget)
    }

    fn work<S: Space>(&self, upkeep: &mut Upkeep, space: &S, budget: usize) -> usize {
        if self.linked() == 0 && self.len() < GRAPH_MIN {
            return 0;
        }
        let Upkeep {
            repair,
            relink,
            audit,
            places,
            scratch,
        } = upkeep;
        let mut linker = Linker {
            space,
            links: &self.links,
            vectors: &self.vectors,
            twins: &self.twins,
            places,
            m: self.params.m,
            ef_construction: self.params.ef_construction,
            scratch,
        };
        let spent = self.sweep(repair, audit, &mut linker, budget);
        let spent = spent + self.link_tail(&mut linker, budget - spent);
        for node in relink.by_ref().take(budget - spent) {
            if !linker.is_gone(node) {
                linker.link(node);
            }
        }
        let unswept = repair.left().div_ceil(LOOKS_PER_UNIT);
        let left = space.limit() - self.linked() + unswept + relink.len();
        if left == 0 && audit.is_due(self.linked()) {
            linker.audit(self.linked());
        }
        left
    }

    /// Goes on with a sweep, or begins one that is due. Answers the budget spent.
    fn sweep<S: Space>(
        &self,
        repair: &mut Repair,
        audit: &mut Audit,
        linker: &mut Linker<'_, S>,
        budget: usize,
    ) -> usize {
        if repair.begin_if_due(self.linked(), self.vectors.dead()) {
            audit.after_changes();
            linker.revive_entry(self.linked());
        }
        let (mut repaired, mut looks) = (0, 0);
        while repaired + looks / LOOKS_PER_UNIT < budget {
            let Some(node) = repair.next() else { break };
            match linker.repair(node) {
                true => repaired += 1,
                false => looks += 1,
            }
        }
        (repaired + looks / LOOKS_PER_UNIT).min(budget)
    }

    /// Links nodes of the tail, oldest first, and answers how many.
    fn link_tail<S: Space>(&self, linker: &mut Linker<'_, S>, budget: usize) -> usize {
        let first = self.linked();
        let end = linker.space.limit().min(first + budget);
        for node in first..end {
            if !self.vectors.is_dead(node as u32) {
                linker.link(node as u32);
            }
            self.linked.store(node + 1, Ordering::Release);
        }
        end - first
    }

    /// Nodes below this are in the graph, unless they were removed before they got there.
    pub(crate) fn linked(&self) -> usize {
        self.linked.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use crate::{HnswParams, Metric, VectorIndex};

    fn index(count: u32) -> VectorIndex {
        let (dim, metric) = (16, Metric::Euclidean);
        let index = VectorIndex::new(HnswParams {
            dim,
            metric,
            m: 8,
            ef_construction: 40,
            seed: 3,
        });
        (0..count).for_each(|doc| push(&index, doc));
        index
    }

    /// A point on a lattice far from any symmetry.
    fn push(index: &VectorIndex, doc: u32) {
        let component = |i: u32| ((doc * (i * i + 7 * i + 1)) as f32 * 0.618_034).fract();
        index.push(&(0..16).map(component).collect::<Vec<_>>(), doc, 0);
    }

    /// Living nodes that a walk along the lowest level's links can reach.
    fn reachable(index: &VectorIndex) -> usize {
        let mut seen = vec![false; index.vectors.len()];
        let mut stack: Vec<u32> = index.links.entry().into_iter().collect();
        let mut living = 0;
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                living += usize::from(!index.vectors.is_dead(node));
                stack.extend(index.links.neighbors(node, 0));
            }
        }
        living
    }

    #[test]
    fn a_small_index_has_no_graph_and_no_work() {
        let index = index(1_500);
        assert_eq!((index.advance(100), index.linked()), (0, 0));
    }

    #[test]
    fn work_is_done_in_the_slices_that_are_asked_for() {
        let index = index(2_100);
        assert_eq!((index.advance(100), index.linked()), (2_000, 100));
        assert_eq!((index.advance(0), index.linked()), (2_000, 100));
        push(&index, 2_100);
        assert_eq!((index.advance(5_000), index.linked()), (0, 2_101));
    }

    #[test]
    fn after_a_sweep_no_living_node_leads_to_a_removed_one_and_all_are_reachable() {
        let index = index(3_000);
        while index.advance(500) > 0 {}
        assert!(reachable(&index) >= 2_997, "{}", reachable(&index));
        (0..3_000)
            .filter(|node| node % 5 < 3)
            .for_each(|node| index.remove(node));
        while index.advance(50) > 0 {}
        for node in (0..3_000).filter(|node| node % 5 >= 3) {
            for level in 0..=index.links.level_of(node) {
                let mut neighbors = index.links.neighbors(node, level);
                assert!(neighbors.all(|neighbor| !index.vectors.is_dead(neighbor)));
            }
        }
        assert!(!index.vectors.is_dead(index.links.entry().unwrap()));
        assert!(reachable(&index) >= 1_198, "{}", reachable(&index));
        assert_eq!((index.len(), index.removed()), (1_200, 1_800));
    }

    #[test]
    fn few_removals_wait_for_more() {
        let index = index(3_000);
        while index.advance(500) > 0 {}
        (0..20).for_each(|node| index.remove(node));
        assert_eq!(index.advance(10), 0);
    }
}
