//! Warnings about terms that can match nothing, where they are no errors.

use std::fmt;

use pelorus_excerpt::truncated;
use pelorus_filter::Filter;

/// Most warnings about one filter.
pub(crate) const WARNINGS_MAX: usize = 10;

/// A term that can match nothing, or what it names. The client is shown the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// No document has the field.
    UnknownField { field: String },
    /// All values of the field are of other types than the value of a term.
    OtherType {
        field: String,
        value: String,
        /// The types of the field.
        holds: &'static str,
    },
    /// The field has texts alone, and none is compared with the limits.
    RangeOfTexts { field: String },
    /// Documents have no geo points in the field.
    NoPoints { field: String },
    /// Documents have no sparse vectors in the field.
    NoSparseVectors { field: String },
    /// Documents have no vectors in the field of which each may have many.
    NoMultiVectors { field: String },
    /// The field has values alone that no term compares.
    Incomparable { field: String },
    /// The lower limit of a range is above the upper one.
    EmptyRange { term: String },
}

impl Warning {
    pub(crate) fn empty_range(term: &Filter) -> Self {
        Warning::EmptyRange {
            term: truncated(&term.to_string()).into_owned(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownField { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "No document has the field '{field}', which the filter names"
                )
            }
            Warning::OtherType {
                field,
                value,
                holds,
            } => {
                let (field, value) = (truncated(field), truncated(value));
                write!(
                    f,
                    "The field '{field}' holds {holds}, which '{value}' does not equal"
                )
            }
            Warning::RangeOfTexts { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "The field '{field}' holds texts, which are within limits of dates alone"
                )
            }
            Warning::NoPoints { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "The field '{field}' holds no geo points, which WITHIN asks for"
                )
            }
            Warning::NoSparseVectors { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "No document has a sparse vector in the field '{field}', which 'sparseQuery' names"
                )
            }
            Warning::NoMultiVectors { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "No document has a list of vectors in the field '{field}', which 'lateInteraction' names"
                )
            }
            Warning::Incomparable { field } => {
                let field = truncated(field);
                write!(
                    f,
                    "The field '{field}' holds values alone that filters do not compare, such as texts longer than they take: EXISTS finds its documents"
                )
            }
            Warning::EmptyRange { term } => {
                write!(
                    f,
                    "Nothing is within {term}, as its lower limit is above the upper one"
                )
            }
        }
    }
}
