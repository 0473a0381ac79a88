//! Errors on their way to JavaScript.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::{Env, JsError};
use pelorus_engine::EngineError;

/// An error with the code that JavaScript and HTTP see unchanged.
#[derive(Debug)]
pub(crate) struct CodedError {
    code: &'static str,
    message: Cow<'static, str>,
}

impl CodedError {
    pub(crate) fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        CodedError {
            code: "internal",
            message: message.into(),
        }
    }

    pub(crate) fn invalid_argument(message: impl Into<Cow<'static, str>>) -> Self {
        CodedError {
            code: "invalid_argument",
            message: message.into(),
        }
    }

    /// The JavaScript `Error` with `code` and `message`, wrapped so that napi throws or rejects
    /// with that very object. Must run on the JavaScript thread.
    pub(crate) fn into_napi(self, env: &Env) -> napi::Error {
        let error = napi::Error::<&str>::new(self.code, self.message.into_owned());
        napi::Error::from(JsError::from(error).into_unknown(*env))
    }
}

impl From<EngineError> for CodedError {
    fn from(error: EngineError) -> Self {
        CodedError {
            code: error.code,
            message: error.message.into(),
        }
    }
}

/// Runs `work` and turns a panic into an error.
///
/// Whether state is still sound after a panic is for its owner to decide: an index that saw one
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
