//! The rule by which a walk stops before its beam is exhausted.
//!
//! A fixed width spends most of its work on easy queries. Here the beam begins narrow and doubles up to
//! `ef`, and the walk stops once the best documents have not changed for a while: its *patience*
//! (compare Teofili and Lin, 2025, "Patience in Proximity", whose patience is fixed). With n the
//! expansions up to the last change of the best `w + w/8 + 3` documents, w of which are watched, it
//! stops after
//!
//! ```text
//! n + patience(n) expansions,  patience(n) = 40 + n/2 + n²/50   if sign bits order the beam,
//!                              patience(n) = 40 + 3n            if int8 codes or full vectors do.
//! ```
//!
//! A hard query, whose results keep trickling in, is so given more time, and more than in proportion.
//! Vectors that sign bits do not order may lie in clumps that a walk takes long to leave, hence 3n.
//!
//! Only expansions of accepted nodes count, as patience, in n and against `ef`. Around a query there may be
//! nothing but nodes that a filter excludes or whose documents were replaced: while a walk crosses them, it
//! says nothing that the best documents do not change. So the walk sees as many accepted nodes as it would
//! in a graph of these alone. With s the share of the living documents that are accepted, and a accepted and r
//! other nodes expanded up to the last change, it counts as
//!
//! ```text
//! n = a + max(0, r - a (1 - s) / s)
//! ```
//!
//! So n counts nodes, too, that were crossed and that the filter does not explain: it excludes the neighbourhood of the
//! query, and the answers lie deeper; or documents died there, and links were lost with them. While a share u of the
//! nodes has died since the last sweep, patience is `1 + 20 (u - 1/32)` times as great: links were lost with them,
//! and a walk ends in places from which the way on is gone. The factor was fitted by hand on
//! `documents_are_found_while_they_are_replaced_in_any_order` of the tests.
//!
//! No patience helps where the descent ended in the wrong clump. Nodes that were linked from there found none of their
//! own clump, and they are a colony of it: a walk that begins in the same place finds ten of them and nothing nearer,
//! however long it goes on among the nodes around. Landmarks lead descents to the right clump, if it has one.
//!
//! All constants were fitted by hand on traces of walks over the sets `clustered`, `glosses` and `cone`
//! of `npm run bench -- vector`, which shows the recall and the rate they lead to (the row of the
//! default request); no program fits them.
//!
//! A walk also stops when it will cost more than a scan (`budget`, in nodes visited): with v nodes
//! visited for a expanded and accepted ones, it is foreseen to visit `v / a` for each of those to come. Where every
//! direction is alike, walks by int8 codes or full vectors come to the end of their beam before they
//! settle, and miss one document in fifty; one that is foreseen to do so stops for a scan that costs up to
//! twice the walk.

use pelorus_kernels::BitSet;

use crate::graph::duplicates::Duplicates;
use crate::search::beam::Beam;
use crate::search::doc_pool::{Candidate, DocPool};
use crate::storage::node_table::NodeTable;

/// Width the beam begins with, unless more documents are wanted.
pub(crate) const BEAM_WIDTH_MIN: usize = 64;
/// Accepted expansions without a change after which any walk may stop.
const PATIENCE_MIN: usize = 40;
/// The divisor of n² in the patience of walks by sign bits.
const PATIENCE_SQUARE_DIVISOR: usize = 50;
/// The factor of n in the patience of other walks.
const PATIENCE_FACTOR: usize = 3;
/// The share of nodes that may die before a sweep begins; of more, the graph has lost links.
const UNSWEPT_MIN: f32 = 1.0 / 32.0;
/// Factor of the patience that a walk would have in a graph of which all died.
const PATIENCE_PER_UNSWEPT: f32 = 20.0;
/// A scan may replace an unsettled walk if it costs at most this many times as much.
const UNSETTLED_FACTOR: usize = 2;
/// Nodes visited before it is foreseen how many there will be.
const FORESEEN_MIN: usize = 1_000;

/// The bounds of a walk.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The best documents of which a change resets the patience: a few more than are wanted.
    pub watched: usize,
    /// `min(k, accepted documents)`: with fewer the walk goes on, however wide the beam grows.
    pub wanted: usize,
    /// Accepted nodes that are expanded at most once there are as many documents as wanted.
    pub ef: usize,
    /// Nodes that may be visited: beyond them a scan costs less.
    pub budget: usize,
    /// The share of the living documents that are accepted, 0 to 1.
    pub share: f32,
    /// The share of the nodes in the graph that died and were not swept, 0 to 1.
    pub unswept: f32,
    /// Tells whether patience counts at all.
    pub stops_early: bool,
    /// Tells whether sign bits order the beam.
    pub by_bits: bool,
}

/// Collects accepted documents during a walk and tells when it may stop.
pub(crate) struct EarlyStop<'a> {
    pub pool: DocPool,
    nodes: &'a NodeTable,
    duplicates: &'a Duplicates,
    accept: &'a BitSet,
    limits: Limits,
    expansions: usize,
    /// Those of accepted nodes.
    accepted: usize,
    /// Accepted expansions after which the walk may stop unless the watched documents change before.
    last: usize,
    /// Tells whether the walk is foreseen to visit more nodes than its budget.
    over_budget: bool,
}

impl<'a> EarlyStop<'a> {
    pub fn new(
        pool: DocPool,
        nodes: &'a NodeTable,
        duplicates: &'a Duplicates,
        accept: &'a BitSet,
        limits: Limits,
    ) -> Self {
        let mut stop = Self {
            pool,
            nodes,
            duplicates,
            accept,
            limits,
            expansions: 0,
            accepted: 0,
            last: 0,
            over_budget: false,
        };
        stop.last = stop.patience();
        stop
    }

    /// Hints that `node` will soon be offered.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        self.nodes.prefetch_doc(node);
    }

    /// Takes in a node that was expanded, and those equal to it.
    #[inline(always)]
    pub fn offer(&mut self, node: u32, key: f32) {
        let is_near = key < self.pool.bound();
        let mut is_accepted = self.offer_one(node, key, is_near);
        let duplicates = self.duplicates;
        for duplicate in duplicates.of(node) {
            // Equal nodes lie at one distance: once it is too far, more of them tell nothing.
            if is_accepted && key >= self.pool.bound() {
                break;
            }
            is_accepted |= self.offer_one(duplicate, key, is_near);
        }
        self.expansions += 1;
        self.accepted += usize::from(is_accepted);
    }

    /// Takes in a node if its document is accepted, which it answers.
    #[inline(always)]
    fn offer_one(&mut self, node: u32, key: f32, is_near: bool) -> bool {
        let doc = self.nodes.doc(node);
        if !self.accept.contains(doc) {
            return false;
        }
        if is_near
            && self
                .pool
                .offer(Candidate { key, doc, node })
                .is_some_and(|at| at < self.limits.watched)
        {
            self.last = self.accepted + self.patience();
        }
        true
    }

    /// Tells whether to go on, with so many nodes visited.
    #[inline(always)]
    pub fn should_continue(&mut self, visited: usize) -> bool {
        if !self.limits.stops_early {
            return visited <= self.limits.budget;
        }
        let last = self.last;
        if self.accepted >= last {
            return visited <= self.limits.budget && self.is_short();
        }
        // A beam that does not grow has no more to expand than its width.
        let accepted = last.min(self.limits.ef).max(self.accepted);
        let budget = match last > self.limits.ef && !self.limits.by_bits {
            true => self.limits.budget / UNSETTLED_FACTOR,
            false => self.limits.budget,
        };
        // The walk is taken to visit as many nodes for each accepted one as it has so far.
        self.over_budget = visited >= FORESEEN_MIN
            && visited.saturating_mul(accepted) / self.accepted.max(1) > budget;
        !self.over_budget
    }

    /// Nodes expanded so far.
    #[inline(always)]
    pub fn expansions(&self) -> usize {
        self.expansions
    }

    /// Accepted expansions without a change after which the walk may stop, counted from a change now.
    #[inline(always)]
    fn patience(&self) -> usize {
        let rejected = (self.expansions - self.accepted) as f32;
        let explained = self.accepted as f32 * (1.0 / self.limits.share - 1.0);
        let n = self.accepted + (rejected - explained).max(0.0) as usize;
        let more = match self.limits.by_bits {
            true => n / 2 + n * n / PATIENCE_SQUARE_DIVISOR,
            false => PATIENCE_FACTOR * n,
        };
        let lost = (self.limits.unswept - UNSWEPT_MIN).max(0.0) * PATIENCE_PER_UNSWEPT;
        ((PATIENCE_MIN + more) as f32 * (1.0 + lost)) as usize
    }

    /// Doubles the width of a beam in which everything is expanded, up to a width that holds `ef` accepted nodes, or
    /// beyond while too few documents are found. Tells whether there is more to expand now.
    #[cold]
    pub fn widen(&mut self, beam: &mut Beam) -> bool {
        let width_max = match self.is_short() {
            true => usize::MAX,
            false => self.width_max(),
        };
        if beam.capacity() >= width_max {
            return false;
        }
        beam.grow((beam.capacity() * 2).min(width_max));
        beam.peek().is_some()
    }

    /// The width of a beam that holds `ef` accepted nodes if as many are accepted as have been so far.
    fn width_max(&self) -> usize {
        let expansions = self.limits.ef.saturating_mul(self.expansions);
        expansions.div_ceil(self.accepted.max(1))
    }

    fn is_short(&mut self) -> bool {
        self.pool.holds_less_than(self.limits.wanted)
    }

    /// Tells whether the walk stopped before it found enough, so that a scan has to.
    pub fn is_incomplete(&mut self) -> bool {
        self.over_budget || self.is_short()
    }
}
