//! Ranking: the best documents of a view for the terms of a query.
//!
//! Parts are scanned in windows of documents, term by term: the scores of a window add up in one
//! small array, which documents match is kept in bit sets. No document is skipped unseen, which
//! makes the number of matches exact.

mod term_scan;
mod window;

use pelorus_kernels::{BitSet, TopK};

use self::term_scan::TermScan;
use self::window::Window;
use crate::bm25::TermWeight;
use crate::error::Result;
use crate::field_table::Slot;
use crate::query::{LexicalHits, QueryTerm};
use crate::term_matches::{DocumentCounts, FieldSelection, TermMatches};
use crate::view::{Part, View};

/// Ranks the accepted documents that match all `required` and, unless there are none, at least
/// one of the `optional` terms.
pub(crate) fn rank(
    view: &View,
    required: &[QueryTerm],
    optional: &[QueryTerm],
    scope: FieldSelection<'_>,
    k: usize,
    accept: &BitSet,
) -> Result<LexicalHits> {
    let terms: Vec<&QueryTerm> = required.iter().chain(optional).collect();
    let mut counts = vec![DocumentCounts::zero(scope); terms.len()];
    let mut parts = Vec::new();
    for part in view.parts() {
        let mut matches = Vec::with_capacity(terms.len());
        for (term, counts) in terms.iter().zip(&mut counts) {
            let found = part.matches(&term.tokens, scope)?;
            counts.add(&found.counts);
            matches.push(found);
        }
        parts.push((part, matches));
    }

    let mut collector = Collector {
        accept,
        top: TopK::new(k),
        total: 0,
    };
    let weight = |term: usize, slot: Slot| {
        let statistics = &view.statistics;
        let matching = u64::from(counts[term].of(slot));
        let average_length = statistics.average_length(slot);
        TermWeight::new(
            statistics.documents,
            matching,
            average_length,
            terms[term].count,
        )
    };
    for (part, matches) in parts {
        let mut scan = PartScan::new(matches, required.len(), &weight);
        scan.run(&part, &mut collector);
    }
    Ok(collector.finish())
}

/// Counts matches and keeps the best. Documents arrive by ascending ordinal, so of two with the
/// same score the first is the better one.
struct Collector<'a> {
    accept: &'a BitSet,
    top: TopK<()>,
    total: u64,
}

impl Collector<'_> {
    /// Takes in up to 64 consecutive documents of a part from `start` on, those in `matched`.
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, matched: u64, scores: &[f32; 64]) {
        let mut accepted = part.retain_accepted(matched, start, self.accept);
        self.total += u64::from(accepted.count_ones());
        let best = scores.iter().copied().fold(0.0, f32::max);
        if self
            .top
            .threshold()
            .is_some_and(|threshold| best <= threshold)
        {
            return;
        }
        while accepted != 0 {
            let at = accepted.trailing_zeros();
            self.top
                .push(scores[at as usize], part.ordinal(start + at), ());
            accepted &= accepted - 1;
        }
    }

    fn finish(self) -> LexicalHits {
        let hits = self
            .top
            .into_sorted()
            .into_iter()
            .map(|hit| (hit.id, hit.score));
        LexicalHits {
            hits: hits.collect(),
            total: self.total,
        }
    }
}

struct PartScan<'a> {
    required: Vec<TermScan<'a>>,
    optional: Vec<TermScan<'a>>,
}

impl<'a> PartScan<'a> {
    fn new(
        matches: Vec<TermMatches<'a>>,
        required_count: usize,
        weight: &impl Fn(usize, Slot) -> TermWeight,
    ) -> PartScan<'a> {
        let mut required: Vec<TermScan<'a>> = matches
            .into_iter()
            .enumerate()
            .map(|(term, found)| TermScan::new(found.lists, |slot| weight(term, slot)))
            .collect();
        let optional = required.split_off(required_count);
        PartScan { required, optional }
    }

    fn run(&mut self, part: &Part<'_>, collector: &mut Collector<'_>) {
        let needs_optional = !self.optional.is_empty();
        let mut window = Window::new();
        while let Some(start) = self.next_start() {
            window.begin(start);
            if self.score_window(&mut window) {
                window.for_each_word(needs_optional, |start, matched, scores| {
                    collector.collect(part, start, matched, scores);
                });
            }
        }
    }

    /// No document below it can match any more; `None` when none can match at all.
    fn next_start(&self) -> Option<u32> {
        let mut start = 0;
        for term in &self.required {
            start = start.max(term.doc()?);
        }
        if !self.optional.is_empty() {
            start = start.max(self.optional.iter().filter_map(TermScan::doc).min()?);
        }
        Some(start)
    }

    /// False if the window holds no match.
    fn score_window(&mut self, window: &mut Window) -> bool {
        for term in &mut self.required {
            term.advance_to(window.start());
            window.begin_required();
            term.score_into(window);
            if !window.end_required() {
                return false;
            }
        }
        for term in &mut self.optional {
            term.advance_to(window.start());
            term.score_into(window);
        }
        true
    }
}
