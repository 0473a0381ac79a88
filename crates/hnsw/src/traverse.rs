//! Walking the graph: greedily through the upper levels, best first on one level (Malkov and
//! Yashunin, 2018, algorithms 2 and 5).

use crate::frontier::Frontier;
use crate::keys::Keys;
use crate::links::Links;
use crate::visited::Visited;

/// What a walk needs and the next one can use again.
#[derive(Default)]
pub(crate) struct Scratch {
    pub frontier: Frontier,
    visited: Visited,
    fresh: Vec<u32>,
}

/// Watches a walk and decides how far it goes.
pub(crate) trait Guide {
    /// A node will be met shortly: the time to ask for memory that meeting it reads.
    fn sighted(&self, _node: u32) {}
    /// A node was met for the first time.
    fn met(&mut self, node: u32, key: f32);
    /// A node's neighbours have all been met; false ends the walk.
    fn expanded(&mut self) -> bool;
    /// Everything in the frontier is expanded; false ends the walk, true after it was grown.
    fn exhausted(&mut self, frontier: &mut Frontier) -> bool;
}

/// Goes to the nearest neighbour until none is nearer.
pub(crate) fn descend<K: Keys>(links: &Links, keys: &K, from: u32, level: usize) -> u32 {
    let (mut here, mut here_key) = (from, keys.key(from));
    let mut known = Vec::new();
    loop {
        known.clear();
        for node in links.neighbors(here, level) {
            if (node as usize) < keys.limit() {
                keys.prefetch(node);
                known.push(node);
            }
        }
        let mut best = (here_key, here);
        for &node in &known {
            let key = keys.key(node);
            if key < best.0 {
                best = (key, node);
            }
        }
        if best.1 == here {
            return here;
        }
        (here_key, here) = best;
    }
}

/// Goes from the entry down to `level`, stopping at each level on the way.
pub(crate) fn descend_to<K: Keys>(links: &Links, keys: &K, entry: u32, level: usize) -> u32 {
    let levels = (level + 1..=links.level_of(entry)).rev();
    levels.fold(entry, |from, level| descend(links, keys, from, level))
}

/// Expands the nearest node met so far, again and again, beginning with `from`. The caller has
/// reset the frontier; afterwards it holds the nearest nodes met.
pub(crate) fn explore<K: Keys, G: Guide>(
    links: &Links,
    keys: &K,
    from: u32,
    level: usize,
    scratch: &mut Scratch,
    guide: &mut G,
) {
    let Scratch {
        frontier,
        visited,
        fresh,
    } = scratch;
    let limit = keys.limit();
    visited.reset(limit);
    visited.insert(from);
    let key = keys.key(from);
    guide.met(from, key);
    frontier.insert(key, from);
    loop {
        let Some(node) = frontier.next() else {
            if guide.exhausted(frontier) {
                continue;
            }
            return;
        };
        fresh.clear();
        for neighbor in links.neighbors(node, level) {
            if (neighbor as usize) < limit && visited.insert(neighbor) {
                keys.prefetch(neighbor);
                guide.sighted(neighbor);
                fresh.push(neighbor);
            }
        }
        if let Some(next) = frontier.peek() {
            links.prefetch(next);
        }
        for &neighbor in fresh.iter() {
            let key = keys.key(neighbor);
            guide.met(neighbor, key);
            if frontier.insert(key, neighbor) {
                links.prefetch(neighbor);
            }
        }
        if !guide.expanded() {
            return;
        }
    }
}
