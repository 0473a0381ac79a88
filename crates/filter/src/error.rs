use thiserror::Error;

use pelorus_excerpt::{around, truncated};
use pelorus_geo::AreaError;

use crate::Number;
use crate::look_alikes::misspelt_term;

/// Width of the words before the filter in the first line of a positioned message, so that the
/// caret of the second line stands below the character where the error is.
const CARET_INDENT: usize = 22;

/// The reason that a filter was refused. The client is shown the text.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FilterError {
    /// Something at one place of the text; `position` counts code points from 0.
    #[error(
        "\nError parsing filter: {filter}\n{}^\nat position {position}: {reason}",
        " ".repeat(caret + CARET_INDENT)
    )]
    At {
        /// The text, of a long one the part around the place.
        filter: String,
        /// The place within that part, in code points.
        caret: usize,
        position: usize,
        reason: Reason,
    },
    /// Something about the text as a whole.
    #[error("Error parsing filter `{filter}`: {reason}")]
    Whole {
        /// The start of the text.
        filter: String,
        reason: Reason,
    },
    /// The text has no characters at all.
    #[error("Cannot parse empty filter string")]
    Empty,
    /// The text is longer than [`crate::TEXT_BYTES_MAX`].
    #[error("The filter is {received} bytes long, which exceeds the maximum of {maximum}.")]
    TooLong { received: usize, maximum: usize },
    /// There are more terms than [`crate::CLAUSES_MAX`].
    #[error("The filter has more than {maximum} terms, which is the maximum.")]
    TooManyClauses { maximum: usize },
    /// A list is longer than the caller allows.
    #[error(
        "The IN filter contains {received} values, which exceeds the maximum of {maximum}{}.",
        .setting.as_ref().map(|name| format!(" ({name})")).unwrap_or_default()
    )]
    TooManyValues {
        received: usize,
        maximum: usize,
        /// The name of the setting that moves the maximum, where there is one.
        setting: Option<String>,
    },
}

/// The error in the text.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Reason {
    /// `AND` or `OR` with nothing before it, or a parenthesis where none can stand.
    #[error("Unexpected {0}")]
    Unexpected(&'static str),
    /// `AND`, `OR` or `NOT` without an operand.
    #[error("Expected term or expression, but found {0}")]
    MissingOperand(&'static str),
    /// `NOT` after `NOT`, or after a term.
    #[error("Unexpected modifier 'NOT'")]
    UnexpectedNot,
    #[error("Unexpected term '{0}'. Expected an operator")]
    UnexpectedTerm(String),
    /// A parenthesised expression right after another operand; the position is that of its `)`.
    #[error("Unexpected expression ending at position {0}")]
    UnexpectedExpression(usize),
    #[error("Empty expression")]
    EmptyExpression,
    /// Nothing but spaces.
    #[error("Empty filter string. Expected a term such as name:value, received spaces alone")]
    EmptyFilter,
    #[error("Unbalanced parentheses. Expected a ) before the end")]
    UnbalancedParentheses,
    #[error("Cannot parse token '{0}'")]
    Unparsable(String),
    /// A token of which the term is known that it means.
    #[error("Cannot parse token '{token}'. Expected {expected}")]
    Misspelt { token: String, expected: String },
    #[error("Cannot parse range term '{term}': {error}")]
    InvalidRange { term: String, error: RangeError },
    /// Text glued to the bracket that closed a value.
    #[error("Expected end of term, but found '{0}'")]
    TrailingText(char),
    #[error("Expected ( after ' IN '")]
    MissingListOpening,
    #[error("Unexpected [ after {0} operator.")]
    BracketAfter(&'static str),
    #[error("Unexpected white space in IN term list")]
    SpaceInList,
    /// A number behind an operator that the language does not have.
    #[error(
        "{operator} does not compare: ranges do. Expected {expected}; for the text itself {literal}"
    )]
    Comparison {
        operator: &'static str,
        expected: String,
        literal: String,
    },
    /// A value behind an operator that compares is neither a number nor a date.
    #[error("Cannot compare with '{value}'. Expected {expected}")]
    Incomparable { value: String, expected: String },
    #[error(
        "* stands for the rest of a text, at the end of a term alone. Expected {expected}; for the text itself {literal}"
    )]
    Wildcard { expected: String, literal: String },
    #[error("The text before * is {received} bytes long, which exceeds the maximum of {maximum}")]
    LongPrefix { received: usize, maximum: usize },
    #[error("A range stands in brackets. Expected {range}; for the text itself {literal}")]
    RangeInParentheses { range: String, literal: String },
    #[error("{0}")]
    Area(AreaReason),
    #[error("Expressions nest deeper than {maximum} levels")]
    TooDeep { maximum: usize },
}

/// An area that cannot be read, and areas of the field that can.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "Cannot read the area: {fault}. Expected {field} WITHIN (48.1, 11.5, 10km), latitude before longitude, {field} WITHIN \
     BOX (48.0, 11.3, 48.3, 11.8) with the south-western corner first, or {field} WITHIN POLYGON (48.0, 11.3, 48.3, 11.5, \
     48.1, 11.8)"
)]
pub struct AreaReason {
    /// As it is written.
    field: String,
    fault: AreaFault,
}

impl AreaReason {
    pub(crate) fn of(field: &str, fault: AreaFault) -> Self {
        let field = truncated(field).into_owned();
        Self { field, fault }
    }
}

/// The error of an area.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AreaFault {
    #[error("no ( behind WITHIN")]
    NoParenthesis,
    #[error("no ) behind it")]
    Open,
    #[error("expected {expected}, but received {received}")]
    Count {
        expected: &'static str,
        received: usize,
    },
    #[error("'{received}' is no number")]
    NoNumber { received: String },
    #[error("'{received}' is no radius, which is a number with km, m or mi behind it")]
    NoRadius { received: String },
    #[error(transparent)]
    Area(#[from] AreaError),
}

/// The error inside the brackets of a range.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RangeError {
    #[error("At least one of lower or upper must be specified")]
    Unlimited,
    #[error(
        "Invalid range limit '{limit}'{}",
        .expected.map(|number| format!(". Expected {number}")).unwrap_or_default()
    )]
    InvalidLimit {
        limit: String,
        /// The number that is plainly meant.
        expected: Option<Number>,
    },
    #[error(
        "Expected two limits with TO between them{}",
        .expected.as_ref().map(|range| format!(", as in {range}")).unwrap_or_default()
    )]
    MissingTo {
        /// The range that is plainly meant.
        expected: Option<String>,
    },
    /// The text ended before the bracket was closed; unlike a group, a range is not closed by that.
    #[error("Expected ] after the upper limit")]
    Open,
}

/// An error before it is tied to its text: places are byte offsets.
#[derive(Debug)]
pub(crate) enum ParseError {
    At(usize, Reason),
    Whole(Reason),
    /// Refused for its size, whatever the rest of the text says.
    Limit(FilterError),
}

impl ParseError {
    pub(crate) fn unparsable(text: &str, start: usize, end: usize) -> ParseError {
        let token = truncated(&text[start..end]).into_owned();
        let reason = match misspelt_term(text, start, end) {
            Some(expected) => Reason::Misspelt { token, expected },
            None => Reason::Unparsable(token),
        };
        ParseError::At(end, reason)
    }

    pub(crate) fn into_error(self, text: &str) -> FilterError {
        let position = |offset: usize| text[..offset].chars().count();
        let at = |offset: usize, reason: Reason| {
            let (filter, caret) = around(text, offset);
            FilterError::At {
                filter: filter.to_owned(),
                caret,
                position: position(offset),
                reason,
            }
        };
        match self {
            ParseError::At(offset, Reason::UnexpectedExpression(end)) => {
                at(offset, Reason::UnexpectedExpression(position(end)))
            }
            ParseError::At(offset, reason) => at(offset, reason),
            ParseError::Whole(reason) => FilterError::Whole {
                filter: truncated(text).into_owned(),
                reason,
            },
            ParseError::Limit(error) => error,
        }
    }
}
