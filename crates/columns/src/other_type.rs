//! Values that a field of numbers or truth values alone cannot equal, and that are not meant as words.
//!
//! Words, such as `cheap` over numbers, just match nothing. All else has digits or signs in it and was meant as a number,
//! a range or a comparison: it is refused, with the term that finds it where that is certain.

use pelorus_excerpt::truncated;
use pelorus_filter::{
    End, Moment, plain_spelling, spelled_comparison, spelled_number, spelled_range, written_field,
};

use crate::{ColumnError, Number};

/// The types of all values of a field that never held a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Numbers,
    Truths,
    Both,
}

impl Holds {
    /// The types as messages name them.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Truths => "truth values",
            Self::Both => "numbers and truth values",
        }
    }

    /// The types of a field by what it has had; `None` where texts are among it, or nothing is.
    pub(crate) fn of(texts: bool, truths: bool, numbers: bool) -> Option<Self> {
        match (truths, numbers) {
            _ if texts => None,
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Truths),
            (false, true) => Some(Self::Numbers),
            (false, false) => None,
        }
    }
}

/// Tells whether a field of these types can equal a value.
pub(crate) fn can_equal(value: &str, holds: Holds) -> bool {
    let is_number = || Number::parse(value).is_some();
    let is_truth = || truth(value).is_some_and(|truth| value.eq_ignore_ascii_case(truth));
    match holds {
        Holds::Numbers => is_number(),
        Holds::Truths => is_truth(),
        Holds::Both => is_number() || is_truth(),
    }
}

/// Refuses a value that a field of these types cannot equal, unless it is a word.
pub(crate) fn check(field: &str, value: &str, holds: Holds) -> Result<(), ColumnError> {
    if can_equal(value, holds) {
        return Ok(());
    }
    let written = written_field(&truncated(field));
    let expected = match (holds, truth(value)) {
        (Holds::Truths, Some(truth)) => format!("{written}:{truth}"),
        _ if is_word(value) => return Ok(()),
        (Holds::Truths, None) => format!("{written}:true or {written}:false"),
        (Holds::Numbers | Holds::Both, _) => expected_of_numbers(&written, value),
    };
    Err(refusal(field, value, holds, expected))
}

/// Refuses a number with marks between its thousands within a list, which reads it as several: `IN (1,000)`.
pub(crate) fn check_list(field: &str, values: &[String], holds: Holds) -> Result<(), ColumnError> {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let are_one = |first: &str, second: &str| {
        (1..=3).contains(&first.len())
            && is_digits(first)
            && !first.starts_with('0')
            && second.len() == 3
            && second.starts_with('0')
            && is_digits(second)
    };
    let found = values.windows(2).find(|pair| are_one(&pair[0], &pair[1]));
    let Some([first, second]) = found else {
        return Ok(());
    };
    let field_written = written_field(&truncated(field));
    let last = second.trim_start_matches('0');
    let last = if last.is_empty() { "0" } else { last };
    let expected = format!(
        "{field_written} IN ({first}{second}), or for two numbers {field_written} IN ({first}, {last})"
    );
    Err(refusal(
        field,
        &format!("{first},{second}"),
        holds,
        expected,
    ))
}

fn refusal(field: &str, value: &str, holds: Holds, expected: String) -> ColumnError {
    ColumnError::OtherType {
        field: field.to_owned(),
        value: value.to_owned(),
        holds: holds.name(),
        expected,
    }
}

/// Tells whether a value consists of words: letters, and the marks that stand within and between them.
fn is_word(value: &str) -> bool {
    let is_of_words =
        |c: char| c.is_alphabetic() || c.is_whitespace() || is_joining(c) || is_mark(c);
    value.is_empty() || value.starts_with(char::is_alphabetic) && value.chars().all(is_of_words)
}

fn is_joining(c: char) -> bool {
    matches!(
        c,
        '-' | '_' | '\'' | '\u{2019}' | '.' | ',' | '/' | '&' | '\u{b7}' | '\u{200c}' | '\u{200d}'
    )
}

/// Tells whether a character is an accent or another mark upon a letter.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// The term for the number, range or comparison that a value means, or the terms that there are.
fn expected_of_numbers(field: &str, value: &str) -> String {
    if Moment::parse(value, End::Lower).is_some() {
        return format!("{field}:[{value} TO {value}]");
    }
    if let Some(number) = spelled_number(value) {
        return format!("{field}:{number}");
    }
    if let Some((lower, upper)) = spelled_range(value) {
        return format!("{field}:[{lower} TO {upper}]");
    }
    spelled_comparison(field, value).unwrap_or_else(|| {
        format!("a number such as 1000.5, a range such as {field}:[10 TO 20] or a list such as {field} IN (10, 20)")
    })
}

/// The truth value that a value plainly means.
fn truth(value: &str) -> Option<&'static str> {
    let plain = plain_spelling(value).to_ascii_lowercase();
    let plain = plain.trim_matches(|c: char| matches!(c, '"' | '\'' | ' '));
    match plain.trim_start_matches('=') {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some("true"),
        "false" | "f" | "no" | "n" | "off" | "0" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected term of a refusal, if there is one.
    fn expected(value: &str, holds: Holds) -> Option<String> {
        match check("p", value, holds) {
            Ok(()) => None,
            Err(ColumnError::OtherType { expected, .. }) => Some(expected),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn numbers_dates_and_ranges_are_known_as_they_are_written_elsewhere() {
        for (value, term) in [
            ("2024-01-01", "p:[2024-01-01 TO 2024-01-01]"),
            (
                "2024-01-01T10:00:00Z",
                "p:[2024-01-01T10:00:00Z TO 2024-01-01T10:00:00Z]",
            ),
            ("5..10", "p:[5 TO 10]"),
            ("0.5...2.5", "p:[0.5 TO 2.5]"),
            ("5…10", "p:[5 TO 10]"),
            ("5-10", "p:[5 TO 10]"),
            ("5 – 10", "p:[5 TO 10]"),
            ("-5--4", "p:[-5 TO -4]"),
            ("-5-4", "p:[-5 TO 4]"),
            ("−5–10", "p:[-5 TO 10]"),
            ("–5–10", "p:[-5 TO 10]"),
            ("5..", "p:[5 TO *]"),
            ("..5", "p:[* TO 5]"),
            ("5-*", "p:[5 TO *]"),
            ("5+", "p:[5 TO *]"),
            ("$1,000+", "p:[1000 TO *]"),
            ("$5-$10", "p:[5 TO 10]"),
            ("1k-5k", "p:[1000 TO 5000]"),
            ("-$10..-$5", "p:[-10 TO -5]"),
            ("2024-01-01..2024-02", "p:[2024-01-01 TO 2024-02]"),
            ("2024-01-01-2024-02-01", "p:[2024-01-01 TO 2024-02-01]"),
            ("1,000", "p:1000"),
            ("1\u{a0}000.50", "p:1000.5"),
            ("-$5", "p:-5"),
            ("–5", "p:-5"),
            ("10 USD", "p:10"),
            ("5USD", "p:5"),
            ("1k", "p:1000"),
            ("0x5", "p:5"),
            ("5f", "p:5"),
            ("5\u{200b}", "p:5"),
            (">1k", "p:[1000 TO *], which includes 1000"),
            (">5USD", "p:[5 TO *], which includes 5"),
            ("=>5USD", "p:[5 TO *], which includes 5"),
            (">0x5", "p:[5 TO *], which includes 5"),
            ("＞1e3", "p:[1e3 TO *], which includes 1e3"),
            ("&gt;5", "p:[5 TO *], which includes 5"),
            ("&lt;=5", "p:[* TO 5], which includes 5"),
            ("{gt:5}", "p:[5 TO *], which includes 5"),
            ("{\"$lte\": 5}", "p:[* TO 5], which includes 5"),
            ("$gt:5", "p:[5 TO *], which includes 5"),
            (">1 000", "p:[1000 TO *], which includes 1000"),
            (">5 €", "p:[5 TO *], which includes 5"),
            ("!=5€", "NOT p:5"),
        ] {
            let expected = expected(value, Holds::Numbers);
            assert_eq!(expected.as_deref(), Some(term), "{value}");
        }
    }

    #[test]
    fn numbers_and_words_are_asked_for_as_they_are() {
        for value in [
            "",
            "10",
            "1e3",
            "-0.5",
            "007",
            "cheap",
            "some_value",
            "n/a",
            "rot & weiß",
            "don't",
            "five",
            "हिन्दी",
            "見る",
            "true",
            "null",
        ] {
            assert_eq!(expected(value, Holds::Numbers), None, "{value}");
        }
        for value in ["true", "FALSE", "some_value", "unknown"] {
            assert_eq!(expected(value, Holds::Truths), None, "{value}");
        }
        for value in ["true", "5", "yes", "cheap"] {
            assert_eq!(expected(value, Holds::Both), None, "{value}");
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
            ">>5",
            ">five",
            ">5L",
            "5L",
            "5M",
            "5kg",
            "12-AB",
            "SKU10",
            "AB-123",
            "-",
            "..",
            "$",
            "😀",
            "{}",
            "gt5",
            "_5",
            "5 or 6",
        ] {
            let expected = expected(value, Holds::Numbers).expect(value);
            assert!(
                expected.starts_with("a number such as 1000.5, a range"),
                "{value}: {expected}"
            );
        }
    }

    #[test]
    fn truth_values_are_known_by_other_names() {
        for (value, term) in [
            ("yes", "p:true"),
            ("YES", "p:true"),
            ("1", "p:true"),
            ("\"true\"", "p:true"),
            ("=true", "p:true"),
            ("off", "p:false"),
            ("0", "p:false"),
            ("2", "p:true or p:false"),
            (">0", "p:true or p:false"),
            ("*", "p:true or p:false"),
        ] {
            let expected = expected(value, Holds::Truths);
            assert_eq!(expected.as_deref(), Some(term), "{value}");
        }
    }

    #[test]
    fn terms_name_the_field_as_it_is_written() {
        let refusal = check("unit price", "$5", Holds::Numbers).expect_err("other spelling");
        assert!(
            refusal.to_string().ends_with("Expected unit\\ price:5"),
            "{refusal}"
        );
    }
}
