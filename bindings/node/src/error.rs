//! Errors on their way to JavaScript.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{JsObjectValue, JsValue};
use napi::{Env, JsError};
use napi_derive::napi;
use pelorus_engine::{EngineError, ErrorDetails};

/// An error with the code that JavaScript and HTTP see unchanged.
#[derive(Debug)]
pub(crate) struct CodedError {
    code: &'static str,
    message: Cow<'static, str>,
    details: Option<ErrorDetails>,
}

/// The `details` of a `json_decode_error`: where a body stops being JSON.
#[napi(object, object_from_js = false)]
pub struct JsonSyntaxError {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// Tells whether it is right as far as it goes; the missing part follows the last byte.
    pub ends_early: bool,
}

impl From<pelorus_engine::JsonSyntaxError> for JsonSyntaxError {
    fn from(error: pelorus_engine::JsonSyntaxError) -> Self {
        // A body has far fewer than 2^32 bytes.
        JsonSyntaxError {
            line: error.line as u32,
            column: error.column as u32,
            ends_early: error.ends_early,
        }
    }
}

impl CodedError {
    pub(crate) fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("internal", message)
    }

    pub(crate) fn invalid_argument(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_argument", message)
    }

    pub(crate) fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        CodedError {
            code,
            message: message.into(),
            details: None,
        }
    }

    /// The JavaScript `Error` with `code`, `message` and what `details` there are, wrapped so that
    /// napi throws or rejects with that very object. Must run on the JavaScript thread.
    pub(crate) fn into_napi(self, env: &Env) -> napi::Error {
        let error = napi::Error::<&str>::new(self.code, self.message.into_owned());
        let error = JsError::from(error).into_unknown(*env);
        if let Some(ErrorDetails::JsonSyntax(details)) = self.details {
            let described = error.coerce_to_object().and_then(|mut object| {
                object.set_named_property("details", JsonSyntaxError::from(details))
            });
            if let Err(failed) = described {
                return failed;
            }
        }
        napi::Error::from(error)
    }
}

impl From<EngineError> for CodedError {
    fn from(error: EngineError) -> Self {
        CodedError {
            code: error.code(),
            message: error.to_string().into(),
            details: error.details(),
        }
    }
}

/// Runs `work` and turns a panic into an error.
///
/// The owner of state decides whether it is still sound after a panic: an index that saw one
/// poisons itself, and everything else that crosses here is a copy.
pub(crate) fn catch<T>(work: impl FnOnce() -> Result<T, CodedError>) -> Result<T, CodedError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(EngineError::of_panic(&*payload).into()))
}

/// The body of a call that is answered at once.
pub(crate) fn answer<T>(
    env: &Env,
    work: impl FnOnce() -> Result<T, CodedError>,
) -> napi::Result<T> {
    catch(work).map_err(|error| error.into_napi(env))
}
