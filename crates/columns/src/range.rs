//! The two limits of a range, as each type of value is compared with them.

use pelorus_filter::{End, Limit, Moment};

use crate::Number;
use crate::bounds::{float_range, int_range};

type Limits = [Option<Number>; 2];

/// The limits that integers and floats are compared with.
#[derive(Debug, Clone, Copy)]
struct NumberLimits {
    ints: Limits,
    floats: Limits,
}

/// A range over a column.
///
/// Where a limit is a date, numbers are Unix times: seconds, or milliseconds where they would be seconds beyond the
/// years 0 to 9999. Each value is told by itself, so that no other document decides about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// For seconds, and for any number where no limit is a date.
    numbers: NumberLimits,
    /// For milliseconds, where a limit is a date.
    milliseconds: Option<NumberLimits>,
    /// For texts that are dates; none where a limit is no date.
    moments: Option<[Option<Moment>; 2]>,
    /// Tells whether a limit is written as a date.
    pub(crate) is_of_dates: bool,
}

impl Range {
    /// `rounded` gives a number in the precision of the floats that it is compared with.
    pub(crate) fn new(limits: [Option<Limit>; 2], rounded: impl Fn(Number) -> Number) -> Self {
        let is_of_dates = limits
            .iter()
            .any(|limit| matches!(limit, Some(Limit::Moment(_))));
        let [lower, upper] = limits;
        let limits = [(lower, End::Lower), (upper, End::Upper)];
        let moments = limits.map(|(limit, end)| limit.map(|limit| limit.moment(end)));
        let numbers = |of: fn(Moment) -> Number| {
            let limits = |among: fn(Limit, End) -> Option<Number>| {
                limits.map(|(limit, end)| {
                    // Beside a date a year is one.
                    let moment = limit?.moment(end).filter(|_| is_of_dates);
                    moment.map(of).or_else(|| among(limit?, end))
                })
            };
            NumberLimits {
                ints: limits(Limit::among_integers),
                floats: limits(|limit, _| limit.among_floats()).map(|limit| limit.map(&rounded)),
            }
        };
        Self {
            numbers: numbers(Moment::seconds),
            milliseconds: is_of_dates.then(|| numbers(Moment::milliseconds)),
            moments: match moments {
                [Some(None), _] | [_, Some(None)] => None,
                dates => Some(dates.map(Option::flatten)),
            },
            is_of_dates,
        }
    }

    /// The integers that are within the limits, as inclusive ranges that may be empty.
    pub(crate) fn ints(&self) -> impl Iterator<Item = (i64, i64)> {
        self.ranges(|limits| limits.ints, int_range)
    }

    /// The floats that are within the limits, as inclusive ranges that may be empty.
    pub(crate) fn floats(&self) -> impl Iterator<Item = (f64, f64)> {
        self.ranges(|limits| limits.floats, float_range)
    }

    fn ranges<T: Copy + PartialOrd>(
        &self,
        of_type: impl Fn(&NumberLimits) -> Limits,
        range: impl Fn(Option<Number>, Option<Number>) -> (T, T),
    ) -> impl Iterator<Item = (T, T)> {
        let [lower, upper] = of_type(&self.numbers);
        let numbers = range(lower, upper);
        let Some([lower, upper]) = self.milliseconds.as_ref().map(of_type) else {
            return [Some(numbers), None, None].into_iter().flatten();
        };
        let milliseconds = range(lower, upper);
        let (first, last) = (Moment::MIN.seconds(), Moment::MAX.seconds());
        let within = |(low, high): (T, T), (least, most): (T, T)| {
            let low = if low < least { least } else { low };
            let high = if high > most { most } else { high };
            (low <= high).then_some((low, high))
        };
        [
            within(numbers, range(Some(first), Some(last))),
            within(milliseconds, range(None, Some(below(first)))),
            within(milliseconds, range(Some(above(last)), None)),
        ]
        .into_iter()
        .flatten()
    }

    /// The limits of texts that are dates, where dates can be compared with them.
    pub(crate) fn moments(&self) -> Option<[Option<Moment>; 2]> {
        self.moments
    }

    /// The test of a text, where dates can be compared with the limits.
    pub(crate) fn of_texts(&self) -> Option<impl Fn(&str) -> bool + use<>> {
        let [lower, upper] = self.moments?;
        Some(move |text: &str| {
            Moment::of_text(text).is_some_and(|moment| {
                lower.is_none_or(|lower| lower <= moment)
                    && upper.is_none_or(|upper| moment <= upper)
            })
        })
    }
}

/// The greatest number below a limit of the seconds.
fn below(first: Number) -> Number {
    Number::Float(first.as_f64().next_down())
}

/// The least number above a limit of the seconds.
fn above(last: Number) -> Number {
    Number::Float(last.as_f64().next_up())
}
