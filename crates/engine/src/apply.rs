//! From prepared documents and their vectors to what the applier commits.

use serde::Serialize;

use crate::document::{IndexedValues, ItemError, StoredDocument, encode_document, index_values};
use crate::error::{EngineError, Result};
use crate::prepare::{PreparedBatch, PreparedDocument, PreparedTensor, VectorSource};
use crate::response::ItemsResponse;
use crate::tensors::FieldTensors;

/// A document ready to be committed.
pub(crate) struct ReadyDocument {
    pub id: String,
    pub document: Vec<u8>,
    pub tensors: Vec<FieldTensors>,
    pub values: IndexedValues,
}

/// Gives every prepared document its vectors.
///
/// # Errors
/// `internal` when `vectors` is not one row per text, or holds a number that is not finite.
pub(crate) fn ready_documents(
    prepared: PreparedBatch,
    vectors: &[f32],
) -> Result<Vec<std::result::Result<ReadyDocument, ItemError>>> {
    let dimensions = prepared.index.definition.dimensions;
    if vectors.len() != prepared.rows * dimensions {
        return Err(EngineError::internal(format!(
            "expected {} vectors of {dimensions} dimensions, got {} numbers",
            prepared.rows,
            vectors.len()
        )));
    }
    if vectors.iter().any(|x| !x.is_finite()) {
        return Err(EngineError::internal(
            "the model gave a vector that is not finite",
        ));
    }
    let index = prepared.index;
    prepared
        .items
        .into_iter()
        .map(|item| match item {
            Err(error) => Ok(Err(error)),
            Ok(document) => ready(&index.definition, document, vectors).map(Ok),
        })
        .collect()
}

fn ready(
    definition: &crate::definition::Definition,
    document: PreparedDocument,
    vectors: &[f32],
) -> Result<ReadyDocument> {
    let bytes = encode_document(&document.id, &document.fields);
    let values = index_values(definition, &StoredDocument::decode(&bytes)?)?;
    let tensors = document
        .tensors
        .into_iter()
        .map(|tensor| fill(tensor, vectors, definition.dimensions, definition.normalize))
        .collect();
    Ok(ReadyDocument {
        id: document.id,
        document: bytes,
        tensors,
        values,
    })
}

fn fill(
    tensor: PreparedTensor,
    vectors: &[f32],
    dimensions: usize,
    normalize: bool,
) -> FieldTensors {
    let row = |at: usize| &vectors[at * dimensions..(at + 1) * dimensions];
    let filled = match tensor.source {
        VectorSource::Ready(vectors) => vectors,
        VectorSource::Rows(rows) => rows.into_iter().flat_map(|at| row(at).to_vec()).collect(),
        VectorSource::Weighted(parts) => {
            // The mean divides by the number of parts that are present, not by their weights.
            let count = parts.len() as f64;
            let mut sum = vec![0.0f64; dimensions];
            for (at, weight) in &parts {
                for (total, x) in sum.iter_mut().zip(row(*at)) {
                    *total += weight * f64::from(*x) / count;
                }
            }
            let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            let scale = if normalize && norm > 0.0 { norm } else { 1.0 };
            sum.into_iter().map(|x| (x / scale) as f32).collect()
        }
    };
    FieldTensors {
        field: tensor.field,
        kind: tensor.kind,
        weights: tensor.weights,
        chunks: tensor.chunks,
        vectors: filled,
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Stored {
        status: u16,
        _id: &'a str,
    },
    Refused {
        status: u16,
        _id: &'a str,
        message: &'a str,
        error: &'a str,
        code: &'a str,
    },
}

#[derive(Serialize)]
struct Items<'a> {
    errors: bool,
    items: Vec<Item<'a>>,
}

/// The response body of an add: one item per document, in the order of the request.
pub(crate) fn add_response(
    outcomes: &[std::result::Result<String, ItemError>],
) -> Result<ItemsResponse> {
    let items: Vec<Item<'_>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(id) => Item::Stored {
                status: 200,
                _id: id,
            },
            Err(error) => Item::Refused {
                status: 400,
                _id: error.id.as_deref().unwrap_or(""),
                message: &error.message,
                error: &error.message,
                code: error.code,
            },
        })
        .collect();
    let failure = outcomes.iter().filter(|o| o.is_err()).count() as u32;
    let body = serde_json::to_vec(&Items {
        errors: failure > 0,
        items,
    })
    .map_err(|e| EngineError::internal(e.to_string()))?;
    Ok(ItemsResponse {
        body,
        success: outcomes.len() as u32 - failure,
        failure,
        error: 0,
    })
}
