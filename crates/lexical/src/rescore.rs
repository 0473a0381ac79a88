//! Scores in place of BM25.

use std::ops::RangeInclusive;

/// Changes the scores of matches.
pub trait Rescore {
    /// Changes the scores of up to [`RESCORED_TOGETHER`] documents, by ascending ordinal, from BM25 to those that they
    /// are ranked by, which are never NaN. A score that would not end above `least` may end at anything that is not
    /// above it: it is of no use to the caller.
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>);

    /// Tells whether [`Rescore::ceiling`] has answers, so that it pays to ask before anything is
    /// scored.
    fn has_ceilings(&self) -> bool {
        false
    }

    /// A bound that no document with an ordinal in `docs` ends above; `None` where none is known.
    fn ceiling(&self, _docs: RangeInclusive<u32>) -> Option<Ceiling> {
        None
    }

    /// Selects the documents, of the 64 from the ordinal `first` on, that may end at `least` or above, if their BM25 is
    /// not above `score`: one bit for each.
    fn promising(&self, _first: u32, _score: f32, _least: f64) -> u64 {
        u64::MAX
    }
}

/// Most documents that are asked about together.
pub const RESCORED_TOGETHER: usize = 64;

/// An upper bound of the changed scores of some documents, by their BM25: `(score · factor + sum) · scale + addend`, or
/// with `scale_below` in place of `scale` where the sum is below 0.
///
/// Each step grows with the score, rounded as it is. A score that is made in the same steps, of numbers that are not
/// above these, is therefore not above the ceiling in its last bit either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceiling {
    /// Finite and at least 0.
    pub factor: f64,
    /// Finite, or infinite where nothing is known.
    pub sum: f64,
    /// Finite and above 0.
    pub scale: f64,
    /// Finite and at least 0: what brings a score below 0 nearest to it.
    pub scale_below: f64,
    /// Finite and at least 0.
    pub addend: f64,
}

impl Ceiling {
    /// The ceiling of documents whose scores are not changed.
    pub const SAME: Self = Self {
        factor: 1.0,
        sum: 0.0,
        scale: 1.0,
        scale_below: 1.0,
        addend: 0.0,
    };

    /// The ceiling at a BM25.
    #[inline]
    pub(crate) fn at(&self, score: f32) -> f64 {
        let modified = f64::from(score) * self.factor + self.sum;
        modified * self.scale_of(modified) + self.addend
    }

    #[inline]
    fn scale_of(&self, modified: f64) -> f64 {
        match modified < 0.0 {
            true => self.scale_below,
            false => self.scale,
        }
    }

    /// A BM25 that is too low to end at `least` or above; so is every lower one.
    #[inline]
    pub(crate) fn too_low_for(&self, least: f64) -> f32 {
        let changed = least - self.addend;
        let needed = (changed / self.scale_of(changed) - self.sum) / self.factor;
        let below = (needed * (1.0 - ROUNDING)).min(f64::from(f32::MAX)) as f32;
        match self.at(below) < least {
            true => below,
            false => f32::NEG_INFINITY,
        }
    }
}

/// More than the loss by rounding in [`Ceiling::too_low_for`], mostly.
const ROUNDING: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    #[test]
    fn scores_that_are_too_low_end_below() {
        let mut random = SplitMix64(5);
        let mut ruled_out = 0;
        for _ in 0..20_000 {
            let ceiling = Ceiling {
                factor: *random.pick(&[0.0, 1e-9, 0.5, 1.0, 3.0, 1e300]),
                sum: *random.pick(&[-7.0, 0.0, 0.1, 5.0, 1e18, f64::INFINITY]),
                scale: *random.pick(&[0.3, 1.0]),
                scale_below: *random.pick(&[0.0, 1e-3, 0.3]),
                addend: *random.pick(&[0.0, 0.25, 2.0]),
            };
            let score = random.unit() * 20.0;
            let least = match random.below(2) {
                0 => ceiling.at(score),
                _ => f64::from(random.unit()) * 19.0 - 9.0,
            };
            let too_low = ceiling.too_low_for(least);
            if score <= too_low {
                assert!(ceiling.at(score) < least, "{ceiling:?} {score} {least}");
                ruled_out += 1;
            } else if ceiling.at(score * 0.999) >= least {
                assert!(too_low < score * 0.999, "{ceiling:?} {score} {least}");
            }
        }
        assert!(ruled_out > 1_500, "{ruled_out}");
    }
}
