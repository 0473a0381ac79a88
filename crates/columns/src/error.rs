use pelorus_excerpt::{joined_truncated, truncated};
use thiserror::Error;

use crate::FieldKind;

/// The reason that a filter has no meaning for this index. The text is what the client is shown.
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
        "Range filters are only supported for numeric fields. However, '{}' is of type: '{kind}'.",
        truncated(field)
    )]
    RangeOfKind { field: String, kind: FieldKind },
}
