use pelorus_columns::{MultiVectorError, SparseError};
use pelorus_excerpt::{joined_truncated, truncated};
use pelorus_rank::InterpolationError;

use crate::generated::{RankingMethod, RetrievalMethod};

/// The reason that an index cannot be searched as a plan says.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    #[error("search plan: {retrieval:?} retrieval cannot be ranked by {ranking:?}")]
    Ranking {
        retrieval: RetrievalMethod,
        ranking: RankingMethod,
    },
    #[error("search plan: a disjunction needs 'rrf'")]
    MissingRrf,
    #[error("search plan: several query vectors need an interpolation method")]
    MissingInterpolation,
    /// The query vectors do not make `[weights, dimensions]`.
    #[error(
        "search plan: expected query vectors of {dimensions} dimensions, one for each of {weights} weights, but {received} numbers came"
    )]
    QueryVectors {
        dimensions: usize,
        weights: usize,
        /// The number of components that came.
        received: usize,
    },
    /// In place of [`LexicalError::QueryTooLong`](pelorus_lexical::LexicalError::QueryTooLong), which knows no member.
    #[error(
        "'q', or 'hybridParameters.queryLexical' in its place, may have at most {limit} {what} where words are searched, received {received}"
    )]
    QueryTooLong {
        what: &'static str,
        limit: usize,
        received: usize,
    },
    #[error("'sparseQuery' has as many indices as values, but received {indices} and {values}")]
    SparseLengths { indices: usize, values: usize },
    #[error(
        "'sparseQuery': an index is an integer from 0 to {}, but received {received}",
        u32::MAX
    )]
    SparseIndex { received: usize },
    #[error("'sparseQuery': {0}")]
    SparseQuery(SparseError),
    #[error("'lateInteraction': {0}")]
    LateInteraction(MultiVectorError),
    #[error(
        "Field '{field}' has vectors of {expected} numbers, but those of 'lateInteraction' have {received}"
    )]
    LateDimensions {
        field: String,
        expected: String,
        received: usize,
    },
    #[error("A query vector holds a number that is not finite")]
    NotFinite,
    #[error(
        "Pelorus could not collect any vectors from the search query but the retrieval or ranking method requires at least one valid vector. Please check the provided query, context (if any), or queryTensor (for Hybrid search) "
    )]
    NoVectors,
    #[error(
        "The following document IDs were not found: {}",
        joined_truncated(ids.iter().map(String::as_str))
    )]
    MissingDocuments { ids: Vec<String> },
    #[error(
        "The following documents do not have embeddings: {}",
        joined_truncated(ids.iter().map(String::as_str))
    )]
    MissingEmbeddings { ids: Vec<String> },
    #[error(
        "The documents of the context have more than {vectors_max} vectors together: name fewer of them, or fewer of their fields"
    )]
    ContextTooLarge { vectors_max: usize },
    #[error(
        "Tensor field \"{}\" not found in index \"{index}\". Available tensor fields: {}",
        truncated(field),
        joined_truncated(available.iter().map(String::as_str))
    )]
    UnknownContextField {
        index: String,
        field: String,
        available: Vec<String>,
    },
    #[error(transparent)]
    Interpolation(#[from] InterpolationError),
    #[error(
        "Index {index} has no tensor fields, thus tensor search cannot be performed. Please create an index with a tensor field, or try a different search method."
    )]
    NoTensorFields { index: String },
    #[error(
        "Index {index} has no lexically searchable fields, thus lexical search cannot be performed. Please create an index with a lexically searchable field, or try a different search method."
    )]
    NoLexicalFields { index: String },
    /// One of the two kinds that a hybrid search needs, or both, are missing.
    #[error(
        "Index {index} either has no tensor fields or no lexically searchable fields, thus hybrid search cannot be performed. Please create an index with fields of both kinds, or try a different search method."
    )]
    NoHybridFields { index: String },
    #[error(
        "Index {index} has no {kind} {}. Available {kind}s are: {}",
        truncated(field),
        joined_truncated(available.iter().map(String::as_str))
    )]
    UnknownField {
        index: String,
        /// The kind that a field would have to have to be named there, such as `tensor field`.
        kind: &'static str,
        field: String,
        available: Vec<String>,
    },
    #[error(
        "The 'collapseFields' search parameter is only supported for unstructured indexes created with Marqo version 2.23.0 or later. This index is structured."
    )]
    CollapseInStructured,
    #[error(
        "Index {index} has no tensor fields, thus 'diversity' cannot tell which hits are alike. Please create an index with a tensor field, or search without it."
    )]
    NothingToDiversifyBy { index: String },
    #[error("search plan: expected a date as a limit of a facet, received '{limit}'")]
    FacetLimit { limit: String },
    /// Documents whose dates are in more parts of the calendar than an answer lists.
    #[error(
        "Facet field '{field}' has more than {most} intervals with documents: ask for a longer interval, or filter by a range of dates"
    )]
    TooManyIntervals { field: String, most: usize },
    /// A part of the plan that a search of documents from elsewhere cannot tell.
    #[error("An index on a cluster does not tell {0} yet")]
    NotOfCandidates(String),
    /// A part of documents that those of an index on a cluster have not, as an earlier version has made it.
    #[error(
        "Index {index} was made by an earlier version of Pelorus, and its documents lack {lacks}: export it, delete it, and import it"
    )]
    MadeBefore { index: String, lacks: &'static str },
    /// More words in fields than one search of a cluster is sent with.
    #[error(
        "The search has {count} words in fields, each one counted in every field, which exceeds the maximum of {most} of an index on a cluster: name fewer fields, or fewer words"
    )]
    TooManyClauses { count: usize, most: usize },
    /// An answer of the cluster that lacks what was asked for.
    #[error("the cluster's answer has no {0}")]
    ClusterAnswer(&'static str),
    #[error(
        "Field '{}' is not configured as a collapse field for this index",
        truncated(field)
    )]
    NoCollapseField { field: String },
}
