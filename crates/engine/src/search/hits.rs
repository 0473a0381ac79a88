//! A ranked document on its way to the page.

/// One ranked document version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    pub doc: u32,
    /// Grows with relevance.
    pub score: f64,
    /// The tensor leg's own score, where both legs were fused.
    pub tensor_score: Option<f32>,
    /// The lexical leg's own score, where both legs were fused.
    pub lexical_score: Option<f32>,
    /// Tensor field and chunk nearest to the query.
    pub nearest: Option<(String, u32)>,
}

impl Hit {
    pub fn new(doc: u32, score: f64) -> Self {
        Self {
            doc,
            score,
            tensor_score: None,
            lexical_score: None,
            nearest: None,
        }
    }
}
