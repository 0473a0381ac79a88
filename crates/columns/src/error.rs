use pelorus_excerpt::{joined_truncated, truncated};
use thiserror::Error;

use crate::FieldKind;

/// Why a filter has no meaning for this index. The text is what the client is shown.
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
    /// An unstructured index has no types that say how the values of a list are compared.
    #[error(
        "The 'IN' filter keyword is only supported for the '_id' field on semi-structured indexes."
    )]
    ListNotOfIds,
    #[error(
        "The IN filter operator is only supported for the following field types: [{}]. However, '{}' is of unsupported type: '{kind}'.",
        LISTABLE.map(|kind| format!("'{kind}'")).join(", "),
        truncated(field)
    )]
    ListOfKind { field: String, kind: FieldKind },
    #[error(
        "Attempting to use the IN filter operator on field: '{}' of type: '{kind}', but found list element '{}', which is not of type 'int'.",
        truncated(field),
        truncated(element)
    )]
    ListElement {
        field: String,
        kind: FieldKind,
        element: String,
    },
    #[error(
        "Range filters are only supported for numeric fields. However, '{}' is of type: '{kind}'.",
        truncated(field)
    )]
    RangeOfKind { field: String, kind: FieldKind },
}

/// Types whose fields can be compared with a list.
const LISTABLE: [FieldKind; 7] = [
    FieldKind::Text,
    FieldKind::TextArray,
    FieldKind::Int,
    FieldKind::Long,
    FieldKind::IntArray,
    FieldKind::LongArray,
    FieldKind::CustomVector,
];
