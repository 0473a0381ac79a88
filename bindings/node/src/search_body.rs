//! Searches before they are checked: `splitSearch`.

use napi::Env;
use napi_derive::napi;

use crate::bytes::{Bytes, Floats};
use crate::error::answer;

/// The body of a search without its vectors.
#[napi(object, object_from_js = false)]
pub struct SearchBody {
    /// The body with `[row]` in place of each vector.
    #[napi(ts_type = "Buffer")]
    pub rest: Bytes,
    /// The numbers of all vectors, one vector behind the other.
    #[napi(ts_type = "Float32Array<ArrayBuffer>")]
    pub vectors: Floats,
    /// The number of components of each vector, by row.
    pub lengths: Vec<u32>,
    /// The place of the value of `q` in the body; 0 and 0 where there is none.
    pub q_start: u32,
    pub q_end: u32,
}

/// Takes the vectors out of the body of a search, so that only the rest is left to be parsed and checked. Null
/// where there are none, or where anything about them is unusual: such a body is to be parsed as a whole.
#[napi(catch_unwind, ts_return_type = "SearchBody | null")]
pub fn split_search(env: &Env, body: &[u8]) -> napi::Result<Option<SearchBody>> {
    answer(env, || {
        Ok(pelorus_engine::split_search(body).map(|split| {
            let q = split.q.unwrap_or(0..0);
            SearchBody {
                rest: Bytes(split.rest.into_bytes()),
                vectors: Floats(split.vectors),
                lengths: split.lengths,
                q_start: q.start as u32,
                q_end: q.end as u32,
            }
        }))
    })
}
