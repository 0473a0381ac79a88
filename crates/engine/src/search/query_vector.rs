//! The one vector that a query's weighted parts make.

use pelorus_rank::Interpolation;

use super::plan::Plan;
use crate::error::{EngineError, Result};
use crate::index::Index;

/// Combines the plan's rows; none when the plan needs no vector.
pub(super) fn combine(index: &Index, plan: &Plan, vectors: &[f32]) -> Result<Option<Vec<f32>>> {
    let Some(tensor) = &plan.tensor else {
        return Ok(None);
    };
    if !plan.uses_tensor() {
        return Ok(None);
    }
    let rows = tensor.vectors.len();
    let dimensions = index.definition.dimensions;
    if rows == 0 {
        return Err(EngineError::invalid_argument(
            "Marqo could not collect any vectors from the search query but the retrieval or ranking method requires at least one valid vector. Please check the provided query, context (if any), or queryTensor(for Hybrid search) ",
        ));
    }
    if !vectors.len().is_multiple_of(rows) || vectors.len() / rows != dimensions {
        return Err(EngineError::invalid_argument(format!(
            "The dimension of the vectors returned by the model or given by the context vectors does not match the expected dimension. Expected dimension {dimensions} but got {}",
            vectors.len() / rows
        )));
    }
    if vectors.iter().any(|x| !x.is_finite()) {
        return Err(EngineError::invalid_argument(
            "A query vector holds a number that is not finite",
        ));
    }
    let Some(method) = &tensor.interpolation else {
        return match rows {
            1 => Ok(Some(vectors.to_vec())),
            _ => Err(EngineError::invalid_argument(
                "search plan: several query vectors need an interpolation method",
            )),
        };
    };
    let method: Interpolation = method.parse().map_err(|_| {
        EngineError::invalid_argument(format!("search plan: unknown interpolation '{method}'"))
    })?;
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions).collect();
    pelorus_rank::interpolate(method, &rows, &tensor.vectors)
        .map(Some)
        .map_err(|e| EngineError::new("bad_request", e.to_string()))
}
