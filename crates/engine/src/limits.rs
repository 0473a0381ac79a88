//! What the engine reads off its options.

use pelorus_filter::{Filter, ListLimit};

use crate::error::{EngineError, Result};
use crate::generated::EngineOptions;

impl EngineOptions {
    /// Reads the filter of a request, where it has one.
    pub fn filter(&self, text: Option<&str>) -> Result<Option<Filter>> {
        let list = ListLimit {
            values_max: self.in_filter_values_max,
            setting: self.in_filter_values_setting.as_deref(),
        };
        text.map(|text| pelorus_filter::parse_within(text, list))
            .transpose()
            .map_err(|e| EngineError::invalid_argument(e.to_string()))
    }
}
