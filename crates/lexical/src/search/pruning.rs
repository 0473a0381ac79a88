//! Leaving out runs of documents that cannot be among the best.
//!
//! Bounds of the terms add up to a bound for each run of 64 documents. Runs with the highest bounds are scored first,
//! so that the k-th best score is known soon; then, by ascending number, those of the others whose bound is not below
//! it. The order of visits is not that of the documents alone, so of runs with just the score of the k-th best those
//! before it count.
//!
//! Within a run the rarest terms are scored first. The most common ones, which have most of the postings, are then
//! looked up in those documents alone that their bounds can still bring among the best.

use std::sync::Arc;

use pelorus_cancellation::Cancelled;

use super::collectors::{BestOfRuns, Collector};
use super::part_scan::{Accepted, PartScan};
use super::term_scan::TermScan;
use crate::rescore::Rescore;
use crate::term_bounds::{RUN_LEN, Remembered, TermBounds, TermBoundsCache, clear_others};
use crate::view::Part;

/// Postings from which on bounds are worth adding up.
const POSTINGS_MIN: usize = 8_192;
/// Postings of a term from which on its bounds are worth remembering.
const REMEMBERED_FROM: usize = 256;
/// Runs that share a bound of their own: whole windows are passed by it.
pub(super) const GROUP_LEN: usize = 16;
/// The share of runs below which they are scored group by group.
const NARROW_BELOW: f64 = 0.1;
/// Runs that are scored first, besides one for each document wanted.
const SEEDS: usize = 16;

/// The bounds of all parts that are worth it.
pub(super) struct Pruning {
    /// `None` for a part that is scored whole.
    parts: Vec<Option<PartBounds>>,
    /// The least bound of a run that is scored first.
    seeds_from: f32,
}

/// Upper bounds of the scores of a part's documents.
struct PartBounds {
    runs: Vec<f32>,
    /// The value that stands for no match, below every bound: 0, or one below all where changed scores may be below 0.
    no_match: f32,
    tail: Option<Tail>,
    /// Upper bounds of their BM25, where scores are changed.
    unchanged: Option<Vec<f32>>,
    /// The highest of so many runs each.
    groups: Vec<f32>,
}

/// The most common terms: they are scored last, and only in documents that they can still bring among the best
/// ("MaxScore": Turtle and Flood, "Query evaluation: strategies and optimizations", 1995).
struct Tail {
    /// Optional terms before it.
    from: usize,
    /// The most that they add, for each run.
    runs: Vec<f32>,
    /// By what factor a sum may be above its bound, as both are rounded.
    slack: f32,
}

/// The runs that are scored in a pass over a part.
pub(super) struct Survivors<'b> {
    bounds: &'b PartBounds,
    seeds_from: f32,
    is_first: bool,
    /// Tells whether most windows hold none or a few.
    pub(super) are_few: bool,
}

impl Pruning {
    /// `None` where scoring everything costs less, as with a rare required term, or where bounds are
    /// not known yet.
    pub(super) fn new(scans: &[PartScan<'_>], k: usize) -> Option<Pruning> {
        let postings: usize = scans.iter().map(PartScan::postings).sum();
        let documents: usize = scans.iter().map(|scan| scan.part.end() as usize).sum();
        let is_long = k.saturating_mul(RUN_LEN) > documents / 4;
        if postings < POSTINGS_MIN || is_long || scans.iter().any(PartScan::leads_alone) {
            return None;
        }
        // All are asked even if one knows nothing, so that the next search finds bounds in each.
        let parts: Vec<Option<_>> = scans
            .iter()
            .map(|scan| match scan.part {
                Part::Segment(part) => PartBounds::new(scan, &part.segment.term_bounds).map(Some),
                Part::Delta(_) => Some(None),
            })
            .collect();
        let parts: Vec<_> = parts.into_iter().collect::<Option<_>>()?;
        let seeds_from = seeds_from(parts.iter().flatten(), k + SEEDS);
        Some(Pruning { parts, seeds_from })
    }

    /// The same of scores that `rescore` changes.
    pub(super) fn rescored(
        self,
        scans: &[PartScan<'_>],
        k: usize,
        rescore: &impl Rescore,
    ) -> Pruning {
        debug_assert_eq!(scans.len(), self.parts.len(), "bounds, or none, for each");
        let parts = scans.iter().zip(self.parts);
        let parts: Vec<_> = parts
            .map(|(scan, bounds)| Some(bounds?.rescored(scan.part, rescore)))
            .collect();
        let seeds_from = seeds_from(parts.iter().flatten(), k + SEEDS);
        Pruning { parts, seeds_from }
    }

    /// Scores the most promising documents.
    pub(super) fn seed(
        &self,
        scans: &[PartScan<'_>],
        accepted: Accepted<'_>,
        best: &mut impl Collector,
    ) -> Result<(), Cancelled> {
        debug_assert_eq!(scans.len(), self.parts.len(), "bounds, or none, for each");
        for (scan, bounds) in scans.iter().zip(&self.parts) {
            match bounds {
                // Copies: what is left is scored from the first document on.
                None => scan.clone().run(Some(accepted), None, best)?,
                Some(bounds) => {
                    let survivors = self.survivors(bounds, true, true);
                    scan.clone().run(Some(accepted), Some(&survivors), best)?
                }
            };
        }
        Ok(())
    }

    /// Scores of the other documents those that may be among the best.
    pub(super) fn finish(
        &self,
        scans: Vec<PartScan<'_>>,
        accepted: Accepted<'_>,
        best: &mut impl Collector,
    ) -> Result<(), Cancelled> {
        debug_assert_eq!(scans.len(), self.parts.len(), "bounds, or none, for each");
        let are_few = self.share_left(best) < NARROW_BELOW;
        for (mut scan, bounds) in scans.into_iter().zip(&self.parts) {
            if let Some(bounds) = bounds {
                let survivors = self.survivors(bounds, false, are_few);
                scan.run(Some(accepted), Some(&survivors), best)?;
            }
        }
        Ok(())
    }

    /// The share of runs that are left for [`Pruning::finish`], at most.
    pub(super) fn share_left(&self, best: &impl Collector) -> f64 {
        let worst = best.worst().map(|(score, _)| score);
        let parts = || self.parts.iter().flatten();
        let left: usize = parts()
            .map(|bounds| bounds.left(worst.unwrap_or(bounds.no_match)))
            .sum();
        let runs: usize = parts().map(|bounds| bounds.runs.len()).sum();
        left as f64 / runs.max(1) as f64
    }

    fn survivors<'b>(
        &self,
        bounds: &'b PartBounds,
        is_first: bool,
        are_few: bool,
    ) -> Survivors<'b> {
        Survivors {
            bounds,
            seeds_from: self.seeds_from,
            is_first,
            are_few,
        }
    }
}

/// The `count`-th highest bound of a group.
fn seeds_from<'b>(parts: impl Iterator<Item = &'b PartBounds>, count: usize) -> f32 {
    let mut groups: Vec<f32> = parts.flat_map(|bounds| &bounds.groups).copied().collect();
    if groups.len() <= count {
        return f32::INFINITY;
    }
    let (_, least, _) = groups.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
    *least
}

impl PartBounds {
    fn new(scan: &PartScan<'_>, cache: &TermBoundsCache) -> Option<PartBounds> {
        let documents = scan.part.end() as usize;
        // All terms are looked up even if one is new, so that the next search finds each.
        let known: Vec<Option<Known>> = scan
            .terms()
            .map(|term| Known::new(term, scan, cache))
            .collect();
        let known: Vec<Known> = known.into_iter().collect::<Option<_>>()?;
        // Bounds and scores are rounded where they are added up, in different orders.
        let additions: usize = scan.terms().map(|term| term.list_count() + 8).sum();
        let slack = 1.0 + additions as f32 * 2.0 * f32::EPSILON;
        let mut runs = vec![0.0; documents.div_ceil(RUN_LEN)];
        let mut is_exact = known.len() == 1;
        let tail_from = tail_from(&scan.optional);
        let (head, tail) = known.split_at(scan.required.len() + tail_from);
        for bounds in tail {
            is_exact &= bounds.add_to(&mut runs);
        }
        let tail = (!tail.is_empty()).then(|| Tail {
            from: tail_from,
            runs: runs.clone(),
            slack,
        });
        for bounds in head {
            is_exact &= bounds.add_to(&mut runs);
        }
        for bounds in known.iter().take(scan.required.len()) {
            bounds.require(&mut runs);
        }
        if !is_exact {
            runs.iter_mut().for_each(|bound| *bound *= slack);
        }
        Some(PartBounds {
            groups: groups_of(&runs),
            runs,
            no_match: 0.0,
            tail,
            unchanged: None,
        })
    }

    /// The number of runs that have a bound not below `worst`.
    fn left(&self, worst: f32) -> usize {
        let groups = self.groups.iter().zip(self.runs.chunks(GROUP_LEN));
        let some = groups.filter(|(highest, _)| **highest >= worst);
        some.map(|(_, runs)| runs.iter().filter(|&&bound| bound >= worst).count())
            .sum()
    }

    fn rescored(self, part: Part<'_>, rescore: &impl Rescore) -> PartBounds {
        let last = part.end().saturating_sub(1);
        let mut runs = self.runs.clone();
        for (run, bound) in runs.iter_mut().enumerate() {
            if *bound == self.no_match {
                *bound = f32::NEG_INFINITY;
                continue;
            }
            let first = (run * RUN_LEN) as u32;
            let end = last.min(first + (RUN_LEN as u32 - 1));
            let ceiling = rescore.ceiling(part.ordinal(first)..=part.ordinal(end));
            *bound = ceiling.map_or(f32::INFINITY, |ceiling| rounded_up(ceiling.at(*bound)));
        }
        PartBounds {
            groups: groups_of_changed(&runs),
            runs,
            no_match: f32::NEG_INFINITY,
            // It speaks of scores that are not changed.
            tail: None,
            unchanged: Some(self.runs),
        }
    }
}

/// The number of terms, the rarest first, before the most common ones, which have half of all postings or more.
fn tail_from(terms: &[TermScan<'_>]) -> usize {
    let all: usize = terms.iter().map(TermScan::postings).sum();
    let mut before = 0;
    let rare = terms.iter().take_while(|term| {
        before += term.postings();
        before * 2 <= all
    });
    // At least one says which documents are looked at.
    rare.count().max(1).min(terms.len())
}

/// The highest bound of each group of runs.
fn groups_of(runs: &[f32]) -> Vec<f32> {
    // No bound is below 0, so their bits are in the same order, and integers are compared many at a time.
    let highest = |runs: &[f32]| {
        let bits = runs.iter().map(|bound| bound.to_bits() as i32);
        f32::from_bits(bits.fold(0, i32::max) as u32)
    };
    let (whole, rest) = runs.as_chunks::<GROUP_LEN>();
    let mut groups: Vec<f32> = whole.iter().map(|runs| highest(runs)).collect();
    if !rest.is_empty() {
        groups.push(highest(rest));
    }
    groups
}

/// The same of bounds that may be below 0.
fn groups_of_changed(runs: &[f32]) -> Vec<f32> {
    let higher = |a: f32, b: &f32| if *b > a { *b } else { a };
    let highest = |runs: &[f32]| runs.iter().fold(f32::NEG_INFINITY, higher);
    runs.chunks(GROUP_LEN).map(highest).collect()
}

/// A bound in 32 bits, which is not below it, and is finite or above all.
fn rounded_up(bound: f64) -> f32 {
    let near = bound as f32;
    let bits = near.to_bits();
    // The next number has the next bits, or those before where it is below 0. Half of all bounds are rounded down,
    // which no branch could foresee.
    let step = u32::from(f64::from(near) < bound);
    let is_below_zero = bits >> 31;
    f32::from_bits(
        bits.wrapping_add(step)
            .wrapping_sub(2 * step * is_below_zero),
    )
}

/// Bounds of one term.
enum Known {
    /// Remembered, by how much they may have grown, and whether scores are just those of then.
    Before(Arc<TermBounds>, f32, bool),
    /// Just taken, of a rare term: of the runs in which it occurs.
    Now(Vec<(u32, f32)>),
}

impl Known {
    /// `None` also where the search is cancelled: it ends with whatever is scored next.
    fn new(term: &TermScan<'_>, whole: &PartScan<'_>, cache: &TermBoundsCache) -> Option<Known> {
        let part = whole.part;
        let documents = part.end() as usize;
        let best = || {
            let mut best = BestOfRuns::default();
            let mut scan = PartScan {
                part,
                required: Vec::new(),
                optional: vec![term.clone()],
                cancellation: whole.cancellation,
            };
            scan.run(None, None, &mut best).ok()?;
            Some(best.scores)
        };
        let are_few = term.postings() < REMEMBERED_FROM;
        // In a small segment few are not rare, but for one term without bounds all segments would be scored whole.
        let is_quick = are_few || term.postings() * RUN_LEN < documents;
        let Some(key) = term.key().filter(|_| !are_few) else {
            return is_quick.then(best).flatten().map(Known::Now);
        };
        match cache.get(&key, documents) {
            Remembered::Nothing => return is_quick.then(best).flatten().map(Known::Now),
            Remembered::Term => {}
            Remembered::Bounds(bounds) => {
                let weights = term.weights();
                if let Some(growth) = bounds.growth(&weights) {
                    let are_exact = bounds.are_exact(&weights);
                    return Some(Known::Before(bounds, growth, are_exact));
                }
            }
        }
        let bounds = Arc::new(TermBounds::new(
            &best()?,
            documents.div_ceil(RUN_LEN),
            term.weights(),
        ));
        cache.remember(key, bounds.clone(), documents);
        Some(Known::Before(bounds, 1.0, true))
    }

    /// Adds the bounds; tells whether a bound of this term alone is one that rounding cannot
    /// exceed.
    fn add_to(&self, sums: &mut [f32]) -> bool {
        match self {
            Known::Before(bounds, growth, are_exact) => {
                bounds.add_to(sums, *growth);
                *are_exact
            }
            Known::Now(best) => {
                for &(run, best) in best {
                    sums[run as usize] += best;
                }
                true
            }
        }
    }

    fn require(&self, sums: &mut [f32]) {
        match self {
            Known::Before(bounds, ..) => bounds.require(sums),
            Known::Now(best) => clear_others(sums, best.iter().map(|(run, _)| *run as usize)),
        }
    }
}

impl Survivors<'_> {
    /// The first document from `from` on that may be among the best, where `worst` is the last of these.
    pub(super) fn next(&self, from: u32, part: Part<'_>, worst: Option<(f32, u32)>) -> Option<u32> {
        let PartBounds {
            runs,
            groups,
            no_match,
            ..
        } = self.bounds;
        let least = worst.map_or(*no_match, |(score, _)| score);
        let least = match self.is_first {
            true => least.max(self.seeds_from),
            false => least,
        };
        let mut run = from as usize / RUN_LEN;
        while run < runs.len() {
            let group = run / GROUP_LEN;
            let end = ((group + 1) * GROUP_LEN).min(runs.len());
            if groups[group] >= least {
                let found = (run..end).find(|&run| self.holds(run, part, worst));
                if let Some(found) = found {
                    return Some((found * RUN_LEN) as u32);
                }
            }
            run = end;
        }
        None
    }

    /// Adds to `set`, which begins at document `start`, those that may be among the best.
    pub(super) fn mark(
        &self,
        start: u32,
        part: Part<'_>,
        collector: &impl Collector,
        set: &mut [u64],
    ) {
        let worst = collector.worst();
        let first = start as usize / RUN_LEN;
        for (i, word) in set.iter_mut().enumerate() {
            let run = first + i;
            if run >= self.bounds.runs.len() {
                return;
            }
            if self.holds(run, part, worst) {
                let documents = (part.end() as usize - run * RUN_LEN).min(RUN_LEN);
                *word = u64::MAX >> (RUN_LEN - documents);
                if let Some(unchanged) = &self.bounds.unchanged {
                    *word &= collector.promising(&part, (run * RUN_LEN) as u32, unchanged[run]);
                }
            }
        }
    }

    /// From which of the optional terms on they are scored only in documents that still may be among the best, `worst` being
    /// the last of these; and what such a document of a run has at least by then.
    pub(super) fn tail(&self, worst: Option<(f32, u32)>) -> Option<(usize, impl Fn(usize) -> f32)> {
        let (tail, (worst, _)) = (self.bounds.tail.as_ref()?, worst?);
        let least = worst / tail.slack;
        let least = move |run: usize| match tail.runs.get(run) {
            Some(most) => least - most * tail.slack,
            None => 0.0,
        };
        Some((tail.from, least))
    }

    #[inline]
    fn holds(&self, run: usize, part: Part<'_>, worst: Option<(f32, u32)>) -> bool {
        let bound = self.bounds.runs[run];
        let may_win = match worst {
            None => bound > self.bounds.no_match,
            Some((score, ordinal)) => {
                bound > score || bound == score && part.ordinal((run * RUN_LEN) as u32) < ordinal
            }
        };
        may_win && (bound >= self.seeds_from) == self.is_first
    }
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn a_bound_in_32_bits_is_the_least_that_is_not_below() {
        let bounds = [
            0.0,
            -0.0,
            0.1,
            -0.1,
            1e-60,
            -1e-60,
            1.0,
            -1.0,
            16_777_217.0,
            -16_777_217.0,
            1e60,
        ];
        for bound in bounds {
            let near = rounded_up(bound);
            assert!(f64::from(near) >= bound, "{near} {bound}");
            assert!(f64::from(near.next_down()) < bound, "{near} {bound}");
        }
        assert_eq!(rounded_up(-1e60), f32::MIN);
        assert_eq!(rounded_up(f64::INFINITY), f32::INFINITY);
    }
}
