//! Ranges in spellings that the language does not read, such as `5..10`, `5-10` and `5+`. They serve messages alone.

use crate::{End, Moment, Number, spelled_number};

/// The longest text that is read as a range, in bytes. Both its sides are read at each of its marks, so that a long one
/// would cost the square of its length.
const RANGE_BYTES_MAX: usize = 128;

/// The limits of a range that is written without brackets: `5..10`, `5-10`, `-5--4`, `$5~$10`, `5..`, `*-10`. `None`
/// where it can be cut at more than one place, holds nothing, or is longer than ranges are.
pub fn spelled_range(value: &str) -> Option<(String, String)> {
    if value.len() > RANGE_BYTES_MAX {
        return None;
    }
    between(value).or_else(|| at_least(value))
}

fn between(value: &str) -> Option<(String, String)> {
    let marks = ["...", "…", "..", "–", "—", "~", "-"];
    let mark = marks
        .into_iter()
        .find(|mark| value[sign_bytes(value)..].contains(mark))?;
    let mut ranges = value
        .match_indices(mark)
        .filter_map(|(at, mark)| limits(&value[..at], &value[at + mark.len()..], mark));
    let range = ranges.next()?;
    ranges.next().is_none().then_some(range)
}

/// The bytes of the minus that a value begins with.
fn sign_bytes(value: &str) -> usize {
    let sign = value.chars().next().filter(|c| matches!(c, '-' | '–'));
    sign.map_or(0, char::len_utf8)
}

fn limits(lower: &str, upper: &str, mark: &str) -> Option<(String, String)> {
    // In `5 -10` the mark is the minus of a second number.
    if lower.ends_with(' ') != upper.starts_with(' ') {
        return None;
    }
    // A dash that stands at an end may be a minus, a tilde mean about.
    let may_be_open = mark.starts_with(['.', '…']);
    let limit = |text: &str| match text.trim() {
        "" if may_be_open => Some("*".to_owned()),
        "*" => Some("*".to_owned()),
        text => limit(text),
    };
    let limits = (limit(lower)?, limit(upper)?);
    holds_any(&limits.0, &limits.1).then_some(limits)
}

/// The limit of a range that a text is or plainly means.
fn limit(text: &str) -> Option<String> {
    match Number::parse(text).is_some() || Moment::parse(text, End::Lower).is_some() {
        true => Some(text.to_owned()),
        false => spelled_number(text).map(|number| number.to_string()),
    }
}

/// Tells whether one limit at least is no star, and the lower one not above the upper one.
fn holds_any(lower: &str, upper: &str) -> bool {
    let date = |text: &str, end| Moment::parse(text, end);
    match (Number::parse(lower), Number::parse(upper)) {
        (Some(lower), Some(upper)) => lower.compare(upper).is_le(),
        (None, None) => match (date(lower, End::Lower), date(upper, End::Upper)) {
            (Some(lower), Some(upper)) => lower <= upper,
            (lower, upper) => lower.is_some() || upper.is_some(),
        },
        _ => true,
    }
}

/// The limits that a number with a plus behind it means, `5+`.
fn at_least(value: &str) -> Option<(String, String)> {
    Some((limit(value.strip_suffix('+')?)?, "*".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_longer_than_ranges_are_is_none() {
        assert!(spelled_range("5..10").is_some());
        let zeros = "0".repeat(RANGE_BYTES_MAX);
        assert_eq!(spelled_range(&format!("{zeros}5..10")), None);
        assert_eq!(spelled_range(&"1-".repeat(200_000)), None);
    }
}
