//! Values that mean something else where they are written elsewhere: comparisons, wildcards, ranges in parentheses.
//!
//! As literals they would match next to nothing, and nobody would be told. A user who means the literal groups it, or
//! escapes its blanks.

use crate::comparison::Comparison;
use crate::error::Reason;
use crate::range_limits::{range_limits, split_limits};
use crate::{End, Moment, PREFIX_BYTES_MAX, looks_numeric, plain_spelling, spelled_number};
use pelorus_excerpt::truncated;

/// Condition of the range that a comparison means, which is told behind it: the field is known by its name alone.
const WHERE: &str = ", where the field holds numbers or dates";

/// The error of a bare value of a field, as it is written: `None` where it can be meant.
pub(crate) fn bare_error(field: &str, value: &str) -> Option<Reason> {
    comparison_error(field, value).or_else(|| {
        let (field, written) = (truncated(field), truncated(value));
        is_wildcard(value).then(|| Reason::Wildcard {
            expected: match value {
                "*" => format!("{field} EXISTS"),
                value if is_prefix(value) => format!("{field}:{written} as a term of its own"),
                _ => "a whole value, a beginning with * behind it, or CONTAINS and whole words"
                    .into(),
            },
            literal: format!("{field}:({written})"),
        })
    })
}

/// The error of a value with a `*` for the rest of a text: `None` where it can be meant.
pub(crate) fn prefix_error(field: &str, value: &str) -> Option<Reason> {
    comparison_error(field, value).or_else(|| {
        let received = value.len() - "*".len();
        (received > PREFIX_BYTES_MAX).then_some(Reason::LongPrefix {
            received,
            maximum: PREFIX_BYTES_MAX,
        })
    })
}

fn comparison_error(field: &str, value: &str) -> Option<Reason> {
    let (operator, meaning, limit) = comparison(value)?;
    let field = truncated(field);
    Some(Reason::Comparison {
        operator,
        expected: expected(&field, meaning, limit),
        literal: format!("{field}:({})", truncated(value)),
    })
}

/// The error of a comparison with a value that is neither a number nor a date. The field is as it is written.
pub(crate) fn no_limit(field: &str, operator: Comparison, value: &str) -> Reason {
    let (field, sign) = (truncated(field), operator.sign());
    let expected = match (read_limit(value), operator) {
        (Some(limit), _) => format!("{field} {sign} {}", truncated(&limit)),
        (None, Comparison::Equal) => {
            format!("a number or a date, or for texts and truth values {field}:value")
        }
        (None, Comparison::Other) => {
            format!("a number or a date, or for texts and truth values NOT {field}:value")
        }
        (None, _) => {
            format!(
                "a number as in {field} {sign} 1000.5, or a date as in {field} {sign} 2024-02-29"
            )
        }
    };
    Reason::Incomparable {
        value: truncated(value).into_owned(),
        expected,
    }
}

/// A term for what a comparison means.
fn expected(field: &str, meaning: Comparison, limit: &str) -> String {
    let is_order = meaning.is_of_order();
    let limit = match field {
        "_id" if is_order => return format!("{field}:{}, as ids have no order", truncated(limit)),
        "_id" => Some(limit.to_owned()),
        _ => read_limit(limit),
    };
    let Some(limit) = limit else {
        let [number, date] = ["1000.5", "2024-02-29"].map(|limit| term(meaning, field, limit));
        return format!("a number as in {number}, or a date as in {date}");
    };
    let limit = truncated(&limit);
    let written = term(meaning, field, &limit);
    match is_order {
        true => format!(
            "{written}, which includes {limit}, or {field} {} {limit}{WHERE}",
            meaning.sign()
        ),
        false => written,
    }
}

/// The term for what equals a number or a date. A date equals no number, but is a range of numbers.
fn equal(field: &str, limit: &str) -> String {
    match Moment::parse(limit, End::Lower) {
        None => format!("{field}:{limit}"),
        Some(_) => format!("{field}:[{limit} TO {limit}]"),
    }
}

/// The error of a value in parentheses, as it is written between them.
pub(crate) fn grouped_error(field: &str, value: &str) -> Option<Reason> {
    // Ids have no order, and may be texts of any form.
    if field == "_id" || !is_range(value) {
        return None;
    }
    let field = truncated(field);
    Some(Reason::RangeInParentheses {
        range: match read_range(value) {
            Some(limits) => format!("{field}:[{}]", truncated(&limits)),
            None => format!("numbers as in {field}:[1000.5 TO 2000]"),
        },
        literal: format!("{field}:({})", truncated(value).replace(' ', "\\ ")),
    })
}

/// Tells whether a value is taken for something else where it is written as it is.
pub(crate) fn is_bare_look_alike(value: &str) -> bool {
    comparison(value).is_some() || is_wildcard(value)
}

/// Tells whether a value in parentheses is taken for something else.
pub(crate) fn is_range(value: &str) -> bool {
    let is_like_limit = |text: &str| {
        let text = text.trim_matches(' ');
        text == "*" || is_limit(text) || looks_numeric(&unescaped(text))
    };
    // An escaped blank parts no limits.
    split_limits(value).is_some_and(|(lower, upper)| {
        !lower.ends_with('\\')
            && is_like_limit(lower)
            && is_like_limit(upper)
            && value.contains(char::is_numeric)
    })
}

/// The limits of a range that a value in parentheses plainly means.
fn read_range(value: &str) -> Option<String> {
    let (lower, upper) = split_limits(value)?;
    let limit = |text: &str| match text.trim_matches(' ') {
        "*" => Some("*".to_owned()),
        text => read_limit(text),
    };
    Some(format!("{} TO {}", limit(lower)?, limit(upper)?))
}

/// Each before those that it begins with.
const OPERATORS: [(&str, Comparison); 15] = [
    (">=", Comparison::AtLeast),
    ("=>", Comparison::AtLeast),
    ("≥", Comparison::AtLeast),
    ("⩾", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("=<", Comparison::AtMost),
    ("≤", Comparison::AtMost),
    ("⩽", Comparison::AtMost),
    ("<>", Comparison::Other),
    ("!=", Comparison::Other),
    ("≠", Comparison::Other),
    ("==", Comparison::Equal),
    ("=", Comparison::Equal),
    (">", Comparison::Above),
    ("<", Comparison::Below),
];

/// The term for what a comparison of an unknown field means: a range for one of order.
fn term(comparison: Comparison, field: &str, limit: &str) -> String {
    match comparison {
        Comparison::AtLeast | Comparison::Above => format!("{field}:[{limit} TO *]"),
        Comparison::AtMost | Comparison::Below => format!("{field}:[* TO {limit}]"),
        Comparison::Equal => equal(field, limit),
        Comparison::Other => format!("NOT {}", equal(field, limit)),
    }
}

/// An operator before a date, a number, or digits with marks that are written about numbers; its meaning, and these.
fn comparison(value: &str) -> Option<(&'static str, Comparison, &str)> {
    let found = OPERATORS
        .into_iter()
        .find_map(|(operator, meaning)| Some((operator, meaning, value.strip_prefix(operator)?)));
    found.filter(|(_, _, limit)| is_limit(limit) || looks_numeric(&unescaped(limit)))
}

/// Names of the operators in other languages, each before those that it begins with.
const NAMES: [(&str, Comparison); 10] = [
    ("gte", Comparison::AtLeast),
    ("gt", Comparison::Above),
    ("ge", Comparison::AtLeast),
    ("min", Comparison::AtLeast),
    ("lte", Comparison::AtMost),
    ("lt", Comparison::Below),
    ("le", Comparison::AtMost),
    ("max", Comparison::AtMost),
    ("eq", Comparison::Equal),
    ("ne", Comparison::Other),
];

/// Returns the term for the comparison that a value of a field of numbers plainly means, however it is written: `>1k`,
/// `&gt;5`, `{gt:5}`, `$gte 5`. The field is written as in a term.
pub fn spelled_comparison(field: &str, value: &str) -> Option<String> {
    let (meaning, limit) = read_comparison(value)?;
    Some(compared(meaning, field, &limit))
}

/// The term for a comparison with a limit, and what it includes.
fn compared(meaning: Comparison, field: &str, limit: &str) -> String {
    let written = term(meaning, field, limit);
    match meaning.is_of_order() {
        true => format!("{written}, which includes {limit}"),
        false => written,
    }
}

fn read_comparison(value: &str) -> Option<(Comparison, String)> {
    if value.len() > COMPARISON_BYTES_MAX {
        return None;
    }
    let mut text = plain_spelling(value);
    for (reference, character) in [("&gt;", ">"), ("&lt;", "<"), ("&ge;", "≥"), ("&le;", "≤")] {
        text = text.replace(reference, character);
    }
    let is_around = |c: char| matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | '"' | '\'' | ' ');
    let text = text.trim_matches(is_around);
    let signed = OPERATORS
        .into_iter()
        .find_map(|(operator, meaning)| Some((meaning, text.strip_prefix(operator)?)));
    let named = || {
        let text = text.trim_start_matches('$').to_ascii_lowercase();
        NAMES.into_iter().find_map(|(name, meaning)| {
            let limit = text.strip_prefix(name)?;
            let is_parted = limit.starts_with(|c| is_around(c) || matches!(c, ':' | '='));
            is_parted.then(|| (meaning, limit.to_owned()))
        })
    };
    let signed = signed.map(|(meaning, limit)| (meaning, limit.to_owned()));
    let (meaning, limit) = signed.or_else(named)?;
    let limit = limit.trim_matches(|c| is_around(c) || matches!(c, ':' | '='));
    Some((meaning, read_limit(limit)?))
}

/// Returns the term that the token of a filter between `start` and `end`, which is none, plainly means with those beside
/// it: `n>5`, `n > 5`, or the `to` of `n:5 to 7`.
pub(crate) fn misspelt_term(text: &str, start: usize, end: usize) -> Option<String> {
    let (token, behind) = (&text[start..end], text[end..].trim_start_matches(' '));
    let next = behind.split(' ').next().unwrap_or_default();
    if token.eq_ignore_ascii_case("to") {
        let before = text[..start].trim_end_matches(' ').rsplit(' ').next()?;
        let (field, lower) = before.rsplit_once(':')?;
        let field = field.trim_start_matches('(');
        if lower.len().max(next.len()) > COMPARISON_BYTES_MAX {
            return None;
        }
        let limits = (read_limit(lower)?, read_limit(next.trim_end_matches(')'))?);
        return Some(format!(
            "{}:[{} TO {}]",
            truncated(field),
            limits.0,
            limits.1
        ));
    }
    let is_sign = |c: char| matches!(c, '<' | '>' | '=' | '!' | '≥' | '≤' | '≠');
    let at = token.find(is_sign).unwrap_or(token.len());
    let (field, mut comparison) = (&token[..at], token[at..].to_owned());
    let mut words = behind.split_ascii_whitespace();
    if comparison.is_empty() {
        comparison.push_str(words.next().filter(|word| word.starts_with(is_sign))?);
    }
    if comparison.chars().all(is_sign) {
        comparison.push_str(words.next()?);
    }
    let comparison = comparison.trim_end_matches(')');
    if field.is_empty() {
        return None;
    }
    let field = truncated(field);
    let (meaning, limit) = read_comparison(comparison)?;
    let written = compared(meaning, &field, &limit);
    Some(match meaning.is_of_order() {
        true => format!("{written}, or {field} {} {limit}", meaning.sign()),
        false => written,
    })
}

/// The longest text that is read as a comparison, or as a limit beside `to`, in bytes: messages repeat it.
const COMPARISON_BYTES_MAX: usize = 64;

/// The limit that a text is, or that it plainly means.
fn read_limit(text: &str) -> Option<String> {
    if is_limit(text) {
        return Some(text.to_owned());
    }
    spelled_number(&unescaped(text)).map(|number| number.to_string())
}

/// Tells whether a text can be a limit of a range.
fn is_limit(text: &str) -> bool {
    text != "*" && range_limits(&format!("{text} TO *")).is_ok()
}

/// The text of a value that is written with escapes.
fn unescaped(value: &str) -> String {
    value.replace('\\', "")
}

/// Tells whether a value as it is written ends with the only `*` in it that is not escaped, and has more than that.
pub(crate) fn is_prefix(value: &str) -> bool {
    let mut is_escaped = false;
    let mut stars = value.bytes().enumerate().filter(|(_, byte)| {
        let is_star = *byte == b'*' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_star
    });
    // A star behind two backslashes was plain before prefixes were read.
    stars
        .next()
        .is_some_and(|(at, _)| at > 0 && at + 1 == value.len())
        && is_wildcard(value)
}

/// Tells whether a `*` that is not escaped begins or ends a value.
fn is_wildcard(value: &str) -> bool {
    value.starts_with('*') || (value.ends_with('*') && !value.ends_with("\\*"))
}
