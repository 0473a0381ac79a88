//! The two limits of a range, as each type of value is compared with them.

use pelorus_filter::{End, Limit, Moment};

use crate::Number;
use crate::bounds::{float_range, floats_beyond, int_range, ints_beyond};

/// The integers and floats within limits, as inclusive ranges that may be empty.
#[derive(Debug, Clone, Copy)]
struct NumberRanges {
    ints: (i64, i64),
    floats: (f64, f64),
}

/// The limits of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limits {
    /// Both belong to the range, in the order of lower and upper.
    Within([Option<Limit>; 2]),
    /// The range begins behind the limit at its lower end, or ends before the one at its upper end.
    Beyond(Limit, End),
}

impl Limits {
    /// The range that has these limits. `rounded` gives a number in the precision of the floats that it is compared with.
    pub(crate) fn range(self, rounded: impl Fn(Number) -> Number) -> Range {
        match self {
            Limits::Within(limits) => Range::within(limits, rounded),
            Limits::Beyond(limit, end) => Range::beyond(limit, end, rounded),
        }
    }
}

/// A range over a column.
///
/// Where a limit is a date, numbers are Unix times: seconds, or milliseconds where they would be seconds beyond the
/// years 0 to 9999. Each value is told by itself, so that no other document decides about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// For seconds, and for any number where no limit is a date.
    numbers: NumberRanges,
    /// For milliseconds, where a limit is a date.
    milliseconds: Option<NumberRanges>,
    /// For texts that are dates; none where a limit is no date.
    moments: Option<[Option<Moment>; 2]>,
    /// Tells whether a limit is written as a date.
    pub(crate) is_of_dates: bool,
}

fn is_date(limit: Option<Limit>) -> bool {
    matches!(limit, Some(Limit::Moment(_)))
}

impl Range {
    fn within(limits: [Option<Limit>; 2], rounded: impl Fn(Number) -> Number) -> Self {
        let is_of_dates = limits.into_iter().any(is_date);
        let [lower, upper] = limits;
        let limits = [(lower, End::Lower), (upper, End::Upper)];
        let moments = limits.map(|(limit, end)| limit.map(|limit| limit.moment(end)));
        let numbers = |of: fn(Moment) -> Number| {
            let among = |of_type: fn(Limit, End) -> Option<Number>| {
                limits.map(|(limit, end)| {
                    // Beside a date a year is one.
                    let moment = limit?.moment(end).filter(|_| is_of_dates);
                    moment.map(of).or_else(|| of_type(limit?, end))
                })
            };
            let ints = among(Limit::among_integers);
            let floats = among(|limit, _| limit.among_floats()).map(|limit| limit.map(&rounded));
            NumberRanges {
                ints: int_range(ints[0], ints[1]),
                floats: float_range(floats[0], floats[1]),
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

    fn beyond(limit: Limit, end: End, rounded: impl Fn(Number) -> Number) -> Self {
        let is_of_dates = is_date(Some(limit));
        // A day is beyond another one where it is beyond all of it.
        let moment = limit.moment(end.other());
        let numbers = |of: fn(Moment) -> Number| {
            let date = moment.filter(|_| is_of_dates).map(of);
            let int = date.or(limit.among_integers(end.other()));
            let float = date.or(limit.among_floats()).map(&rounded);
            NumberRanges {
                ints: int.map_or((i64::MIN, i64::MAX), |limit| ints_beyond(limit, end)),
                floats: float.map_or((f64::NEG_INFINITY, f64::INFINITY), |limit| {
                    floats_beyond(limit, end)
                }),
            }
        };
        Self {
            numbers: numbers(Moment::seconds),
            milliseconds: is_of_dates.then(|| numbers(Moment::milliseconds)),
            moments: moment.map(|moment| match end {
                End::Lower => [Some(moment.beyond(end)), None],
                End::Upper => [None, Some(moment.beyond(end))],
            }),
            is_of_dates,
        }
    }

    /// Tells whether no value can be within the limits.
    pub(crate) fn is_empty(&self) -> bool {
        let is_of_no_moment = match self.moments {
            None => true,
            Some([Some(least), Some(most)]) => least > most,
            Some(_) => false,
        };
        is_of_no_moment
            && self.ints().all(|(low, high)| low > high)
            && self.floats().all(|(low, high)| low > high)
    }

    /// The integers that are within the limits, as inclusive ranges that may be empty.
    pub(crate) fn ints(&self) -> impl Iterator<Item = (i64, i64)> {
        self.ranges(|ranges| ranges.ints, int_range)
    }

    /// The floats that are within the limits, as inclusive ranges that may be empty.
    pub(crate) fn floats(&self) -> impl Iterator<Item = (f64, f64)> {
        self.ranges(|ranges| ranges.floats, float_range)
    }

    fn ranges<T: Copy + PartialOrd>(
        &self,
        of_type: impl Fn(&NumberRanges) -> (T, T),
        range: impl Fn(Option<Number>, Option<Number>) -> (T, T),
    ) -> impl Iterator<Item = (T, T)> {
        let numbers = of_type(&self.numbers);
        let Some(milliseconds) = self.milliseconds.as_ref().map(of_type) else {
            return [Some(numbers), None, None].into_iter().flatten();
        };
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
