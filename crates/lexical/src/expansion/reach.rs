//! The documents and fields that a search reaches.
//!
//! Words of documents that were removed, or of fields that are not searched, stand for nothing: they would take the places
//! of others, and say of a typed word that it begins what nobody finds. Words of documents that do not pass the filter keep
//! their say, as these documents count in scores whatever the filter is; but where there are too many words, those that
//! are found come first.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;

use crate::dead_set::DeadSet;
use crate::error::Result;
use crate::field_table::Slot;
use crate::term_matches::FieldSelection;
use crate::view::{Part, View};

/// Looks at words of all terms of a query together, and at the least for each of their choices.
const LOOKS_MAX: usize = 8_192;
const LOOKS_MIN: usize = 256;
/// Postings that are passed in the time of a look.
const POSTINGS_PER_LOOK: usize = 512;

/// The documents that a search is for.
#[derive(Clone, Copy)]
pub(crate) struct Reach<'a> {
    pub(crate) view: &'a View,
    /// The fields that are searched.
    pub(crate) scope: FieldSelection<'a>,
    /// The documents that pass the filter; none where there is no filter.
    pub(crate) passing: Option<&'a BitSet>,
    pub(crate) cancellation: &'a Cancellation,
}

/// Tells which tokens some fields that are searched hold, as long as it has looks left.
pub(super) struct Holders<'a> {
    reach: Reach<'a>,
    slots: Arc<[Slot]>,
    /// Tells whether each token of the index stands in a living document there.
    holds_all: bool,
    /// By part, the number of its documents that pass.
    passing_counts: Vec<OnceCell<usize>>,
    looks_left: Cell<usize>,
}

/// The documents of a part that a look is for.
pub(crate) struct Sought<'a> {
    pub(crate) dead: &'a DeadSet,
    /// The ordinals that pass, of all parts, and how many of these are in this one; none where all do.
    pub(crate) passing: Option<(&'a BitSet, usize)>,
    /// Postings that were passed.
    pub(crate) passed: usize,
}

impl<'a> Reach<'a> {
    /// The fields of some names that are searched.
    pub(super) fn slots(&self, is_named: impl Fn(&str) -> bool) -> Arc<[Slot]> {
        let names = self.view.fields.names().iter();
        let slots = (0..)
            .zip(names)
            .filter(|(slot, name)| self.scope.includes(*slot) && is_named(name));
        slots.map(|(slot, _)| slot).collect()
    }

    /// The tokens of some of these fields, for a query of so many terms that stand for others.
    pub(super) fn holders(&self, slots: Arc<[Slot]>, terms: usize) -> Holders<'a> {
        let parts = self.view.parts();
        let has_dead = parts.filter(|part| !part.dead().is_empty()).count() > 0;
        Holders {
            reach: *self,
            holds_all: !has_dead && slots.len() == self.view.fields.names().len(),
            slots,
            passing_counts: self.view.parts().map(|_| OnceCell::new()).collect(),
            looks_left: Cell::new(usize::max(LOOKS_MAX / terms.max(1), LOOKS_MIN)),
        }
    }
}

impl Holders<'_> {
    pub(super) fn slots(&self) -> &Arc<[Slot]> {
        &self.slots
    }

    /// Tells whether words may be common that these fields, or the documents that pass, hardly hold.
    pub(super) fn is_restricted(&self) -> bool {
        self.has_filter() || self.slots.len() < self.reach.view.fields.names().len()
    }

    pub(super) fn has_filter(&self) -> bool {
        self.reach.passing.is_some()
    }

    pub(super) fn has_looks_left(&self) -> bool {
        self.looks_left.get() > 0
    }

    /// Tells whether a living document holds a token of the index.
    pub(super) fn holds(&self, token: &str) -> Result<bool> {
        Ok(self.holds_all || self.look(token, None)?)
    }

    /// Tells whether a living document that passes the filter holds a token.
    pub(super) fn passes(&self, token: &str) -> Result<bool> {
        match self.reach.passing {
            Some(passing) => self.look(token, Some(passing)),
            None => self.holds(token),
        }
    }

    fn look(&self, token: &str, passing: Option<&BitSet>) -> Result<bool> {
        self.reach.cancellation.check()?;
        let mut cost = 1;
        let mut is_held = false;
        for (part, count) in self.reach.view.parts().zip(&self.passing_counts) {
            let passing = passing.map(|passing| {
                let count = *count.get_or_init(|| part.count_within(passing));
                (passing, count)
            });
            if passing.is_some_and(|(_, count)| count == 0) {
                continue;
            }
            let mut sought = Sought {
                dead: part.dead(),
                passing,
                passed: 0,
            };
            is_held = match part {
                Part::Segment(part) => part.segment.holds(token, &self.slots, &mut sought)?,
                Part::Delta(delta) => delta.holds(token, &self.slots, &mut sought),
            };
            cost += sought.passed / POSTINGS_PER_LOOK;
            if is_held {
                break;
            }
        }
        self.looks_left
            .set(self.looks_left.get().saturating_sub(cost));
        Ok(is_held)
    }
}

impl Sought<'_> {
    /// Tells whether a document of the part is one of these.
    #[inline]
    pub(crate) fn includes(&self, local: u32, ordinal: impl Fn(u32) -> u32) -> bool {
        let passes = |(passing, _): (&BitSet, usize)| passing.contains(ordinal(local));
        !self.dead.contains(local) && self.passing.is_none_or(passes)
    }
}
