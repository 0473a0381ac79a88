//! The vectors of inputs, put where they belong.

use std::collections::HashMap;

use pelorus_embed::weighted_mean;
use pelorus_excerpt::truncated;
use pelorus_hnsw::NumericType;
use pelorus_kernels::{bf16_to_f32, f32_to_bf16};

use super::{PreparedDocument, PreparedTensor, ReadyDocument, VectorSource};
use crate::error::{DocumentsError, ItemError, Result};
use crate::schema::DocumentSchema;
use crate::tensors::FieldTensors;

/// What became of the inputs: of each a vector, or why there is none.
pub(super) struct EmbeddedRows<'a> {
    dimensions: usize,
    /// `[inputs, dimensions]`.
    vectors: &'a [f32],
    failures: HashMap<usize, String>,
}

impl<'a> EmbeddedRows<'a> {
    pub(super) fn new(
        rows: usize,
        dimensions: usize,
        vectors: &'a [f32],
        failures: HashMap<usize, String>,
    ) -> Result<Self> {
        if vectors.len() != rows * dimensions {
            return Err(DocumentsError::Vectors {
                rows,
                dimensions,
                received: vectors.len(),
            });
        }
        if vectors.iter().any(|x| !x.is_finite()) {
            return Err(DocumentsError::NotFinite);
        }
        if let Some(&received) = failures.keys().find(|&&row| row >= rows) {
            return Err(DocumentsError::FailedRow { rows, received });
        }
        Ok(Self {
            dimensions,
            vectors,
            failures,
        })
    }

    /// The vector of a row that `field` is made of.
    fn row(&self, field: &str, row: usize) -> std::result::Result<&'a [f32], ItemError> {
        match self.failures.get(&row) {
            Some(reason) => Err(ItemError::invalid(format!(
                "Field {} cannot be embedded: {reason}",
                truncated(field)
            ))),
            None => Ok(&self.vectors[row * self.dimensions..][..self.dimensions]),
        }
    }
}

pub(super) fn ready(
    schema: &DocumentSchema,
    prepared: PreparedDocument,
    rows: &EmbeddedRows<'_>,
) -> std::result::Result<ReadyDocument, ItemError> {
    let tensors = prepared.tensors.into_iter();
    let tensors: std::result::Result<_, ItemError> =
        tensors.map(|tensor| fill(schema, tensor, rows)).collect();
    match tensors {
        Ok(tensors) => Ok(ReadyDocument {
            id: prepared.id,
            document: prepared.document,
            values: prepared.values,
            tensors,
        }),
        Err(error) => Err(error.of(prepared.id)),
    }
}

fn fill(
    schema: &DocumentSchema,
    tensor: PreparedTensor,
    rows: &EmbeddedRows<'_>,
) -> std::result::Result<FieldTensors, ItemError> {
    let row = |at: usize| rows.row(&tensor.field, at);
    let filled = match tensor.source {
        VectorSource::Ready(vectors) => vectors,
        VectorSource::Rows(chunks) => {
            let mut vectors = Vec::with_capacity(chunks.len() * schema.dimensions);
            for at in chunks {
                vectors.extend_from_slice(row(at)?);
            }
            vectors
        }
        VectorSource::Weighted(parts) => {
            let part = |(at, weight): (usize, f64)| Ok((row(at)?, weight));
            let parts: std::result::Result<Vec<_>, ItemError> =
                parts.into_iter().map(part).collect();
            mean_of_parts(&tensor.field, &parts?, schema)?
        }
    };
    Ok(FieldTensors {
        vectors: rounded(&tensor.field, filled, schema.numbers)?,
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
            truncated(field)
        ))),
    }
}

/// The mean of the weighted parts of a field, which has to be a vector that can be stored.
fn mean_of_parts(
    field: &str,
    parts: &[(&[f32], f64)],
    schema: &DocumentSchema,
) -> std::result::Result<Vec<f32>, ItemError> {
    let mean = weighted_mean(parts, schema.dimensions, schema.normalize);
    if schema.normalize && mean.iter().all(|x| *x == 0.0) {
        return Err(ItemError::invalid(format!(
            "Field {} has zero magnitude vector, cannot normalize.",
            truncated(field)
        )));
    }
    let mean: Vec<f32> = mean.into_iter().map(|x| x as f32).collect();
    match mean.iter().all(|x| x.is_finite()) {
        true => Ok(mean),
        false => Err(ItemError::invalid(format!(
            "The weights of field {} give a vector beyond the range of 32-bit floats",
            truncated(field)
        ))),
    }
}
