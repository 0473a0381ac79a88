//! Dates as limits of ranges: an extension, where numbers are seconds since 1970.

use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, PrimitiveDateTime};

use crate::Number;

/// The limit of a range that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Lower,
    Upper,
}

/// Bytes of a day, `2024-02-29`.
const DAY_BYTES: usize = 10;

/// The Unix time in seconds of a day or an instant in ISO 8601, in UTC unless it names an offset:
/// `2024-02-29`, `2024-02-29T12:30`, `2024-02-29T12:30:05.25+02:00`. A day as the upper limit ends with
/// its last moment. `None` for anything else, which includes the forms without hyphens and of weeks.
pub(crate) fn unix_seconds(text: &str, end: End) -> Option<Number> {
    let is_day = |byte: u8, at: usize| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let day = text.get(..DAY_BYTES)?;
    if !day.bytes().zip(0..).all(|(byte, at)| is_day(byte, at)) {
        return None;
    }
    let date = Date::parse(day, &Iso8601::DATE).ok()?;
    if text.len() == DAY_BYTES {
        let midnight = |date: Date| date.midnight().assume_utc().unix_timestamp();
        return Some(match end {
            End::Lower => Number::Int(midnight(date)),
            End::Upper => Number::Float((midnight(date.next_day()?) as f64).next_down()),
        });
    }
    let has_offset = text.ends_with('Z') || text[DAY_BYTES..].contains(['+', '-']);
    let instant = match has_offset {
        true => OffsetDateTime::parse(text, &Iso8601::DEFAULT).ok()?,
        false => PrimitiveDateTime::parse(text, &Iso8601::DEFAULT)
            .ok()?
            .assume_utc(),
    };
    Some(match instant.nanosecond() {
        0 => Number::Int(instant.unix_timestamp()),
        _ => Number::Float(instant.unix_timestamp_nanos() as f64 / 1e9),
    })
}
