//! Walking a level of the graph, best first, a step at a time (Malkov and Yashunin, 2018,
//! algorithm 2).
//!
//! A step has two halves: `sight` asks memory for what the step will read, `meet` reads it. The first
//! half of the next step comes in between and hides the wait; it does not know yet what this one will
//! find.

use std::ops::Range;

use crate::distance::Estimator;
use crate::graph::Core;
use crate::graph::links::Links;
use crate::search::Search;
use crate::search::beam::Beam;
use crate::search::doc_pool::DocPool;
use crate::search::early_stop::{BEAM_WIDTH_MIN, EarlyStop, Limits};
use crate::search::visited::Visited;
use crate::sync::{AtomicU32, Mutex};

/// A walk under way.
pub(crate) struct Walk<'a, D: Estimator> {
    pub distance: &'a D,
    links: &'a Links,
    level: usize,
    pub scratch: WalkScratch,
    /// Steps that were sighted and not met, the older at `oldest`.
    steps: [Step<D::CodeRef>; STEPS],
    oldest: usize,
    waiting: usize,
}

/// Steps that may wait to be met.
const STEPS: usize = 2;

/// The new neighbours of one node.
struct Step<P> {
    code_refs: Vec<P>,
    /// Where among the nodes met.
    fresh: Range<usize>,
}

impl<'a, D: Estimator> Walk<'a, D> {
    /// Begins at `from`, on `level`, with a beam of `width`, which keeps what does not fit if it may grow.
    pub fn begin(
        links: &'a Links,
        distance: &'a D,
        mut scratch: WalkScratch,
        (from, level): (u32, usize),
        width: usize,
        may_grow: bool,
    ) -> Self {
        scratch.beam.reset(width, may_grow);
        scratch.visited.reset(distance.limit());
        scratch.visited.meet(&[AtomicU32::new(from + 1)]);
        let mut estimate = [0.0];
        distance.estimate(&[distance.code_ref(from)], &mut estimate);
        scratch.beam.insert(estimate[0], from);
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
        }
    }

    /// Nodes met so far.
    pub fn met(&self) -> usize {
        self.scratch.visited.met().len()
    }

    /// Takes the nearest node that is not expanded, with its estimate, and asks for its new
    /// neighbours. None when all in the beam are expanded.
    ///
    /// # Panics
    /// If two steps wait to be met.
    #[inline(always)]
    pub fn sight(&mut self) -> Option<(f32, u32)> {
        assert!(self.waiting < STEPS, "a step that was not met");
        let WalkScratch { beam, visited, .. } = &mut self.scratch;
        let (estimate, node) = beam.next()?;
        let row = self.links.row(node, self.level).unwrap_or_default();
        let count = visited.meet(row);
        let met = visited.met();
        let step = &mut self.steps[(self.oldest + self.waiting) % STEPS];
        self.waiting += 1;
        step.fresh = met.len() - count..met.len();
        step.code_refs.clear();
        let fresh = met[step.fresh.clone()].iter();
        step.code_refs
            .extend(fresh.map(|&node| self.distance.code_ref(node)));
        if !D::EXACT {
            self.distance.prefetch(node);
        }
        Some((estimate, node))
    }

    /// Takes the neighbours sighted first into the beam.
    #[inline(always)]
    pub fn meet(&mut self) {
        let WalkScratch {
            beam,
            visited,
            estimates,
        } = &mut self.scratch;
        let step = &self.steps[self.oldest];
        self.oldest = (self.oldest + 1) % STEPS;
        self.waiting -= 1;
        let fresh = &visited.met()[step.fresh.clone()];
        if estimates.len() < fresh.len() {
            estimates.resize(fresh.len(), 0.0);
        }
        let estimates = &mut estimates[..fresh.len()];
        self.distance.estimate(&step.code_refs, estimates);
        beam.insert_all(estimates, fresh, |node| self.links.prefetch(node));
    }
}

/// Watches a walk and decides how far it goes.
pub(crate) trait Guide {
    /// Everything in the beam is expanded; false ends the walk, true after it was grown.
    fn exhausted(&mut self, beam: &mut Beam) -> bool;
}

/// Goes from the entry down to `level`, stopping at each level on the way: there it goes to the
/// nearest neighbour, by estimate, until none is nearer.
pub(crate) fn descend_to<D: Estimator>(
    links: &Links,
    distance: &D,
    entry: u32,
    level: usize,
) -> u32 {
    let mut estimate = [0.0];
    distance.estimate(&[distance.code_ref(entry)], &mut estimate);
    let mut best = (estimate[0], entry);
    let room = links.capacity(1);
    let mut nodes: Vec<u32> = Vec::with_capacity(room);
    let (mut code_refs, mut estimates) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for level in (level + 1..=links.level_of(entry)).rev() {
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

/// Expands the nearest node met so far, again and again, beginning with `from` and a beam of
/// `width`. Afterwards the beam holds the nearest nodes met.
pub(crate) fn explore<D: Estimator, G: Guide>(
    links: &Links,
    distance: &D,
    (from, level): (u32, usize),
    width: usize,
    scratch: &mut WalkScratch,
    guide: &mut G,
) {
    let taken = std::mem::take(scratch);
    let mut walk = Walk::begin(links, distance, taken, (from, level), width, true);
    while walk.sight().is_some()
        || guide.exhausted(&mut walk.scratch.beam) && walk.sight().is_some()
    {
        walk.meet();
    }
    *scratch = walk.scratch;
}

/// Documents whose change shows that a walk for `k` still gets nearer: a few beyond those wanted.
fn watched(k: usize) -> usize {
    k + k / 8 + 3
}

impl Core {
    /// Descends from `entry`, walks the lowest level and adds the documents found to `pool`. Answers
    /// with it whether the walk was enough.
    pub fn walk<D: Estimator>(
        &self,
        search: &Search<'_>,
        distance: &D,
        entry: u32,
        budget: usize,
        pool: DocPool,
    ) -> (DocPool, bool) {
        let params = search.params;
        let limits = Limits {
            watched: watched(params.k),
            wanted: params.k.min(params.accept_count),
            ef: params.ef.max(params.k),
            budget,
            stops_early: params.stops_early,
            by_bits: !D::EXACT,
        };
        let from = descend_to(&self.links, distance, entry, 0);
        let width = BEAM_WIDTH_MIN.max(params.k).min(limits.ef);
        let may_grow = width < limits.ef || params.accept_count < params.live_docs;
        let scratch = self.scratch.take();
        let mut walk = Walk::begin(&self.links, distance, scratch, (from, 0), width, may_grow);
        let mut found =
            EarlyStop::new(pool, &self.vectors, &self.duplicates, search.accept, limits);
        let mut sighted = sight(&mut walk, &mut found);
        while let Some((estimate, node)) = sighted {
            // One step ahead: memory is asked for what the next step reads before this one computes.
            // The next node is then chosen without knowing what this one leads to.
            let ahead = walk.sight();
            walk.meet();
            let key = if D::EXACT {
                estimate
            } else {
                distance.key(node)
            };
            found.offer(node, key);
            if !found.should_continue(walk.met()) {
                break;
            }
            sighted = match ahead {
                Some((_, next)) => {
                    found.prefetch(next);
                    ahead
                }
                None => sight(&mut walk, &mut found),
            };
        }
        let complete = !found.is_incomplete();
        self.scratch.give(walk.scratch, self.vectors.len());
        (found.pool, complete)
    }
}

/// Takes the next node of the beam, which is grown where all in it are expanded and more is
/// wanted, and asks for its neighbours.
#[inline(always)]
fn sight<D: Estimator>(walk: &mut Walk<'_, D>, found: &mut EarlyStop<'_>) -> Option<(f32, u32)> {
    let mut sighted = walk.sight();
    if sighted.is_none() && found.widen(&mut walk.scratch.beam) {
        sighted = walk.sight();
    }
    if let Some((_, node)) = sighted {
        found.prefetch(node);
    }
    sighted
}

/// What a walk needs and the next one can use again.
#[derive(Default)]
pub(crate) struct WalkScratch {
    pub beam: Beam,
    visited: Visited,
    estimates: Vec<f32>,
}

impl WalkScratch {
    pub fn memory_bytes(&self) -> usize {
        let estimates = self.estimates.capacity() * size_of::<f32>();
        self.beam.memory_bytes() + self.visited.memory_bytes() + estimates
    }
}

/// Bytes kept at most, for each node of the index and in all: enough for some fifty usual walks at
/// once. Many wide ones could need as much as the index itself, and may never come again.
const KEPT_PER_NODE: usize = 16;
const KEPT_MIN: usize = 512 << 10;

/// What the next walks can use again.
#[derive(Default)]
pub(crate) struct ScratchPool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    scratch: Vec<WalkScratch>,
    bytes: usize,
}

impl ScratchPool {
    /// What was given back last, or new.
    pub fn take(&self) -> WalkScratch {
        let mut idle = self.0.lock();
        let taken = idle.scratch.pop();
        idle.bytes -= taken.as_ref().map_or(0, WalkScratch::memory_bytes);
        taken.unwrap_or_default()
    }

    /// Keeps what a walk through an index of `nodes` used, or frees it where enough is kept.
    pub fn give(&self, scratch: WalkScratch, nodes: usize) {
        let bytes = scratch.memory_bytes();
        let mut idle = self.0.lock();
        if idle.bytes + bytes <= KEPT_MIN + KEPT_PER_NODE * nodes {
            idle.bytes += bytes;
            idle.scratch.push(scratch);
        }
    }

    /// Bytes of what is kept.
    pub fn memory_bytes(&self) -> usize {
        self.0.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(nodes: u32) -> WalkScratch {
        let mut scratch = WalkScratch::default();
        scratch.beam.reset(nodes as usize, false);
        (0..nodes).for_each(|node| _ = scratch.beam.insert(node as f32, node));
        scratch
    }

    #[test]
    fn what_was_used_is_used_again() {
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
