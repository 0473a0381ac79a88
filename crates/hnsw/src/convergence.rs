//! When a graph search has found what it will find.
//!
//! A fixed width wastes most of its work on easy queries. Here the frontier begins narrow and
//! doubles up to a ceiling, and the walk ends once the best documents have stood still long
//! enough. How long depends on how late they last changed: a hard query, whose results keep
//! trickling in, is given in proportion more time.

use pelorus_kernels::BitSet;

use crate::doc_pool::{Candidate, DocPool};
use crate::frontier::Frontier;
use crate::traverse::Guide;
use crate::twins::Twins;
use crate::vectors::Vectors;

/// Width the frontier begins with, when more are not wanted.
pub(crate) const WIDTH_START: usize = 64;
/// Expansions without change before the results may count as settled.
const PATIENCE: usize = 32;
/// Further expansions for each one up to the last change.
const PATIENCE_GROWTH: usize = 4;

/// How far a walk goes.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Documents whose change counts: those wanted, and as many more as show that the walk still
    /// gets nearer.
    pub watched: usize,
    /// Documents without which the walk does not end by itself.
    pub wanted: usize,
    /// The greatest width of the frontier while documents are not wanting.
    pub ceiling: usize,
    /// Nodes met after which a scan would have cost less.
    pub budget: usize,
}

/// Collects accepted documents during a walk and ends it.
pub(crate) struct Convergence<'a> {
    pool: &'a mut DocPool,
    vectors: &'a Vectors,
    twins: &'a Twins,
    accept: &'a BitSet,
    limits: Limits,
    met: usize,
    expansions: usize,
    last_change: usize,
}

impl<'a> Convergence<'a> {
    pub fn new(
        pool: &'a mut DocPool,
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
            met: 0,
            expansions: 0,
            last_change: 0,
        }
    }

    #[inline(always)]
    fn offer(&mut self, node: u32, key: f32) {
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

    fn is_short(&self) -> bool {
        self.pool.entries().len() < self.limits.wanted
    }

    /// Whether the walk ended without what it was to find.
    pub fn fell_short(&self) -> bool {
        self.met > self.limits.budget || self.is_short()
    }
}

impl Guide for Convergence<'_> {
    #[inline(always)]
    fn sighted(&self, node: u32) {
        self.vectors.prefetch_doc(node);
    }

    #[inline(always)]
    fn met(&mut self, node: u32, key: f32) {
        self.met += 1;
        if key >= self.pool.bound() {
            return;
        }
        self.offer(node, key);
        let twins = self.twins;
        for twin in twins.of(node) {
            if key >= self.pool.bound() {
                return;
            }
            self.offer(twin, key);
        }
    }

    #[inline(always)]
    fn expanded(&mut self) -> bool {
        self.expansions += 1;
        let settled = self.expansions >= PATIENCE + PATIENCE_GROWTH * self.last_change;
        self.met <= self.limits.budget && (!settled || self.is_short())
    }

    fn exhausted(&mut self, frontier: &mut Frontier) -> bool {
        if frontier.capacity() >= self.limits.ceiling && !self.is_short() {
            return false;
        }
        let ceiling = if self.is_short() {
            usize::MAX
        } else {
            self.limits.ceiling
        };
        frontier.grow((frontier.capacity() * 2).min(ceiling));
        frontier.peek().is_some()
    }
}
