//! The curve of recency in steps that are cheap to look up and never below it.

use std::ops::RangeInclusive;

use crate::recency::{Recency, Slope};

/// Steps of one side of the curve.
const STEPS: usize = 128;
/// By how much of its width a step reaches into the next one: far more than what ages are rounded by.
const LATE: f64 = 0.01;
/// More than the rounding of a power.
const ROUNDING: f64 = 1e-12;

/// Upper bounds of a [`Recency`].
#[derive(Debug, Clone)]
pub struct RecencySteps {
    recency: Recency,
    decay: SlopeSteps,
    growth: Option<SlopeSteps>,
}

/// One side of the curve.
#[derive(Debug, Clone)]
struct SlopeSteps {
    slope: Slope,
    steps_per_second: f64,
    /// Descending: of the offset, of each step after it, of all that is further.
    values: [f64; STEPS + 2],
}

impl SlopeSteps {
    fn new(slope: Slope) -> Self {
        let value = |place: usize| match place {
            0 => 1.0,
            _ if place > STEPS => slope.floor,
            _ => {
                let past = (place - 1) as f64 * slope.scale_seconds / STEPS as f64;
                // Powers are rounded such that a higher one may come out lower.
                (slope.past_offset(past) * (1.0 + ROUNDING)).min(1.0)
            }
        };
        let mut values = std::array::from_fn(value);
        for place in (0..=STEPS).rev() {
            values[place] = values[place].max(values[place + 1]);
        }
        Self {
            slope,
            steps_per_second: STEPS as f64 / slope.scale_seconds,
            values,
        }
    }

    /// An upper bound of the recency `age` seconds down the slope, or further.
    #[inline]
    fn at(&self, age: f64) -> f64 {
        // Without a branch: ages of documents are in no order that could be foreseen.
        let step = (age - self.slope.offset_seconds) * self.steps_per_second;
        let place = (step + (1.0 - LATE)).clamp(0.0, (STEPS + 1) as f64);
        self.values[place as i32 as usize]
    }

    /// The distance past the offset at which the recency may still be `least` or more.
    fn reach(&self, least: f64) -> f64 {
        if least <= self.slope.floor {
            return f64::INFINITY;
        }
        let place = self.values.partition_point(|&value| value >= least);
        (place as f64 - 1.0 + LATE).max(0.0) * self.slope.scale_seconds / STEPS as f64
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

    /// An upper bound of the recency of a document, if it has no time or one in `times`, which may be empty.
    #[inline]
    pub fn highest(&self, times: RangeInclusive<f64>) -> f64 {
        // The curve falls on both sides of the centre. From no time to none it is as far as can be.
        let nearest = self
            .recency
            .center_seconds
            .max(*times.start())
            .min(*times.end());
        let age = self.recency.center_seconds - nearest;
        let highest = match &self.growth {
            Some(growth) if age < 0.0 => growth.at(-age),
            _ => self.decay.at(age),
        };
        highest.max(self.recency.decay.floor)
    }

    /// A lower bound of the recency of all documents.
    pub fn least(&self) -> f64 {
        let growth = self.recency.growth.map_or(1.0, |growth| growth.floor);
        self.recency.decay.floor.min(growth)
    }

    /// From when to when documents are that may be as recent as `least`; `None` if those without a time may be, too.
    pub fn reaching(&self, least: f64) -> Option<RangeInclusive<f64>> {
        let Recency {
            center_seconds: center,
            decay,
            growth,
            zero_is_none: _,
        } = &self.recency;
        if least <= decay.floor || least.is_nan() {
            return None;
        }
        let past = decay.offset_seconds + self.decay.reach(least);
        let ahead = match (growth, &self.growth) {
            (Some(slope), Some(steps)) => slope.offset_seconds + steps.reach(least),
            _ => f64::INFINITY,
        };
        // Sums are rounded by less.
        let wider = |seconds: f64| seconds + (seconds + center.abs()) * f64::EPSILON * 4.0;
        Some(center - wider(past)..=center + wider(ahead))
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
            let recency = Recency { center_seconds: 20_000.0 * DAY, decay, growth, zero_is_none: true };
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
            let reaching = steps.reaching(least);
            let may_reach = |time: &f64| reaching.as_ref().is_none_or(|times| times.contains(time));
            for time in &times {
                let value = recency.at(Some(*time).filter(|time| !time.is_nan()));
                prop_assert!(value <= highest);
                prop_assert!(value < least || may_reach(time), "{value} {least}");
                // Two steps make less of a difference than this, but for the jump of a binary slope.
                let is_smooth = [Some(decay), growth].iter().flatten().all(|slope| slope.falloff != Falloff::Binary);
                let is_ruled_out = least > decay.floor && value < least - 0.05;
                prop_assert!(!is_smooth || !is_ruled_out || !may_reach(time), "{value} {least}");
            }
            if !(earliest..=latest).contains(&recency.center_seconds) && days.len() == 1 {
                prop_assert!(highest < recency.at(Some(earliest)).max(decay.floor) + 0.05);
            }
        }
    }
}
