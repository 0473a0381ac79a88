//! Ranking: the best documents of a view for the terms of a query, and how many match.
//!
//! Parts are scanned in windows of documents, term by term (`part_scan`, `term_scan`): the scores of a window add up in
//! one small array, which documents match is kept in bit sets (`window`). A document's scores are always added up in
//! the same order, that of `addition_order`, so they do not depend on what else is scored. Three things say which
//! documents of a window need no look: a selective filter, a rare required term, and, where only the best are wanted,
//! bounds of the terms' scores (`pruning`). One list alone is scored as it lies, few postings of several lists are put
//! in the order of their documents, and few documents left by a required term are looked up one by one (`by_document`).
//! Matches are then counted by documents alone (`counting`). The rescorer sees every match except those in runs that
//! its upper bound rules out.

mod by_document;
mod collectors;
mod counting;
mod part_scan;
mod pruning;
mod term_scan;
mod window;

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::BitSet;

use self::collectors::{Best, BestRescored, Collector, Probing, Ranking};
use self::counting::PartCount;
use self::part_scan::{Accepted, PartScan};
use self::pruning::Pruning;
use self::term_scan::TermScan;
use crate::bm25::TermWeight;
use crate::error::Result;
use crate::expansion::{has_equals, matches_with_shares, share_class, share_factor};
use crate::field_weights::FieldWeights;
use crate::query::{LexicalHits, MatchProbe, QueryTerm, RescoredHits};
use crate::rescore::Rescore;
use crate::term_matches::{
    DocumentCounts, DocumentCursor, DocumentList, FieldSelection, TermMatches, addition_order,
};
use crate::view::View;

/// The condition of a match: all `required` terms or, where there are none, at least one of the
/// `optional` ones, in the fields of the scope.
pub(crate) struct Terms<'a> {
    pub(crate) required: &'a [QueryTerm],
    pub(crate) optional: &'a [QueryTerm],
    pub(crate) scope: FieldSelection<'a>,
    pub(crate) weights: &'a FieldWeights,
    pub(crate) cancellation: &'a Cancellation,
}

/// Documents between two looks at whether the search is cancelled.
const DOCUMENTS_PER_CHECK: usize = 16_384;

/// Ranks the accepted documents that match.
pub(crate) fn rank<'v>(
    view: &'v View,
    terms: &Terms<'v>,
    k: usize,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
) -> Result<LexicalHits> {
    let found = Found::new(view, terms)?;
    let pruning = Pruning::new(&found.scans, k);
    let mut best = Best::new(k);
    let total = found.rank_counting(pruning, accept, probe, &mut best)?;
    let hits = best.into_hits();
    Ok(LexicalHits { hits, total })
}

/// The best of [`rank`] alone, without counting.
pub(crate) fn rank_top<'v>(
    view: &'v View,
    terms: &Terms<'v>,
    k: usize,
    accept: &BitSet,
) -> Result<Vec<(u32, f32)>> {
    let found = Found::new(view, terms)?;
    let mut best = Best::new(k);
    match Pruning::new(&found.scans, k) {
        Some(pruning) => found.rank(pruning, accept, &mut best)?,
        None => found.rank_all(accept, &mut best)?,
    }
    Ok(best.into_hits())
}

/// Tells whether a search for the best `k` knows bounds by which it leaves documents out.
#[cfg(test)]
pub(crate) fn leaves_out<'v>(view: &'v View, terms: &Terms<'v>, k: usize) -> Result<bool> {
    Ok(Pruning::new(&Found::new(view, terms)?.scans, k).is_some())
}

/// The share of the runs left to score below which counting apart is quicker than scoring all.
const COUNTED_APART_BELOW: f64 = 0.5;

/// As [`rank`], by what `rescore` makes of BM25.
pub(crate) fn rank_rescored<'v>(
    view: &'v View,
    terms: &Terms<'v>,
    k: usize,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
    rescore: &mut impl Rescore,
) -> Result<RescoredHits> {
    let found = Found::new(view, terms)?;
    let mut best = BestRescored::new(k, rescore);
    let pruning = found.pruning_of(k, best.rescore());
    let total = found.rank_counting(pruning, accept, probe, &mut best)?;
    Ok(RescoredHits {
        hits: best.into_hits(),
        total,
    })
}

/// The best of [`rank_rescored`] alone, without counting.
pub(crate) fn rank_top_rescored<'v>(
    view: &'v View,
    terms: &Terms<'v>,
    k: usize,
    accept: &BitSet,
    rescore: &mut impl Rescore,
) -> Result<Vec<(u32, f64)>> {
    let found = Found::new(view, terms)?;
    let mut best = BestRescored::new(k, rescore);
    match found.pruning_of(k, best.rescore()) {
        Some(pruning) => found.rank(pruning, accept, &mut best)?,
        None => drop(found.visit(accept, &mut best)?),
    }
    Ok(best.into_hits())
}

/// The best `k` of `documents`, which all have the BM25 0, by what `rescore` makes of it.
pub(crate) fn rank_all_rescored(
    documents: &BitSet,
    k: usize,
    cancellation: &Cancellation,
    rescore: &mut impl Rescore,
) -> Result<Vec<(u32, f64)>> {
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
    Ok(best.into_hits())
}

/// The occurrences of a query's terms in a view.
struct Found<'v> {
    view: &'v View,
    scans: Vec<PartScan<'v>>,
    /// For each term of each part: `[parts, terms]`.
    documents: Vec<Option<DocumentList<'v>>>,
    /// The number of live documents that match a term, where it is the only one and that is known.
    only: Option<u64>,
}

/// Postings from which on it pays to count the accepted documents first.
const COUNTED_FROM: usize = 4_096;
/// Words of the set of accepted documents that are counted for all.
const COUNTED_WORDS: usize = 512;

impl<'v> Found<'v> {
    fn new(view: &'v View, terms: &Terms<'v>) -> Result<Found<'v>> {
        let (scope, weights, cancellation) = (terms.scope, terms.weights, terms.cancellation);
        let required_count = terms.required.len();
        let terms: Vec<&QueryTerm> = terms.required.iter().chain(terms.optional).collect();
        let mut counts = vec![DocumentCounts::zero(scope); terms.len()];
        // The documents with a term or one of its expansions.
        let mut shared = vec![0; terms.len()];
        let mut parts = Vec::new();
        for part in view.parts() {
            let mut matches = Vec::with_capacity(terms.len());
            for (at, (term, counts)) in terms.iter().zip(&mut counts).enumerate() {
                cancellation.check()?;
                let (found, live) =
                    matches_with_shares(view, &part, term, scope, weights, cancellation)?;
                counts.add(&found.counts);
                shared[at] += u64::from(live);
                matches.push(Some(found));
            }
            parts.push((part, matches));
        }

        let order = addition_order(&counts, required_count);
        let statistics = &view.statistics;
        let weight = |term: usize, slot| {
            let count = terms[term].count;
            if let Some(class) = share_class(slot) {
                let factor = share_factor(terms[term], counts[term].sum() > 0);
                return TermWeight::of_shares(statistics.documents, shared[term], count, factor)
                    .in_field_of(weights.of_class(class));
            }
            let matching = match has_equals(terms[term]) {
                true => shared[term],
                false => u64::from(counts[term].of(slot)),
            };
            let average_length = statistics.average_length(slot);
            TermWeight::new(statistics.documents, matching, average_length, count)
                .in_parts(terms[term].tokens.frequency_parts())
                .in_field_of(weights.of(slot))
        };
        let mut scans = Vec::with_capacity(parts.len());
        let mut documents = Vec::with_capacity(parts.len() * terms.len());
        for (part, mut matches) in parts {
            let mut scan = |&term: &usize| {
                let found: Option<TermMatches<'_>> = matches[term].take();
                let found = found.expect("each term stands once in the order");
                documents.push(found.documents);
                TermScan::new(found.lists, |slot| weight(term, slot))
            };
            // The order has the required terms first.
            let (required, optional) = order.split_at(required_count);
            let required: Vec<_> = required.iter().map(&mut scan).collect();
            let optional: Vec<_> = optional.iter().map(&mut scan).collect();
            scans.push(PartScan {
                part,
                required,
                optional,
                cancellation,
            });
        }
        let only = match (&*terms, &*counts) {
            ([term], [count]) if term.tokens.forms().len() == 1 && term.expansions.is_empty() => {
                count.documents()
            }
            _ => None,
        };
        Ok(Found {
            view,
            scans,
            documents,
            only: only.map(u64::from),
        })
    }

    /// The bounds of scores that `rescore` changes.
    fn pruning_of(&self, k: usize, rescore: &impl Rescore) -> Option<Pruning> {
        match rescore.has_ceilings() {
            true => Some(Pruning::new(&self.scans, k)?.rescored(&self.scans, k, rescore)),
            false => None,
        }
    }

    /// Shows `best` the accepted matches that may be among the best.
    fn rank(
        self,
        pruning: Pruning,
        accept: &BitSet,
        best: &mut impl Ranking,
    ) -> std::result::Result<(), Cancelled> {
        let accepted = self.accepted(accept);
        pruning.seed(&self.scans, accepted, best)?;
        pruning.finish(self.scans, accepted, best)
    }

    /// As [`Found::rank`], where no bounds are known.
    fn rank_all(self, accept: &BitSet, best: &mut Best) -> std::result::Result<(), Cancelled> {
        let accepted = self.accepted(accept);
        let mut scans = self.scans.into_iter();
        scans.try_for_each(|mut scan| scan.run_for_best(accepted, best))
    }

    /// As [`Found::rank`]; gives the number of all accepted matches, and the answer to a probe.
    fn rank_counting(
        self,
        pruning: Option<Pruning>,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        best: &mut impl Ranking,
    ) -> Result<u64> {
        let mut probe = probe.filter(|probe| !probe.within.is_empty());
        if let Some(pruning) = pruning {
            let accepted = self.accepted(accept);
            pruning.seed(&self.scans, accepted, best)?;
            let total = match (&probe, self.known_total(accept)) {
                (None, Some(total)) => Some(total),
                _ if pruning.share_left(best) < COUNTED_APART_BELOW => {
                    Some(self.count(accept, probe.as_deref_mut())?)
                }
                _ => None,
            };
            if let Some(total) = total {
                pruning.finish(self.scans, accepted, best)?;
                return Ok(total);
            }
            // Everything is scored now, and what was scored first would come twice.
            best.clear();
        }
        Ok(self.visit_probing(accept, probe, best)?)
    }

    /// Shows `collector` every accepted match; gives their number.
    fn visit(
        self,
        accept: &BitSet,
        collector: &mut impl Collector,
    ) -> std::result::Result<u64, Cancelled> {
        let accepted = self.accepted(accept);
        let scans = self.scans.into_iter();
        scans
            .map(|mut scan| scan.run(Some(accepted), None, collector))
            .sum()
    }

    /// As [`Found::visit`], with an answer for the probe too.
    fn visit_probing(
        self,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        collector: &mut impl Collector,
    ) -> std::result::Result<u64, Cancelled> {
        match probe {
            None => self.visit(accept, collector),
            Some(probe) => self.visit(accept, &mut Probing { probe, collector }),
        }
    }

    /// The share of the accepted documents, estimated: 1 where so little is to be scored that it does
    /// not matter.
    fn accepted<'s>(&self, set: &'s BitSet) -> Accepted<'s> {
        let postings: usize = self.scans.iter().map(PartScan::postings).sum();
        let share = match postings < COUNTED_FROM {
            true => 1.0,
            false => {
                let words = set.words();
                let step = words.len() / COUNTED_WORDS + 1;
                let sample = words.iter().step_by(step).map(|word| word.count_ones());
                let accepted = sample.sum::<u32>() as usize * step;
                accepted as f64 / self.view.statistics.documents.max(1) as f64
            }
        };
        Accepted { set, share }
    }

    /// The number of accepted matches, where it is known without looking at them.
    fn known_total(&self, accept: &BitSet) -> Option<u64> {
        let mut parts = self.view.parts();
        self.only
            .filter(|_| parts.all(|part| part.accepts_the_living(accept)))
    }

    /// The number of accepted matches, and the answer to a probe.
    fn count(&self, accept: &BitSet, mut probe: Option<&mut MatchProbe<'_>>) -> Result<u64> {
        let mut total = 0;
        let mut documents = self.documents.iter();
        for scan in &self.scans {
            let terms = scan.terms().zip(&mut documents);
            let mut required = terms
                .map(|(term, list)| DocumentCursor::new(list.as_ref(), || term.cursors()))
                .collect::<std::io::Result<Vec<_>>>()
                .map_err(tantivy::TantivyError::from)?;
            let optional = required.split_off(scan.required.len());
            let count = PartCount {
                part: scan.part,
                required,
                optional,
                cancellation: scan.cancellation,
            };
            total += count.run(accept, probe.as_deref_mut())?;
        }
        Ok(total)
    }
}
