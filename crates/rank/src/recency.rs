/// The curve by which a value falls from 1 to its floor over a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Falloff {
    /// `floor^(age / scale)`
    Exponential,
    /// `1 - (1 - floor) · age / scale`
    Linear,
    /// `floor^((age / scale)²)`
    Gaussian,
    /// 1 before the scale is over, the floor from then on.
    Binary,
}

impl Falloff {
    /// The value at `age`, which is at least 0, in the unit of `scale`.
    fn at(self, age: f64, scale: f64, floor: f64) -> f64 {
        let part = age / scale;
        let value = match self {
            Falloff::Exponential => floor.powf(part),
            Falloff::Linear => 1.0 - (1.0 - floor) * part,
            Falloff::Gaussian => floor.powf(part * part),
            Falloff::Binary if age < scale => 1.0,
            Falloff::Binary => floor,
        };
        value.max(floor)
    }
}

/// One side of the curve of [`Recency`]: 1 for the offset, then down to the floor over the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    pub falloff: Falloff,
    /// Seconds until the value is the floor, more than 0, counted from the end of the offset.
    pub scale_seconds: f64,
    /// Seconds at the value 1, at least 0.
    pub offset_seconds: f64,
    /// The least value, more than 0 and at most 1.
    pub floor: f64,
}

impl Slope {
    /// The value `age` seconds down the slope.
    fn at(&self, age: f64) -> f64 {
        if age >= self.offset_seconds + self.scale_seconds {
            self.floor
        } else if age >= self.offset_seconds {
            self.past_offset(age - self.offset_seconds)
        } else {
            1.0
        }
    }

    /// The value so many seconds past the offset, within the scale.
    pub(crate) fn past_offset(&self, past: f64) -> f64 {
        self.falloff.at(past, self.scale_seconds, self.floor)
    }
}

/// The recency of documents: 1 at the centre, less for older ones, and with `growth` less for those
/// that lie further in the future.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recency {
    /// Unix time, in seconds, that ages are counted from.
    pub center_seconds: f64,
    /// The slope before the centre.
    pub decay: Slope,
    /// The slope behind it; without one such a document is as recent as can be.
    pub growth: Option<Slope>,
    /// Takes the time 0 for none.
    pub zero_is_none: bool,
}

impl Recency {
    /// Tells whether a time stands for none.
    pub fn is_none(&self, timestamp: f64) -> bool {
        self.zero_is_none && timestamp == 0.0
    }

    /// The recency of a document by its Unix time in seconds, above 0 and at most 1. One without a time,
    /// or with the time 0 where that stands for none, is as old as can be.
    pub fn at(&self, timestamp: Option<f64>) -> f64 {
        let Some(timestamp) = timestamp.filter(|&timestamp| !self.is_none(timestamp)) else {
            return self.decay.floor;
        };
        let age = self.center_seconds - timestamp;
        match &self.growth {
            _ if age >= 0.0 => self.decay.at(age),
            None => 1.0,
            Some(growth) => growth.at(-age),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: f64 = 86_400.0;
    const ALL: [Falloff; 4] = [
        Falloff::Exponential,
        Falloff::Linear,
        Falloff::Gaussian,
        Falloff::Binary,
    ];

    fn slope(falloff: Falloff, scale: f64, offset: f64, floor: f64) -> Slope {
        Slope {
            falloff,
            scale_seconds: scale * DAY,
            offset_seconds: offset * DAY,
            floor,
        }
    }

    fn near(received: f64, expected: f64) {
        assert!((received - expected).abs() < 5e-7, "{received} {expected}");
    }

    #[test]
    fn values_are_those_of_the_reference_table() {
        let center_seconds = 1_000.0 * DAY;
        for (falloff, half, whole) in [
            (Falloff::Exponential, std::f64::consts::FRAC_1_SQRT_2, 0.5),
            (Falloff::Linear, 0.75, 0.5),
            (Falloff::Gaussian, 0.840896, 0.5),
            (Falloff::Binary, 1.0, 0.5),
        ] {
            let recency = Recency {
                center_seconds,
                decay: slope(falloff, 7.0, 0.0, 0.5),
                growth: None,
                zero_is_none: true,
            };
            let at = |days: f64| recency.at(Some(center_seconds - days * DAY));
            near(at(3.5), half);
            near(at(7.0), whole);
            near(at(70.0), whole);
            near(at(0.0), 1.0);
            near(at(-3.0), 1.0);
            near(recency.at(None), 0.5);
            near(recency.at(Some(0.0)), 0.5);
        }
    }

    #[test]
    fn a_zero_that_stands_for_itself_is_at_the_centre() {
        let decay = slope(Falloff::Linear, 10.0, 0.0, 0.2);
        let distance = Recency {
            center_seconds: 0.0,
            decay,
            growth: Some(decay),
            zero_is_none: false,
        };
        near(distance.at(Some(0.0)), 1.0);
        near(distance.at(Some(5.0 * DAY)), 0.6);
        near(distance.at(Some(20.0 * DAY)), 0.2);
        near(distance.at(None), 0.2);
    }

    #[test]
    fn offsets_come_before_both_slopes() {
        let center_seconds = 1_000.0 * DAY;
        let recency = Recency {
            center_seconds,
            decay: slope(Falloff::Linear, 10.0, 2.0, 0.2),
            growth: Some(slope(Falloff::Linear, 4.0, 1.0, 0.6)),
            zero_is_none: true,
        };
        for (days, expected) in [
            (1.9, 1.0),
            (2.0, 1.0),
            (7.0, 0.6),
            (12.0, 0.2),
            (-1.0, 1.0),
            (-3.0, 0.8),
            (-5.0, 0.6),
            (-50.0, 0.6),
        ] {
            near(recency.at(Some(center_seconds - days * DAY)), expected);
        }
    }

    /// The table of cases of the reference, row by row.
    fn table(recency: &Recency, timestamp: f64) -> f64 {
        let f = |a: f64, s: f64, v: f64, falloff: Falloff| match falloff {
            Falloff::Exponential => v.max(v.powf(a / s)),
            Falloff::Linear => v.max(1.0 - (1.0 - v) * a / s),
            Falloff::Gaussian => v.max(v.powf((a / s).powi(2))),
            Falloff::Binary => [v, 1.0][usize::from(a < s)],
        };
        let decay = &recency.decay;
        let age = recency.center_seconds - timestamp;
        if timestamp == 0.0 || age >= decay.offset_seconds + decay.scale_seconds {
            return decay.floor;
        }
        if age >= decay.offset_seconds {
            let past = age - decay.offset_seconds;
            return f(past, decay.scale_seconds, decay.floor, decay.falloff);
        }
        let Some(growth) = &recency.growth else {
            return 1.0;
        };
        if age >= -growth.offset_seconds {
            return 1.0;
        }
        if age >= -growth.offset_seconds - growth.scale_seconds {
            let ahead = -age - growth.offset_seconds;
            return f(ahead, growth.scale_seconds, growth.floor, growth.falloff);
        }
        growth.floor
    }

    prop_compose! {
        fn any_slope()(at in 0..4_usize, scale in 0.1..30.0_f64, offset in 0.0..5.0_f64, floor in 0.01..=1.0_f64) -> Slope {
            slope(ALL[at], scale, offset, floor)
        }
    }

    proptest! {
        #[test]
        fn every_case_of_the_table_is_met(
            decay in any_slope(), growth in proptest::option::of(any_slope()), days in -60.0..60.0_f64,
        ) {
            let recency = Recency { center_seconds: 1_000.0 * DAY, decay, growth, zero_is_none: true };
            let timestamp = (1_000.0 - days) * DAY;
            let received = recency.at(Some(timestamp));
            prop_assert!((received - table(&recency, timestamp)).abs() < 1e-12);
            prop_assert!(received > 0.0 && received <= 1.0);
        }
    }
}
