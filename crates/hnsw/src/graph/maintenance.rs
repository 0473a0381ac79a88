//! The work that writes put off: training quantizers, linking new nodes, sweeping after removals.
//!
//! Threads that link share the graph: each holds [`Maintenance`] for reading and takes nodes from its tail. Work that
//! needs the graph for itself holds it for writing: a training, a slice of a sweep, a check of connectivity. The lock
//! is fair, so neither waits for long.

use crate::distance::{FullPairs, GraphPairs, Int8Pairs, PairDistance};
use crate::graph::Graph;
use crate::graph::connectivity::ConnectivityCheck;
use crate::graph::duplicates::DuplicateMap;
use crate::graph::insert::{Linker, Workspace};
use crate::graph::repair::{Pass, Repair};
use crate::graph::tail::{RelinkQueue, Tail, Turn};
use crate::quantize::codes::codes_apply;
use crate::quantize::quantizer::Quantizer;
use crate::sync::{Mutex, Ordering, UNDER_SHUTTLE};

/// Living nodes below which there is no graph: scanning them all is as quick.
const GRAPH_MIN: usize = if UNDER_SHUTTLE { 1 } else { 2048 };
/// A sweep is overdue when more than one linked node in this many is dead and not swept.
const OVERDUE_ONE_IN: usize = 4;
/// Nodes a sweep may pass over, finding nothing to repair, for one unit of budget.
const LOOKS_PER_UNIT: usize = 64;
/// The looks that a descent to a node of an upper level counts as: it compares the node with some hundreds.
const LOOKS_PER_DESCENT: usize = 16;

/// The state kept between calls.
#[derive(Default)]
pub(crate) struct Maintenance {
    repair: Repair,
    connectivity: ConnectivityCheck,
    pub tail: Mutex<Tail>,
    /// The workspaces of threads that are not linking.
    workspaces: Mutex<Vec<Workspace>>,
    /// The graph was exchanged for another: whatever is done here is lost.
    retired: bool,
}

impl Maintenance {
    pub fn tail_mut(&mut self) -> &mut Tail {
        self.tail.get_mut()
    }

    /// Begins with a graph of the nodes below `linked`, of which nothing else is known.
    pub fn resume(&mut self, linked: usize, duplicate_map: DuplicateMap) {
        *self.tail_mut() = Tail::after(linked, duplicate_map);
        self.connectivity.after_changes();
    }

    /// Makes the next maintenance check whether each node can be reached.
    pub fn check_connectivity_again(&mut self) {
        self.connectivity.after_changes();
    }

    /// Ends all work on this graph.
    pub fn retire(&mut self) {
        self.retired = true;
    }

    pub fn memory_bytes(&self) -> usize {
        let idle = self.workspaces.lock();
        let idle: usize = idle.iter().map(Workspace::memory_bytes).sum();
        idle + self.tail.lock().memory_bytes()
    }
}

impl Graph {
    /// Does the work of [`VectorIndex::maintain`](crate::VectorIndex::maintain) on one graph, compaction aside.
    pub fn maintain(&self, budget: usize) -> usize {
        self.maintain_with(budget, false)
    }

    /// The same, new nodes being linked in haste.
    pub fn maintain_in_haste(&self, budget: usize) -> usize {
        self.maintain_with(budget, true)
    }

    fn maintain_with(&self, budget: usize, in_haste: bool) -> usize {
        let spent = match self.is_exclusive_work_due() {
            true => self.train_and_sweep(budget),
            false => 0,
        };
        let left = self.link_waiting(budget - spent, in_haste);
        if left == 0 {
            self.check_connectivity_if_due();
        }
        left
    }

    /// Nodes below this are in the graph, unless they were removed before they got there.
    pub(crate) fn linked(&self) -> usize {
        self.linked.load(Ordering::Acquire)
    }

    /// Nodes that are in no graph and are to be in one.
    pub(crate) fn unlinked(&self) -> usize {
        // In this order: nodes linked meanwhile were pushed before.
        let linked = self.linked();
        match self.is_too_small(linked) {
            true => 0,
            false => self.nodes.len() - linked,
        }
    }

    /// Nodes that are in the graph and are to be linked again; none as long as something has the graph for itself.
    pub(crate) fn to_relink(&self) -> usize {
        let maintenance = self.maintenance.try_read();
        maintenance.map_or(0, |maintenance| maintenance.tail.lock().relink.len())
    }

    /// Tells whether so few vectors are alive that a scan of them is faster than a graph.
    fn is_too_small(&self, linked: usize) -> bool {
        linked == 0 && self.len() < GRAPH_MIN
    }

    fn is_exclusive_work_due(&self) -> bool {
        let swept = |dead| self.maintenance.read().repair.is_due(self.linked(), dead);
        self.training_is_due() || swept(self.nodes.dead())
    }

    /// Trains a quantizer if that is due, and goes on with a sweep or begins one. Answers the budget
    /// spent.
    fn train_and_sweep(&self, budget: usize) -> usize {
        let maintenance = &mut *self.maintenance.write();
        if maintenance.retired {
            return 0;
        }
        if self.train_if_due() {
            // Links that other codes chose are worth less than those that the new ones choose.
            maintenance.tail.get_mut().relink = RelinkQueue::all_below(self.linked() as u32);
            maintenance.connectivity.after_changes();
        }
        let quantizer = self.quantizer.load_full();
        let Some(pairs) = self.pairs(quantizer.as_deref()) else {
            return 0;
        };
        let mut linker = self.linker(&pairs, maintenance);
        if maintenance
            .repair
            .begin_if_due(self.linked(), self.nodes.dead())
        {
            maintenance.connectivity.after_changes();
            linker.revive_entry(self.linked());
            self.choose_landmarks(&pairs);
        }
        let mut looks = 0;
        while looks / LOOKS_PER_UNIT < budget {
            let Some(node) = maintenance.repair.next() else {
                break;
            };
            looks += match linker.repair(node) {
                Pass::Looked => 1,
                Pass::Led => LOOKS_PER_DESCENT,
                Pass::Repaired => LOOKS_PER_UNIT,
            };
        }
        self.swept
            .store(maintenance.repair.swept(), Ordering::Relaxed);
        maintenance.workspaces.get_mut().push(linker.work);
        (looks / LOOKS_PER_UNIT).min(budget)
    }

    /// Does the work of [`VectorIndex::sweep_overdue`](crate::VectorIndex::sweep_overdue).
    pub fn sweep_if_overdue(&self, budget: usize) {
        if self.unswept() * OVERDUE_ONE_IN > self.linked() && !self.training_is_due() {
            self.train_and_sweep(budget);
        }
    }

    /// Links up to `budget` nodes that wait, oldest first, and answers the units of work left.
    fn link_waiting(&self, budget: usize, in_haste: bool) -> usize {
        let maintenance = self.maintenance.read();
        let quantizer = self.quantizer.load_full();
        let pairs = self.pairs(quantizer.as_deref());
        let Some(pairs) = pairs.filter(|_| !maintenance.retired) else {
            return 0;
        };
        self.link_oldest(&maintenance, &pairs, budget, in_haste);
        let unswept = maintenance.repair.left().div_ceil(LOOKS_PER_UNIT);
        maintenance.tail.lock().waiting(pairs.limit()) + unswept
    }

    /// Does the work of [`VectorIndex::link`](crate::VectorIndex::link).
    pub fn link_unless_busy(&self, budget: usize) -> usize {
        let maintenance = self.maintenance.try_read();
        let is_free = |maintenance: &Maintenance| !maintenance.retired && !self.training_is_due();
        let Some(maintenance) = maintenance.filter(|maintenance| is_free(maintenance)) else {
            return 0;
        };
        let quantizer = self.quantizer.load_full();
        let pairs = self.pairs(quantizer.as_deref());
        pairs.map_or(0, |pairs| {
            self.link_oldest(&maintenance, &pairs, budget, true)
        })
    }

    /// Links up to `budget` nodes that wait, oldest first, and answers how many.
    fn link_oldest(
        &self,
        maintenance: &Maintenance,
        pairs: &GraphPairs<'_>,
        budget: usize,
        in_haste: bool,
    ) -> usize {
        self.links.expect(pairs.limit());
        let mut linker = self.linker(pairs, maintenance);
        linker.in_haste = in_haste && linker.is_faster_in_haste();
        let mut link_next = || linker.link_next(&maintenance.tail, &self.linked);
        let (mut linked, mut again) = (0, 0);
        while linked < budget
            && let Some(turn) = link_next()
        {
            linked += 1;
            again += usize::from(turn == Turn::Again);
        }
        maintenance.workspaces.lock().push(linker.work);
        if again > 0 {
            self.relinked.fetch_add(again, Ordering::Relaxed);
            maintenance.connectivity.after_changes();
        }
        linked
    }

    /// Checks the connectivity of the graph if that is due and all nodes are linked.
    fn check_connectivity_if_due(&self) {
        let is_due = |maintenance: &Maintenance| {
            let linked = self.linked();
            !maintenance.retired
                && linked == self.nodes.len()
                && maintenance.connectivity.is_due(linked)
        };
        if !is_due(&self.maintenance.read()) {
            return;
        }
        let maintenance = &mut *self.maintenance.write();
        let quantizer = self.quantizer.load_full();
        if let Some(pairs) = self.pairs(quantizer.as_deref())
            && is_due(maintenance)
        {
            maintenance.connectivity.made(self.linked());
            let mut linker = self.linker(&pairs, maintenance);
            linker.check_connectivity(self.linked());
            maintenance.workspaces.get_mut().push(linker.work);
        }
    }

    /// The distances by which nodes are compared for the graph. None while there is to be no graph:
    /// there are few vectors, or codes to come.
    pub(super) fn pairs<'a>(&'a self, quantizer: Option<&'a Quantizer>) -> Option<GraphPairs<'a>> {
        if self.is_too_small(self.linked()) {
            return None;
        }
        let (metric, nodes) = (self.params.metric, &self.nodes);
        if quantizer.is_none() && codes_apply(metric, self.params.dim) {
            return None;
        }
        let coded =
            quantizer.and_then(|current| Some((current.codes.as_ref()?, current.traversal)));
        Some(match coded {
            Some((codes, traversal)) => GraphPairs::Int8(Int8Pairs::new(codes, traversal)),
            None => GraphPairs::Full(FullPairs { nodes, metric }),
        })
    }

    fn linker<'a, P: PairDistance>(
        &'a self,
        pairs: &'a P,
        maintenance: &Maintenance,
    ) -> Linker<'a, P> {
        Linker {
            pairs,
            links: &self.links,
            nodes: &self.nodes,
            duplicates: &self.duplicates,
            m: self.params.m,
            ef_construction: self.params.ef_construction,
            in_haste: false,
            work: maintenance.workspaces.lock().pop().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::{GraphPairs, Int8Pairs, Linker};
    use crate::distance::{FullQuery, PairDistance, Query};
    use crate::graph::Graph;
    use crate::graph::insert::Workspace;
    use crate::graph::tail::Turn;
    use crate::search::walk::descend_to;
    use crate::{HnswParams, Metric, NumericType};

    fn index(count: u32) -> Graph {
        index_with(count, 40)
    }

    fn index_with(count: u32, ef_construction: usize) -> Graph {
        index_of(16, count, ef_construction)
    }

    fn index_of(dim: usize, count: u32, ef_construction: usize) -> Graph {
        let metric = Metric::Euclidean;
        let index = Graph::new(HnswParams {
            dim,
            metric,
            numeric: NumericType::Float,
            m: 8,
            ef_construction,
            seed: 3,
        });
        (0..count).for_each(|doc| push(&index, doc));
        index
    }

    /// A point on a lattice far from any symmetry.
    fn push(index: &Graph, doc: u32) {
        let dim = index.params.dim as u32;
        let component = |i: u32| ((doc * (i * i + 7 * i + 1)) as f32 * 0.618_034).fract();
        index
            .push(&(0..dim).map(component).collect::<Vec<_>>(), doc, 0)
            .unwrap();
    }

    /// Living nodes that a walk along the lowest level's links can reach.
    fn reachable(index: &Graph) -> usize {
        let mut seen = vec![false; index.nodes.len()];
        let mut stack: Vec<u32> = index.links.entry().into_iter().collect();
        let mut living = 0;
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                living += usize::from(!index.nodes.is_dead(node));
                stack.extend(index.links.neighbors(node, 0));
            }
        }
        living
    }

    #[test]
    fn a_small_index_has_no_graph_and_no_work() {
        let index = index(1_500);
        assert_eq!((index.maintain(100), index.linked()), (0, 0));
    }

    #[test]
    fn work_is_done_in_the_slices_that_are_asked_for() {
        let index = index(2_100);
        assert_eq!((index.maintain(100), index.linked()), (2_000, 100));
        assert_eq!((index.maintain(0), index.linked()), (2_000, 100));
        push(&index, 2_100);
        assert_eq!((index.maintain(5_000), index.linked()), (0, 2_101));
    }

    #[test]
    fn a_call_that_only_links_waits_for_nothing() {
        let index = index(2_100);
        assert_eq!(index.link_unless_busy(100), 0, "a training is due");
        index.maintain(0);
        assert_eq!((index.link_unless_busy(100), index.linked()), (100, 100));
        let busy = index.maintenance.write();
        assert_eq!(index.link_unless_busy(100), 0);
        drop(busy);
        assert_eq!(
            (index.link_unless_busy(5_000), index.linked()),
            (2_000, 2_100)
        );
        assert_eq!(index.link_unless_busy(100), 0, "nothing waits");
    }

    #[test]
    fn after_a_sweep_no_living_node_leads_to_a_removed_one_and_all_are_reachable() {
        let index = index(3_000);
        while index.maintain(500) > 0 {}
        assert!(reachable(&index) >= 2_997, "{}", reachable(&index));
        (0..3_000)
            .filter(|node| node % 5 < 3)
            .for_each(|node| index.remove(node));
        while index.maintain(50) > 0 {}
        for node in (0..3_000).filter(|node| node % 5 >= 3) {
            for level in 0..=index.links.level_of(node) {
                let mut neighbors = index.links.neighbors(node, level);
                assert!(neighbors.all(|neighbor| !index.nodes.is_dead(neighbor)));
            }
        }
        assert!(!index.nodes.is_dead(index.links.entry().unwrap()));
        assert!(reachable(&index) >= 1_198, "{}", reachable(&index));
        assert_eq!((index.len(), index.removed()), (1_200, 1_800));
    }

    #[test]
    fn a_slice_of_a_sweep_makes_few_descents() {
        // Those that die lie apart, so that few of the others have links to be chosen anew.
        let index = index(0);
        for doc in 0..3_000u32 {
            let component = |i: u32| ((doc * (i * i + 7 * i + 1)) as f32 * 0.618_034).fract();
            let offset = if doc < 100 { 80.0 } else { 0.0 };
            let vector: Vec<f32> = (0..16).map(|i| component(i) + offset).collect();
            index.push(&vector, doc, 0).unwrap();
        }
        while index.maintain(500) > 0 {}
        (0..100).for_each(|node| index.remove(node));
        let left = || index.maintenance.read().repair.left();
        let (mut passed, mut most) = (100, 0);
        while passed < 3_000 {
            index.train_and_sweep(1);
            let next = 3_000 - left() as u32;
            let upper = (passed..next).filter(|&node| index.links.level_of(node) > 0);
            most = most.max(upper.count());
            passed = passed.max(next);
        }
        assert!((1..=4).contains(&most), "{most} descents");
    }

    #[test]
    fn few_removals_wait_for_more() {
        let index = index(3_000);
        while index.maintain(500) > 0 {}
        (0..20).for_each(|node| index.remove(node));
        assert_eq!(index.maintain(10), 0);
    }

    #[test]
    fn an_entry_that_died_gives_way_to_none_of_a_lower_level() {
        let index = index(3_000);
        while index.maintain(500) > 0 {}
        let entry = index.links.entry().unwrap();
        let top = index.links.level_of(entry);
        index.remove(entry);
        for doc in 3_000..5_000 {
            push(&index, doc);
            index.maintain_in_haste(1);
            let level = index.links.level_of(index.links.entry().unwrap());
            assert!(level >= top, "level {level} of {top} after {doc}");
        }
    }

    #[test]
    fn descents_find_most_nodes_of_upper_levels_in_clumps_that_lie_apart() {
        let index = index(0);
        for doc in 0..8_000u32 {
            let clump = doc % 16;
            let component = |i: u32| ((doc * (i * i + 7 * i + 1)) as f32 * 0.618_034).fract() * 2.0;
            let offset = |i: u32| if i == clump { 80.0 } else { 0.0 };
            let vector: Vec<f32> = (0..16).map(|i| component(i) + offset(i)).collect();
            index.push(&vector, doc, 0).unwrap();
        }
        while index.maintain(500) > 0 {}
        let entry = index.links.entry().unwrap();
        let is_found = |&node: &u32| {
            let vector = index.nodes.with(node, <[f32]>::to_vec);
            let distance = FullQuery {
                nodes: &index.nodes,
                query: &Query::new(Metric::Euclidean, &vector),
                limit: index.nodes.len(),
            };
            let level = index.links.level_of(node) - 1;
            descend_to(&index.links, &distance, entry, level)[0] % 16 == node % 16
        };
        let upper = (0..8_000).filter(|&node| index.links.level_of(node) > 0);
        let (found, lost): (Vec<u32>, Vec<u32>) = upper.partition(is_found);
        assert!(
            lost.len() * 20 <= found.len(),
            "{} of {}",
            lost.len(),
            found.len()
        );
    }

    #[test]
    fn descents_end_in_their_own_clump_while_documents_are_replaced() {
        const COUNT: u32 = 6_000;
        const CLUMPS: usize = 10;
        let index = Graph::new(HnswParams {
            dim: 32,
            metric: Metric::Euclidean,
            numeric: NumericType::Float,
            m: 4,
            ef_construction: 40,
            seed: 3,
        });
        let mut rng = SplitMix64(5);
        let draw = |rng: &mut SplitMix64, centre: &[f32]| -> Vec<f32> {
            centre.iter().map(|mean| mean + rng.normal()).collect()
        };
        let mut far = || (0..32).map(|_| 3.0 * rng.normal()).collect();
        let centres: Vec<Vec<f32>> = (0..CLUMPS).map(|_| far()).collect();
        let vectors = (0..COUNT as usize).map(|doc| draw(&mut rng, &centres[doc % CLUMPS]));
        let vectors: Vec<Vec<f32>> = vectors.collect();
        for (doc, vector) in (0..).zip(&vectors) {
            index.push(vector, doc, 0).unwrap();
        }
        while index.maintain(500) > 0 {}
        let mut clumps: Vec<usize> = (0..COUNT as usize).map(|doc| doc % CLUMPS).collect();
        let mut nodes: Vec<u32> = (0..COUNT).collect();
        let (mut ends, mut lost) = (0, 0);
        for _ in 0..2 * COUNT / 100 {
            for _ in 0..100 {
                let doc = rng.below(COUNT as usize);
                index.remove(nodes[doc]);
                nodes[doc] = index.push(&vectors[doc], doc as u32, 0).unwrap();
                clumps.push(doc % CLUMPS);
            }
            index.maintain_in_haste(100);
            index.sweep_if_overdue(200);
            let entry = index.links.entry().unwrap();
            for (clump, centre) in centres.iter().enumerate() {
                let query = draw(&mut rng, centre);
                let distance = FullQuery {
                    nodes: &index.nodes,
                    query: &Query::new(Metric::Euclidean, &query),
                    limit: index.linked(),
                };
                let [end, _] = descend_to(&index.links, &distance, entry, 0);
                ends += 1;
                lost += usize::from(clumps[end as usize] != clump);
            }
        }
        assert_eq!(lost, 0, "of {ends} descents");
    }

    #[test]
    fn where_all_are_dead_searches_begin_at_what_is_new() {
        let index = index(2_100);
        while index.maintain(500) > 0 {}
        (0..2_100).for_each(|node| index.remove(node));
        push(&index, 2_100);
        index.link_unless_busy(1);
        assert_eq!(index.links.entry(), Some(2_100));
    }

    #[test]
    fn one_thread_builds_the_same_graph_whatever_the_slices() {
        let (whole, sliced) = (index(2_500), index(2_500));
        while whole.maintain(10_000) > 0 {}
        while sliced.maintain(7) > 0 {}
        assert_eq!(whole.links.entry(), sliced.links.entry());
        for node in 0..2_500 {
            for level in 0..=whole.links.level_of(node) {
                let [a, b] =
                    [&whole, &sliced].map(|index| index.links.neighbors(node, level).collect());
                let [a, b]: [Vec<u32>; 2] = [a, b];
                assert_eq!(a, b, "node {node}, level {level}");
            }
        }
    }

    #[test]
    fn a_wide_search_for_links_ends_once_they_are_found() {
        let (mut whole, mut ended, mut missing) = (0, 0, 0);
        with_linker(&index_with(3_000, 1_000), |linker, entry| {
            for node in 0..100 {
                let links = whole_search(linker, node, entry);
                whole += linker.work.scratch.visited();
                linker.find_links(&linker.pairs.of_node(node), node, [entry; 2], 0, Turn::New);
                ended += linker.work.scratch.visited();
                missing += missing_of(&links, linker);
            }
        });
        assert!(3 * ended < 2 * whole, "{ended} of {whole} nodes");
        assert!(missing < 100, "{missing} links of 100 nodes");
    }

    #[test]
    fn a_node_that_has_links_is_linked_again_for_less() {
        let (mut missing, mut visited) = ([0; 2], [0; 2]);
        with_linker(&index_of(32, 3_000, 200), |linker, entry| {
            for node in 0..100 {
                let links = whole_search(linker, node, entry);
                for (at, turn) in [Turn::New, Turn::Again].into_iter().enumerate() {
                    linker.find_links(&linker.pairs.of_node(node), node, [entry; 2], 0, turn);
                    visited[at] += linker.work.scratch.visited();
                    missing[at] += missing_of(&links, linker);
                }
            }
        });
        assert!(5 * visited[1] < 4 * visited[0], "{visited:?} nodes");
        assert!(missing[1] < 150, "{missing:?} links of 100 nodes");
    }

    #[test]
    fn a_search_by_sign_bits_finds_the_links_that_codes_give() {
        let (mut missing, mut unranked) = (0, 0);
        with_linker(&index_of(128, 3_000, 200), |linker, entry| {
            let pairs = linker.pairs;
            for node in 0..100 {
                let links = whole_search(linker, node, entry);
                let estimates = pairs.estimates_with(node).expect("sign bits suffice");
                linker.find_links(&estimates, node, [entry; 2], 0, Turn::New);
                missing += missing_of(&links, linker);
                let by_key = |&(key, near): &(f32, u32)| key == pairs.key(node, near);
                unranked += usize::from(!linker.work.found.iter().all(by_key));
                assert!(linker.work.found.is_sorted_by(|a, b| a.0 <= b.0));
            }
        });
        // Out of some 800: no direction is favoured here, which suits sign bits least.
        assert!(missing < 200, "{missing} links of 100 nodes");
        assert_eq!(unranked, 0, "what is found is ranked by codes");
    }

    /// Links an index of codes, and lends its linker, with the entry of its graph.
    fn with_linker(index: &Graph, work: impl FnOnce(&mut Linker<'_, Int8Pairs<'_>>, u32)) {
        while index.maintain(500) > 0 {}
        let quantizer = index.quantizer.load_full();
        let Some(GraphPairs::Int8(pairs)) = index.pairs(quantizer.as_deref()) else {
            panic!("codes were trained");
        };
        let maintenance = index.maintenance.read();
        let entry = index.links.entry().unwrap();
        work(&mut index.linker(&pairs, &maintenance), entry);
    }

    /// The links of a node among all that a search of full width finds.
    fn whole_search(linker: &mut Linker<'_, Int8Pairs<'_>>, node: u32, entry: u32) -> Vec<u32> {
        linker.find_nearest(node, [entry; 2], 0, linker.width());
        let (pairs, links_min) = (linker.pairs, linker.links_min());
        let Workspace {
            found, selection, ..
        } = &mut linker.work;
        selection.choose(pairs, node, found, linker.m, links_min);
        selection.chosen.clone()
    }

    /// Counts the `links` that were not chosen.
    fn missing_of(links: &[u32], linker: &Linker<'_, Int8Pairs<'_>>) -> usize {
        let chosen = &linker.work.selection.chosen;
        links.iter().filter(|link| !chosen.contains(link)).count()
    }
}
