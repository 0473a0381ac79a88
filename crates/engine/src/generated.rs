// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

use serde::Deserialize;

/// A search in the one normal form that every request is brought into. Whatever needs no
/// index is decided in it: which legs are searched, what is embedded, every default. What
/// needs the index is the engine's to say: whether the fields are there, what the filter
/// means.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SearchPlan {
    /// Hits of the page.
    pub limit: usize,
    /// Hits before the page.
    pub offset: usize,
    /// A filter expression; null for every document.
    pub filter: Option<String>,
    /// Fields of each hit; null for all.
    pub attributes_to_retrieve: Option<Vec<String>>,
    /// Whether each hit says which of its chunks is the nearest.
    pub show_highlights: bool,
    pub retrieval_method: RetrievalMethod,
    pub ranking_method: RankingMethod,
    /// With the ranking method rrf, and only then.
    pub rrf: Option<ReciprocalRankFusion>,
    /// Null where vectors neither find nor rank.
    pub tensor: Option<TensorLeg>,
    /// Null where words neither find nor rank.
    pub lexical: Option<LexicalLeg>,
}

/// Which legs find the documents. A disjunction joins both; a TENSOR or LEXICAL search has
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RetrievalMethod {
    Disjunction,
    Tensor,
    Lexical,
}

/// What orders the hits. A disjunction is ordered by rrf, and nothing else is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RankingMethod {
    Rrf,
    Tensor,
    Lexical,
}

/// How the rankings of two legs become one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReciprocalRankFusion {
    /// Weight of the tensor leg, 0 to 1; the lexical leg has the rest.
    pub alpha: f64,
    /// Flattens the ranks, at least 0.
    pub k: f64,
}

/// A search by vectors.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TensorLeg {
    /// Fields to search; null for all.
    pub fields: Option<Vec<String>>,
    /// Most candidates that a search of the graph keeps, or as many as it returns.
    pub ef_search: usize,
    /// Whether the graph may be used.
    pub approximate: bool,
    /// Share of documents passing the filter below which the search is exact, 0 to 1; null for
    /// none.
    pub approximate_threshold: Option<f32>,
    /// One for each row of the query vectors, at least one.
    pub weights: Vec<f64>,
    /// Null takes the only row as it is.
    pub interpolation: Option<Interpolation>,
}

/// How weighted vectors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Interpolation {
    Lerp,
    Nlerp,
    Slerp,
}

/// A search by words.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LexicalLeg {
    /// The query, quoted phrases and all.
    pub text: String,
    pub operand: LexicalOperand,
    /// Fields to search; null for all.
    pub fields: Option<Vec<String>>,
}

/// How many of the words outside of quotes a document must hold, one or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LexicalOperand {
    Or,
    And,
}
