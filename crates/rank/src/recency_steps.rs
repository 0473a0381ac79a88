//! The curve of recency in steps that are cheap to look up and never below it.

use std::ops::RangeInclusive;

use crate::recency::{Recency, Slope};

/// Steps of one side of the curve.
const STEPS: usize = 128;
/// By how much of its width a step begins early: far more than what ages are rounded by.
const EARLY: f64 = 0.01;
/// More than what a power is rounded by.
const ROUNDING: f64 = 1e-12;

/// Upper bounds of a [`Recency`].
#[derive(Debug, Clone)]
pub struct RecencySteps {
    recency: Recency,
    decay: SlopeSteps,
    growth: Option<SlopeSteps>,
}

/// One side of the curve, from the end of its offset on.
#[derive(Debug, Clone)]
struct SlopeSteps {
    slope: Slope,
    /// Descending.
    values: [f64; STEPS],
}

impl SlopeSteps {
    fn new(slope: Slope) -> Self {
        let value = |step: usize| {
            let past = (step as f64 - EARLY).max(0.0) * slope.scale_seconds / STEPS as f64;
            // Powers are rounded such that a higher one may come out lower.
            (slope.past_offset(past) * (1.0 + ROUNDING)).min(1.0)
        };
        let mut values = std::array::from_fn(value);
        for step in (0..STEPS - 1).rev() {
            values[step] = values[step].max(values[step + 1]);
        }
        Self { slope, values }
    }

    /// What the recency is not above `age` seconds down the slope, or further.
    fn at(&self, age: f64) -> f64 {
        let Slope {
            scale_seconds,
            offset_seconds,
            floor,
            ..
        } = self.slope;
        if age >= offset_seconds + scale_seconds {
            floor
        } else if age >= offset_seconds {
            let step = (age - offset_seconds) / scale_seconds * STEPS as f64;
            self.values[(step as usize).min(STEPS - 1)]
        } else {
            1.0
        }
    }

    /// How far past the offset the recency may still be `least` or more.
    fn reach(&self, least: f64) -> f64 {
        if least <= self.slope.floor {
            return f64::INFINITY;
        }
        let step = self.values.partition_point(|&value| value >= least);
        (step as f64 + EARLY) * self.slope.scale_seconds / STEPS as f64
    }
}

impl RecencySteps {
    pub fn new(recency: Recency) -> Self {
        Self {
            decay: SlopeSteps::new(recency.decay),
            growth: recency.growth.map(SlopeSteps::new),
            recency,
        }
    }

    /// What the recency of a document is not above, if it has no time or one in `times`.
    pub fn highest(&self, times: RangeInclusive<f64>) -> f64 {
        let floor = self.recency.decay.floor;
        if times.is_empty() {
            return floor;
        }
        // The curve falls on both sides of the centre.
        let nearest = self
            .recency
            .center_seconds
            .max(*times.start())
            .min(*times.end());
        let age = self.recency.center_seconds - nearest;
        let highest = match &self.growth {
            _ if age >= 0.0 => self.decay.at(age),
            None => 1.0,
            Some(growth) => growth.at(-age),
        };
        highest.max(floor)
    }

    /// Which documents may be as recent as `least`, by their times, which are NaN for none: one bit for each.
    pub fn reaching(&self, least: f64, times: &[f64; 64]) -> u64 {
        let Recency {
            center_seconds,
            decay,
            growth,
        } = &self.recency;
        if least <= decay.floor || least.is_nan() {
            return u64::MAX;
        }
        let past = self.decay.reach(least);
        let ahead = self
            .growth
            .as_ref()
            .map_or(f64::INFINITY, |growth| growth.reach(least));
        let offset_ahead = growth.map_or(0.0, |growth| growth.offset_seconds);
        let mut reaching = 0;
        for (at, time) in times.iter().enumerate() {
            let age = center_seconds - time;
            let reaches = (age - decay.offset_seconds <= past) & (-age - offset_ahead <= ahead);
            reaching |= u64::from(reaches) << at;
        }
        reaching
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Falloff;

    const DAY: f64 = 86_400.0;

    prop_compose! {
        fn any_slope()(at in 0..4_usize, scale in 1e-6..30.0_f64, offset in 0.0..5.0_f64, floor in 0.01..=1.0_f64) -> Slope {
            let falloff = [Falloff::Exponential, Falloff::Linear, Falloff::Gaussian, Falloff::Binary][at];
            Slope { falloff, scale_seconds: scale * DAY, offset_seconds: offset * DAY, floor }
        }
    }

    proptest! {
        #[test]
        fn no_document_is_more_recent_than_the_steps_say(
            decay in any_slope(), growth in proptest::option::of(any_slope()),
            days in proptest::collection::vec(-40.0..40.0_f64, 0..64), least in 0.0..1.0_f64,
        ) {
            let recency = Recency { center_seconds: 20_000.0 * DAY, decay, growth };
            let steps = RecencySteps::new(recency);
            let mut times = [f64::NAN; 64];
            for (time, days) in times.iter_mut().zip(&days) {
                *time = recency.center_seconds - days * DAY;
            }
            let known = || times.iter().copied().filter(|time| !time.is_nan());
            let earliest = known().fold(f64::INFINITY, f64::min);
            let latest = known().fold(f64::NEG_INFINITY, f64::max);
            let highest = steps.highest(earliest..=latest);
            prop_assert!(highest <= 1.0);
            let reaching = steps.reaching(least, &times);
            for (at, time) in times.iter().enumerate() {
                let value = recency.at(Some(*time).filter(|time| !time.is_nan()));
                prop_assert!(value <= highest);
                prop_assert!(value < least || reaching >> at & 1 == 1, "{value} {least}");
                // Two steps make less of a difference than this, but for the jump of a binary slope.
                let is_smooth = [Some(decay), growth].iter().flatten().all(|slope| slope.falloff != Falloff::Binary);
                let is_ruled_out = least > decay.floor && value < least - 0.05;
                prop_assert!(!is_smooth || !is_ruled_out || reaching >> at & 1 == 0, "{value} {least}");
            }
            if !(earliest..=latest).contains(&recency.center_seconds) && days.len() == 1 {
                prop_assert!(highest < recency.at(Some(earliest)).max(decay.floor) + 0.05);
            }
        }
    }
}
