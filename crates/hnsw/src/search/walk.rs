//! Walking a level of the graph, best first, a step at a time (Malkov and Yashunin, 2018,
//! algorithm 2).
//!
//! A step has two halves: `sight` asks memory for what the step will read, `meet` reads it. The first
//! half of the next step comes in between and hides the wait; it does not know yet what this one will
//! find.

use std::ops::Range;

use crate::graph::links::Links;
use crate::keys::Keys;
use crate::search::frontier::Frontier;
use crate::search::visited::Visited;
use crate::sync::AtomicU32;

/// What a walk needs and the next one can use again.
#[derive(Default)]
pub(crate) struct WalkScratch {
    pub frontier: Frontier,
    visited: Visited,
    guesses: Vec<f32>,
}

impl WalkScratch {
    pub fn memory_bytes(&self) -> usize {
        let guesses = self.guesses.capacity() * size_of::<f32>();
        self.frontier.memory_bytes() + self.visited.memory_bytes() + guesses
    }
}

/// A walk under way.
pub(crate) struct Walk<'a, K: Keys> {
    pub keys: &'a K,
    links: &'a Links,
    level: usize,
    pub scratch: WalkScratch,
    /// Steps that were sighted and not met, the older at `oldest`.
    steps: [Step<K::Place>; STEPS],
    oldest: usize,
    waiting: usize,
}

/// Steps that may wait to be met.
const STEPS: usize = 2;

/// The new neighbours of one node.
struct Step<P> {
    places: Vec<P>,
    /// Where among the nodes met.
    fresh: Range<usize>,
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
        scratch.visited.meet(&[AtomicU32::new(from + 1)]);
        let mut guess = [0.0];
        keys.guess(&[keys.place(from)], &mut guess);
        scratch.frontier.insert(guess[0], from);
        Self {
            keys,
            links,
            level,
            scratch,
            steps: std::array::from_fn(|_| Step {
                places: Vec::with_capacity(links.capacity(0)),
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

    /// Takes the nearest node that is not expanded, with its guess, and asks for its new
    /// neighbours. None when all in the frontier are expanded.
    ///
    /// # Panics
    /// If two steps wait to be met.
    #[inline(always)]
    pub fn sight(&mut self) -> Option<(f32, u32)> {
        assert!(self.waiting < STEPS, "a step that was not met");
        let WalkScratch {
            frontier, visited, ..
        } = &mut self.scratch;
        let (guess, node) = frontier.next()?;
        let row = self.links.row(node, self.level).unwrap_or_default();
        let count = visited.meet(row);
        let met = visited.met();
        let step = &mut self.steps[(self.oldest + self.waiting) % STEPS];
        self.waiting += 1;
        step.fresh = met.len() - count..met.len();
        step.places.clear();
        let fresh = met[step.fresh.clone()].iter();
        step.places.extend(fresh.map(|&node| self.keys.place(node)));
        if !K::EXACT_GUESSES {
            self.keys.prefetch(node);
        }
        Some((guess, node))
    }

    /// Takes the neighbours sighted first into the frontier.
    #[inline(always)]
    pub fn meet(&mut self) {
        let WalkScratch {
            frontier,
            visited,
            guesses,
        } = &mut self.scratch;
        let step = &self.steps[self.oldest];
        self.oldest = (self.oldest + 1) % STEPS;
        self.waiting -= 1;
        let fresh = &visited.met()[step.fresh.clone()];
        if guesses.len() < fresh.len() {
            guesses.resize(fresh.len(), 0.0);
        }
        let guesses = &mut guesses[..fresh.len()];
        self.keys.guess(&step.places, guesses);
        frontier.insert_all(guesses, fresh, |node| self.links.prefetch(node));
    }
}
