//! The one vector that a query's weighted parts make.

use super::context::WeightedRows;
use crate::error::{EngineError, Result};
use crate::generated::TensorLeg;
use crate::index::Index;

/// Combines the rows of the query vectors, `[weights, dimensions]`, and behind them those of the
/// context's documents, into one vector, `[dimensions]`.
pub(super) fn combine(
    index: &Index,
    leg: &TensorLeg,
    vectors: &[f32],
    context: &WeightedRows,
) -> Result<Vec<f32>> {
    let (rows, dimensions) = (leg.weights.len(), index.definition.documents.dimensions);
    if vectors.len() != rows * dimensions {
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
    let rows: Vec<&[f32]> = [vectors, &context.rows]
        .into_iter()
        .flat_map(|rows| rows.chunks_exact(dimensions))
        .collect();
    match (leg.interpolation, rows.as_slice()) {
        (_, []) => Err(EngineError::invalid_argument(
            "Pelorus could not collect any vectors from the search query but the retrieval or ranking method requires at least one valid vector. Please check the provided query, context (if any), or queryTensor (for Hybrid search) ",
        )),
        (Some(method), rows) => {
            let weights = [leg.weights.as_slice(), &context.weights].concat();
            pelorus_rank::interpolate(method.into(), rows, &weights)
                .map_err(|e| EngineError::new("bad_request", e.to_string()))
        }
        (None, [only]) => Ok(only.to_vec()),
        (None, _) => Err(EngineError::invalid_argument(
            "search plan: several query vectors need an interpolation method",
        )),
    }
}
