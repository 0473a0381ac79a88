//! Values that a field of numbers or truth values cannot equal, and that are known ways to ask for one that it can.
//!
//! Any other value that is of no type of the field just matches nothing.

use pelorus_excerpt::truncated;
use pelorus_filter::{End, Moment};

use crate::bounds::exact_int;
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
    if let Some(number) = number(value) {
        return Some(format!("{field}:{number}"));
    }
    if let Some((lower, upper)) = between(value) {
        return Some(format!("{field}:[{lower} TO {upper}]"));
    }
    let digits_and_star = |c: char| c.is_ascii_digit() || matches!(c, '*' | '.' | '-');
    let is_pattern = value.contains('*') && value.chars().all(digits_and_star);
    is_pattern.then(|| format!("a number, or a range such as {field}:[10 TO 20]"))
}

/// The number that a value is with a currency, a percent sign, quotes, or marks between its digits.
fn number(value: &str) -> Option<Number> {
    let is_around = |c: char| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '%' | '"' | '\'' | ' ');
    let bare = value.trim_matches(is_around);
    let code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let bare = match bare.split_once(' ') {
        Some((number, unit)) if code(unit) => number,
        Some((unit, number)) if code(unit) => number,
        _ => bare,
    };
    let number = Number::parse(bare)
        .or_else(|| Number::parse(&without_groups(bare)?))
        .or_else(|| Number::parse(&with_point(bare)?))?;
    // A field of whole numbers holds no 10.00.
    Some(match number {
        Number::Float(float) => exact_int(float).map_or(number, Number::Int),
        int => int,
    })
}

/// The digits of a number in groups of three, `1,000.5`.
fn without_groups(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_mark = |c: char| matches!(c, ',' | '_' | '\'' | ' ');
    let mut groups = whole.split(is_mark);
    let first = groups.next()?.trim_start_matches(['-', '+']);
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    let are_groups = (1..=3).contains(&first.len()) && groups.all(is_group);
    are_groups.then(|| format!("{}{fraction}", whole.replace(is_mark, "")))
}

/// A number that is written with a comma, `10,5`.
fn with_point(text: &str) -> Option<String> {
    (text.matches(',').count() == 1).then(|| text.replace(',', "."))
}

/// The limits of a range that is written without brackets: `5..10`, `5...10`, `5-10`, `5~10`, `5..`.
fn between(value: &str) -> Option<(String, String)> {
    ["...", "..", "–", "~", "-"].into_iter().find_map(|mark| {
        let (lower, upper) = value.split_once(mark)?;
        let limit = |text: &str| match text.trim() {
            "" | "*" => Some("*".to_owned()),
            text => number(text).map(|number| number.to_string()),
        };
        let limits = (limit(lower)?, limit(upper)?);
        (limits.0 != "*" || limits.1 != "*").then_some(limits)
    })
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
            ("5-10", Some("p:[5 TO 10]")),
            ("5..", Some("p:[5 TO *]")),
            ("..5", Some("p:[* TO 5]")),
            ("$5-$10", Some("p:[5 TO 10]")),
            ("1,000", Some("p:1000")),
            ("1,000.50", Some("p:1000.5")),
            ("1_000_000", Some("p:1000000")),
            ("-1,000", Some("p:-1000")),
            ("10,5", Some("p:10.5")),
            ("$10", Some("p:10")),
            ("10.00€", Some("p:10")),
            ("10 USD", Some("p:10")),
            ("EUR 1,250", Some("p:1250")),
            ("50%", Some("p:50")),
            ("\"10\"", Some("p:10")),
            ("1*5", Some("a number, or a range such as p:[10 TO 20]")),
            ("10", None),
            ("1e3", None),
            ("cheap", None),
            ("", None),
            ("-", None),
            ("..", None),
            ("*", Some("a number, or a range such as p:[10 TO 20]")),
            ("12-AB", None),
            ("1,00,0", None),
        ] {
            assert_eq!(
                expected_of_numbers("p", value).as_deref(),
                expected,
                "{value}"
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
