//! From prepared documents and their vectors to what the applier commits.

use pelorus_filter::shown;
use pelorus_hnsw::NumericType;
use pelorus_kernels::{bf16_to_f32, f32_to_bf16};
use serde::Serialize;

use crate::definition::Definition;
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

impl ReadyDocument {
    /// Bytes that it takes until it is written, about.
    pub fn bytes(&self) -> usize {
        let tensors = self.tensors.iter().map(|tensor| {
            let chunks: usize = tensor.chunks.iter().map(String::len).sum();
            size_of_val(tensor.vectors.as_slice()) + chunks
        });
        self.id.len() + self.document.len() + tensors.sum::<usize>()
    }
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
            Ok(document) => ready(&index.definition, document, vectors),
        })
        .collect()
}

fn ready(
    definition: &Definition,
    document: PreparedDocument,
    vectors: &[f32],
) -> Result<std::result::Result<ReadyDocument, ItemError>> {
    let bytes = encode_document(&document.id, &document.fields);
    let values = index_values(definition, &StoredDocument::decode(&bytes)?)?;
    let tensors: std::result::Result<Vec<FieldTensors>, ItemError> = document
        .tensors
        .into_iter()
        .map(|tensor| fill(definition, tensor, vectors))
        .collect();
    Ok(match tensors {
        Ok(tensors) => Ok(ReadyDocument {
            id: document.id,
            document: bytes,
            tensors,
            values,
        }),
        Err(error) => Err(ItemError {
            id: Some(document.id),
            ..error
        }),
    })
}

fn fill(
    definition: &Definition,
    tensor: PreparedTensor,
    vectors: &[f32],
) -> std::result::Result<FieldTensors, ItemError> {
    let dimensions = definition.dimensions;
    let row = |at: usize| &vectors[at * dimensions..(at + 1) * dimensions];
    let filled = match tensor.source {
        VectorSource::Ready(vectors) => vectors,
        VectorSource::Rows(rows) => rows
            .into_iter()
            .flat_map(|at| row(at).iter().copied())
            .collect(),
        VectorSource::Weighted(parts) => {
            let parts: Vec<(&[f32], f64)> = parts
                .iter()
                .map(|(at, weight)| (row(*at), *weight))
                .collect();
            weighted_mean(&tensor.field, &parts, dimensions, definition.normalize)?
        }
    };
    Ok(FieldTensors {
        vectors: rounded(&tensor.field, filled, definition.numbers)?,
        field: tensor.field,
        kind: tensor.kind,
        weights: tensor.weights,
        chunks: tensor.chunks,
    })
}

/// The vectors as they are stored, so that searches rank by what is read back.
fn rounded(
    field: &str,
    mut vectors: Vec<f32>,
    numbers: NumericType,
) -> std::result::Result<Vec<f32>, ItemError> {
    if numbers == NumericType::Bfloat16 {
        let round = |x: &mut f32| *x = bf16_to_f32(f32_to_bf16(*x));
        vectors.iter_mut().for_each(round);
    }
    match vectors.iter().all(|x| x.is_finite()) {
        true => Ok(vectors),
        false => Err(ItemError::invalid(format!(
            "Field {} has a vector beyond the range of bfloat16",
            shown(field)
        ))),
    }
}

/// The mean of the weighted parts. It divides by their number, not by their weights.
fn weighted_mean(
    field: &str,
    parts: &[(&[f32], f64)],
    dimensions: usize,
    normalize: bool,
) -> std::result::Result<Vec<f32>, ItemError> {
    // Weights are scaled to at most 1 first, so that no sum of them overflows.
    let largest = parts
        .iter()
        .fold(0.0, |most: f64, (_, weight)| most.max(weight.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut sum = vec![0.0f64; dimensions];
    for (row, weight) in parts {
        for (total, x) in sum.iter_mut().zip(*row) {
            *total += weight / unit * f64::from(*x);
        }
    }
    let scale = if normalize {
        let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm == 0.0 {
            return Err(ItemError::invalid(format!(
                "Field {} has zero magnitude vector, cannot normalize.",
                shown(field)
            )));
        }
        1.0 / norm
    } else {
        unit / parts.len() as f64
    };
    let mean: Vec<f32> = sum.into_iter().map(|x| (x * scale) as f32).collect();
    match mean.iter().all(|x| x.is_finite()) {
        true => Ok(mean),
        false => Err(ItemError::invalid(format!(
            "The weights of field {} give a vector beyond the range of 32-bit floats",
            shown(field)
        ))),
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
