use pelorus_columns::ColumnError;
use pelorus_excerpt::{joined_truncated, truncated};

/// The reason that a filter cannot be used on an index.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// The filter is not of the filter language.
    #[error(transparent)]
    Language(#[from] pelorus_filter::FilterError),
    /// The filter has no meaning for the columns of this index.
    #[error(transparent)]
    Columns(#[from] ColumnError),
    #[error("The 'CONTAINS' filter keyword is not supported for structured indexes")]
    ContainsInStructured,
    #[error("CONTAINS has no place in the filter of a key: it is held against single documents")]
    ContainsWithin,
    #[error(
        "CONTAINS filter field '{}' is not found in index '{index}'. Available lexical fields: {}",
        truncated(field),
        joined_truncated(available.iter().map(String::as_str))
    )]
    ContainsField {
        index: String,
        field: String,
        available: Vec<String>,
    },
}
