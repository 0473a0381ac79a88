use pelorus_excerpt::{joined_truncated, truncated};
use pelorus_filter::written_field;
use thiserror::Error;

use crate::FieldKind;

/// The reason that a filter has no meaning for this index. The client is shown the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ColumnError {
    #[error(
        "Index '{index}' has no filterable field '{}'. Available filterable fields are: '{}'",
        truncated(field),
        joined_truncated(filterable.iter().map(String::as_str))
    )]
    NotFilterable {
        index: String,
        field: String,
        /// Fields that filters may name.
        filterable: Vec<String>,
    },
    #[error(
        "Attempting to use the IN filter operator on field: '{}' of type: '{kind}', but found list element '{}', which is not of type '{element_kind}'.",
        truncated(field),
        truncated(element)
    )]
    ListElement {
        field: String,
        kind: FieldKind,
        element: String,
        /// The type that each element has to have.
        element_kind: &'static str,
    },
    #[error(
        "Range filters are only supported for numeric fields, and between dates for texts. However, '{}' is of type: \
         '{kind}'.",
        truncated(field)
    )]
    RangeOfKind { field: String, kind: FieldKind },
    #[error(
        "'_id' has no ranges, as ids have no order. Expected _id:value or _id IN (value, value)"
    )]
    RangeOfIds,
    #[error(
        "Field '{}' holds truth values, which have no order. Expected true or false, such as {}:true",
        truncated(field),
        written_field(&truncated(field))
    )]
    RangeOfTruths { field: String },
    /// Numbers as limits over texts that are dates.
    #[error(
        "Field '{}' holds dates as texts, which numbers other than years are no limits of. Expected dates, such as \
         {}:[2024-01-01 TO 2024-12-31]",
        truncated(field),
        truncated(field)
    )]
    NumbersOverDates { field: String },
    /// Dates as limits over texts none of which is a date.
    #[error(
        "Field '{}' holds texts none of which is a date to compare. Expected texts in ISO 8601, such as 2024-02-29 or \
         2024-02-29T12:30:00Z, or numbers of seconds or milliseconds since 1970",
        truncated(field)
    )]
    NoDates { field: String },
    /// The beginning of texts in a field without any.
    #[error(
        "Field '{}' holds {holds}, which have no beginning: * stands for the rest of texts alone. Expected a value, a list or \
         for numbers a range, such as {}:[10 TO 20]",
        truncated(field),
        written_field(&truncated(field))
    )]
    PrefixOf { field: String, holds: &'static str },
    /// A comparison of geo points with values.
    #[error(
        "Field '{0}' holds geo points, which areas hold and no value equals. Expected {1} WITHIN (48.1, 11.5, 10km), or {1} \
         EXISTS",
        truncated(field),
        written_field(&truncated(field))
    )]
    PointsCompared { field: String },
    /// An area over a field without geo points.
    #[error(
        "Field '{}' holds {holds}, and no geo points that an area could hold",
        truncated(field)
    )]
    NoPoints { field: String, holds: String },
    /// A value of another type than all of the field, which is no word.
    #[error(
        "Field '{}' holds {holds}, which '{}' does not equal. Expected {expected}",
        truncated(field),
        truncated(value)
    )]
    OtherType {
        field: String,
        value: String,
        holds: &'static str,
        /// A term that the field can be asked for.
        expected: String,
    },
}
