//! Results on their way to JavaScript.

use napi::bindgen_prelude::{
    BufferSlice, Float32ArraySlice, Int32ArraySlice, JsObjectValue, JsValue, Object, ToNapiValue,
    Uint32ArraySlice,
};
use napi::{Env, sys};
use pelorus_engine::ItemsResponse;

/// From this size on a result is lent to JavaScript rather than copied. Below it the copy is
/// cheaper than the finalizer that a loan costs the garbage collector.
const LOAN_BYTES_MIN: usize = 16 << 10;

/// Bytes that become a `Buffer`.
pub(crate) struct Bytes(pub Vec<u8>);

/// Numbers that become a `Float32Array`. Always copied: JavaScript may transfer the array to
/// another thread, which it cannot do with memory that is only lent.
pub(crate) struct Floats(pub Vec<f32>);

/// Token ids of several texts, concatenated; text `i` has `ids[offsets[i]..offsets[i + 1]]`.
pub(crate) struct Encoded {
    pub ids: Vec<i32>,
    pub offsets: Vec<u32>,
}

/// The response to a request about several items, as `{ body, success, failure, error }`.
pub(crate) struct Items(pub ItemsResponse);

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

impl ToNapiValue for Encoded {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        let env = Env::from_raw(env);
        let mut object = Object::new(&env)?;
        object.set_named_property("ids", Int32ArraySlice::copy_from(&env, value.ids)?)?;
        object.set_named_property("offsets", Uint32ArraySlice::copy_from(&env, value.offsets)?)?;
        Ok(object.raw())
    }
}

impl ToNapiValue for Items {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        let env = Env::from_raw(env);
        let mut object = Object::new(&env)?;
        object.set_named_property("body", buffer(&env, value.0.body)?)?;
        object.set_named_property("success", value.0.success)?;
        object.set_named_property("failure", value.0.failure)?;
        object.set_named_property("error", value.0.error)?;
        Ok(object.raw())
    }
}
