//! Scores in place of BM25.

/// Changes the scores of matches.
pub trait Rescore {
    /// Changes the scores of up to [`RESCORED_TOGETHER`] documents, by ascending ordinal, from BM25 to what they are
    /// ranked by, which is never NaN. Each match is asked about once. A score that would not end above
    /// `least` may end at anything that is not above it: it is of no use to the caller.
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>);
}

/// Most documents that are asked about together.
pub const RESCORED_TOGETHER: usize = 64;
