//! Walking the graph: greedily through the upper levels, best first on one level (Malkov and
//! Yashunin, 2018, algorithms 2 and 5).

use crate::graph::links::Links;
use crate::keys::Keys;
use crate::search::frontier::Frontier;
use crate::search::walk::{Walk, WalkScratch};

/// Watches a walk and decides how far it goes.
pub(crate) trait Guide {
    /// Everything in the frontier is expanded; false ends the walk, true after it was grown.
    fn exhausted(&mut self, frontier: &mut Frontier) -> bool;
}

/// Goes from the entry down to `level`, stopping at each level on the way: there it goes to the
/// nearest neighbour, by guess, until none is nearer.
pub(crate) fn descend_to<K: Keys>(links: &Links, keys: &K, entry: u32, level: usize) -> u32 {
    let mut guess = [0.0];
    keys.guess(&[keys.place(entry)], &mut guess);
    let mut best = (guess[0], entry);
    let room = links.capacity(1);
    let mut nodes: Vec<u32> = Vec::with_capacity(room);
    let (mut places, mut guesses) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for level in (level + 1..=links.level_of(entry)).rev() {
        let mut here = u32::MAX;
        while here != best.1 {
            here = best.1;
            nodes.clear();
            let neighbors = links.neighbors(here, level);
            nodes.extend(neighbors.filter(|&node| (node as usize) < keys.limit()));
            places.clear();
            places.extend(nodes.iter().map(|&node| keys.place(node)));
            guesses.resize(nodes.len(), 0.0);
            keys.guess(&places, &mut guesses);
            for (&node, &guess) in nodes.iter().zip(&guesses) {
                if guess < best.0 {
                    best = (guess, node);
                }
            }
        }
    }
    best.1
}

/// Expands the nearest node met so far, again and again, beginning with `from` and a frontier of
/// `width`. Afterwards the frontier holds the nearest nodes met.
pub(crate) fn explore<K: Keys, G: Guide>(
    links: &Links,
    keys: &K,
    (from, level): (u32, usize),
    width: usize,
    scratch: &mut WalkScratch,
    guide: &mut G,
) {
    let taken = std::mem::take(scratch);
    let mut walk = Walk::begin(links, keys, taken, (from, level), width, true);
    while walk.sight().is_some()
        || guide.exhausted(&mut walk.scratch.frontier) && walk.sight().is_some()
    {
        walk.meet();
    }
    *scratch = walk.scratch;
}
