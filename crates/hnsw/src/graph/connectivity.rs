//! Keeps every node reachable from the entry point.
//!
//! Links are chosen node by node, so now and then a few nodes end up in no other's row, or in a component
//! of their own. A check walks everything the entry leads to on the lowest level and gives each node
//! that was missed a link from one that was not. Links along which others were reached stay.

use crate::distance::PairDistance;
use crate::graph::Graph;
use crate::graph::insert::Linker;
use crate::graph::links::Links;
use crate::search::early_stop::BEAM_WIDTH_MIN;
use crate::search::walk::descend_to;
use crate::sync::{AtomicBool, Ordering};

/// A check is due when none is waiting to be linked and, since the last, a sweep has passed or one node
/// in this many was linked.
const LINKED_ONE_IN: usize = 8;
/// One node in this many is searched for in a check, ...
const SEARCHED_ONE_IN: usize = 7;
/// ... but at most so many.
const SEARCHES_MAX: usize = 8192;
/// Links to a node that was not found.
const FOUND_LINKS: usize = 4;
/// Nodes at least that are asked for a link to one that was not reached.
const RELINK_WIDTH_MIN: usize = 256;
const NOT_REACHED: u32 = u32::MAX;

/// The state of the last check of the graph.
#[derive(Default)]
pub(crate) struct ConnectivityCheck {
    linked: usize,
    changed: AtomicBool,
}

impl ConnectivityCheck {
    /// Links change all over the graph.
    pub fn after_changes(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Tells whether a check is due at `linked` nodes.
    pub fn is_due(&self, linked: usize) -> bool {
        self.changed.load(Ordering::Relaxed)
            || linked.abs_diff(self.linked) > linked / LINKED_ONE_IN
    }

    /// A check is made at `linked` nodes.
    pub fn made(&mut self, linked: usize) {
        self.linked = linked;
        self.changed.store(false, Ordering::Relaxed);
    }
}

/// From which node each was first reached.
struct Reached {
    from: Vec<u32>,
    pending: Vec<u32>,
}

impl Reached {
    fn none(count: usize) -> Self {
        Self {
            from: vec![NOT_REACHED; count],
            pending: Vec::new(),
        }
    }

    fn contains(&self, node: u32) -> bool {
        self.from[node as usize] != NOT_REACHED
    }

    fn add(&mut self, node: u32, from: u32) {
        if !self.contains(node) {
            self.from[node as usize] = from;
            self.pending.push(node);
        }
    }

    /// Follows all links from the added nodes.
    fn spread(&mut self, links: &Links) {
        while let Some(node) = self.pending.pop() {
            for neighbor in links.neighbors(node, 0) {
                self.add(neighbor, node);
            }
        }
    }
}

impl Graph {
    /// The living nodes that were offered to the graph and that no links lead to from where
    /// searches begin. Empty after the check that [`maintain`](Self::maintain) makes once nothing is
    /// left to do and an eighth of the index is new or a sweep has passed; in between a few may be
    /// cut off.
    ///
    /// A check of the whole graph: about a microsecond for each node, during which `maintain` waits.
    pub fn find_unreachable(&self) -> Vec<u32> {
        let _maintenance = self.maintenance.write();
        let linked = self.linked();
        let mut reached = Reached::none(self.nodes.len());
        if let Some(entry) = self.links.entry() {
            reached.add(entry, entry);
            reached.spread(&self.links);
        }
        let place = |node| self.duplicates.representative(node).unwrap_or(node);
        (0..linked as u32)
            .filter(|&node| !self.nodes.is_dead(node) && !reached.contains(place(node)))
            .collect()
    }
}

impl<P: PairDistance> Linker<'_, P> {
    /// Makes every node below `linked` that is not gone reachable from the entry. Takes about a
    /// microsecond for each node.
    pub fn check_connectivity(&mut self, linked: usize) {
        let Some(entry) = self.links.entry() else {
            return;
        };
        let mut reached = Reached::none(linked.max(self.pairs.limit()));
        reached.add(entry, entry);
        reached.spread(self.links);
        for node in 0..linked as u32 {
            let in_graph = self.duplicates.representative(node).is_none() && !self.is_gone(node);
            if in_graph && !reached.contains(node) {
                self.relink(node, entry, &mut reached);
            }
        }
        self.relink_unfound(linked, entry, &reached);
    }

    /// Searches for some nodes as queries are searched for. One that is not visited is given links from
    /// where the search ended: a cluster may well be reachable, but only by a detour that no search
    /// takes.
    fn relink_unfound(&mut self, linked: usize, entry: u32, reached: &Reached) {
        let step = linked.div_ceil(SEARCHES_MAX).max(SEARCHED_ONE_IN);
        for node in (0..linked as u32).step_by(step) {
            // A node of an upper level is found from above.
            let low = self.links.level_of(node) == 0 && reached.contains(node);
            if !low || self.is_gone(node) {
                continue;
            }
            let distance = self.pairs.of_node(node);
            let from = descend_to(self.links, &distance, entry, 0);
            self.walk(node, from, 0, BEAM_WIDTH_MIN);
            let found = || self.work.scratch.beam.iter().map(|(_, near)| near);
            if !found().any(|near| near == node) {
                let ends = found().filter(|&near| !self.is_gone(near));
                for near in ends.take(FOUND_LINKS) {
                    self.link_to(near, node, reached);
                }
            }
        }
    }

    /// Links one of the nodes nearest to `node` to it, and `node` back.
    fn relink(&mut self, node: u32, entry: u32, reached: &mut Reached) {
        self.find_nearest(node, [entry; 2], 0, self.width().max(RELINK_WIDTH_MIN));
        let found = self.work.found.iter().map(|&(_, near)| near);
        let mut near = found.chain([entry]);
        let Some(from) = near.find(|&near| self.link_to(near, node, reached)) else {
            return;
        };
        let leads_back = self
            .links
            .neighbors(node, 0)
            .any(|near| reached.contains(near));
        reached.add(node, from);
        if !leads_back {
            self.link_to(node, from, reached);
        }
        reached.spread(self.links);
    }

    /// Adds the link `from` → `to`, in place of one along which nothing was reached.
    fn link_to(&self, from: u32, to: u32, reached: &Reached) -> bool {
        let edit = self.links.edit(from);
        let mut neighbors = Vec::new();
        edit.read(0, &mut neighbors);
        if edit.append(0, to, &mut neighbors) {
            return true;
        }
        let is_spare = |&near: &u32| reached.from[near as usize] != from;
        let Some(at) = neighbors.iter().rposition(is_spare) else {
            return false;
        };
        neighbors[at] = to;
        edit.replace(0, &neighbors);
        true
    }
}
