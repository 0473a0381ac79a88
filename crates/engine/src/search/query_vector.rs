//! The one vector that a query's weighted parts make.

use crate::error::{EngineError, Result};
use crate::generated::TensorLeg;
use crate::index::Index;

/// Combines the rows of the query vectors, `[weights, dimensions]`, into one vector, `[dimensions]`.
pub(super) fn combine(index: &Index, leg: &TensorLeg, vectors: &[f32]) -> Result<Vec<f32>> {
    let (rows, dimensions) = (leg.weights.len(), index.definition.documents.dimensions);
    if rows == 0 || vectors.len() != rows * dimensions {
        return Err(EngineError::invalid_argument(format!(
            "search plan: expected query vectors of {dimensions} dimensions, one for each of {rows} weights, but {} numbers came",
            vectors.len()
        )));
    }
    if vectors.iter().any(|x| !x.is_finite()) {
        return Err(EngineError::invalid_argument(
            "A query vector holds a number that is not finite",
        ));
    }
    let Some(method) = leg.interpolation else {
        return match rows {
            1 => Ok(vectors.to_vec()),
            _ => Err(EngineError::invalid_argument(
                "search plan: several query vectors need an interpolation method",
            )),
        };
    };
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions).collect();
    pelorus_rank::interpolate(method.into(), &rows, &leg.weights)
        .map_err(|e| EngineError::new("bad_request", e.to_string()))
}
