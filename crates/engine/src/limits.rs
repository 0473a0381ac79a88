//! What the engine reads off its options.

use pelorus_filter::ListLimit;

use crate::generated::EngineOptions;

impl EngineOptions {
    /// The longest `IN` list of a filter.
    pub fn in_filter_list(&self) -> ListLimit<'_> {
        ListLimit {
            values_max: self.in_filter_values_max,
            setting: self.in_filter_values_setting.as_deref(),
        }
    }
}
