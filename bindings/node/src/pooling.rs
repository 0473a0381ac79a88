//! Hidden states to vectors: `meanPool`, `clsPool`, `normalize`. Called by the workers that run
//! models, so they answer at once.

use napi::Env;
use napi_derive::napi;
use pelorus_embed::{HiddenShape, PoolError};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};

fn refused(error: PoolError) -> CodedError {
    CodedError::invalid_argument(error.to_string())
}

fn shape(batch: u32, len: u32, dim: u32) -> HiddenShape {
    HiddenShape {
        batch: batch as usize,
        len: len as usize,
        dim: dim as usize,
    }
}

/// The mean over the attended tokens of each text, `[batch, dim]`. `hidden` is `[batch, len, dim]`,
/// `mask` `[batch, len]` with 0 for padding. Throws `invalid_argument` when sizes do not fit.
#[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
pub fn mean_pool(
    env: &Env,
    hidden: &[f32],
    mask: &[i64],
    batch: u32,
    len: u32,
    dim: u32,
) -> napi::Result<RawValue> {
    let pooled = answer(env, || {
        pelorus_embed::mean_pool(hidden, mask, shape(batch, len, dim)).map_err(refused)
    })?;
    RawValue::of(env, Floats(pooled))
}

/// The first token's vector of each text, `[batch, dim]`. As `meanPool` otherwise.
#[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
pub fn cls_pool(
    env: &Env,
    hidden: &[f32],
    batch: u32,
    len: u32,
    dim: u32,
) -> napi::Result<RawValue> {
    let pooled = answer(env, || {
        pelorus_embed::cls_pool(hidden, shape(batch, len, dim)).map_err(refused)
    })?;
    RawValue::of(env, Floats(pooled))
}

/// Rows of `[rows, dim]` at unit length; a row of zeros stays.
#[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
pub fn normalize(env: &Env, vectors: &[f32], dim: u32) -> napi::Result<RawValue> {
    let rows = answer(env, || {
        if dim == 0 || !vectors.len().is_multiple_of(dim as usize) {
            return Err(CodedError::invalid_argument(format!(
                "expected rows of {dim} components, received {} components",
                vectors.len()
            )));
        }
        let mut rows = vectors.to_vec();
        pelorus_embed::normalize(&mut rows, dim as usize);
        Ok(rows)
    })?;
    RawValue::of(env, Floats(rows))
}
