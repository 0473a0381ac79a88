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
        self.joined(self.filter(own)?, &[], within)
    }

    /// The filter of documents that pass the request's own, those `added` to it and the one that its caller is bound to.
    fn joined(
        &self,
        own: Option<Filter>,
        added: &[String],
        within: Option<&str>,
    ) -> Result<Option<Filter>> {
        let within = Within::read(within)?.map(Within::into_filter);
        let mut all: Vec<Filter> = [within, own].into_iter().flatten().collect();
        for text in added {
            all.extend(self.filter(Some(text))?);
        }
        Ok((!all.is_empty()).then(|| Filter::all_of(all)))
    }
}

impl SearchPlan {
    /// The filter that the documents of a search have to pass, with the request's own one changed: never the one that its
    /// caller is bound to, nor one that was added.
    pub(crate) fn filter_changed_by(
        &self,
        options: &EngineOptions,
        change: impl FnOnce(Filter) -> Option<Filter>,
    ) -> Result<Option<Filter>> {
        let own = options.filter(self.filter.as_deref())?.and_then(change);
        options.joined(own, &self.added_filters, self.within.as_deref())
    }
}
