//! A ranked document on its way to the page.

use super::stages::Page;

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
    /// What the score was before fused scores were changed by modifiers.
    pub pre_rerank_score: Option<f64>,
    /// How recent the document is, where that was asked for.
    pub recency_score: Option<f64>,
    /// Tensor field and chunk nearest to the query.
    pub nearest: Option<(String, u32)>,
    /// The document of the same group that is shown in its place.
    pub variant: Option<u32>,
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
        }
    }
}

/// Best first. Hits of equal score keep their order.
pub(super) fn sort_by_score(hits: &mut [Hit]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// What a search found, to be written.
pub(super) struct Answer {
    pub page: Page,
    /// JSON; none where no facets are asked for.
    pub facets: Option<Vec<u8>>,
    /// How many documents or groups were found; none where nobody asks.
    pub total_hits: Option<u64>,
}
