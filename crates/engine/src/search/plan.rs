//! The one plan that every form of a search request is normalised to.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::hits::Hit;
use crate::error::{EngineError, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Method {
    Tensor,
    Lexical,
    Hybrid,
}

/// A search as the engine runs it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Plan {
    #[serde(rename = "searchMethod")]
    pub method: Method,
    /// Hits of the page.
    pub limit: usize,
    /// Hits before the page.
    pub offset: usize,
    /// Filter text.
    pub filter: Option<String>,
    /// Fields of each hit; none means all.
    pub attributes_to_retrieve: Option<Vec<String>>,
    pub show_highlights: bool,
    /// Echoed as it is.
    pub query: Box<RawValue>,
    pub tensor: Option<TensorPlan>,
    pub lexical: Option<LexicalPlan>,
    pub hybrid: Option<HybridPlan>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TensorPlan {
    /// Fields searched; none means all.
    pub fields: Option<Vec<String>>,
    /// Ceiling of the graph's search list.
    pub ef_search: Option<usize>,
    pub approximate: bool,
    /// Share of documents passing the filter under which search is exact.
    pub approximate_threshold: Option<f32>,
    /// One weight per row of the query vectors.
    pub vectors: Vec<f64>,
    /// How rows are combined; none takes the only row as it is.
    pub interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LexicalPlan {
    pub text: String,
    /// Fields searched; none means all.
    pub fields: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Retrieval {
    Disjunction,
    Tensor,
    Lexical,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ranking {
    Rrf,
    Tensor,
    Lexical,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HybridPlan {
    pub retrieval_method: Retrieval,
    pub ranking_method: Ranking,
    /// Weight of the tensor leg, 0 to 1.
    pub alpha: f64,
    pub rrf_k: f64,
}

/// Default ceiling of the graph's search list.
const EF_SEARCH: usize = 2_000;

impl Plan {
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json)
            .map_err(|e| EngineError::invalid_argument(format!("search plan: {e}")))
    }

    /// How many ranked hits the page needs.
    pub fn depth(&self) -> usize {
        self.limit + self.offset
    }

    /// The page of a ranking.
    pub fn page(&self, ranked: &[Hit]) -> Vec<Hit> {
        pelorus_rank::page(ranked, self.offset, self.limit).to_vec()
    }

    /// Whole pages down to the last rank that the page of a fused ranking needs.
    pub fn fused_depth(&self) -> usize {
        self.depth().next_multiple_of(self.limit.max(1))
    }

    /// How many documents the plan takes from the tensor leg, before it knows anything else.
    pub fn tensor_depth(&self) -> Result<usize> {
        let hybrid = match self.method {
            Method::Tensor => return Ok(self.depth()),
            Method::Lexical => return Ok(0),
            Method::Hybrid => self.hybrid()?,
        };
        Ok(match (hybrid.retrieval_method, hybrid.ranking_method) {
            (_, Ranking::Rrf) if hybrid.alpha > 0.0 => self.fused_depth(),
            (_, Ranking::Rrf) | (Retrieval::Lexical, Ranking::Tensor) => 0,
            (Retrieval::Tensor, Ranking::Lexical) | (_, Ranking::Tensor) => self.depth(),
            (_, Ranking::Lexical) => 0,
        })
    }

    /// The ceiling, raised to what the page needs.
    pub fn ef(&self) -> usize {
        let asked = self.tensor.as_ref().and_then(|tensor| tensor.ef_search);
        asked.unwrap_or(EF_SEARCH).max(self.depth())
    }

    pub fn hybrid(&self) -> Result<&HybridPlan> {
        self.hybrid.as_ref().ok_or_else(|| {
            EngineError::invalid_argument("search plan: a HYBRID search needs 'hybrid'")
        })
    }

    /// True when the plan ranks or retrieves by vectors.
    pub fn uses_tensor(&self) -> bool {
        match (self.method, &self.hybrid) {
            (Method::Tensor, _) => true,
            (Method::Lexical, _) => false,
            (Method::Hybrid, None) => true,
            (Method::Hybrid, Some(hybrid)) => {
                hybrid.retrieval_method != Retrieval::Lexical
                    || hybrid.ranking_method == Ranking::Tensor
            }
        }
    }
}
