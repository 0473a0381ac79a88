//! Values that mean something else where they are written elsewhere: comparisons, wildcards, ranges in parentheses.
//!
//! As literals they would match next to nothing, and nobody would be told. A user who means the literal groups it, or
//! escapes its blanks.

use crate::error::Reason;
use crate::range_limits::{range_limits, split_limits};
use crate::{End, Moment, looks_numeric, plain_spelling, spelled_number};
use pelorus_excerpt::truncated;

/// Condition of the range that a comparison means, which is told behind it: the field is known by its name alone.
const WHERE: &str = ", where the field holds numbers or dates";

/// The error of a bare value of a field, as it is written: `None` where it can be meant.
pub(crate) fn bare_error(field: &str, value: &str) -> Option<Reason> {
    let (field, written) = (truncated(field), truncated(value));
    if let Some((operator, meaning, limit)) = comparison(value) {
        return Some(Reason::Comparison {
            operator,
            expected: expected(&field, meaning, limit),
            literal: format!("{field}:({written})"),
        });
    }
    let alternative = match &*field {
        "_id" => "",
        _ => ", or for texts of an unstructured index CONTAINS and whole words",
    };
    is_wildcard(value).then(|| Reason::Wildcard {
        alternative,
        literal: format!("{field}:({written})"),
    })
}

/// A term for what a comparison means.
fn expected(field: &str, meaning: Meaning, limit: &str) -> String {
    let is_order = matches!(meaning, Meaning::AtLeast | Meaning::AtMost);
    let limit = match field {
        "_id" if is_order => return format!("{field}:{}, as ids have no order", truncated(limit)),
        "_id" => Some(limit.to_owned()),
        _ => read_limit(limit),
    };
    let Some(limit) = limit else {
        let [number, date] = ["1000.5", "2024-02-29"].map(|limit| meaning.term(field, limit));
        return format!("a number as in {number}, or a date as in {date}");
    };
    let limit = truncated(&limit);
    let term = meaning.term(field, &limit);
    match is_order {
        true => format!("{term}, which includes {limit}{WHERE}"),
        false => term,
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

/// An operator of other languages.
#[derive(Clone, Copy)]
enum Meaning {
    AtLeast,
    AtMost,
    Equal,
    Other,
}

/// Each before those that it begins with.
const OPERATORS: [(&str, Meaning); 15] = [
    (">=", Meaning::AtLeast),
    ("=>", Meaning::AtLeast),
    ("≥", Meaning::AtLeast),
    ("⩾", Meaning::AtLeast),
    ("<=", Meaning::AtMost),
    ("=<", Meaning::AtMost),
    ("≤", Meaning::AtMost),
    ("⩽", Meaning::AtMost),
    ("<>", Meaning::Other),
    ("!=", Meaning::Other),
    ("≠", Meaning::Other),
    ("==", Meaning::Equal),
    ("=", Meaning::Equal),
    (">", Meaning::AtLeast),
    ("<", Meaning::AtMost),
];

impl Meaning {
    fn term(self, field: &str, limit: &str) -> String {
        match self {
            Meaning::AtLeast => format!("{field}:[{limit} TO *]"),
            Meaning::AtMost => format!("{field}:[* TO {limit}]"),
            Meaning::Equal => equal(field, limit),
            Meaning::Other => format!("NOT {}", equal(field, limit)),
        }
    }
}

/// An operator before a date, a number, or digits with marks that are written about numbers; its meaning, and these.
fn comparison(value: &str) -> Option<(&'static str, Meaning, &str)> {
    let found = OPERATORS
        .into_iter()
        .find_map(|(operator, meaning)| Some((operator, meaning, value.strip_prefix(operator)?)));
    found.filter(|(_, _, limit)| is_limit(limit) || looks_numeric(&unescaped(limit)))
}

/// Names of the operators in other languages, each before those that it begins with.
const NAMES: [(&str, Meaning); 10] = [
    ("gte", Meaning::AtLeast),
    ("gt", Meaning::AtLeast),
    ("ge", Meaning::AtLeast),
    ("min", Meaning::AtLeast),
    ("lte", Meaning::AtMost),
    ("lt", Meaning::AtMost),
    ("le", Meaning::AtMost),
    ("max", Meaning::AtMost),
    ("eq", Meaning::Equal),
    ("ne", Meaning::Other),
];

/// Returns the term for the comparison that a value of a field of numbers plainly means, however it is written: `>1k`,
/// `&gt;5`, `{gt:5}`, `$gte 5`. The field is written as in a term.
pub fn spelled_comparison(field: &str, value: &str) -> Option<String> {
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
    let limit = read_limit(limit)?;
    let term = meaning.term(field, &limit);
    Some(match meaning {
        Meaning::AtLeast | Meaning::AtMost => format!("{term}, which includes {limit}"),
        Meaning::Equal | Meaning::Other => term,
    })
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
    spelled_comparison(&truncated(field), comparison)
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

/// Tells whether a `*` that is not escaped begins or ends a value.
fn is_wildcard(value: &str) -> bool {
    value.starts_with('*') || (value.ends_with('*') && !value.ends_with("\\*"))
}
