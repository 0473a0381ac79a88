//! Several searches on one thread, a step of each in turn: while one waits for memory, the others
//! compute.

use crate::convergence::{Convergence, Limits, WIDTH_START};
use crate::core::Core;
use crate::doc_pool::DocPool;
use crate::keys::Keys;
use crate::search::Search;
use crate::traverse::descend_to;
use crate::walk::{Walk, WalkScratch};

/// Walks in turn. More only crowd each other out of the nearest cache.
pub(crate) const LANES: usize = 4;

/// Documents whose change shows that a walk for `k` still gets nearer: a few beyond those wanted.
fn watched(k: usize) -> usize {
    k + k / 8 + 3
}

/// One search under way.
pub(crate) struct Lane<'a, K: Keys> {
    walk: Walk<'a, K>,
    found: Convergence<'a>,
    /// The node whose neighbours are being fetched, with its guess.
    sighted: Option<(f32, u32)>,
}

impl<'a, K: Keys> Lane<'a, K> {
    /// Descends from `entry` and begins the walk.
    pub fn new(
        index: &'a Core,
        search: &'a Search<'_>,
        keys: &'a K,
        entry: u32,
        budget: usize,
        pool: DocPool,
        scratch: WalkScratch,
    ) -> Self {
        let p = search.p;
        let limits = Limits {
            watched: watched(p.k),
            wanted: p.k.min(p.accept_count),
            ceiling: p.ef.max(p.k),
            budget,
            stops_early: p.stops_early,
            by_bits: !K::EXACT_GUESSES,
        };
        let from = descend_to(&index.links, keys, entry, 0);
        let width = WIDTH_START.max(p.k).min(limits.ceiling);
        let may_grow = width < limits.ceiling || p.accept_count < p.live_docs;
        let walk = Walk::begin(&index.links, keys, scratch, (from, 0), width, may_grow);
        let found = Convergence::new(pool, &index.vectors, &index.twins, search.accept, limits);
        let mut lane = Self {
            walk,
            found,
            sighted: None,
        };
        lane.sight();
        lane
    }

    /// Asks for the next node's neighbours.
    #[inline(always)]
    fn sight(&mut self) {
        self.sighted = self.walk.sight();
        if self.sighted.is_none() && self.found.grows(&mut self.walk.scratch.frontier) {
            self.sighted = self.walk.sight();
        }
        if let Some((_, node)) = self.sighted {
            self.found.prefetch(node);
        }
    }

    /// Meets what was asked for and asks for more. False when the walk is over.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let Some((guess, node)) = self.sighted else {
            return false;
        };
        let ahead = self.walk.sight();
        self.walk.meet();
        let key = if K::EXACT_GUESSES {
            guess
        } else {
            self.walk.keys.key(node)
        };
        self.found.offer(node, key);
        if !self.found.goes_on(self.walk.met()) {
            self.sighted = None;
            return false;
        }
        match ahead {
            Some((_, next)) => {
                self.found.prefetch(next);
                self.sighted = ahead;
            }
            None => self.sight(),
        }
        self.sighted.is_some()
    }

    /// The documents found, whether the walk was enough, and what can be used again.
    pub fn finish(mut self) -> (DocPool, bool, WalkScratch) {
        let complete = !self.found.fell_short();
        (self.found.pool, complete, self.walk.scratch)
    }
}

/// Walks all lanes to their ends.
pub(crate) fn run<K: Keys>(lanes: &mut [Option<Lane<'_, K>>]) {
    let mut running = true;
    while running {
        running = false;
        for lane in lanes.iter_mut().flatten() {
            running |= lane.step();
        }
    }
}
