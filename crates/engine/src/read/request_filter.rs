//! Filters of requests, read by the engine's options.

use pelorus_filter::{Filter, ListLimit};

use crate::error::{FilterError, Result};
use crate::generated::EngineOptions;

impl EngineOptions {
    /// Reads the filter of a request, where it has one.
    pub fn filter(&self, text: Option<&str>) -> Result<Option<Filter>> {
        let list = ListLimit {
            values_max: self.in_filter_values_max,
            setting: self.in_filter_values_setting.as_deref(),
        };
        let filter = text.map(|text| pelorus_filter::parse_within(text, list));
        Ok(filter.transpose().map_err(FilterError::Language)?)
    }
}
