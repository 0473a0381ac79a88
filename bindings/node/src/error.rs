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

/// Runs `work` and turns a panic into an error. The panic itself was already printed, with its
/// place, by the process's panic hook.
///
/// Whether state is still sound after a panic is for its owner to decide: an index that saw one
/// poisons itself, and everything else that crosses here is a copy.
pub(crate) fn catch<T>(work: impl FnOnce() -> Result<T, CodedError>) -> Result<T, CodedError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Err(CodedError::internal(format!(
            "a defect was met and contained: {text}"
        )))
    })
}

/// The body of a call that is answered at once.
pub(crate) fn answer<T>(
    env: &Env,
    work: impl FnOnce() -> Result<T, CodedError>,
) -> napi::Result<T> {
    catch(work).map_err(|error| error.into_napi(env))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_error_with_its_message() {
        let with_text = catch::<()>(|| panic!("row {} is gone", 7)).unwrap_err();
        assert_eq!(with_text.code, "internal");
        assert!(
            with_text.message.ends_with("row 7 is gone"),
            "{}",
            with_text.message
        );
        let without = catch::<()>(|| std::panic::panic_any(5)).unwrap_err();
        assert!(
            without.message.ends_with("no message"),
            "{}",
            without.message
        );
    }
}
