//! Bounds that an operator may move.

use pelorus_filter::{ListLimit, MAX_LIST_VALUES};
use serde::Deserialize;

/// Bounds of all indexes of an engine. What an index holds already stays, whatever they say.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Distinct text fields of an index without declared fields.
    pub lexical_fields_max: usize,
    /// Distinct tensor fields of such an index.
    pub tensor_fields_max: usize,
    /// Values of one `IN` list of a filter.
    pub in_filter_values_max: usize,
    /// Bytes of documents and vectors that may wait to be written, over all indexes.
    pub queued_bytes_max: usize,
    /// Files that open indexes may hold open together; half of the process's limit where it is not
    /// given. What goes beyond is closed until it is used again.
    pub open_files_max: Option<usize>,
    /// What operators know some of these bounds by.
    pub setting_names: SettingNames,
}

/// Names of bounds in messages; a bound without a name is only told.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct SettingNames {
    pub lexical_fields_max: Option<String>,
    pub tensor_fields_max: Option<String>,
    pub in_filter_values_max: Option<String>,
}

impl Limits {
    /// The longest `IN` list of a filter.
    pub fn in_filter_list(&self) -> ListLimit<'_> {
        ListLimit {
            values_max: self.in_filter_values_max,
            setting: self.setting_names.in_filter_values_max.as_deref(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lexical_fields_max: 100,
            tensor_fields_max: 100,
            in_filter_values_max: MAX_LIST_VALUES,
            queued_bytes_max: 128 << 20,
            open_files_max: None,
            setting_names: SettingNames::default(),
        }
    }
}
