//! When a graph search has found what it will find.
//!
//! A fixed width wastes most of its work on easy queries. Here the beam begins narrow and
//! doubles up to a ceiling, and the walk ends once the best documents have stood still long
//! enough. How long depends on how late they last changed: a hard query, whose results keep
//! trickling in, is given more time, and more in proportion.

use pelorus_kernels::BitSet;

use crate::graph::twins::Twins;
use crate::search::beam::Beam;
use crate::search::doc_pool::{Candidate, DocPool};
use crate::storage::vectors::Vectors;

/// Width the beam begins with, when more are not wanted.
pub(crate) const WIDTH_START: usize = 64;
/// Expansions without change before the results may count as settled.
const PATIENCE: usize = 40;
/// Expansions after which one in so many of those before the last change counts once more for each
/// of them: what is still to be found takes the longer the later the last was found, and more than
/// in proportion.
const LATE: usize = 50;
/// The same where keys lead, which are used on vectors that bits do not order: there may be clumps of
/// them that a walk takes long to leave. Expansions for each one up to the last change.
const CLUMPED: usize = 4;
/// Nodes met before it is foreseen how many there will be.
const FORESEEN_FROM: usize = 1_000;

/// How far a walk goes.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Documents whose change counts.
    pub watched: usize,
    /// Documents without which the walk does not end by itself.
    pub wanted: usize,
    /// The greatest width of the beam while documents are not wanting.
    pub ceiling: usize,
    /// Nodes for which a scan would have cost less.
    pub budget: usize,
    /// Whether the walk ends when it seems to have settled.
    pub stops_early: bool,
    /// Whether sign bits lead it.
    pub by_bits: bool,
}

/// Collects accepted documents during a walk and ends it.
pub(crate) struct Convergence<'a> {
    pub pool: DocPool,
    vectors: &'a Vectors,
    twins: &'a Twins,
    accept: &'a BitSet,
    limits: Limits,
    expansions: usize,
    last_change: usize,
    met: usize,
    /// Whether the walk would meet more nodes than its budget.
    too_far: bool,
}

impl<'a> Convergence<'a> {
    pub fn new(
        pool: DocPool,
        vectors: &'a Vectors,
        twins: &'a Twins,
        accept: &'a BitSet,
        limits: Limits,
    ) -> Self {
        Self {
            pool,
            vectors,
            twins,
            accept,
            limits,
            expansions: 0,
            last_change: 0,
            met: 0,
            too_far: false,
        }
    }

    /// Hints that `node` will soon be offered.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        self.vectors.prefetch_doc(node);
    }

    /// Takes in a node whose neighbours have been met, and those equal to it.
    #[inline(always)]
    pub fn offer(&mut self, node: u32, key: f32) {
        if key >= self.pool.bound() {
            return;
        }
        self.offer_one(node, key);
        let twins = self.twins;
        for twin in twins.of(node) {
            if key >= self.pool.bound() {
                return;
            }
            self.offer_one(twin, key);
        }
    }

    #[inline(always)]
    fn offer_one(&mut self, node: u32, key: f32) {
        let doc = self.vectors.doc(node);
        if !self.accept.contains(doc) {
            return;
        }
        if self
            .pool
            .offer(Candidate { key, doc, node })
            .is_some_and(|at| at < self.limits.watched)
        {
            self.last_change = self.expansions;
        }
    }

    /// Whether to go on after one more expansion, `met` nodes having been met.
    #[inline(always)]
    pub fn goes_on(&mut self, met: usize) -> bool {
        self.expansions += 1;
        self.met = met;
        if !self.limits.stops_early {
            return met <= self.limits.budget;
        }
        let enough = self.enough();
        if self.expansions >= enough {
            return met <= self.limits.budget && self.is_short();
        }
        // As many as have been met for each expansion will be met for those to come, and a beam
        // that does not grow has no more than its width.
        let to_come = enough.min(self.limits.ceiling).max(self.expansions);
        self.too_far = met >= FORESEEN_FROM
            && met.saturating_mul(to_come) / self.expansions > self.limits.budget;
        !self.too_far
    }

    /// Expansions by which nothing more is to be expected.
    #[inline(always)]
    fn enough(&self) -> usize {
        let last = self.last_change;
        let more = match self.limits.by_bits {
            true => last + last / 2 + last * last / LATE,
            false => CLUMPED * last,
        };
        PATIENCE + more
    }

    /// Everything in the beam is expanded; tells whether it was grown.
    #[cold]
    pub fn grows(&mut self, beam: &mut Beam) -> bool {
        let short = self.is_short();
        if beam.capacity() >= self.limits.ceiling && !short {
            return false;
        }
        let ceiling = if short {
            usize::MAX
        } else {
            self.limits.ceiling
        };
        beam.grow((beam.capacity() * 2).min(ceiling));
        beam.peek().is_some()
    }

    fn is_short(&mut self) -> bool {
        self.pool.holds_less_than(self.limits.wanted)
    }

    /// Whether the walk ended without what it was to find.
    pub fn fell_short(&mut self) -> bool {
        self.too_far || self.met > self.limits.budget || self.is_short()
    }
}
