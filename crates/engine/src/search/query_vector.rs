//! The one vector that a query's weighted parts make.

use super::context::WeightedRows;
use crate::error::SearchError;
use crate::generated::TensorLeg;

/// Combines the rows of the query vectors, `[weights, dimensions]`, and behind them those of the
/// context's documents, into one vector, `[dimensions]`.
pub(super) fn combine(
    dimensions: usize,
    leg: &TensorLeg,
    vectors: &[f32],
    context: &WeightedRows,
) -> Result<Vec<f32>, SearchError> {
    let rows = leg.weights.len();
    if vectors.len() != rows * dimensions {
        return Err(SearchError::QueryVectors {
            dimensions,
            weights: rows,
            received: vectors.len(),
        });
    }
    debug_assert_eq!(context.rows.len(), context.weights.len() * dimensions);
    if vectors.iter().any(|x| !x.is_finite()) {
        return Err(SearchError::NotFinite);
    }
    let rows: Vec<&[f32]> = [vectors, &context.rows]
        .into_iter()
        .flat_map(|rows| rows.chunks_exact(dimensions))
        .collect();
    match (leg.interpolation, rows.as_slice()) {
        (_, []) => Err(SearchError::NoVectors),
        (Some(method), rows) => {
            let weights = [leg.weights.as_slice(), &context.weights].concat();
            Ok(pelorus_rank::interpolate(method.into(), rows, &weights)?)
        }
        (None, [only]) => Ok(only.to_vec()),
        (None, _) => Err(SearchError::MissingInterpolation),
    }
}
