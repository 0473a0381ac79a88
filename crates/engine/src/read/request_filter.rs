//! Filters of requests, read by the engine's options.

use pelorus_filter::{Filter, ListLimit};

use crate::error::{FilterError, Result};
use crate::generated::{EngineOptions, SearchPlan};
use crate::read::within::Within;

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

    /// Reads the filter of a request and the one `within` that its caller is bound to, as the one that documents have to pass.
    /// Each is read by itself, so that no spelling of the one changes the meaning of the other.
    pub fn filter_within(&self, own: Option<&str>, within: Option<&str>) -> Result<Option<Filter>> {
        self.changed_filter_within(own, within, Some)
    }

    /// As [`EngineOptions::filter_within`], with the request's own filter changed.
    fn changed_filter_within(
        &self,
        own: Option<&str>,
        within: Option<&str>,
        change: impl FnOnce(Filter) -> Option<Filter>,
    ) -> Result<Option<Filter>> {
        let own = self.filter(own)?.and_then(change);
        let within = Within::read(within)?.map(Within::into_filter);
        let both = [within, own].into_iter().flatten();
        let both: Vec<Filter> = both.collect();
        Ok((!both.is_empty()).then(|| Filter::all_of(both)))
    }
}

impl SearchPlan {
    /// The filter that the documents of a search have to pass, with the request's own one changed: never the one that its
    /// caller is bound to.
    pub(crate) fn filter_changed_by(
        &self,
        options: &EngineOptions,
        change: impl FnOnce(Filter) -> Option<Filter>,
    ) -> Result<Option<Filter>> {
        options.changed_filter_within(self.filter.as_deref(), self.within.as_deref(), change)
    }
}
