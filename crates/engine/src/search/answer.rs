//! The answer to a search, before it is written as JSON.

use std::sync::Arc;

use super::group_hits::GroupHits;
use super::stages::Page;
use super::word_highlights::WordHighlights;

/// The result of a search, to be written.
#[derive(Clone)]
pub(super) struct Answer {
    pub page: Page,
    /// Further documents of the group of each hit, best first; none where nobody asks.
    pub group_hits: Option<Vec<GroupHits>>,
    /// The explanation of the score of each hit, as JSON; none where nobody asks.
    pub explanations: Option<Vec<Vec<u8>>>,
    /// The highlights of the hits' texts; none where nobody asks.
    pub highlights: Option<Arc<WordHighlights>>,
    /// The query that may have been meant.
    pub did_you_mean: Option<String>,
    /// JSON; none where no facets are asked for.
    pub facets: Option<Vec<u8>>,
    /// The number of documents or groups that were found; none where nobody asks.
    pub total_hits: Option<u64>,
    /// Warnings about terms of the filter that can match nothing.
    pub warnings: Vec<String>,
}
