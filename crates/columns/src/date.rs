//! Dates of documents: texts that filters take as dates, and numbers as Unix times.
//!
//! They are read like numbers of a field, by a name of their own: behind a mark that no field begins with.

use pelorus_filter::{Moment, Number};

/// A moment of the years 0 to 9999 in UTC, as seconds since 1970 and the nanoseconds behind these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    seconds: i64,
    nanoseconds: u32,
}

const NANOSECONDS: i128 = 1_000_000_000;

/// Seconds in which the years 0 to 9999 begin and are over.
const FIRST_SECOND: i64 = seconds_of(Moment::MIN);
const END_SECOND: i64 = seconds_of(Moment::MAX) + 1;

const fn seconds_of(moment: Moment) -> i64 {
    moment.nanoseconds().div_euclid(NANOSECONDS) as i64
}

impl Date {
    /// The date that a text is, as its first moment; none where filters take it for no date.
    pub fn of_text(text: &str) -> Option<Self> {
        Moment::of_text(text).map(Self::of_moment)
    }

    pub fn of_moment(moment: Moment) -> Self {
        Self {
            seconds: seconds_of(moment),
            nanoseconds: moment.nanoseconds().rem_euclid(NANOSECONDS) as u32,
        }
    }

    /// The Unix time that a number is: seconds, or milliseconds where they would be seconds beyond the years 0 to 9999.
    /// None where it is beyond these years in milliseconds too. A fraction is rounded to nanoseconds.
    pub fn of_number(number: Number) -> Option<Self> {
        let years = FIRST_SECOND..END_SECOND;
        let date = match number {
            Number::Int(int) if years.contains(&int) => Self::of_parts(int, 0.0),
            Number::Int(int) => {
                let milliseconds = int.rem_euclid(1_000) as f64;
                Self::of_parts(int.div_euclid(1_000), milliseconds * 1e6)
            }
            Number::Float(float) if years.contains(&(float.floor() as i64)) => {
                Self::of_parts(float.floor() as i64, (float - float.floor()) * 1e9)
            }
            Number::Float(float) => {
                let seconds = (float / 1_000.0).floor();
                Self::of_parts(seconds as i64, (float - seconds * 1_000.0) * 1e6)
            }
        };
        years.contains(&date.seconds).then_some(date)
    }

    /// Nanoseconds may be a whole second, and by the rounding of a quotient outside of one.
    fn of_parts(seconds: i64, nanoseconds: f64) -> Self {
        let nanoseconds = nanoseconds.round() as i64;
        let whole = NANOSECONDS as i64;
        Self {
            seconds: seconds.saturating_add(nanoseconds.div_euclid(whole)),
            nanoseconds: nanoseconds.rem_euclid(whole) as u32,
        }
    }

    /// The whole Unix seconds before it.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// The nanoseconds behind its whole seconds, fewer than a billion.
    pub fn nanoseconds(self) -> u32 {
        self.nanoseconds
    }

    /// The Unix time in seconds, as near as 64 bits are.
    pub fn as_f64(self) -> f64 {
        self.seconds as f64 + f64::from(self.nanoseconds) / 1e9
    }
}

/// A form in which the date of a field is read as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatePart {
    /// Numbers of the field as they are, and texts that are dates in Unix seconds.
    Time,
    /// Dates in Unix seconds.
    Date,
    /// The whole Unix seconds of dates.
    Seconds,
    /// The nanoseconds behind these.
    Nanoseconds,
}

const PARTS: [(DatePart, &str); 4] = [
    (DatePart::Time, "@time:"),
    (DatePart::Date, "@date:"),
    (DatePart::Seconds, "@seconds:"),
    (DatePart::Nanoseconds, "@nanoseconds:"),
];

impl DatePart {
    /// The name by which a field is read in this form like numbers.
    pub fn name(self, field: &str) -> String {
        let mark = PARTS.iter().find(|(part, _)| *part == self);
        format!("{}{field}", mark.map_or("", |(_, mark)| mark))
    }
}

/// The form and the field of a date by its name; `None` for another name.
pub fn date_of(name: &str) -> Option<(DatePart, &str)> {
    // Most names have no mark.
    if !name.starts_with('@') {
        return None;
    }
    let mut parts = PARTS.iter();
    parts.find_map(|(part, mark)| Some((*part, name.strip_prefix(mark)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_named_by_its_form_and_field() {
        for (part, _) in PARTS {
            for field in ["published", "map.some key", "map.@time:x"] {
                assert_eq!(date_of(&part.name(field)), Some((part, field)));
            }
        }
        for name in ["published", "map.@time:x", "@other:x", ""] {
            assert_eq!(date_of(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds_of_the_same_years() {
        let of = |number| Date::of_number(number).map(|date| (date.seconds, date.nanoseconds));
        for (int, date) in [
            (0, Some((0, 0))),
            (-1, Some((-1, 0))),
            (FIRST_SECOND, Some((FIRST_SECOND, 0))),
            (END_SECOND - 1, Some((END_SECOND - 1, 0))),
            (END_SECOND, Some((253_402_300, 800_000_000))),
            (FIRST_SECOND - 1, Some((-62_167_220, 799_000_000))),
            (END_SECOND * 1_000 - 1, Some((END_SECOND - 1, 999_000_000))),
            (END_SECOND * 1_000, None),
            (FIRST_SECOND * 1_000, Some((FIRST_SECOND, 0))),
            (FIRST_SECOND * 1_000 - 1, None),
            (i64::MAX, None),
            (i64::MIN, None),
        ] {
            assert_eq!(of(Number::Int(int)), date, "{int}");
            if int.unsigned_abs() < 1 << 53 {
                assert_eq!(of(Number::Float(int as f64)), date, "{int} as a float");
            }
        }
        for (float, date) in [
            (0.3, Some((0, 300_000_000))),
            (-0.25, Some((-1, 750_000_000))),
            (-1e-12, Some((0, 0))),
            (1.7e12 + 0.5, Some((1_700_000_000, 500_000))),
            (1e300, None),
            (-1e300, None),
        ] {
            assert_eq!(of(Number::Float(float)), date, "{float}");
        }
    }
}
