//! Bounds that an operator may move.

use pelorus_filter::MAX_LIST_VALUES;
use serde::Deserialize;

/// Bounds of all indexes of an engine. What an index holds already stays, whatever they say.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Distinct text fields of an index without declared fields.
    pub lexical_fields_max: usize,
    /// Distinct tensor fields of such an index.
    pub tensor_fields_max: usize,
    /// Values of one `IN` list of a filter.
    pub in_filter_values_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lexical_fields_max: 100,
            tensor_fields_max: 100,
            in_filter_values_max: MAX_LIST_VALUES,
        }
    }
}
