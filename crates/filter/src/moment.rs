//! Dates as limits of ranges: an extension of the language.

use std::fmt;

use time::format_description::well_known::Iso8601;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime};

use crate::{Limit, Number};

/// The end of a range that a limit stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Lower,
    Upper,
}

impl End {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            End::Lower => End::Upper,
            End::Upper => End::Lower,
        }
    }
}

/// A moment of the years 0 to 9999 in UTC, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i128);

/// Bytes of a day, `2024-02-29`, of a month, `2024-02`, and of a year.
const DAY_BYTES: usize = 10;
const MONTH_BYTES: usize = 7;
const YEAR_BYTES: usize = 4;

const SECOND: i128 = 1_000_000_000;
const MILLISECOND: i128 = 1_000_000;
const DAY: i128 = 86_400 * SECOND;

impl Moment {
    /// The first moment of the year 0.
    pub const MIN: Moment = Moment(-62_167_219_200 * SECOND);
    /// The last moment of the year 9999.
    pub const MAX: Moment = Moment(253_402_300_800 * SECOND - 1);

    /// Reads a month, a day or an instant in ISO 8601, in UTC unless it names an offset: `2024-02`, `2024-02-29`,
    /// `2024-02-29T12:30`, `2024-02-29 12:30:05.25+02:00`. A month or a day begins with its first moment and ends
    /// with its last. `None` for anything else, which includes the forms without hyphens and of weeks.
    pub fn parse(text: &str, end: End) -> Option<Moment> {
        let is_in_place = |(at, byte): (usize, u8)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        let begins_as_day = text.bytes().take(DAY_BYTES).enumerate().all(is_in_place);
        if !begins_as_day || text.len() < MONTH_BYTES {
            return None;
        }
        let month = Month::try_from(text[5..MONTH_BYTES].parse::<u8>().ok()?).ok()?;
        let year = text[..YEAR_BYTES].parse().ok()?;
        if text.len() == MONTH_BYTES {
            let first = Date::from_calendar_date(year, month, 1).ok()?;
            return Some(Moment::of_days(first, month.length(year), end));
        }
        let day = text.get(MONTH_BYTES + 1..DAY_BYTES)?.parse().ok()?;
        let day = Date::from_calendar_date(year, month, day).ok()?;
        match text.len() {
            DAY_BYTES => Some(Moment::of_days(day, 1, end)),
            _ => Moment::of_instant(text),
        }
    }

    /// The first moment of the date that a stored text is: as [`Moment::parse`] reads it, or of a year, `2024`.
    pub fn of_text(text: &str) -> Option<Moment> {
        // The limit says which integers are years; a text of more bytes is another spelling.
        let year = || text.parse().ok().filter(|_| text.len() == YEAR_BYTES);
        let of_year = |year| Limit::Number(Number::Int(year)).moment(End::Lower);
        Moment::parse(text, End::Lower).or_else(|| of_year(year()?))
    }

    /// The next moment in a direction, which is beyond this one.
    #[must_use]
    pub fn beyond(self, end: End) -> Moment {
        match end {
            End::Lower => Moment(self.0 + 1),
            End::Upper => Moment(self.0 - 1),
        }
    }

    /// The first or the last moment of a year.
    pub(crate) fn of_year(year: i64, end: End) -> Option<Moment> {
        let year = i32::try_from(year).ok()?;
        let first = Date::from_ordinal_date(year, 1).ok()?;
        Some(Moment::of_days(first, time::util::days_in_year(year), end))
    }

    fn of_days(first: Date, days: impl Into<i128>, end: End) -> Moment {
        let midnight = first.midnight().assume_utc().unix_timestamp_nanos();
        match end {
            End::Lower => Moment(midnight),
            End::Upper => Moment(midnight + days.into() * DAY - 1),
        }
    }

    fn of_instant(text: &str) -> Option<Moment> {
        let with_sign;
        let text = match text.as_bytes()[DAY_BYTES] {
            b' ' => {
                with_sign = format!("{}T{}", &text[..DAY_BYTES], &text[DAY_BYTES + 1..]);
                &with_sign
            }
            _ => text,
        };
        let has_offset = text.ends_with('Z') || text[DAY_BYTES..].contains(['+', '-']);
        let instant = match has_offset {
            true => OffsetDateTime::parse(text, &Iso8601::DEFAULT).ok()?,
            false => PrimitiveDateTime::parse(text, &Iso8601::DEFAULT)
                .ok()?
                .assume_utc(),
        };
        let moment = Moment(instant.unix_timestamp_nanos());
        (Moment::MIN..=Moment::MAX)
            .contains(&moment)
            .then_some(moment)
    }

    /// The Unix time in nanoseconds.
    pub const fn nanoseconds(self) -> i128 {
        self.0
    }

    /// The Unix time in seconds.
    pub fn seconds(self) -> Number {
        self.in_units_of(SECOND)
    }

    /// The Unix time in milliseconds.
    pub fn milliseconds(self) -> Number {
        self.in_units_of(MILLISECOND)
    }

    fn in_units_of(self, unit: i128) -> Number {
        let whole = self.0.div_euclid(unit);
        // Both are far below 2^53.
        if self.0.rem_euclid(unit) == 0 {
            return Number::Int(whole as i64);
        }
        // The last nanosecond of a day is before the next one, which a float must not be rounded to.
        let next = (whole + 1) as f64;
        Number::Float((self.0 as f64 / unit as f64).min(next.next_down()))
    }

    /// Writes a form that [`Moment::parse`] reads back as the same at that end.
    pub(crate) fn write(self, f: &mut fmt::Formatter<'_>, end: End) -> fmt::Result {
        let instant = OffsetDateTime::from_unix_timestamp_nanos(self.0).map_err(|_| fmt::Error)?;
        let (year, month, day) = instant.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))?;
        let is_day = match end {
            End::Lower => self.0.rem_euclid(DAY) == 0,
            End::Upper => (self.0 + 1).rem_euclid(DAY) == 0,
        };
        if is_day {
            return Ok(());
        }
        let (hour, minute, second, nanosecond) = instant.to_hms_nano();
        write!(f, "T{hour:02}:{minute:02}:{second:02}")?;
        match nanosecond {
            0 => f.write_str("Z"),
            _ => write!(f, ".{nanosecond:09}Z"),
        }
    }
}
