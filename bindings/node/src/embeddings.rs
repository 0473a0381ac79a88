//! Vectors as an answer's JSON: `embeddingsJson`.

use napi::Env;
use napi_derive::napi;

use crate::bytes::{Bytes, RawValue};
use crate::error::CodedError;
use crate::pool::Lane;
use crate::promise;

/// A JSON array with one vector for each of `entries`, made of the next of `rows`, `[rows, dim]`. An
/// entry of null is the next row as it is; weights are the mean of as many rows, each times its
/// weight, at unit length with `normalize`. Rejects with `invalid_argument` when there are more rows
/// or fewer.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn embeddings_json(
    env: &Env,
    rows: &[f32],
    dim: u32,
    #[napi(ts_arg_type = "(number[] | null)[]")] entries: Vec<Option<Vec<f64>>>,
    normalize: bool,
) -> napi::Result<RawValue> {
    let rows = rows.to_vec();
    promise::run(env, Lane::Interactive, move || {
        let dim = dim as usize;
        let expected: usize = entries.iter().map(|e| e.as_ref().map_or(1, Vec::len)).sum();
        if rows.len() != expected * dim {
            return Err(CodedError::invalid_argument(format!(
                "expected {expected} rows of {dim} components, received {} components",
                rows.len()
            )));
        }
        let mut rest = rows.as_slice();
        let embeddings: Vec<Vec<f64>> = entries
            .into_iter()
            .map(|weights| {
                let (taken, after) = rest.split_at(weights.as_ref().map_or(1, Vec::len) * dim);
                rest = after;
                match weights {
                    None => taken.iter().map(|&x| f64::from(x)).collect(),
                    Some(weights) => {
                        let parts = taken.chunks_exact(dim.max(1)).zip(weights);
                        let parts: Vec<(&[f32], f64)> = parts.collect();
                        pelorus_embed::weighted_mean(&parts, dim, normalize)
                    }
                }
            })
            .collect();
        let json = serde_json::to_vec(&embeddings);
        json.map(Bytes)
            .map_err(|error| CodedError::internal(error.to_string()))
    })
}
