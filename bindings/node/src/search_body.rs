//! Searches before they are checked: `splitSearch`, and the vectors that they hold: `readVector`.

use napi::Env;
use napi_derive::napi;

use crate::bytes::{Bytes, Floats};
use crate::error::{CodedError, answer};

/// The body of a search without its vectors.
#[napi(object, object_from_js = false)]
pub struct SearchBody {
    /// The body with `[row]` in place of each vector.
    #[napi(ts_type = "Buffer")]
    pub rest: Bytes,
    /// Start and end of the list of each vector in the body, and the number of its components, one vector behind the
    /// other. They are lists of numbers by all that was seen of them: whoever reads one knows.
    pub vectors: Vec<u32>,
    /// The place of the value of `q` in the body; 0 and 0 where there is none.
    pub q_start: u32,
    pub q_end: u32,
}

/// Takes the vectors out of the body of a search, so that only the rest is left to be parsed and checked, and the
/// numbers are read when they are needed. Null where there are none, or where anything about them is seen to be unusual:
/// such a body is to be parsed as a whole, as is one of which a vector turns out to be no list of finite numbers.
#[napi(catch_unwind, ts_return_type = "SearchBody | null")]
pub fn split_search(env: &Env, body: &[u8]) -> napi::Result<Option<SearchBody>> {
    answer(env, || {
        Ok(pelorus_engine::split_search(body).map(|split| {
            let q = split.q.unwrap_or(0..0);
            let places = |vector: pelorus_engine::WrittenVector| {
                [vector.list.start, vector.list.end, vector.length].map(|number| number as u32)
            };
            SearchBody {
                rest: Bytes(split.rest.into_bytes()),
                vectors: split.vectors.into_iter().flat_map(places).collect(),
                q_start: q.start as u32,
                q_end: q.end as u32,
            }
        }))
    })
}

/// The components of a vector by its list in JSON. Null where that is no list of finite numbers.
#[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer> | null")]
pub fn read_vector(env: &Env, list: &[u8]) -> napi::Result<Option<Floats>> {
    answer(env, || Ok(pelorus_engine::read_vector(list).map(Floats)))
}

/// As [`read_vector`], for a search.
pub(crate) fn query_vector(list: &[u8]) -> Result<Vec<f32>, CodedError> {
    let no_vector = || {
        CodedError::invalid_argument(
            "expected a vector as a list of finite numbers in JSON, but got something else",
        )
    };
    pelorus_engine::read_vector(list).ok_or_else(no_vector)
}
