//! Values that mean something else where they are written elsewhere: comparisons, wildcards, ranges in parentheses.
//!
//! As literals they would match next to nothing, and nobody would be told. A user who means the literal groups it, or
//! escapes its blanks.

use crate::error::Reason;
use crate::range_limits::range_limits;
use pelorus_excerpt::truncated;

/// The fault of a bare value of a field, as it is written: `None` where it can be meant.
pub(crate) fn bare_fault(field: &str, value: &str) -> Option<Reason> {
    let (field, written) = (truncated(field), truncated(value));
    if let Some((operator, limit)) = comparison(value) {
        let limit = truncated(limit);
        let expected = match operator {
            ">" | ">=" => format!("{field}:[{limit} TO *], which includes {limit}"),
            "<" | "<=" => format!("{field}:[* TO {limit}], which includes {limit}"),
            "!=" => format!("NOT {field}:{limit}"),
            _ => format!("{field}:{limit}"),
        };
        return Some(Reason::Comparison {
            operator,
            expected,
            literal: format!("{field}:({written})"),
        });
    }
    is_wildcard(value).then(|| Reason::Wildcard {
        literal: format!("{field}:({written})"),
    })
}

/// The fault of a value in parentheses, as it is written between them.
pub(crate) fn grouped_fault(field: &str, value: &str) -> Option<Reason> {
    is_range(value).then(|| {
        let (field, written) = (truncated(field), truncated(value));
        Reason::RangeInParentheses {
            range: format!("{field}:[{written}]"),
            literal: format!("{field}:({})", written.replace(' ', "\\ ")),
        }
    })
}

/// Tells whether a value is taken for something else where it is written as it is.
pub(crate) fn is_bare_look_alike(value: &str) -> bool {
    comparison(value).is_some() || is_wildcard(value)
}

/// Tells whether a value in parentheses is taken for something else.
pub(crate) fn is_range(value: &str) -> bool {
    range_limits(value).is_ok()
}

/// An operator before a number or a date.
fn comparison(value: &str) -> Option<(&'static str, &str)> {
    let operators = [">=", "<=", "!=", "==", ">", "<", "="];
    let found = operators
        .into_iter()
        .find_map(|operator| Some((operator, value.strip_prefix(operator)?)));
    found.filter(|(_, limit)| *limit != "*" && is_range(&format!("{limit} TO *")))
}

/// Tells whether a `*` that is not escaped begins or ends a value.
fn is_wildcard(value: &str) -> bool {
    value.starts_with('*') || (value.ends_with('*') && !value.ends_with("\\*"))
}
