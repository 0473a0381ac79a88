use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;

use crate::dead_set::DeadSet;
use crate::delta::Delta;
use crate::error::Result;
use crate::field_table::{FieldTable, Slot};
use crate::query::{TermForm, TermForms};
use crate::segment::TextSegment;
use crate::statistics::{FieldLength, Statistics};
use crate::term_matches::{DocumentCounts, FieldSelection, TermMatches};

/// All a search sees, at one moment. Every live document is in exactly one part, and the
/// statistics are those of just these documents.
#[derive(Clone)]
pub(crate) struct View {
    /// Oldest documents first.
    pub(crate) segments: Vec<SegmentPart>,
    /// The delta that a flush is writing just now.
    pub(crate) frozen: Option<Delta>,
    /// The delta that gets new documents.
    pub(crate) live: Delta,
    pub(crate) statistics: Statistics,
    pub(crate) fields: Arc<FieldTable>,
}

#[derive(Clone)]
pub(crate) struct SegmentPart {
    pub(crate) segment: Arc<TextSegment>,
    pub(crate) dead: Arc<DeadSet>,
}

/// A part of a view, whichever kind it is.
#[derive(Clone, Copy)]
pub(crate) enum Part<'v> {
    Segment(&'v SegmentPart),
    Delta(&'v Delta),
}

impl View {
    /// The parts that hold documents.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let deltas = self.frozen.iter().chain([&self.live]);
        let deltas = deltas.filter(|delta| !delta.is_empty()).map(Part::Delta);
        self.segments.iter().map(Part::Segment).chain(deltas)
    }

    /// Marks a document as dead and takes it out of the statistics. Unknown or dead already: no
    /// change.
    pub(crate) fn bury(&mut self, ordinal: u32) {
        let deltas = self.frozen.iter_mut().chain([&mut self.live]);
        for delta in deltas {
            if let Some((local, lengths)) = delta.find(ordinal) {
                if Arc::make_mut(&mut delta.dead).insert(local) {
                    self.statistics.remove(lengths);
                }
                return;
            }
        }
        for part in &mut self.segments {
            if let Some(local) = part.segment.local(ordinal) {
                if Arc::make_mut(&mut part.dead).insert(local) {
                    self.statistics.remove(part.segment.document_lengths(local));
                }
                return;
            }
        }
    }

    /// How many documents of all parts live.
    pub(crate) fn living(&self) -> u64 {
        let of_segments = self
            .segments
            .iter()
            .map(|part| u64::from(part.live_count()));
        let deltas = self.frozen.iter().chain([&self.live]);
        let of_deltas = deltas.map(|delta| (delta.document_count() - delta.dead.len()) as u64);
        of_segments.sum::<u64>() + of_deltas.sum::<u64>()
    }

    /// The number of documents that hold a token, dead ones included as long as they are in postings.
    pub(crate) fn documents_with(&self, token: &str) -> Result<u64> {
        self.parts().try_fold(0, |sum, part| {
            let documents = match part {
                Part::Segment(part) => part.segment.documents_with(token)?,
                Part::Delta(delta) => delta.documents_with(token),
            };
            Ok(sum + u64::from(documents))
        })
    }

    /// The same of the rarest of some tokens.
    pub(crate) fn documents_with_rarest(&self, tokens: &[String]) -> Result<u64> {
        let mut rarest = u64::MAX;
        for token in tokens {
            rarest = rarest.min(self.documents_with(token)?);
            if rarest == 0 {
                break;
            }
        }
        Ok(rarest)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let segments = self.segments.iter();
        let deltas = self.frozen.iter().chain([&self.live]);
        segments
            .map(|part| part.segment.memory_bytes() + part.dead.memory_bytes())
            .sum::<usize>()
            + deltas.map(Delta::memory_bytes).sum::<usize>()
    }
}

impl SegmentPart {
    pub(crate) fn live_count(&self) -> u32 {
        self.segment.doc_count() - self.dead.len() as u32
    }

    pub(crate) fn live_lengths(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (Slot, FieldLength)> + '_> {
        (0..self.segment.doc_count())
            .filter(|&local| !self.dead.contains(local))
            .map(|local| self.segment.document_lengths(local))
    }
}

impl<'v> Part<'v> {
    /// Returns the occurrences of a term, in any of its forms. A document that holds several counts
    /// for each.
    pub(crate) fn matches(
        &self,
        term: &TermForms,
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'v>> {
        if let [form] = term.forms() {
            return self.phrase_matches((&form.tokens, form.slop), scope, cancellation);
        }
        let mut all = TermMatches {
            lists: Vec::new(),
            counts: DocumentCounts::zero(scope),
            documents: None,
        };
        for (_, mut found) in self.matches_by_form(term, scope, cancellation)? {
            all.counts.add(&found.counts);
            all.lists.append(&mut found.lists);
        }
        all.lists.sort_by_key(|(slot, _)| *slot);
        Ok(all)
    }

    /// Returns the occurrences of a term in each of its forms, but for those that occur nowhere.
    pub(crate) fn matches_by_form<'t>(
        &self,
        term: &'t TermForms,
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<Vec<(&'t TermForm, TermMatches<'v>)>> {
        let mut all = Vec::with_capacity(term.forms().len());
        for form in term.forms() {
            let phrase = (&*form.tokens, form.slop);
            let mut found = self.phrase_matches(phrase, scope, cancellation)?;
            found.retain_fields(|slot| term.stands_in(form, slot));
            if !found.lists.is_empty() {
                all.push((form, found));
            }
        }
        Ok(all)
    }

    /// Returns the occurrences of tokens that stand one behind the other.
    pub(crate) fn tokens_matches(
        &self,
        tokens: &[String],
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'v>> {
        self.phrase_matches((tokens, 0), scope, cancellation)
    }

    /// Returns the occurrences of a token, or of several as a phrase of a slop.
    fn phrase_matches(
        &self,
        phrase: (&[String], u32),
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'v>> {
        match self {
            Part::Segment(part) => part
                .segment
                .matches(phrase, scope, &part.dead, cancellation),
            // Documents that were not flushed yet, which are few.
            Part::Delta(delta) => Ok(delta.matches(phrase, scope, cancellation)?),
        }
    }

    #[inline]
    pub(crate) fn ordinal(&self, local: u32) -> u32 {
        match self {
            Part::Segment(part) => part.segment.ordinal(local),
            Part::Delta(delta) => delta.ordinal(local),
        }
    }

    /// The number of a document here.
    pub(crate) fn local(&self, ordinal: u32) -> Option<u32> {
        match self {
            Part::Segment(part) => part.segment.local(ordinal),
            Part::Delta(delta) => Some(delta.find(ordinal)?.0),
        }
    }

    /// Local numbers are below this.
    pub(crate) fn end(&self) -> u32 {
        match self {
            Part::Segment(part) => part.segment.doc_count(),
            Part::Delta(delta) => delta.end(),
        }
    }

    /// The documents here that were removed.
    pub(crate) fn dead(&self) -> &'v DeadSet {
        match self {
            Part::Segment(part) => &part.dead,
            Part::Delta(delta) => &delta.dead,
        }
    }

    /// The number of members of a set from the first document here to the last.
    pub(crate) fn count_within(&self, set: &BitSet) -> usize {
        match self.end().checked_sub(1) {
            Some(last) => set.len_within(self.ordinal(0), self.ordinal(last)),
            None => 0,
        }
    }

    /// Tells whether, of the documents here, those that live are in `accept` and no others; false also where telling
    /// takes long.
    pub(crate) fn accepts_the_living(&self, accept: &BitSet) -> bool {
        let Some(last) = self.end().checked_sub(1) else {
            return true;
        };
        let (first, last) = (self.ordinal(0), self.ordinal(last));
        let has_gaps = last - first >= self.end();
        let dead = self.dead();
        if has_gaps || dead.len() > DEAD_MAX {
            return false;
        }
        let live = match self {
            Part::Segment(part) => part.live_count() as usize,
            Part::Delta(delta) => delta.document_count() - dead.len(),
        };
        accept.len_within(first, last) == live
            && dead
                .log()
                .iter()
                .all(|&local| !accept.contains(self.ordinal(local)))
    }

    /// The documents from `start` on whose ordinal is in `accept`, one bit for each, into the whole
    /// of `set`.
    pub(crate) fn accepted(&self, start: u32, accept: &BitSet, set: &mut [u64]) {
        set.fill(0);
        let end = self.end().min(start.saturating_add(set.len() as u32 * 64));
        if start >= end {
            return;
        }
        let (first, last) = (self.ordinal(start), self.ordinal(end - 1));
        if last - first == end - 1 - start {
            let count = (end - start).div_ceil(64);
            for (i, word) in (0..count).zip(&mut *set) {
                *word = word_at(accept, first + i * 64);
            }
            let beyond = count * 64 - (end - start);
            set[count as usize - 1] &= u64::MAX >> beyond;
            return;
        }
        let mut local = start;
        for ordinal in accept
            .iter_from(first)
            .take_while(|&ordinal| ordinal <= last)
        {
            while self.ordinal(local) < ordinal {
                local += 1;
            }
            if self.ordinal(local) == ordinal {
                let at = (local - start) as usize;
                set[at / 64] |= 1 << (at % 64);
            }
        }
    }

    /// Keeps the documents whose ordinal is in `accept`, of up to 64 consecutive ones from `start`
    /// on, given as bits.
    #[inline]
    pub(crate) fn retain_accepted(&self, matched: u64, start: u32, accept: &BitSet) -> u64 {
        debug_assert!(matched != 0, "there is a last document");
        let last = start + 63 - matched.leading_zeros();
        let first_ordinal = match self {
            Part::Delta(delta) => delta.ordinal(start),
            Part::Segment(part) => {
                let first = part.segment.ordinal(start);
                if part.segment.ordinal(last) - first != last - start {
                    return self.retain_accepted_singly(matched, start, accept);
                }
                first
            }
        };
        matched & word_at(accept, first_ordinal)
    }

    /// For runs whose ordinals have gaps.
    fn retain_accepted_singly(&self, matched: u64, start: u32, accept: &BitSet) -> u64 {
        let mut rest = matched;
        let mut accepted = 0;
        while rest != 0 {
            let at = rest.trailing_zeros();
            accepted |= u64::from(accept.contains(self.ordinal(start + at))) << at;
            rest &= rest - 1;
        }
        accepted
    }
}

/// More dead documents are not looked at one by one.
const DEAD_MAX: usize = 10_000;

/// The members `first..first + 64` as bits.
#[inline]
fn word_at(set: &BitSet, first: u32) -> u64 {
    let word = |i: usize| set.words().get(i).copied().unwrap_or(0);
    let (i, shift) = (first as usize / 64, first % 64);
    match shift {
        0 => word(i),
        _ => word(i) >> shift | word(i + 1) << (64 - shift),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_begin_at_any_member() {
        let members = [0, 5, 63, 64, 100, 190];
        let set: BitSet = members.into_iter().collect();
        for first in 0..260 {
            let word = word_at(&set, first);
            for at in 0..64 {
                assert_eq!(
                    word >> at & 1 == 1,
                    set.contains(first + at),
                    "{first} {at}"
                );
            }
        }
    }
}
