//! Taking dead nodes out of the graph.
//!
//! A removed node stays as a stepping stone until enough have gathered. Then a sweep passes over
//! all nodes: one that links to dead ones takes over their living neighbours as candidates (as in
//! FreshDiskANN, Singh et al., 2021, algorithm 4) and chooses its links anew. After a sweep no
//! living node leads to one that was dead when it began. Their rows and vectors are not reused.

use crate::distance::PairDistance;
use crate::graph::insert::{Linker, keep_farthest, sort};
use crate::search::walk::descend_to;
use crate::sync::UNDER_SHUTTLE;

/// A sweep is due when, since the last, one linked node in this many was removed, ...
const DEAD_ONE_IN: usize = 32;
/// ... and at least this many.
const DEAD_MIN: usize = if UNDER_SHUTTLE { 1 } else { 16 };
/// Candidates for a node's new links, or twice as many as it may have where that is more; the dead
/// around a node may know very many.
const CANDIDATES_MAX: usize = 256;
/// Neighbours of dead nodes that are looked at for one candidate.
const VISITED_PER_CANDIDATE: usize = 4;

/// A sweep under way.
pub(crate) struct Sweep {
    next: u32,
    end: u32,
    /// Removed nodes when it began: it will have dealt with these.
    dead: usize,
}

/// The progress of repair.
#[derive(Default)]
pub(crate) struct Repair {
    sweep: Option<Sweep>,
    /// Removed nodes that no link leads to any more.
    swept: usize,
}

impl Repair {
    /// Removed nodes that no link leads to any more.
    pub fn swept(&self) -> usize {
        self.swept
    }

    /// Nodes a sweep has yet to look at, 0 if none is under way.
    pub fn left(&self) -> usize {
        self.sweep
            .as_ref()
            .map_or(0, |sweep| (sweep.end - sweep.next) as usize)
    }

    /// Tells whether a sweep is under way, or enough of `dead` among `linked` nodes are new to
    /// begin one.
    pub fn is_due(&self, linked: usize, dead: usize) -> bool {
        let new = dead - self.swept.min(dead);
        self.sweep.is_some() || new >= (linked / DEAD_ONE_IN).max(DEAD_MIN)
    }

    /// Begins a sweep of the nodes below `linked` if it is due and none is under way.
    pub fn begin_if_due(&mut self, linked: usize, dead: usize) -> bool {
        if self.sweep.is_none() && self.is_due(linked, dead) {
            self.sweep = Some(Sweep {
                next: 0,
                end: linked as u32,
                dead,
            });
            return true;
        }
        false
    }

    /// The next node to look at. Answers none when no sweep is under way, and ends one that is
    /// through.
    pub fn next(&mut self) -> Option<u32> {
        let sweep = self.sweep.as_mut()?;
        if sweep.next == sweep.end {
            self.swept = sweep.dead;
            self.sweep = None;
            return None;
        }
        sweep.next += 1;
        Some(sweep.next - 1)
    }
}

/// The work that a sweep has with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Its links were looked at.
    Looked,
    /// A descent led to it besides.
    Led,
    /// Links of it were chosen anew.
    Repaired,
}

impl<P: PairDistance> Linker<'_, P> {
    /// Gives the entry to the highest living node if it is dead.
    pub fn revive_entry(&self, linked: usize) {
        if self.links.entry().is_none_or(|entry| !self.is_gone(entry)) {
            return;
        }
        let in_graph = |&node: &u32| self.duplicates.representative(node).is_none();
        let living = (0..linked as u32).filter(|node| in_graph(node) && !self.is_gone(*node));
        if let Some(highest) = living.max_by_key(|&node| self.links.level_of(node)) {
            self.links
                .replace_entry(highest, |entry| self.is_gone(entry));
        }
    }

    /// Replaces a node's links to nodes that are gone, and sees to it that descents find it.
    pub fn repair(&mut self, node: u32) -> Pass {
        self.duplicates
            .retain(node, |duplicate| !self.nodes.is_dead(duplicate));
        if self.duplicates.representative(node).is_some() || self.is_gone(node) {
            return Pass::Looked;
        }
        let levels = 0..=self.links.level_of(node);
        let is_changed = levels
            .map(|level| self.repair_level(node, level))
            .fold(false, |any, one| any | one);
        // Also where nothing was replaced: the node from which a descent led here may be among the dead.
        match (is_changed, self.lead_to(node)) {
            (true, _) => Pass::Repaired,
            (false, true) => Pass::Led,
            (false, false) => Pass::Looked,
        }
    }

    fn repair_level(&mut self, node: u32, level: usize) -> bool {
        let is_gone = |&neighbor: &u32| self.is_gone(neighbor);
        let (gone, mut candidates): (Vec<u32>, Vec<u32>) =
            self.links.neighbors(node, level).partition(is_gone);
        if gone.is_empty() {
            return false;
        }
        let kept = candidates.clone();
        let capacity = self.links.capacity(level);
        let most = CANDIDATES_MAX.max(2 * capacity);
        let near = |&gone: &u32| self.links.neighbors(gone, level);
        let living = gone.iter().flat_map(near).filter(|near| !is_gone(near));
        candidates.extend(living.take(VISITED_PER_CANDIDATE * most));
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&candidate| candidate != node);
        // Those of the lowest numbers, as no key is known yet: only candidates that stay get one.
        candidates.truncate(most);
        let mut found = Vec::new();
        self.add_sorted(node, &candidates, &mut found);
        if candidates.len() < self.m {
            self.add_nearest(node, level, &mut found);
        }
        let mut selection = std::mem::take(&mut self.work.selection);
        selection.choose(self.pairs, node, &found, capacity, self.links_min());
        match level {
            0 => (self.links.edit(node)).replace_sparing(&mut selection.chosen, &kept),
            _ => {
                let was_neighbor = |near| kept.contains(&near);
                keep_farthest(&mut selection.chosen, &found, was_neighbor, capacity);
                self.links.edit(node).replace(level, &selection.chosen);
            }
        }
        let chosen = selection.chosen.clone();
        self.work.selection = selection;
        let added = chosen.iter().filter(|neighbor| !kept.contains(neighbor));
        added.for_each(|&neighbor| self.connect(neighbor, node, level));
        true
    }

    /// Adds the finds of a walk around `node` to `found`: for where a whole neighbourhood died.
    fn add_nearest(&mut self, node: u32, level: usize, found: &mut Vec<(f32, u32)>) {
        if let Some(entry) = self
            .links
            .entry()
            .filter(|&entry| self.links.level_of(entry) >= level)
        {
            let distance = self.pairs.of_node(node);
            let from = descend_to(self.links, &distance, entry, level);
            self.find_nearest(node, from, level, self.width());
            found.append(&mut self.work.found);
            sort(found);
            found.dedup_by_key(|&mut (_, near)| near);
        }
    }
}
