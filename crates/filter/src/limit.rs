use std::fmt;

use crate::number::halves;
use crate::{End, Moment, Number};

/// A limit of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    Number(Number),
    /// A number that is on another side of some integer than the float nearest to it.
    Decimal(Decimal),
    /// Written as a date: its value among numbers depends on their unit.
    Moment(Moment),
}

/// A decimal number, as far as comparisons with floats and integers ask for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decimal {
    /// The nearest float: a stored number that is written alike is the same.
    float: f64,
    /// Its double, or the odd number between the doubles of the two integers that it is between.
    halves: i128,
}

impl Limit {
    /// Reads a number, a month, a day or an instant.
    pub(crate) fn parse(text: &str, end: End) -> Option<Limit> {
        let Some(number) = Number::parse(text) else {
            return Moment::parse(text, end).map(Limit::Moment);
        };
        let Number::Float(float) = number else {
            return Some(Limit::Number(number));
        };
        Some(
            match halves(text).filter(|halves| *halves != halves_of(float)) {
                Some(halves) => Limit::Decimal(Decimal { float, halves }),
                None => Limit::Number(number),
            },
        )
    }

    /// The moment that the limit is among dates: one of its own, or for an integer of four digits the first or the last
    /// of that year.
    pub fn moment(self, end: End) -> Option<Moment> {
        match self {
            Limit::Moment(moment) => Some(moment),
            Limit::Number(Number::Int(year @ 1000..=9999)) => Moment::of_year(year, end),
            Limit::Number(_) | Limit::Decimal(_) => None,
        }
    }

    /// The number that integers are compared with at that end; of a date none.
    pub fn among_integers(self, end: End) -> Option<Number> {
        match self {
            Limit::Number(number) => Some(number),
            Limit::Decimal(decimal) => Some(decimal.integer(end)),
            Limit::Moment(_) => None,
        }
    }

    /// The number that floats are compared with; of a date none.
    pub fn among_floats(self) -> Option<Number> {
        match self {
            Limit::Number(number) => Some(number),
            Limit::Decimal(decimal) => Some(Number::Float(decimal.float)),
            Limit::Moment(_) => None,
        }
    }
}

/// [`halves`] of a float that has no more than the digits that these are of.
fn halves_of(float: f64) -> i128 {
    let broken = match float.fract() {
        0.0 => 0,
        fraction if fraction > 0.0 => 1,
        _ => -1,
    };
    2 * float.trunc() as i128 + broken
}

impl Decimal {
    /// The first integer that is within the limit.
    fn integer(self, end: End) -> Number {
        let halves = match end {
            End::Lower => self.halves + 1,
            End::Upper => self.halves,
        };
        let integer = halves.div_euclid(2);
        i64::try_from(integer).map_or_else(
            |_| match integer > 0 {
                true => Number::Float(f64::MAX),
                false => Number::Float(f64::MIN),
            },
            Number::Int,
        )
    }
}

impl fmt::Display for Decimal {
    /// A form that is read back as the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.halves < 0 {
            f.write_str("-")?;
        }
        let (float, halves) = (self.float.abs(), self.halves.unsigned_abs());
        let whole = halves / 2;
        match halves % 2 {
            0 => write!(f, "{whole}.0"),
            _ if float == 0.0 => f.write_str("1e-400"),
            _ if float == whole as f64 && whole < 1 << 53 => write!(f, "{whole}.{:040}", 1),
            _ if whole < 1 << 53 => write!(f, "{whole}.{:9<40}", 9),
            // Only integers are half way between floats here, so every number between two integers has one nearest.
            _ => write!(f, "{whole}.5"),
        }
    }
}

impl From<Number> for Limit {
    fn from(number: Number) -> Self {
        Limit::Number(number)
    }
}
