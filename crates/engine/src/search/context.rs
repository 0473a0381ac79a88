//! Vectors of stored documents that join the query's own, and the documents a search starts from.

use pelorus_cancellation::Cancellation;
use pelorus_documents::decode_tensors;

use crate::background::row_references::stored_tensors;
use crate::error::{EngineError, Result, SearchError};
use crate::generated::DocumentContext;
use crate::index::Index;
use crate::read::view::View;

/// Most bytes of the vectors that the documents of one search may bring.
const VECTOR_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Vectors, `[weights, dimensions]`, and their weights.
#[derive(Default)]
pub(super) struct WeightedRows {
    pub rows: Vec<f32>,
    pub weights: Vec<f64>,
}

/// The vectors that the documents of a context hold in the view.
pub(super) fn weighted_rows(
    index: &Index,
    view: &View,
    context: &DocumentContext,
    cancellation: &Cancellation,
) -> Result<WeightedRows> {
    let mut found = WeightedRows::default();
    let (mut missing, mut without_vectors) = (Vec::new(), Vec::new());
    for document in context.documents.iter().filter(|one| one.weight != 0.0) {
        cancellation.check()?;
        let Some(doc) = index.version_of(view, &document.id) else {
            missing.push(document.id.clone());
            continue;
        };
        let before = found.weights.len();
        let tensors = stored_tensors(index, &view.snapshot, doc)?.unwrap_or_default();
        let wanted = |field: &String| {
            let fields = context.tensor_fields.as_ref();
            fields.is_none_or(|fields| fields.contains(field))
        };
        if let Some(field) = tensors.damaged.iter().find(|field| wanted(field))
            && !context.allow_missing_embeddings
        {
            return Err(EngineError::DamagedVectors {
                id: document.id.clone(),
                field: field.clone(),
            });
        }
        if !tensors.bytes.is_empty() {
            let is_wanted = |field: &String| wanted(field) && !tensors.damaged.contains(field);
            add_rows(
                index,
                &tensors.bytes,
                is_wanted,
                document.weight,
                &mut found,
            )?;
        }
        if found.weights.len() == before {
            without_vectors.push(document.id.clone());
        }
    }
    if !context.allow_missing_documents && !missing.is_empty() {
        return Err(SearchError::MissingDocuments { ids: missing }.into());
    }
    if !context.allow_missing_embeddings && !without_vectors.is_empty() {
        let ids = without_vectors;
        return Err(SearchError::MissingEmbeddings { ids }.into());
    }
    Ok(found)
}

fn add_rows(
    index: &Index,
    tensors: &[u8],
    wanted: impl Fn(&String) -> bool,
    weight: f64,
    found: &mut WeightedRows,
) -> Result<()> {
    let dimensions = index.definition.documents.dimensions;
    for tensor in decode_tensors(tensors, dimensions)? {
        if !wanted(&tensor.field) {
            continue;
        }
        found.rows.extend_from_slice(&tensor.vectors);
        found
            .weights
            .resize(found.weights.len() + tensor.chunks.len(), weight);
    }
    let vectors_max = VECTOR_BYTES_MAX / (size_of::<f32>() * dimensions);
    if found.weights.len() > vectors_max {
        return Err(SearchError::ContextTooLarge { vectors_max }.into());
    }
    Ok(())
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
