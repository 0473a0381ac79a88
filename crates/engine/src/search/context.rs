//! Vectors of stored documents that join the query's own, and the documents a search starts from.

use pelorus_cancellation::Cancellation;
use pelorus_documents::{FieldTensors, decode_tensors};

use crate::background::row_references::{StoredTensors, stored_tensors};
use crate::error::{EngineError, Result, SearchError};
use crate::generated::{DocumentContext, WeightedDocument};
use crate::index::Index;
use crate::read::view::View;
use crate::read::within::Within;

/// Most bytes of the vectors that the documents of one search may bring.
const VECTOR_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Vectors, `[weights, dimensions]`, and their weights.
#[derive(Default)]
pub(super) struct WeightedRows {
    pub rows: Vec<f32>,
    pub weights: Vec<f64>,
}

/// Collects the vectors that the documents of a context hold.
pub(super) struct ContextRows<'c> {
    context: &'c DocumentContext,
    dimensions: usize,
    found: WeightedRows,
    missing: Vec<String>,
    without_vectors: Vec<String>,
}

impl<'c> ContextRows<'c> {
    pub fn new(context: &'c DocumentContext, dimensions: usize) -> Self {
        Self {
            context,
            dimensions,
            found: WeightedRows::default(),
            missing: Vec::new(),
            without_vectors: Vec::new(),
        }
    }

    /// The documents that count.
    pub fn documents(context: &DocumentContext) -> impl Iterator<Item = &WeightedDocument> {
        context.documents.iter().filter(|one| one.weight != 0.0)
    }

    fn wants(&self, field: &String) -> bool {
        let fields = self.context.tensor_fields.as_ref();
        fields.is_none_or(|fields| fields.contains(field))
    }

    /// Takes in the tensors of a document; none where there is no such document.
    pub fn add(
        &mut self,
        document: &WeightedDocument,
        tensors: Option<&[FieldTensors]>,
    ) -> Result<()> {
        let Some(tensors) = tensors else {
            self.missing.push(document.id.clone());
            return Ok(());
        };
        let before = self.found.weights.len();
        for tensor in tensors {
            if !self.wants(&tensor.field) {
                continue;
            }
            self.found.rows.extend_from_slice(&tensor.vectors);
            let weights = &mut self.found.weights;
            weights.resize(weights.len() + tensor.chunks.len(), document.weight);
        }
        let vectors_max = VECTOR_BYTES_MAX / (size_of::<f32>() * self.dimensions);
        if self.found.weights.len() > vectors_max {
            return Err(SearchError::ContextTooLarge { vectors_max }.into());
        }
        if self.found.weights.len() == before {
            self.without_vectors.push(document.id.clone());
        }
        Ok(())
    }

    /// The vectors of all.
    ///
    /// # Errors
    /// When documents or their vectors are missing, unless the context allows that.
    pub fn finish(self) -> Result<WeightedRows> {
        if !self.context.allow_missing_documents && !self.missing.is_empty() {
            let ids = self.missing;
            return Err(SearchError::MissingDocuments { ids }.into());
        }
        if !self.context.allow_missing_embeddings && !self.without_vectors.is_empty() {
            let ids = self.without_vectors;
            return Err(SearchError::MissingEmbeddings { ids }.into());
        }
        Ok(self.found)
    }
}

/// The documents of a view that the caller of a search reaches.
pub(super) struct Reached<'a> {
    pub index: &'a Index,
    pub view: &'a View,
    pub within: Option<&'a Within>,
}

impl Reached<'_> {
    fn version_of(&self, id: &str) -> Result<Option<u32>> {
        let Some(doc) = self.index.version_of(self.view, id) else {
            return Ok(None);
        };
        let Some(within) = self.within else {
            return Ok(Some(doc));
        };
        let stored = self.view.snapshot.document(doc)?;
        let stored = stored.ok_or(EngineError::MissingDocument { doc })?;
        let is_reached = within.has(&self.index.definition, &stored)?;
        Ok(is_reached.then_some(doc))
    }

    /// The vectors that the documents of a context hold.
    pub fn weighted_rows(
        &self,
        context: &DocumentContext,
        cancellation: &Cancellation,
    ) -> Result<WeightedRows> {
        let index = self.index;
        let dimensions = index.definition.documents.dimensions;
        let mut rows = ContextRows::new(context, dimensions);
        for document in ContextRows::documents(context) {
            cancellation.check()?;
            let Some(doc) = self.version_of(&document.id)? else {
                rows.add(document, None)?;
                continue;
            };
            let StoredTensors { bytes, damaged } =
                stored_tensors(index, &self.view.snapshot, doc)?.unwrap_or_default();
            if let Some(field) = damaged.iter().find(|field| rows.wants(field))
                && !context.allow_missing_embeddings
            {
                return Err(EngineError::DamagedVectors {
                    id: document.id.clone(),
                    field: field.clone(),
                });
            }
            let mut tensors = match bytes.is_empty() {
                true => Vec::new(),
                false => decode_tensors(&bytes, dimensions)?,
            };
            tensors.retain(|tensor| !damaged.contains(&tensor.field));
            rows.add(document, Some(&tensors))?;
        }
        rows.finish()
    }
}

/// The ordinals of the documents that the hits leave out.
pub(super) fn excluded(index: &Index, view: &View, context: &DocumentContext) -> Vec<u32> {
    if !context.exclude_input_documents {
        return Vec::new();
    }
    let documents = context.documents.iter();
    documents
        .filter_map(|document| index.version_of(view, &document.id))
        .collect()
}
