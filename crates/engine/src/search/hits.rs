//! A ranked document on its way to the page.

use std::cmp::Reverse;
use std::sync::Arc;

/// One ranked document version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    pub doc: u32,
    /// Grows with relevance.
    pub score: f64,
    /// The tensor leg's own score, where both legs were fused.
    pub tensor_score: Option<f64>,
    /// The lexical leg's own score, where both legs were fused.
    pub lexical_score: Option<f64>,
    /// The score before modifiers changed the fused scores.
    pub pre_rerank_score: Option<f64>,
    /// The recency of the document, where that was asked for.
    pub recency_score: Option<f64>,
    /// The chunk of it that is nearest to the query.
    pub nearest: Option<NearestChunk>,
    /// The document of the same group that is shown in its place.
    pub variant: Option<u32>,
    /// The number of documents of its group that were found, itself counted, where that was asked for.
    pub group_count: Option<u32>,
    /// Tells that it stands at its place whatever its score.
    pub is_pinned: bool,
    pub stages: PassedStages,
}

/// The chunk of a document that is nearest to a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NearestChunk {
    /// Tensor field.
    pub field: Arc<str>,
    /// Its place in the field.
    pub chunk: u32,
    pub distance: f32,
}

/// The stages that a hit passed, which its score alone does not tell, for explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PassedStages {
    /// Its place in the tensor leg, from 0, where that counts for a fused score.
    pub tensor_place: Option<usize>,
    /// Its place in the lexical leg, from 0, where that counts for a fused score.
    pub lexical_place: Option<usize>,
    /// Tells whether the lexical leg's modifiers and recency changed its score.
    pub is_lexical_changed: bool,
    /// Tells whether its texts did.
    pub is_text_ranked: bool,
    /// Tells whether those of the last stage did.
    pub is_changed: bool,
    /// Tells whether its score is that of late interaction.
    pub is_late: bool,
    /// Its place among sorted hits, from 0.
    pub sorted_place: Option<usize>,
}

impl Hit {
    pub fn new(doc: u32, score: f64) -> Self {
        Self {
            doc,
            score,
            tensor_score: None,
            lexical_score: None,
            pre_rerank_score: None,
            recency_score: None,
            nearest: None,
            variant: None,
            group_count: None,
            is_pinned: false,
            stages: PassedStages::default(),
        }
    }
}

/// Best first. Hits of equal score keep their order.
pub(super) fn sort_by_score(hits: &mut [Hit]) {
    // A hit is large, so that each is moved once only.
    hits.sort_by_cached_key(|hit| Reverse(ascending(hit.score)));
}

/// An integer in the total order of IEEE 754.
fn ascending(score: f64) -> i64 {
    let bits = score.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_equal_ones_keep_their_order() {
        let scores = [
            0.5,
            -1.0,
            f64::INFINITY,
            0.0,
            0.5,
            -0.0,
            f64::MIN,
            1e-300,
            0.5,
        ];
        let hits = scores.iter().zip(0..);
        let mut hits: Vec<Hit> = hits.map(|(&score, doc)| Hit::new(doc, score)).collect();
        let mut expected = hits.clone();
        expected.sort_by(|a, b| b.score.total_cmp(&a.score));
        sort_by_score(&mut hits);
        assert_eq!(hits, expected);
    }
}
