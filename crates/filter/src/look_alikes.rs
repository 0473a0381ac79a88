//! Values that mean something else where they are written elsewhere: comparisons, wildcards, ranges in parentheses.
//!
//! As literals they would match next to nothing, and nobody would be told. A user who means the literal groups it, or
//! escapes its blanks.

use crate::Number;
use crate::error::Reason;
use crate::range_limits::range_limits;
use pelorus_excerpt::truncated;

/// Condition of the range that a comparison means, which is told behind it: the field is known by its name alone.
const WHERE: &str = ", where the field holds numbers or dates";

/// The error of a bare value of a field, as it is written: `None` where it can be meant.
pub(crate) fn bare_error(field: &str, value: &str) -> Option<Reason> {
    let (field, written) = (truncated(field), truncated(value));
    if let Some((operator, limit)) = comparison(value) {
        let limit = truncated(limit);
        let expected = match operator {
            ">" | ">=" | "<" | "<=" if field == "_id" => {
                format!("{field}:{limit}, as ids have no order")
            }
            ">" | ">=" => format!("{field}:[{limit} TO *], which includes {limit}{WHERE}"),
            "<" | "<=" => format!("{field}:[* TO {limit}], which includes {limit}{WHERE}"),
            "!=" => format!("NOT {}", equal(&field, &limit)),
            _ => equal(&field, &limit),
        };
        return Some(Reason::Comparison {
            operator,
            expected,
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

/// The term for what equals a number or a date. A date equals no number, but is a range of numbers.
fn equal(field: &str, limit: &str) -> String {
    match Number::parse(limit) {
        Some(_) => format!("{field}:{limit}"),
        None => format!("{field}:[{limit} TO {limit}]"),
    }
}

/// The error of a value in parentheses, as it is written between them.
pub(crate) fn grouped_error(field: &str, value: &str) -> Option<Reason> {
    // Ids have no order, and may be texts of any form.
    (field != "_id" && is_range(value)).then(|| {
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
