//! Walks over the graph: greedy through the upper levels, then best first with a beam on one level
//! (Malkov and Yashunin, 2018, algorithms 2 and 5).
//!
//! ```text
//! take the nearest node of the beam that is not expanded
//! prefetch_next:  visit its neighbours; ask memory for the codes of those not visited before
//! expand:         estimate their keys from these codes; insert them into the beam
//! ```
//!
//! A walk runs `prefetch_next` of one step before `expand` of the step before it, so that memory is at work while keys
//! are computed. The next node to expand is then chosen before the step under way has found its nodes: sometimes not
//! the nearest, at less cost than waiting for memory.

use std::ops::Range;

use pelorus_cancellation::Cancelled;

use crate::distance::Estimator;
use crate::graph::Graph;
use crate::graph::links::Links;
use crate::search::beam::Beam;
use crate::search::doc_pool::DocPool;
use crate::search::early_stop::{BEAM_WIDTH_MIN, EarlyStop, Limits};
use crate::search::rescore::pool_capacity;
use crate::search::visited::Visited;
use crate::search::{Search, accepted_share};
use crate::sync::{AtomicU32, Mutex};

/// A walk under way.
pub(crate) struct Walk<'a, D: Estimator> {
    pub distance: &'a D,
    links: &'a Links,
    level: usize,
    pub scratch: WalkScratch,
    /// Steps that were prefetched and not expanded yet, the older at `oldest`.
    steps: [Step<D::CodeRef>; STEPS_MAX],
    oldest: usize,
    waiting: usize,
    /// Nodes whose keys were asked for.
    asked: Vec<u32>,
}

/// Nodes that wait in the beam whose keys are asked for: most of them are expanded soon.
const ASKED_AHEAD: usize = 16;

/// Steps that may wait to be expanded.
const STEPS_MAX: usize = 2;

/// The new neighbours of one node.
struct Step<P> {
    code_refs: Vec<P>,
    /// Their range among the nodes visited.
    fresh: Range<usize>,
}

impl<'a, D: Estimator> Walk<'a, D> {
    /// Begins at both of `from`, which may be equal, on `level`, with a beam of `width`, which keeps what does not fit if
    /// it may grow.
    pub fn begin(
        links: &'a Links,
        distance: &'a D,
        mut scratch: WalkScratch,
        (from, level): ([u32; 2], usize),
        width: usize,
        may_grow: bool,
    ) -> Self {
        scratch.beam.reset(width, may_grow);
        scratch.visited.reset(distance.limit());
        // A row of links, in the form in which rows hold them.
        let row = from.map(|node| AtomicU32::new(node + 1));
        scratch.visited.visit(&row);
        for &node in scratch.visited.nodes() {
            let mut estimate = [0.0];
            distance.estimate(&[distance.code_ref(node)], &mut estimate);
            scratch.beam.insert(estimate[0], node);
        }
        Self {
            distance,
            links,
            level,
            scratch,
            steps: std::array::from_fn(|_| Step {
                code_refs: Vec::with_capacity(links.capacity(0)),
                fresh: 0..0,
            }),
            oldest: 0,
            waiting: 0,
            asked: Vec::new(),
        }
    }

    /// Nodes visited so far.
    pub fn visited(&self) -> usize {
        self.scratch.visited.nodes().len()
    }

    /// Takes the nearest node that is not expanded, with its estimate, and visits its neighbours: hints
    /// that the codes of those that are new will soon be read. None when all in the beam are expanded.
    ///
    /// # Panics
    /// If two steps wait to be expanded.
    #[inline(always)]
    pub fn prefetch_next(&mut self) -> Option<(f32, u32)> {
        assert!(self.waiting < STEPS_MAX, "a step that was not expanded");
        let WalkScratch { beam, visited, .. } = &mut self.scratch;
        let (estimate, node) = beam.next()?;
        let row = self.links.row(node, self.level).unwrap_or_default();
        let count = visited.visit(row);
        let nodes = visited.nodes();
        let step = &mut self.steps[(self.oldest + self.waiting) % STEPS_MAX];
        self.waiting += 1;
        step.fresh = nodes.len() - count..nodes.len();
        step.code_refs.clear();
        let fresh = nodes[step.fresh.clone()].iter();
        step.code_refs
            .extend(fresh.map(|&node| self.distance.code_ref(node)));
        if !D::EXACT {
            self.distance.prefetch(node);
        }
        if self.distance.asks() {
            self.ask_ahead();
        }
        Some((estimate, node))
    }

    /// Asks for the keys that will be needed next, all that are known by now, so that the disk reads them at once and
    /// not one after the other: of the nodes just visited, where keys order the beam, or else of those that are next in
    /// it.
    #[cold]
    fn ask_ahead(&mut self) {
        let WalkScratch { beam, visited, .. } = &self.scratch;
        if D::EXACT {
            let step = &self.steps[(self.oldest + self.waiting - 1) % STEPS_MAX];
            let fresh = visited.nodes()[step.fresh.clone()].iter();
            return fresh.for_each(|&node| self.distance.ask_for(node));
        }
        for (_, node) in beam.unexpanded().take(ASKED_AHEAD) {
            if !self.asked.contains(&node) {
                self.distance.ask_for(node);
                self.asked.push(node);
            }
        }
    }

    /// Inserts the neighbours of the step that was prefetched first into the beam.
    #[inline(always)]
    pub fn expand(&mut self) {
        let WalkScratch {
            beam,
            visited,
            estimates,
        } = &mut self.scratch;
        let step = &self.steps[self.oldest];
        self.oldest = (self.oldest + 1) % STEPS_MAX;
        self.waiting -= 1;
        let fresh = &visited.nodes()[step.fresh.clone()];
        if estimates.len() < fresh.len() {
            estimates.resize(fresh.len(), 0.0);
        }
        let estimates = &mut estimates[..fresh.len()];
        self.distance.estimate(&step.code_refs, estimates);
        beam.insert_all(estimates, fresh, |node| self.links.prefetch(node));
    }
}

/// Goes down to `level` from the entry, and from the nearest of the landmarks where that is nearer than the end. Answers
/// both ends, the nearer first, or one of them twice.
pub(crate) fn descend_to<D: Estimator>(
    links: &Links,
    distance: &D,
    entry: u32,
    level: usize,
) -> [u32; 2] {
    let end = descend_from(links, distance, entry, level);
    let mut nodes = vec![end];
    links.landmarks_on(level, distance.limit(), &mut nodes);
    let code_refs: Vec<_> = nodes.iter().map(|&node| distance.code_ref(node)).collect();
    let mut estimates = vec![0.0; nodes.len()];
    distance.estimate(&code_refs, &mut estimates);
    let mut best = (estimates[0], end);
    for (&node, &estimate) in nodes.iter().zip(&estimates) {
        if estimate < best.0 {
            best = (estimate, node);
        }
    }
    match best.1 == end {
        true => [end; 2],
        false => [descend_from(links, distance, best.1, level), end],
    }
}

/// Goes from `start` down to `level`, stopping at each level on the way: there it goes to the nearest neighbour, by
/// estimate, until none is nearer.
pub(crate) fn descend_from<D: Estimator>(
    links: &Links,
    distance: &D,
    start: u32,
    level: usize,
) -> u32 {
    let mut estimate = [0.0];
    distance.estimate(&[distance.code_ref(start)], &mut estimate);
    let mut best = (estimate[0], start);
    let room = links.capacity(1);
    let mut nodes: Vec<u32> = Vec::with_capacity(room);
    let (mut code_refs, mut estimates) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for level in (level + 1..=links.level_of(start)).rev() {
        let mut here = u32::MAX;
        while here != best.1 {
            here = best.1;
            nodes.clear();
            let neighbors = links.neighbors(here, level);
            nodes.extend(neighbors.filter(|&node| (node as usize) < distance.limit()));
            code_refs.clear();
            code_refs.extend(nodes.iter().map(|&node| distance.code_ref(node)));
            estimates.resize(nodes.len(), 0.0);
            distance.estimate(&code_refs, &mut estimates);
            for (&node, &estimate) in nodes.iter().zip(&estimates) {
                if estimate < best.0 {
                    best = (estimate, node);
                }
            }
        }
    }
    best.1
}

/// Expands the nearest node visited so far, again and again, beginning with both of `from` and a beam of
/// `width`. When all in the beam are expanded, `widen` may grow it; the walk ends when it answers
/// false. Afterwards the beam holds the nearest nodes visited.
pub(crate) fn explore<D: Estimator>(
    links: &Links,
    distance: &D,
    (from, level): ([u32; 2], usize),
    width: usize,
    scratch: &mut WalkScratch,
    mut widen: impl FnMut(&mut Beam) -> bool,
) {
    let taken = std::mem::take(scratch);
    let mut walk = Walk::begin(links, distance, taken, (from, level), width, true);
    let mut is_waiting = walk.prefetch_next().is_some();
    while is_waiting {
        let next = walk.prefetch_next().is_some();
        walk.expand();
        // The nodes just inserted may be the only ones left to expand; widening comes last.
        is_waiting = next
            || walk.prefetch_next().is_some()
            || widen(&mut walk.scratch.beam) && walk.prefetch_next().is_some();
    }
    *scratch = walk.scratch;
}

/// Expansions between two looks at whether the search is cancelled.
const EXPANSIONS_PER_CHECK: usize = 64;

/// Documents whose change shows that a walk still gets nearer to `count` of them: a few beyond these.
fn watched(count: usize) -> usize {
    count + count / 8 + 3
}

impl Graph {
    /// Descends from `entry` and walks the lowest level. Answers the documents found, and whether they are
    /// the nearest of those that are linked.
    ///
    /// The pool is the walk's own: with the finds of a scan before it, that would look settled from the start.
    ///
    /// # Errors
    /// When the search is cancelled.
    pub fn walk<D: Estimator>(
        &self,
        search: &Search<'_>,
        distance: &D,
        entry: u32,
        budget: usize,
    ) -> Result<(DocPool, bool), Cancelled> {
        let params = search.params;
        let limits = Limits {
            watched: watched(params.watched.min(params.k)),
            wanted: params.k.min(params.accept_count),
            ef: params.ef.max(params.k),
            budget,
            share: accepted_share(params),
            unswept: self.unswept() as f32 / self.linked().max(1) as f32,
            stops_early: params.stops_early,
            by_bits: !D::EXACT,
        };
        let from = descend_to(&self.links, distance, entry, 0);
        let width = BEAM_WIDTH_MIN.max(params.k).min(limits.ef);
        let may_grow = width < limits.ef || params.accept_count < params.live_docs;
        let scratch = self.scratch.take();
        let mut walk = Walk::begin(&self.links, distance, scratch, (from, 0), width, may_grow);
        let pool = DocPool::new(pool_capacity(params.k));
        let mut found = EarlyStop::new(pool, &self.nodes, &self.duplicates, search.accept, limits);
        let mut cancelled = Ok(());
        let mut current = prefetch_next(&mut walk, &mut found);
        while let Some((estimate, node)) = current {
            let next = walk.prefetch_next();
            walk.expand();
            let key = if D::EXACT {
                estimate
            } else {
                distance.key(node)
            };
            found.offer(node, key);
            if !found.should_continue(walk.visited()) {
                break;
            }
            if found.expansions().is_multiple_of(EXPANSIONS_PER_CHECK) {
                cancelled = search.cancellation.check();
                if cancelled.is_err() {
                    break;
                }
            }
            current = match next {
                Some((_, node)) => {
                    found.prefetch(node);
                    next
                }
                None => prefetch_next(&mut walk, &mut found),
            };
        }
        let complete = !found.is_incomplete();
        if complete && params.watched < params.k {
            offer_waiting(&walk, &mut found, pool_capacity(params.k));
        }
        self.scratch.give(walk.scratch, self.nodes.len());
        cancelled.map(|()| (found.pool, complete))
    }
}

/// Offers the nearest `count` nodes that wait in the beam of a walk that has stopped. Documents behind those that it
/// watches are often among them: it has found these, and not come to expand them.
fn offer_waiting<D: Estimator>(walk: &Walk<'_, D>, found: &mut EarlyStop<'_>, count: usize) {
    let distance = walk.distance;
    let waiting: Vec<(f32, u32)> = walk.scratch.beam.unexpanded().take(count).collect();
    for &(_, node) in &waiting {
        if distance.asks() {
            distance.ask_for(node);
        }
        distance.prefetch(node);
        found.prefetch(node);
    }
    for (estimate, node) in waiting {
        let key = if D::EXACT {
            estimate
        } else {
            distance.key(node)
        };
        found.offer(node, key);
    }
}

/// As [`Walk::prefetch_next`], after widening the beam where all in it are expanded and more is
/// wanted.
#[inline(always)]
fn prefetch_next<D: Estimator>(
    walk: &mut Walk<'_, D>,
    found: &mut EarlyStop<'_>,
) -> Option<(f32, u32)> {
    let mut next = walk.prefetch_next();
    if next.is_none() && found.widen(&mut walk.scratch.beam) {
        next = walk.prefetch_next();
    }
    if let Some((_, node)) = next {
        found.prefetch(node);
    }
    next
}

/// The memory of a walk, which the next one can use again.
#[derive(Default)]
pub(crate) struct WalkScratch {
    pub beam: Beam,
    visited: Visited,
    estimates: Vec<f32>,
}

impl WalkScratch {
    /// Nodes that the last walk visited.
    #[cfg(test)]
    pub fn visited(&self) -> usize {
        self.visited.nodes().len()
    }

    pub fn memory_bytes(&self) -> usize {
        let estimates = self.estimates.capacity() * size_of::<f32>();
        self.beam.memory_bytes() + self.visited.memory_bytes() + estimates
    }
}

/// Bytes kept at most, for each node of the index and in all: enough for some fifty usual walks at
/// once. Many wide ones could need as much as the index itself, and may never come again.
const KEPT_PER_NODE: usize = 16;
const KEPT_MIN: usize = 512 << 10;

/// The scratch memory that the next walks can use again.
#[derive(Default)]
pub(crate) struct ScratchPool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    scratch: Vec<WalkScratch>,
    bytes: usize,
}

impl ScratchPool {
    /// Returns the scratch that was given back last, or a new one.
    pub fn take(&self) -> WalkScratch {
        let mut idle = self.0.lock();
        let taken = idle.scratch.pop();
        idle.bytes -= taken.as_ref().map_or(0, WalkScratch::memory_bytes);
        taken.unwrap_or_default()
    }

    /// Keeps the scratch of a walk through an index of `nodes`, or frees it where enough is kept.
    pub fn give(&self, scratch: WalkScratch, nodes: usize) {
        let bytes = scratch.memory_bytes();
        let mut idle = self.0.lock();
        if idle.bytes + bytes <= KEPT_MIN + KEPT_PER_NODE * nodes {
            idle.bytes += bytes;
            idle.scratch.push(scratch);
        }
    }

    /// Bytes of the kept scratch.
    pub fn memory_bytes(&self) -> usize {
        self.0.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use pelorus_cancellation::Cancellation;
    use pelorus_kernels::BitSet;
    use pelorus_random::SplitMix64;

    use super::*;
    use crate::distance::{Query, QueryDistance};
    use crate::quantize::code_query::{BinaryQuery, Int8Query};
    use crate::{HnswParams, Metric, NumericType, VectorSearch};

    /// Keys that come from the disk.
    struct OnDisk<'a, D> {
        inner: &'a D,
        asked: RefCell<Vec<u32>>,
        /// Keys that were read, and those of them that nobody had asked for.
        read: Cell<usize>,
        unasked: Cell<usize>,
    }

    impl<D: Estimator> QueryDistance for OnDisk<'_, D> {
        fn limit(&self) -> usize {
            self.inner.limit()
        }

        fn key(&self, node: u32) -> f32 {
            self.read.update(|read| read + 1);
            if !self.asked.borrow().contains(&node) {
                self.unasked.update(|unasked| unasked + 1);
            }
            self.inner.key(node)
        }

        fn prefetch(&self, node: u32) {
            self.inner.prefetch(node);
        }

        fn asks(&self) -> bool {
            true
        }

        fn ask_for(&self, node: u32) {
            self.asked.borrow_mut().push(node);
        }
    }

    /// Only where estimates are not keys: [`ExactEstimates`](crate::distance::ExactEstimates) has the others.
    impl<'a> Estimator for OnDisk<'_, BinaryQuery<'a>> {
        const EXACT: bool = false;

        type CodeRef = &'a [u64];

        fn code_ref(&self, node: u32) -> &'a [u64] {
            self.inner.code_ref(node)
        }

        fn estimate(&self, records: &[&'a [u64]], out: &mut [f32]) {
            self.inner.estimate(records, out);
        }
    }

    impl crate::distance::ExactEstimates for OnDisk<'_, Int8Query<'_>> {}

    /// Documents that a walk finds, nearest first.
    fn walked<D: Estimator>(graph: &Graph, search: &Search<'_>, distance: &D) -> Vec<u32> {
        let entry = graph.links.entry().unwrap();
        let (mut pool, complete) = graph.walk(search, distance, entry, usize::MAX).unwrap();
        assert!(complete);
        pool.entries().iter().map(|found| found.doc).collect()
    }

    #[test]
    fn keys_on_the_disk_are_asked_for_before_they_are_read() {
        let (dim, count) = (64, 3_000);
        let graph = Graph::new(HnswParams {
            dim,
            metric: Metric::Angular,
            numeric: NumericType::Float,
            m: 8,
            ef_construction: 60,
            seed: 1,
        });
        let mut random = SplitMix64(3);
        let mut draw = || -> Vec<f32> {
            let uniform = |bits: u64| (bits >> 40) as f32 / (1 << 24) as f32 - 0.5;
            (0..dim).map(|_| uniform(random.bits())).collect()
        };
        (0..count).for_each(|doc| _ = graph.push(&draw(), doc, 0).unwrap());
        while graph.maintain(1_000) > 0 {}
        let quantizer = graph.quantizer.load_full().unwrap();
        let codes = quantizer.codes.as_deref().unwrap();
        let (accept, params) = (
            BitSet::full(count),
            VectorSearch {
                k: 10,
                watched: 10,
                ef: 200,
                stops_early: true,
                exact: false,
                approximate_threshold: None,
                accept_count: count as usize,
                live_docs: count as usize,
            },
        );
        for _ in 0..5 {
            let vector = draw();
            let search = Search {
                query: Query::new(Metric::Angular, &vector),
                params: &params,
                accept: &accept,
                known: &[],
                cancellation: &Cancellation::never(),
            };
            let (bits, int8) = (
                BinaryQuery::new(codes, &search.query),
                Int8Query::new(codes, &search.query),
            );
            let on_disk = on_disk(&bits);
            assert_eq!(
                walked(&graph, &search, &on_disk),
                walked(&graph, &search, &bits)
            );
            let (read, unasked) = (on_disk.read.get(), on_disk.unasked.get());
            // Some are nearer than all that waited, and are expanded at once.
            assert!(read >= 40 && unasked * 2 <= read, "{unasked} of {read}");
            let on_disk = self::on_disk(&int8);
            assert_eq!(
                walked(&graph, &search, &on_disk),
                walked(&graph, &search, &int8)
            );
            // The descent asks for none.
            let (read, unasked) = (on_disk.read.get(), on_disk.unasked.get());
            assert!(read >= 500 && unasked * 5 <= read, "{unasked} of {read}");
        }
    }

    fn on_disk<D>(inner: &D) -> OnDisk<'_, D> {
        OnDisk {
            inner,
            asked: RefCell::default(),
            read: Cell::new(0),
            unasked: Cell::new(0),
        }
    }

    fn used(nodes: u32) -> WalkScratch {
        let mut scratch = WalkScratch::default();
        scratch.beam.reset(nodes as usize, false);
        (0..nodes).for_each(|node| _ = scratch.beam.insert(node as f32, node));
        scratch
    }

    #[test]
    fn scratch_memory_is_used_again() {
        let pool = ScratchPool::default();
        let scratch = used(100);
        let bytes = scratch.memory_bytes();
        assert!(bytes >= 800);
        pool.give(scratch, 100);
        assert_eq!(pool.memory_bytes(), bytes);
        assert_eq!(pool.take().memory_bytes(), bytes);
        assert_eq!((pool.memory_bytes(), pool.take().memory_bytes()), (0, 0));
    }

    #[test]
    fn a_burst_of_wide_walks_leaves_little_behind() {
        let (pool, nodes) = (ScratchPool::default(), 10_000);
        (0..64).for_each(|_| pool.give(used(nodes), nodes as usize));
        let most = KEPT_MIN + KEPT_PER_NODE * nodes as usize;
        assert!((most / 2..=most).contains(&pool.memory_bytes()));
    }
}
