use std::ops::RangeInclusive;

use pelorus_hnsw::Metric;
use pelorus_text::ChunkError;

/// The reason that no index can be made with a definition.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    #[error("index definition: unknown {member} '{value}'")]
    UnknownValue { member: &'static str, value: String },
    #[error(transparent)]
    Chunks(#[from] ChunkError),
    /// The name of a field is too long; the text says by how much.
    #[error("{0}")]
    FieldName(String),
    #[error(
        "Vectors of spaceType {metric} have {} to {} dimensions, but those of model {model} have {received}",
        expected.start(),
        expected.end()
    )]
    Dimensions {
        metric: Metric,
        expected: RangeInclusive<usize>,
        model: String,
        received: usize,
    },
    #[error(
        "the definition of index {index} can be replaced only by one that stores and searches documents alike"
    )]
    OtherIndex { index: String },
    #[error("{member}: an OpenSearch cluster has {expected}, not {received}")]
    NotOnCluster {
        member: &'static str,
        expected: &'static str,
        received: String,
    },
}
