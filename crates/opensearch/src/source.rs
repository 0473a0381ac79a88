//! The parts of a document that are read back from the cluster.

use std::collections::HashMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_documents::{FieldTensors, TensorKind};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::document::kind_name;
use crate::layout::{CHUNKS, SOURCES, STORED, chunks_path};

/// A `_source`, or such parts of it as a call asks for.
#[derive(Debug, Default)]
pub struct StoredSource {
    stored: String,
    sources: Vec<TensorSource>,
    /// By the names of nested fields.
    chunks: HashMap<String, Vec<Chunk>>,
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
    pub fn tensors(&self, dimensions: usize) -> Result<Vec<FieldTensors>, SourceError> {
        let tensors = self.sources.iter();
        tensors
            .map(|source| self.tensor(source, dimensions))
            .collect()
    }

    fn tensor(
        &self,
        source: &TensorSource,
        dimensions: usize,
    ) -> Result<FieldTensors, SourceError> {
        let kinds = [TensorKind::Text, TensorKind::Vector, TensorKind::Multimodal];
        let kind = kinds
            .into_iter()
            .find(|kind| kind_name(*kind) == source.kind);
        let chunks = self.chunks.get(&chunks_path(&source.field));
        let chunks = chunks.map_or(&[][..], Vec::as_slice);
        if chunks.iter().any(|chunk| chunk.vector.len() != dimensions) {
            return Err(SourceError::Tensors);
        }
        let vectors = chunks.iter().flat_map(|chunk| &chunk.vector);
        Ok(FieldTensors {
            field: source.field.clone(),
            kind: kind.ok_or(SourceError::Tensors)?,
            weights: source.weights.clone(),
            chunks: chunks.iter().map(|chunk| chunk.text.clone()).collect(),
            vectors: vectors.copied().collect(),
        })
    }
}

impl<'de> Deserialize<'de> for StoredSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Reads the members of a `_source`: vectors become numbers at once, whatever their fields are called.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = StoredSource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StoredSource, A::Error> {
        let mut source = StoredSource::default();
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                STORED => source.stored = map.next_value()?,
                SOURCES => source.sources = map.next_value()?,
                chunks if chunks.starts_with(CHUNKS) => {
                    source.chunks.insert(name, map.next_value()?);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(source)
    }
}
