//! Values that a field of numbers or truth values cannot equal, and that are known ways to ask for one that it can.
//!
//! Any other value that is of no type of the field just matches nothing.

use pelorus_excerpt::truncated;
use pelorus_filter::{End, Moment, looks_numeric, spelled_number};

use crate::{ColumnError, Number};

/// The type of every value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Numbers,
    Truths,
}

/// Refuses a value of a field that holds no other type, if its meaning is known.
pub(crate) fn check(field: &str, value: &str, holds: Holds) -> Result<(), ColumnError> {
    let expected = match holds {
        Holds::Numbers => expected_of_numbers(&truncated(field), value),
        Holds::Truths => truth(value).map(|truth| format!("{}:{truth}", truncated(field))),
    };
    match expected {
        None => Ok(()),
        Some(expected) => Err(ColumnError::OtherType {
            field: field.to_owned(),
            value: value.to_owned(),
            holds: match holds {
                Holds::Numbers => "numbers",
                Holds::Truths => "truth values",
            },
            expected,
        }),
    }
}

fn expected_of_numbers(field: &str, value: &str) -> Option<String> {
    if Number::parse(value).is_some() {
        return None;
    }
    if Moment::parse(value, End::Lower).is_some() {
        return Some(format!("{field}:[{value} TO {value}]"));
    }
    if let Some(number) = spelled_number(value) {
        return Some(format!("{field}:{number}"));
    }
    if let Some((lower, upper)) = between(value).or_else(|| at_least(value)) {
        return Some(format!("{field}:[{lower} TO {upper}]"));
    }
    let is_pattern = value == "*" || looks_numeric(value);
    is_pattern.then(|| {
        format!("a number such as 1000.5, a range such as {field}:[10 TO 20] or a list such as {field} IN (10, 20)")
    })
}

/// The limits of a range that is written without brackets: `5..10`, `5-10`, `-5--4`, `$5~$10`, `5..`, `*-10`. `None`
/// where it can be cut at more than one place, or holds nothing.
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

fn truth(value: &str) -> Option<bool> {
    let is = |names: &[&str]| names.iter().any(|name| value.eq_ignore_ascii_case(name));
    match () {
        () if is(&["yes", "y", "on"]) => Some(true),
        () if is(&["no", "n", "off"]) => Some(false),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dates_and_ranges_are_known_as_they_are_written_elsewhere() {
        for (value, expected) in [
            ("2024-01-01", Some("p:[2024-01-01 TO 2024-01-01]")),
            (
                "2024-01-01T10:00:00Z",
                Some("p:[2024-01-01T10:00:00Z TO 2024-01-01T10:00:00Z]"),
            ),
            ("5..10", Some("p:[5 TO 10]")),
            ("0.5...2.5", Some("p:[0.5 TO 2.5]")),
            ("5…10", Some("p:[5 TO 10]")),
            ("5-10", Some("p:[5 TO 10]")),
            ("5 – 10", Some("p:[5 TO 10]")),
            ("-5--4", Some("p:[-5 TO -4]")),
            ("-5-4", Some("p:[-5 TO 4]")),
            ("−5–10", Some("p:[-5 TO 10]")),
            ("–5–10", Some("p:[-5 TO 10]")),
            ("5..", Some("p:[5 TO *]")),
            ("..5", Some("p:[* TO 5]")),
            ("5-*", Some("p:[5 TO *]")),
            ("5+", Some("p:[5 TO *]")),
            ("$1,000+", Some("p:[1000 TO *]")),
            ("$5-$10", Some("p:[5 TO 10]")),
            ("-$10..-$5", Some("p:[-10 TO -5]")),
            ("2024-01-01..2024-02", Some("p:[2024-01-01 TO 2024-02]")),
            (
                "2024-01-01-2024-02-01",
                Some("p:[2024-01-01 TO 2024-02-01]"),
            ),
            ("1,000", Some("p:1000")),
            ("1\u{a0}000.50", Some("p:1000.5")),
            ("-$5", Some("p:-5")),
            ("–5", Some("p:-5")),
            ("10 USD", Some("p:10")),
            ("10", None),
            ("1e3", None),
            ("cheap", None),
            ("", None),
            ("-", None),
            ("..", None),
            ("12-AB", None),
        ] {
            assert_eq!(
                expected_of_numbers("p", value).as_deref(),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn no_message_names_a_number_that_may_not_be_meant() {
        for value in [
            "10,20",
            "10,5",
            "€1.000",
            "50%",
            "~5",
            "5~",
            "5-",
            "5 -10",
            "10-5",
            "5--4",
            "1-2-3",
            "2024-02-2024-01",
            "1,00,0",
            "½",
            "1*5",
            "*",
            "01/02/2024",
        ] {
            let expected = expected_of_numbers("p", value).expect(value);
            assert!(
                expected.starts_with("a number such as 1000.5, a range"),
                "{value}: {expected}"
            );
        }
    }

    #[test]
    fn truth_values_are_known_by_other_names() {
        for (value, expected) in [
            ("yes", Some(true)),
            ("YES", Some(true)),
            ("off", Some(false)),
            ("1", None),
            ("true", None),
            ("some_value", None),
        ] {
            assert_eq!(truth(value), expected, "{value}");
        }
    }
}
