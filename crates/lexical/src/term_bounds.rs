//! The best that one term scores in each run of 64 documents of a segment.
//!
//! A document's score for a term counts all searched fields at once, so these bounds are as close
//! for eight fields as for one. They depend on average lengths and on how many documents match,
//! which change with every write: [`TermBounds::growth`] tells by how much at most scores may have
//! grown since, until that is too much.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::bm25::TermWeight;
use crate::field_table::Slot;

/// Documents that share a bound.
pub(crate) const RUN_LEN: usize = 64;

/// The posting lists of a segment that make up a term: their fields, how these weigh against the first of them, in bits,
/// and their numbers.
pub(crate) type TermKey = Box<[(Slot, u32, usize)]>;

/// Bounds of a term: 0 where no document holds it.
pub(crate) struct TermBounds {
    /// The weights of the lists.
    weights: Box<[TermWeight]>,
    max: f32,
    levels: Levels,
}

/// Bounds in 255ths of the maximum, rounded up.
enum Levels {
    /// A level for each run.
    Dense(Box<[u8]>),
    /// Levels of the runs in which the term occurs.
    Sparse(Box<[(u32, u8)]>),
}

/// Bounds are made anew once they are too high by this factor.
const GROWTH_MAX: f32 = 1.02;

impl TermBounds {
    /// From the best score of each run in which the term occurs, ascending, of so many `runs`.
    pub(crate) fn new(best: &[(u32, f32)], runs: usize, weights: Box<[TermWeight]>) -> TermBounds {
        debug_assert!(
            best.is_sorted_by(|(a, _), (b, _)| a < b)
                && best.last().is_none_or(|(last, _)| (*last as usize) < runs),
            "runs ascend, and are in the segment"
        );
        let max = best.iter().map(|(_, score)| *score).fold(0.0, f32::max);
        let level = |score: f32| {
            let level = (score / max * 255.0).ceil() as u8;
            // Rounding may leave the level's value just below the score, and no bound may be.
            match score > value(level, max) {
                true => level + 1,
                false => level,
            }
        };
        let some = best.iter().map(|&(run, score)| (run, level(score)));
        let levels = match size_of_val(best) < runs {
            true => Levels::Sparse(some.collect()),
            false => {
                let mut levels = vec![0; runs];
                some.for_each(|(run, level)| levels[run as usize] = level);
                Levels::Dense(levels.into())
            }
        };
        TermBounds {
            weights,
            max,
            levels,
        }
    }

    /// Tells whether the lists are weighed as they were, so that scores are those of the bounds, bit by bit.
    pub(crate) fn are_exact(&self, weights: &[TermWeight]) -> bool {
        *self.weights == *weights
    }

    /// The factor by which scores may be above the bounds with other weights; `None` if that says too
    /// little.
    pub(crate) fn growth(&self, weights: &[TermWeight]) -> Option<f32> {
        let pairs = weights.iter().zip(&self.weights);
        let growth = pairs.map(|(now, then)| now.growth_since(then));
        let (least, most) = growth.fold((f32::MAX, 0.0), |all: (f32, f32), one| {
            (all.0.min(one.0), all.1.max(one.1))
        });
        (most <= least * GROWTH_MAX).then_some(most)
    }

    /// Adds the bounds, grown by a factor, to those of other terms.
    pub(crate) fn add_to(&self, sums: &mut [f32], growth: f32) {
        let max = self.max * growth;
        match &self.levels {
            Levels::Dense(levels) => {
                debug_assert_eq!(levels.len(), sums.len(), "a level for each run");
                for (sum, &level) in sums.iter_mut().zip(levels) {
                    *sum += value(level, max);
                }
            }
            Levels::Sparse(levels) => {
                for &(run, level) in levels {
                    sums[run as usize] += value(level, max);
                }
            }
        }
    }

    /// Makes the sums 0 where the term does not occur.
    pub(crate) fn require(&self, sums: &mut [f32]) {
        match &self.levels {
            Levels::Dense(levels) => {
                debug_assert_eq!(levels.len(), sums.len(), "a level for each run");
                let absent = sums
                    .iter_mut()
                    .zip(levels)
                    .filter(|(_, level)| **level == 0);
                absent.for_each(|(sum, _)| *sum = 0.0);
            }
            Levels::Sparse(levels) => {
                clear_others(sums, levels.iter().map(|(run, _)| *run as usize))
            }
        }
    }

    fn memory_bytes(&self) -> usize {
        let levels = match &self.levels {
            Levels::Dense(levels) => size_of_val(&**levels),
            Levels::Sparse(levels) => size_of_val(&**levels),
        };
        levels + size_of_val(&*self.weights)
    }
}

/// Makes the sums of all runs but some, which ascend, 0.
pub(crate) fn clear_others(sums: &mut [f32], some: impl Iterator<Item = usize>) {
    let mut from = 0;
    for run in some {
        sums[from..run].fill(0.0);
        from = run + 1;
    }
    sums[from..].fill(0.0);
}

/// The value of a level: the highest stands for the maximum itself.
#[inline]
fn value(level: u8, max: f32) -> f32 {
    let value = f32::from(level) * (max / 255.0);
    if level == u8::MAX { max } else { value }
}

/// The bounds of the terms of a segment that were searched for more than once.
#[derive(Default)]
pub(crate) struct TermBoundsCache {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    terms: HashMap<TermKey, Option<Arc<TermBounds>>>,
    bytes: usize,
}

/// Past this many bytes for each document of the segment the memory starts afresh: room for a
/// thousand of the most common terms, which are most of all terms that are ever searched for.
const BYTES_PER_DOCUMENT: usize = 16;
/// The memory of a remembered term besides its name and bounds, about.
const ENTRY_BYTES: usize = 96;

fn entry_bytes(term: &TermKey, bounds: Option<&TermBounds>) -> usize {
    ENTRY_BYTES + size_of_val(&**term) + bounds.map_or(0, TermBounds::memory_bytes)
}

impl TermBoundsCache {
    /// The bounds of a term, as last remembered. Remembers the term.
    pub(crate) fn get(&self, term: &TermKey, documents: usize) -> Remembered {
        let mut known = self.known.lock();
        match known.terms.get(term) {
            Some(Some(bounds)) => Remembered::Bounds(bounds.clone()),
            Some(None) => Remembered::Term,
            None => {
                known.insert(term.clone(), None, documents);
                Remembered::Nothing
            }
        }
    }

    pub(crate) fn remember(&self, term: TermKey, bounds: Arc<TermBounds>, documents: usize) {
        self.known.lock().insert(term, Some(bounds), documents);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.lock().bytes
    }
}

/// The state of a term in the memory of bounds.
pub(crate) enum Remembered {
    /// It is searched for the first time.
    Nothing,
    /// It was searched for before.
    Term,
    Bounds(Arc<TermBounds>),
}

impl Known {
    fn insert(&mut self, term: TermKey, bounds: Option<Arc<TermBounds>>, documents: usize) {
        let before = self.terms.get(&term);
        self.bytes -= before.map_or(0, |before| entry_bytes(&term, before.as_deref()));
        let bytes = entry_bytes(&term, bounds.as_deref());
        if self.bytes + bytes > documents * BYTES_PER_DOCUMENT {
            *self = Known::default();
        }
        self.bytes += bytes;
        self.terms.insert(term, bounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(bounds: &TermBounds, growth: f32, count: usize) -> Vec<f32> {
        let mut sums = vec![0.0; count];
        bounds.add_to(&mut sums, growth);
        sums
    }

    /// The bounds of a term by the best score of every run, 0 where it does not occur.
    fn of_all(best: &[f32], weights: Box<[TermWeight]>) -> TermBounds {
        let some = best.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let some: Vec<(u32, f32)> = some.map(|(run, score)| (run as u32, *score)).collect();
        TermBounds::new(&some, best.len(), weights)
    }

    #[test]
    fn bounds_are_close_and_never_below() {
        let best: Vec<f32> = (0..1_000_u16)
            .map(|i| f32::from(i * 37 % 991) / 77.7)
            .collect();
        let bounds = of_all(&best, Box::new([]));
        let max = best.iter().copied().fold(0.0, f32::max);
        for (&sum, &best) in sums(&bounds, 1.0, best.len()).iter().zip(&best) {
            assert!(sum >= best && sum <= best + max / 254.0, "{sum} of {best}");
            assert!(best != max || sum == max);
            assert!(best > 0.0 || sum == 0.0);
        }
    }

    #[test]
    fn scores_with_other_weights_stay_below_the_grown_bounds() {
        let then = TermWeight::new(1_000, 10, 5.0, 1);
        for (documents, average, count) in [(1_000, 5.0, 2), (1_009, 5.04, 1), (990, 4.97, 3)] {
            let now = TermWeight::new(documents, 10, average, count);
            for (frequency, length) in [(1, 1), (1, 50), (3, 4), (40, 900)] {
                let best = [then.score(frequency, length)];
                let bounds = of_all(&best, Box::new([then]));
                let growth = bounds.growth(&[now]).expect("they changed little");
                let score = now.score(frequency, length);
                let slack = 1.0 + 1e-6;
                assert!(sums(&bounds, growth, 1)[0] * slack >= score);
            }
        }
        let bounds = of_all(&[1.0], Box::new([then]));
        assert!(
            bounds
                .growth(&[TermWeight::new(1_000, 10, 7.0, 1)])
                .is_none()
        );
    }

    #[test]
    fn a_term_is_known_from_the_second_time_on() {
        let cache = TermBoundsCache::default();
        let term: TermKey = [(0, 0, 7)].into();
        assert!(matches!(cache.get(&term, 100), Remembered::Nothing));
        assert!(matches!(cache.get(&term, 100), Remembered::Term));
        let bounds = Arc::new(of_all(&[1.0, 0.5], Box::new([])));
        cache.remember(term.clone(), bounds, 100);
        assert!(matches!(cache.get(&term, 100), Remembered::Bounds(_)));
        for other in 0..100 {
            let _ = cache.get(&[(1, 0, other)].into(), 100);
            assert!(cache.memory_bytes() <= 100 * BYTES_PER_DOCUMENT);
        }
    }
}
