//! The walk of one query over the graph, until the documents found have settled.

use crate::graph::Core;
use crate::keys::Keys;
use crate::search::Search;
use crate::search::convergence::{Convergence, Limits, WIDTH_START};
use crate::search::doc_pool::DocPool;
use crate::search::traverse::descend_to;
use crate::search::walk::Walk;

/// Documents whose change shows that a walk for `k` still gets nearer: a few beyond those wanted.
fn watched(k: usize) -> usize {
    k + k / 8 + 3
}

impl Core {
    /// Descends from `entry`, walks the lowest level and adds the documents found to `pool`. Answers
    /// with it whether the walk was enough.
    pub fn walk<K: Keys>(
        &self,
        search: &Search<'_>,
        keys: &K,
        entry: u32,
        budget: usize,
        pool: DocPool,
    ) -> (DocPool, bool) {
        let params = search.params;
        let limits = Limits {
            watched: watched(params.k),
            wanted: params.k.min(params.accept_count),
            ceiling: params.ef.max(params.k),
            budget,
            stops_early: params.stops_early,
            by_bits: !K::EXACT_GUESSES,
        };
        let from = descend_to(&self.links, keys, entry, 0);
        let width = WIDTH_START.max(params.k).min(limits.ceiling);
        let may_grow = width < limits.ceiling || params.accept_count < params.live_docs;
        let scratch = self.scratch.take();
        let mut walk = Walk::begin(&self.links, keys, scratch, (from, 0), width, may_grow);
        let mut found = Convergence::new(pool, &self.vectors, &self.twins, search.accept, limits);
        let mut sighted = sight(&mut walk, &mut found);
        while let Some((guess, node)) = sighted {
            // One step ahead: memory is asked for what the next step reads before this one computes.
            // The next node is then chosen without knowing what this one leads to.
            let ahead = walk.sight();
            walk.meet();
            let key = if K::EXACT_GUESSES {
                guess
            } else {
                keys.key(node)
            };
            found.offer(node, key);
            if !found.goes_on(walk.met()) {
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
        let complete = !found.fell_short();
        self.scratch.give(walk.scratch, self.vectors.len());
        (found.pool, complete)
    }
}

/// Takes the next node of the frontier, which is grown where all in it are expanded and more is
/// wanted, and asks for its neighbours.
#[inline(always)]
fn sight<K: Keys>(walk: &mut Walk<'_, K>, found: &mut Convergence<'_>) -> Option<(f32, u32)> {
    let mut sighted = walk.sight();
    if sighted.is_none() && found.grows(&mut walk.scratch.frontier) {
        sighted = walk.sight();
    }
    if let Some((_, node)) = sighted {
        found.prefetch(node);
    }
    sighted
}
