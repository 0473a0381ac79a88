//! The parts of a document that are read back from the cluster.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_documents::{FieldTensors, TensorKind};
use serde::Deserialize;
use serde_json::Value;

use crate::document::kind_name;
use crate::layout::chunks_path;

/// A `_source`, or such parts of it as a call asks for.
#[derive(Debug, Deserialize)]
pub struct StoredSource {
    stored: String,
    #[serde(default)]
    sources: Vec<TensorSource>,
    /// Nested fields, and whatever else there is.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// Why a document of the cluster is none of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceError {
    /// The stored form is no base64.
    Document,
    /// A tensor field has a source of no known kind, or a vector of another length.
    Tensors,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    text: String,
    vector: Vec<f32>,
}

#[derive(Debug, Deserialize)]
struct TensorSource {
    field: String,
    kind: String,
    weights: String,
}

impl StoredSource {
    /// The stored form, which `StoredDocument::decode` reads.
    ///
    /// # Errors
    /// [`SourceError::Document`].
    pub fn document(&self) -> Result<Vec<u8>, SourceError> {
        let decoded = STANDARD.decode(&self.stored);
        decoded.map_err(|_| SourceError::Document)
    }

    /// The tensors, with a vector of `dimensions` numbers for each chunk.
    ///
    /// # Errors
    /// [`SourceError::Tensors`].
    pub fn tensors(self, dimensions: usize) -> Result<Vec<FieldTensors>, SourceError> {
        let Self {
            sources,
            mut others,
            ..
        } = self;
        let mut whole = Vec::with_capacity(sources.len());
        for source in sources {
            let kinds = [TensorKind::Text, TensorKind::Vector, TensorKind::Multimodal];
            let kind = kinds
                .into_iter()
                .find(|kind| kind_name(*kind) == source.kind);
            let chunks = others
                .remove(&chunks_path(&source.field))
                .unwrap_or_default();
            let chunks: Vec<Chunk> =
                serde_json::from_value(chunks).map_err(|_| SourceError::Tensors)?;
            if chunks.iter().any(|chunk| chunk.vector.len() != dimensions) {
                return Err(SourceError::Tensors);
            }
            let mut tensor = FieldTensors {
                field: source.field,
                kind: kind.ok_or(SourceError::Tensors)?,
                weights: source.weights,
                chunks: Vec::with_capacity(chunks.len()),
                vectors: Vec::with_capacity(chunks.len() * dimensions),
            };
            for chunk in chunks {
                tensor.chunks.push(chunk.text);
                tensor.vectors.extend(chunk.vector);
            }
            whole.push(tensor);
        }
        Ok(whole)
    }
}
