//! Walking a level of the graph, best first, a step at a time (Malkov and Yashunin, 2018,
//! algorithm 2).
//!
//! A step has two halves: `sight` asks memory for what the step will read, `meet` reads it. What
//! happens in between hides the wait, be it another query's step.

use crate::frontier::Frontier;
use crate::keys::Keys;
use crate::links::Links;
use crate::visited::Visited;

/// What a walk needs and the next one can use again.
#[derive(Default)]
pub(crate) struct WalkScratch {
    pub frontier: Frontier,
    visited: Visited,
    fresh: Vec<u32>,
    guesses: Vec<f32>,
}

/// A walk under way.
pub(crate) struct Walk<'a, K: Keys> {
    pub keys: &'a K,
    links: &'a Links,
    level: usize,
    pub scratch: WalkScratch,
    places: Vec<K::Place>,
    met: usize,
}

impl<'a, K: Keys> Walk<'a, K> {
    /// Begins at `from`, on `level`, with a frontier of `width`, which keeps what does not fit if it may grow.
    pub fn begin(
        links: &'a Links,
        keys: &'a K,
        mut scratch: WalkScratch,
        (from, level): (u32, usize),
        width: usize,
        may_grow: bool,
    ) -> Self {
        scratch.frontier.reset(width, may_grow);
        scratch.visited.reset(keys.limit());
        scratch.visited.insert(from);
        scratch.visited.remember(&[from]);
        let mut guess = [0.0];
        keys.guess(&[keys.place(from)], &mut guess);
        scratch.frontier.insert(guess[0], from);
        Self {
            keys,
            links,
            level,
            scratch,
            places: Vec::with_capacity(links.capacity(0)),
            met: 1,
        }
    }

    /// Nodes met so far.
    pub fn met(&self) -> usize {
        self.met
    }

    /// Takes the nearest node that is not expanded, with its guess, and asks for its new
    /// neighbours. None when all in the frontier are expanded.
    #[inline(always)]
    pub fn sight(&mut self) -> Option<(f32, u32)> {
        let WalkScratch {
            frontier,
            visited,
            fresh,
            ..
        } = &mut self.scratch;
        let (guess, node) = frontier.next()?;
        let limit = self.keys.limit();
        fresh.clear();
        self.places.clear();
        for neighbor in self.links.neighbors(node, self.level) {
            if (neighbor as usize) < limit && visited.insert(neighbor) {
                self.places.push(self.keys.place(neighbor));
                fresh.push(neighbor);
            }
        }
        visited.remember(fresh);
        if !K::EXACT_GUESSES {
            self.keys.prefetch(node);
        }
        Some((guess, node))
    }

    /// Takes the neighbours sighted into the frontier.
    #[inline(always)]
    pub fn meet(&mut self) {
        let WalkScratch {
            frontier,
            fresh,
            guesses,
            ..
        } = &mut self.scratch;
        self.met += fresh.len();
        if guesses.len() < fresh.len() {
            guesses.resize(fresh.len(), 0.0);
        }
        let guesses = &mut guesses[..fresh.len()];
        self.keys.guess(&self.places, guesses);
        for (&node, &guess) in fresh.iter().zip(guesses.iter()) {
            if frontier.insert(guess, node) {
                self.links.prefetch(node);
            }
        }
    }
}
