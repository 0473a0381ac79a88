//! Comparisons with numbers and dates: an extension of the language.

use crate::{End, Filter, Limit};

/// An operator between a field and a number or date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    AtLeast,
    AtMost,
    Other,
    Above,
    Below,
    Equal,
}

/// Each before those that it begins with.
const ALL: [Comparison; 6] = [
    Comparison::AtLeast,
    Comparison::AtMost,
    Comparison::Other,
    Comparison::Above,
    Comparison::Below,
    Comparison::Equal,
];

impl Comparison {
    /// The operator that a text begins with, where no other sign follows it.
    pub(crate) fn at_start(text: &str) -> Option<Self> {
        let operator = ALL
            .into_iter()
            .find(|operator| text.starts_with(operator.sign()))?;
        let rest = &text[operator.sign().len()..];
        (!rest.starts_with(['<', '>', '=', '!'])).then_some(operator)
    }

    pub(crate) fn is_of_order(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::Other)
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Comparison::AtLeast => ">=",
            Comparison::AtMost => "<=",
            Comparison::Other => "!=",
            Comparison::Above => ">",
            Comparison::Below => "<",
            Comparison::Equal => "=",
        }
    }

    /// The filter that compares a field with a value; none where that is neither a number nor a date. A range
    /// that ends before a day does so before its first moment, and one that begins behind it behind its last.
    pub(crate) fn filter(self, field: String, value: &str) -> Option<Filter> {
        let limit = |end| Limit::parse(value, end);
        Some(match self {
            Comparison::AtLeast => range(field, Some(limit(End::Lower)?), None),
            Comparison::AtMost => range(field, None, Some(limit(End::Upper)?)),
            Comparison::Equal => range(field, Some(limit(End::Lower)?), Some(limit(End::Upper)?)),
            Comparison::Other => Comparison::Equal.filter(field, value)?.negated(),
            Comparison::Above => beyond(field, limit(End::Upper)?, End::Lower),
            Comparison::Below => beyond(field, limit(End::Lower)?, End::Upper),
        })
    }
}

fn range(field: String, lower: Option<Limit>, upper: Option<Limit>) -> Filter {
    Filter::Range {
        field,
        lower,
        upper,
    }
}

fn beyond(field: String, limit: Limit, end: End) -> Filter {
    Filter::Beyond { field, limit, end }
}
