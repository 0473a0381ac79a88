use pelorus_excerpt::{joined_truncated, truncated};
use thiserror::Error;

use crate::FieldKind;

/// Why a filter has no meaning for this index. `code` is the wire code (each a 400), `message`
/// what the client is shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ColumnError {
    pub code: &'static str,
    pub message: String,
}

impl ColumnError {
    pub(crate) fn not_filterable(index: &str, field: &str, filterable: &[&str]) -> Self {
        ColumnError {
            code: "invalid_field_name",
            message: format!(
                "Index '{index}' has no filterable field '{}'. Available filterable fields are: \
                 '{}'",
                truncated(field),
                joined_truncated(filterable.iter().copied())
            ),
        }
    }

    pub(crate) fn list_only_for_ids() -> Self {
        invalid_argument(
            "The 'IN' filter keyword is only supported for the '_id' field on semi-structured \
             indexes."
                .to_owned(),
        )
    }

    pub(crate) fn list_of_kind(field: &str, kind: FieldKind) -> Self {
        let supported = [
            FieldKind::Text,
            FieldKind::TextArray,
            FieldKind::Int,
            FieldKind::Long,
            FieldKind::IntArray,
            FieldKind::LongArray,
            FieldKind::CustomVector,
        ];
        let names: Vec<String> = supported.iter().map(|kind| format!("'{kind}'")).collect();
        invalid_argument(format!(
            "The IN filter operator is only supported for the following field types: [{}]. \
             However, '{}' is of unsupported type: '{kind}'.",
            names.join(", "),
            truncated(field)
        ))
    }

    pub(crate) fn list_element(field: &str, kind: FieldKind, element: &str) -> Self {
        invalid_argument(format!(
            "Attempting to use the IN filter operator on field: '{}' of type: '{kind}', but found \
             list element '{}', which is not of type 'int'.",
            truncated(field),
            truncated(element)
        ))
    }

    pub(crate) fn range_of_kind(field: &str, kind: &str) -> Self {
        invalid_argument(format!(
            "Range filters are only supported for numeric fields. However, '{}' is of type: \
             '{kind}'.",
            truncated(field)
        ))
    }
}

fn invalid_argument(message: String) -> ColumnError {
    ColumnError {
        code: "invalid_argument",
        message,
    }
}
