//! The vectors of inputs, put where they belong.

use std::borrow::Cow;
use std::collections::HashMap;

use pelorus_embed::weighted_mean;
use pelorus_excerpt::truncated;

use super::{CHUNKS_PER_FIELD_MAX, PreparedDocument, PreparedTensor, VectorSource};
use crate::error::{DocumentsError, ItemError, Result};
use crate::schema::DocumentSchema;
use crate::tensors::FieldTensors;

/// The vectors and failures of the inputs of a batch.
#[derive(Debug, Default)]
pub struct EmbeddedInputs<'a> {
    /// `[rows, dimensions]`, the rows of one input after those of another. An input has one row, but where `parts` says
    /// otherwise.
    pub vectors: &'a [f32],
    /// The inputs without a vector, whose rows are zeros, and why.
    pub failures: HashMap<usize, String>,
    /// The inputs that have a row for each of their parts, and the text stored and shown for each part.
    pub parts: HashMap<usize, Vec<String>>,
}

/// The same, checked, with the rows of each input.
pub(super) struct EmbeddedRows<'a> {
    dimensions: usize,
    embedded: EmbeddedInputs<'a>,
    /// The beginnings of each input's rows, and the end of the last ones.
    starts: Vec<usize>,
}

impl<'a> EmbeddedRows<'a> {
    pub(super) fn new(
        inputs: usize,
        dimensions: usize,
        embedded: EmbeddedInputs<'a>,
    ) -> Result<Self> {
        let EmbeddedInputs {
            vectors,
            failures,
            parts,
        } = &embedded;
        if let Some(&received) = failures
            .keys()
            .chain(parts.keys())
            .find(|&&at| at >= inputs)
        {
            return Err(DocumentsError::UnknownInput { inputs, received });
        }
        if let Some((&input, _)) = parts.iter().find(|(_, chunks)| chunks.is_empty()) {
            return Err(DocumentsError::NoParts { input });
        }
        let count = |input| parts.get(&input).map_or(1, Vec::len);
        let mut starts = vec![0];
        starts.extend((0..inputs).scan(0, |end, input| {
            *end += count(input);
            Some(*end)
        }));
        debug_assert!(starts.is_sorted_by(|a, b| a < b), "each input has a row");
        let rows = starts[inputs];
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
        Ok(Self {
            dimensions,
            embedded,
            starts,
        })
    }

    /// The vectors of an input that `field` is made of.
    fn rows(&self, field: &str, input: usize) -> std::result::Result<&'a [f32], ItemError> {
        match self.embedded.failures.get(&input) {
            Some(reason) => Err(ItemError::invalid(format!(
                "Field {} cannot be embedded: {reason}",
                truncated(field)
            ))),
            None => {
                let rows = self.starts[input]..self.starts[input + 1];
                Ok(
                    &self.embedded.vectors
                        [rows.start * self.dimensions..rows.end * self.dimensions],
                )
            }
        }
    }
}

impl PreparedDocument {
    /// The document, whose tensors stand beside it with their vectors.
    pub(super) fn filled(
        mut self,
        schema: &DocumentSchema,
        rows: &EmbeddedRows<'_>,
    ) -> std::result::Result<(Self, Vec<FieldTensors>), ItemError> {
        let tensors = std::mem::take(&mut self.tensors).into_iter();
        let tensors: std::result::Result<_, ItemError> =
            tensors.map(|tensor| fill(schema, tensor, rows)).collect();
        match tensors {
            Ok(tensors) => Ok((self, tensors)),
            Err(error) => Err(error.of(self.id)),
        }
    }
}

fn fill(
    schema: &DocumentSchema,
    tensor: PreparedTensor,
    rows: &EmbeddedRows<'_>,
) -> std::result::Result<FieldTensors, ItemError> {
    let of = |input: usize| rows.rows(&tensor.field, input);
    let mut chunks = tensor.chunks;
    let filled = match tensor.source {
        VectorSource::Ready(vectors) => vectors,
        VectorSource::Inputs(inputs) => {
            debug_assert_eq!(inputs.len(), chunks.len(), "an input for each chunk");
            let mut vectors = Vec::with_capacity(inputs.len() * schema.dimensions);
            let mut shown = Vec::with_capacity(inputs.len());
            for (input, chunk) in inputs.into_iter().zip(chunks) {
                vectors.extend_from_slice(of(input)?);
                match rows.embedded.parts.get(&input) {
                    Some(parts) => shown.extend_from_slice(parts),
                    None => shown.push(chunk),
                }
            }
            if shown.len() > CHUNKS_PER_FIELD_MAX {
                return Err(ItemError::invalid(format!(
                    "Field {}: it has {} parts, expected at most {CHUNKS_PER_FIELD_MAX}",
                    truncated(&tensor.field),
                    shown.len()
                )));
            }
            chunks = shown;
            vectors
        }
        VectorSource::Weighted(parts) => {
            let part = |(input, weight): (usize, f64)| {
                Ok((mean_of_rows(of(input)?, schema.dimensions), weight))
            };
            let parts: std::result::Result<Vec<_>, ItemError> =
                parts.into_iter().map(part).collect();
            mean_of_parts(&tensor.field, &parts?, schema)?
        }
    };
    debug_assert_eq!(
        filled.len(),
        chunks.len() * schema.dimensions,
        "a row for each chunk"
    );
    Ok(FieldTensors {
        vectors: rounded(&tensor.field, filled, schema)?,
        field: tensor.field,
        kind: tensor.kind,
        weights: tensor.weights,
        chunks,
    })
}

/// The vectors as they are stored, so that searches rank by the numbers that are read back.
fn rounded(
    field: &str,
    mut vectors: Vec<f32>,
    schema: &DocumentSchema,
) -> std::result::Result<Vec<f32>, ItemError> {
    let numbers = schema.numbers;
    let are_finite = |vectors: &[f32]| vectors.iter().all(|x| x.is_finite());
    // Some types take what is no number for one.
    let mut is_stored = are_finite(&vectors);
    if is_stored {
        numbers.round(&mut vectors, schema.dimensions);
        is_stored = are_finite(&vectors);
    }
    match is_stored {
        true => Ok(vectors),
        false => Err(ItemError::invalid(format!(
            "Field {} has a vector beyond the range of {numbers}",
            truncated(field)
        ))),
    }
}

/// One vector for an input that has several, as of the pieces of a film.
fn mean_of_rows(rows: &[f32], dimensions: usize) -> Cow<'_, [f32]> {
    if rows.len() == dimensions {
        return Cow::Borrowed(rows);
    }
    let rows: Vec<_> = rows
        .chunks_exact(dimensions)
        .map(|row| (row, 1.0))
        .collect();
    let mean = weighted_mean(&rows, dimensions, false);
    Cow::Owned(mean.into_iter().map(|x| x as f32).collect())
}

/// The mean of the weighted parts of a field, which has to be a vector that can be stored.
fn mean_of_parts(
    field: &str,
    parts: &[(Cow<'_, [f32]>, f64)],
    schema: &DocumentSchema,
) -> std::result::Result<Vec<f32>, ItemError> {
    let parts: Vec<_> = parts
        .iter()
        .map(|(vector, weight)| (&**vector, *weight))
        .collect();
    let mean = weighted_mean(&parts, schema.dimensions, schema.normalize);
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
