//! Results of parts of searches, kept for the next that ask for the same.

use pelorus_rank::Modification;

use crate::read::filter_cache::FilterCache;
use crate::search::score_inputs::{MODIFICATIONS_BYTES_MAX, RowCache, TIMES_BYTES_MAX, Time};

/// The caches of one index.
pub(crate) struct SearchCaches {
    /// Matches of the filters asked for lately.
    pub filters: FilterCache,
    /// Results of the score modifiers asked for lately.
    pub modifications: RowCache<Modification>,
    /// Times of documents, by the fields asked for lately.
    pub times: RowCache<Time>,
}

impl SearchCaches {
    pub fn new() -> Self {
        Self {
            filters: FilterCache::new(),
            modifications: RowCache::new(MODIFICATIONS_BYTES_MAX),
            times: RowCache::new(TIMES_BYTES_MAX),
        }
    }
}
