//! Scanning a part without windows, where that costs less.

use pelorus_cancellation::Cancelled;
use pelorus_kernels::BitSet;

use super::collectors::{Best, Collector};
use super::part_scan::{Accepted, PartScan};
use super::term_scan::TermScan;
use super::window::WIDE_LEN;
use crate::view::Part;

/// The costs of looking up one document in a list, and of each list in a window, where a posting that is scored in
/// order costs 1: estimates.
const LOOK_COST: usize = 4;
const WINDOW_COST: usize = 64;
/// Candidates between two looks at whether the search is cancelled: each is looked up in several lists.
const CANDIDATES_PER_CHECK: u32 = 4_096;

/// Postings that are put in the order of documents at most,
const GATHERED_MAX: usize = 8_192;
/// and documents to each of them at least: windows are quicker where several matches lie in a run of 64.
const GATHERED_ONE_IN: usize = 16;

impl PartScan<'_> {
    /// Tells whether required terms leave so few documents that to look each up in all lists costs less than to pass
    /// over the part in windows.
    pub(super) fn is_sparse(&self) -> bool {
        let Some(candidates) = self.required.iter().map(TermScan::postings).min() else {
            return false;
        };
        let lists = self.list_count();
        let windows = (self.part.end() as usize).div_ceil(WIDE_LEN);
        let by_window = self
            .postings()
            .saturating_add(windows * lists * WINDOW_COST);
        candidates.saturating_mul(lists * LOOK_COST) < by_window
    }

    /// Tells whether there is one list, whose documents are the matches.
    pub(super) fn is_one_list(&self) -> bool {
        self.list_count() == 1 && self.required.len() + self.optional.len() == 1
    }

    fn list_count(&self) -> usize {
        self.terms().map(TermScan::list_count).sum()
    }

    /// Tells whether any term makes a match and few documents hold one.
    pub(super) fn is_scattered(&self) -> bool {
        let postings = self.postings();
        self.required.is_empty()
            && postings <= GATHERED_MAX
            && postings.saturating_mul(GATHERED_ONE_IN) <= self.part.end() as usize
    }

    /// Shows `best` the matches that may be among the best, without survivors: whether a document is accepted is asked of
    /// those alone that score enough.
    pub(super) fn run_for_best(
        &mut self,
        accepted: Accepted<'_>,
        best: &mut Best,
    ) -> Result<(), Cancelled> {
        if !self.is_one_list() && !self.is_scattered() {
            return self.run(Some(accepted), None, best).map(drop);
        }
        let part = self.part;
        self.each_match(|doc, score| {
            if best.is_enough(score) && part.retain_accepted(1, doc, accepted.set) != 0 {
                best.offer(part.ordinal(doc), score);
            }
        })
    }

    /// As [`PartScan::run`] without survivors, of one list or of few documents.
    pub(super) fn run_by_match(
        &mut self,
        accepted: Option<&BitSet>,
        collector: &mut impl Collector,
    ) -> Result<u64, Cancelled> {
        let mut matches = Matches::new(self.part, accepted);
        self.each_match(|doc, score| matches.push(doc, score, collector))?;
        Ok(matches.end(collector))
    }

    /// Shows `visit` every match and its score: those of one list as they lie, those of several lists, none of them required,
    /// once they are put in order.
    fn each_match(&mut self, mut visit: impl FnMut(u32, f32)) -> Result<(), Cancelled> {
        let is_one_list = self.is_one_list();
        let postings = if is_one_list { 0 } else { self.postings() };
        // The document and place of each posting, so that the scores of a document are added up in the order of terms.
        let mut places = Vec::with_capacity(postings);
        let mut scored = Vec::with_capacity(postings);
        for term in self.required.iter_mut().chain(&mut self.optional) {
            term.score_blocks(self.cancellation, |docs, scores| {
                if is_one_list {
                    docs.iter()
                        .zip(scores)
                        .for_each(|(&doc, &score)| visit(doc, score));
                    return;
                }
                let at = scored.len() as u64;
                places.extend(
                    docs.iter()
                        .zip(at..)
                        .map(|(&doc, at)| u64::from(doc) << 32 | at),
                );
                scored.extend_from_slice(scores);
            })?;
        }
        // Merges runs that are in order already, list by list.
        places.sort();
        for same in places.chunk_by(|a, b| a >> 32 == b >> 32) {
            let score = same
                .iter()
                .fold(0.0, |sum, &place| sum + scored[place as u32 as usize]);
            visit((same[0] >> 32) as u32, score);
        }
        Ok(())
    }

    /// As [`PartScan::run`] without survivors, for the documents of the rarest required term one after the other.
    pub(super) fn run_by_document(
        &mut self,
        accepted: Option<&BitSet>,
        collector: &mut impl Collector,
    ) -> Result<u64, Cancelled> {
        let lead = (0..self.required.len()).min_by_key(|&at| self.required[at].postings());
        let mut matches = Matches::new(self.part, None);
        let mut from = 0;
        for candidates in 1_u32.. {
            if candidates.is_multiple_of(CANDIDATES_PER_CHECK) {
                self.cancellation.check()?;
            }
            let Some(doc) = lead.and_then(|lead| self.required[lead].seek(from)) else {
                break;
            };
            from = doc + 1;
            // Asked before the document is looked up in other lists.
            let is_accepted = |set| self.part.retain_accepted(1, doc, set) != 0;
            if !accepted.is_none_or(is_accepted) {
                continue;
            }
            if let Some(score) = self.score_of(doc) {
                matches.push(doc, score, collector);
            }
        }
        Ok(matches.end(collector))
    }

    /// The score of a document; `None` where it lacks a required term. Added up in the order in which windows do.
    fn score_of(&mut self, doc: u32) -> Option<f32> {
        let mut score = 0.0;
        for term in &mut self.required {
            if !term.add_score(doc, &mut score) {
                return None;
            }
        }
        for term in &mut self.optional {
            term.add_score(doc, &mut score);
        }
        Some(score)
    }
}

/// The matches among 64 neighbors, which a collector takes together.
struct Matches<'a, 's> {
    part: Part<'a>,
    /// The documents that count; `None` for all.
    accepted: Option<&'s BitSet>,
    total: u64,
    start: u32,
    word: u64,
    scores: [f32; 64],
}

impl<'a, 's> Matches<'a, 's> {
    fn new(part: Part<'a>, accepted: Option<&'s BitSet>) -> Matches<'a, 's> {
        Matches {
            part,
            accepted,
            total: 0,
            start: 0,
            word: 0,
            scores: [0.0; 64],
        }
    }

    /// Takes in a match; they come by ascending number.
    #[inline]
    fn push(&mut self, doc: u32, score: f32, collector: &mut impl Collector) {
        if doc - self.start >= 64 {
            self.flush(collector);
            self.start = doc / 64 * 64;
        }
        let at = doc - self.start;
        self.word |= 1 << at;
        self.scores[at as usize] = score;
    }

    fn flush(&mut self, collector: &mut impl Collector) {
        let scored = std::mem::take(&mut self.word);
        if scored == 0 {
            return;
        }
        let mut word = scored;
        if let Some(accepted) = self.accepted {
            word = self.part.retain_accepted(word, self.start, accepted);
        }
        if word != 0 {
            self.total += u64::from(word.count_ones());
            collector.collect(&self.part, self.start, word, &self.scores);
        }
        // Most matches of rare terms have no neighbor, and to clear all costs more than to score one.
        match scored.is_power_of_two() {
            true => self.scores[scored.trailing_zeros() as usize] = 0.0,
            false => self.scores.fill(0.0),
        }
    }

    /// The number of matches that counted.
    fn end(mut self, collector: &mut impl Collector) -> u64 {
        self.flush(collector);
        self.total
    }
}
