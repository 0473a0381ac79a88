//! Ranking: the best documents of a view for the terms of a query.
//!
//! Parts are scanned in windows of documents, term by term: the scores of a window add up in one
//! small array, which documents match is kept in bit sets. No document is skipped unseen, which
//! makes the number of matches exact. Who changes scores is asked about every match.

mod term_scan;
mod window;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::{BitSet, TopK};

use self::term_scan::TermScan;
use self::window::Window;
use crate::bm25::TermWeight;
use crate::error::Result;
use crate::field_table::Slot;
use crate::query::{LexicalHits, MatchProbe, QueryTerm, RescoredHits};
use crate::rescore::{RESCORED_TOGETHER, Rescore};
use crate::term_matches::{DocumentCounts, FieldSelection, TermMatches};
use crate::view::{Part, View};

/// Which documents match: all `required` terms and, unless there are none, at least one of the
/// `optional` ones, in the fields of the scope.
pub(crate) struct Terms<'a> {
    pub(crate) required: &'a [QueryTerm],
    pub(crate) optional: &'a [QueryTerm],
    pub(crate) scope: FieldSelection<'a>,
    pub(crate) cancellation: &'a Cancellation,
}

/// Windows, or as many documents, between two looks at whether the search is cancelled.
const WINDOWS_PER_CHECK: usize = 4;
const DOCUMENTS_PER_CHECK: usize = 16_384;

/// Ranks the accepted documents that match.
pub(crate) fn rank(
    view: &View,
    terms: &Terms<'_>,
    k: usize,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
) -> Result<LexicalHits> {
    let mut best = Best::new(k);
    let total = visit_probing(view, terms, accept, probe, &mut best)?;
    let hits = best.top.into_sorted().into_iter();
    Ok(LexicalHits {
        hits: hits.map(|hit| (hit.id, hit.score)).collect(),
        total,
    })
}

/// As [`rank`], by what `rescore` makes of the ordinal and the BM25 of every match.
pub(crate) fn rank_rescored(
    view: &View,
    terms: &Terms<'_>,
    k: usize,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
    rescore: &mut impl Rescore,
) -> Result<RescoredHits> {
    let mut best = BestRescored::new(k, rescore);
    let total = visit_probing(view, terms, accept, probe, &mut best)?;
    Ok(best.finish(total))
}

/// The best `k` of `documents`, which all have the BM25 0, by what `rescore` makes of it.
pub(crate) fn rank_all_rescored(
    documents: &BitSet,
    k: usize,
    cancellation: &Cancellation,
    rescore: &mut impl Rescore,
) -> Result<RescoredHits> {
    let mut best = BestRescored::new(k, rescore);
    for (at, doc) in documents.iter().enumerate() {
        if at.is_multiple_of(DOCUMENTS_PER_CHECK) {
            cancellation.check()?;
        }
        best.push(doc, 0.0);
        if best.is_full() {
            best.flush();
        }
    }
    best.flush();
    Ok(best.finish(documents.len() as u64))
}

/// As [`visit`], with an answer for the probe too.
fn visit_probing(
    view: &View,
    terms: &Terms<'_>,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
    collector: &mut impl Collector,
) -> Result<u64> {
    match probe {
        None => visit(view, terms, accept, collector),
        Some(probe) => visit(view, terms, accept, &mut Probing { probe, collector }),
    }
}

/// Shows `collector` every accepted match; gives their number.
fn visit(
    view: &View,
    terms: &Terms<'_>,
    accept: &BitSet,
    collector: &mut impl Collector,
) -> Result<u64> {
    let (scope, cancellation) = (terms.scope, terms.cancellation);
    let required_count = terms.required.len();
    let terms: Vec<&QueryTerm> = terms.required.iter().chain(terms.optional).collect();
    let mut counts = vec![DocumentCounts::zero(scope); terms.len()];
    let mut parts = Vec::new();
    for part in view.parts() {
        let mut matches = Vec::with_capacity(terms.len());
        for (term, counts) in terms.iter().zip(&mut counts) {
            cancellation.check()?;
            let found = part.matches(&term.tokens, scope, cancellation)?;
            counts.add(&found.counts);
            matches.push(found);
        }
        parts.push((part, matches));
    }

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
    let mut total = 0;
    for (part, matches) in parts {
        let mut scan = PartScan::new(matches, required_count, &weight);
        total += scan.run(&part, accept, cancellation, collector)?;
    }
    Ok(total)
}

/// Takes in matches, by ascending ordinal.
trait Collector {
    /// Up to 64 consecutive documents of a part from `start` on, those in `accepted`.
    fn collect(&mut self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]);
}

/// The best by BM25. Documents arrive by ascending ordinal, so of two with the same score the first
/// is the better one.
struct Best {
    top: TopK<()>,
}

impl Best {
    fn new(k: usize) -> Best {
        Best { top: TopK::new(k) }
    }
}

impl Collector for Best {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, mut accepted: u64, scores: &[f32; 64]) {
        let best = scores.iter().copied().fold(0.0, f32::max);
        let threshold = self.top.threshold();
        if threshold.is_some_and(|threshold| best <= threshold) {
            return;
        }
        while accepted != 0 {
            let at = accepted.trailing_zeros();
            self.top
                .push(scores[at as usize], part.ordinal(start + at), ());
            accepted &= accepted - 1;
        }
    }
}

/// The best by another score than BM25, which tells nothing of it: every match is looked at.
struct BestRescored<'r, R> {
    rescore: &'r mut R,
    top: TopK<(), f64>,
    /// What a score must be above to be one of the best; none below `k` matches.
    threshold: Option<f64>,
    /// Matches that are not looked at yet.
    docs: [u32; RESCORED_TOGETHER],
    scores: [f64; RESCORED_TOGETHER],
    waiting: usize,
}

impl<'r, R: Rescore> BestRescored<'r, R> {
    fn new(k: usize, rescore: &'r mut R) -> Self {
        BestRescored {
            rescore,
            top: TopK::new(k),
            threshold: None,
            docs: [0; RESCORED_TOGETHER],
            scores: [0.0; RESCORED_TOGETHER],
            waiting: 0,
        }
    }

    #[inline]
    fn push(&mut self, doc: u32, score: f32) {
        self.docs[self.waiting] = doc;
        self.scores[self.waiting] = f64::from(score);
        self.waiting += 1;
    }

    fn is_full(&self) -> bool {
        self.waiting == RESCORED_TOGETHER
    }

    fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let (docs, scores) = (&self.docs[..waiting], &mut self.scores[..waiting]);
        self.rescore.rescore(docs, scores, self.threshold);
        for (&doc, &score) in docs.iter().zip(&*scores) {
            if self.threshold.is_none_or(|threshold| score > threshold) {
                self.top.push(score, doc, ());
                self.threshold = self.top.threshold();
            }
        }
    }

    fn finish(self, total: u64) -> RescoredHits {
        let hits = self.top.into_sorted().into_iter();
        RescoredHits {
            hits: hits.map(|hit| (hit.id, hit.score)).collect(),
            total,
        }
    }
}

impl<R: Rescore> Collector for BestRescored<'_, R> {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, mut accepted: u64, scores: &[f32; 64]) {
        while accepted != 0 {
            let at = accepted.trailing_zeros();
            self.push(part.ordinal(start + at), scores[at as usize]);
            accepted &= accepted - 1;
        }
        if self.waiting > 0 {
            self.flush();
        }
    }
}

/// Notes which documents match on their way to another collector.
struct Probing<'a, 'p, C> {
    probe: &'a mut MatchProbe<'p>,
    collector: &'a mut C,
}

impl<C: Collector> Collector for Probing<'_, '_, C> {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]) {
        if accepted == 0 {
            return;
        }
        let mut wanted = part.retain_accepted(accepted, start, self.probe.within);
        while wanted != 0 {
            let at = wanted.trailing_zeros();
            self.probe.matching.insert(part.ordinal(start + at));
            wanted &= wanted - 1;
        }
        self.collector.collect(part, start, accepted, scores);
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

    /// Gives the number of accepted matches.
    fn run(
        &mut self,
        part: &Part<'_>,
        accept: &BitSet,
        cancellation: &Cancellation,
        collector: &mut impl Collector,
    ) -> Result<u64> {
        let mut total = 0;
        let needs_optional = !self.optional.is_empty();
        let mut window = Window::new();
        let mut windows = 0_usize;
        while let Some(start) = self.next_start() {
            windows += 1;
            if windows.is_multiple_of(WINDOWS_PER_CHECK) {
                cancellation.check()?;
            }
            window.begin(start);
            if self.score_window(&mut window) {
                window.for_each_word(needs_optional, |start, matched, scores| {
                    let accepted = part.retain_accepted(matched, start, accept);
                    total += u64::from(accepted.count_ones());
                    collector.collect(part, start, accepted, scores);
                });
            }
        }
        Ok(total)
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
