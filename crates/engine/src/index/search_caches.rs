//! Results of parts of searches, kept for the next that ask for the same.

use pelorus_rank::Modification;

use crate::read::filter_cache::FilterCache;
use crate::search::score_inputs::{
    MODIFICATIONS_BYTES_MAX, ScoreInputCache, TIMES_BYTES_MAX, Time,
};

/// The caches of one index.
pub(crate) struct SearchCaches {
    /// Matches of the filters asked for lately.
    pub filters: FilterCache,
    /// Results of the score modifiers asked for lately.
    pub modifications: ScoreInputCache<Modification>,
    /// Times of documents, by the fields asked for lately.
    pub times: ScoreInputCache<Time>,
}

impl SearchCaches {
    pub fn new() -> Self {
        Self {
            filters: FilterCache::new(),
            modifications: ScoreInputCache::new(MODIFICATIONS_BYTES_MAX),
            times: ScoreInputCache::new(TIMES_BYTES_MAX),
        }
    }
}
