//! Results on their way to JavaScript.

use napi::bindgen_prelude::{
    BufferSlice, Float32ArraySlice, Int32ArraySlice, JsValue, ToNapiValue, Uint32ArraySlice,
};
use napi::{Env, sys};
use napi_derive::napi;

/// From this size on a result is lent to JavaScript rather than copied. Below it the copy is
/// cheaper than the finalizer that a loan costs the garbage collector.
const LOAN_BYTES_MIN: usize = 16 << 10;

/// Bytes that become a `Buffer`.
pub struct Bytes(pub Vec<u8>);

/// Numbers that become a `Float32Array`. Always copied: JavaScript may transfer the array to
/// another thread, which it cannot do with memory that is only lent.
pub struct Floats(pub Vec<f32>);

/// Numbers that become an `Int32Array`, copied as [`Floats`] are.
pub struct Integers(pub Vec<i32>);

/// Numbers that become a `Uint32Array`, copied as [`Floats`] are.
pub struct Offsets(pub Vec<u32>);

/// Token ids of several inputs in their rows: one for each input, but for those among `parts`. Row `i` has
/// `ids.subarray(offsets[i], offsets[i + 1])`.
#[napi(object, object_from_js = false)]
pub struct Encoded {
    #[napi(ts_type = "Int32Array<ArrayBuffer>")]
    pub ids: Integers,
    /// One more than there are rows.
    #[napi(ts_type = "Uint32Array<ArrayBuffer>")]
    pub offsets: Offsets,
    /// Rows that cannot be encoded, ascending. They have no ids.
    pub failures: Vec<InputFailure>,
    /// Chunks that have a row for each of their parts, ascending.
    pub parts: Vec<ChunkParts>,
}

/// A chunk that was cut into parts.
#[napi(object, object_from_js = false)]
pub struct ChunkParts {
    /// Its place among the inputs.
    pub row: u32,
    /// The parts, without their prefix.
    pub chunks: Vec<String>,
}

/// An input that cannot be encoded.
#[napi(object, object_from_js = false)]
pub struct InputFailure {
    /// Its place among the inputs.
    pub row: u32,
    /// The reason, for people.
    pub message: String,
}

/// A response body about several items, and the figures of its `x-count-*` headers.
#[napi(object, object_from_js = false)]
pub struct ItemsResponse {
    /// A JSON object; members may be put in front of its final brace.
    #[napi(ts_type = "Buffer")]
    pub body: Bytes,
    /// Items with a 2xx status.
    pub success: u32,
    /// Items with a 4xx status.
    pub failure: u32,
    /// Items with a 5xx status.
    pub error: u32,
}

impl From<pelorus_engine::ItemsResponse> for ItemsResponse {
    fn from(response: pelorus_engine::ItemsResponse) -> Self {
        ItemsResponse {
            body: Bytes(response.body),
            success: response.success,
            failure: response.failure,
            error: response.error,
        }
    }
}

/// A value that was already made, for a function that returns it.
pub struct RawValue(pub(crate) sys::napi_value);

impl RawValue {
    /// Converts a value at once; for calls that return no promise.
    pub(crate) fn of<T: ToNapiValue>(env: &Env, value: T) -> napi::Result<Self> {
        // SAFETY: `env` is the environment of the call that is running, on its own thread.
        unsafe { T::to_napi_value(env.raw(), value) }.map(RawValue)
    }
}

impl ToNapiValue for RawValue {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.0)
    }
}

fn buffer(env: &Env, bytes: Vec<u8>) -> napi::Result<BufferSlice<'_>> {
    if bytes.len() < LOAN_BYTES_MIN {
        BufferSlice::copy_from(env, bytes)
    } else {
        BufferSlice::from_data(env, bytes)
    }
}

impl ToNapiValue for Bytes {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(buffer(&Env::from_raw(env), value.0)?.raw())
    }
}

impl ToNapiValue for Floats {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(Float32ArraySlice::copy_from(&Env::from_raw(env), value.0)?.raw())
    }
}

impl ToNapiValue for Integers {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(Int32ArraySlice::copy_from(&Env::from_raw(env), value.0)?.raw())
    }
}

impl ToNapiValue for Offsets {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(Uint32ArraySlice::copy_from(&Env::from_raw(env), value.0)?.raw())
    }
}
