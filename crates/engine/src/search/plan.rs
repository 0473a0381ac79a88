//! The one plan that every form of a search request is normalised to.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::hits::Hit;
use super::nearest::Depth;
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

    /// How many documents of each leg a fused page takes: none for an empty page.
    pub fn fused_depth(&self) -> usize {
        match self.limit {
            0 => 0,
            _ => pelorus_rank::rrf_depth(self.depth()),
        }
    }

    /// How many documents the plan takes from the tensor leg, before it knows anything else.
    pub fn tensor_depth(&self) -> Result<Depth> {
        let ranked = Depth::Ranked(self.depth());
        let none = Depth::Ranked(0);
        let hybrid = match self.method {
            Method::Tensor => return Ok(ranked),
            Method::Lexical => return Ok(none),
            Method::Hybrid => self.hybrid()?,
        };
        Ok(match (hybrid.retrieval_method, hybrid.ranking_method) {
            (_, Ranking::Rrf) if hybrid.alpha > 0.0 => Depth::Fused(self.fused_depth()),
            (_, Ranking::Rrf) | (Retrieval::Lexical, Ranking::Tensor) => none,
            (Retrieval::Tensor, Ranking::Lexical) | (_, Ranking::Tensor) => ranked,
            (_, Ranking::Lexical) => none,
        })
    }

    /// The ceiling of the graph's search list. A search for more documents raises it to these.
    pub fn ef(&self) -> usize {
        let asked = self.tensor.as_ref().and_then(|tensor| tensor.ef_search);
        asked.unwrap_or(EF_SEARCH)
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
