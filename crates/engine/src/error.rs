use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pelorus_documents::DocumentsError;
use pelorus_lexical::LexicalError;
use pelorus_store::StoreError;

use crate::generated::JsonSyntaxError;

/// Shorthand for this crate's results.
pub type Result<T> = std::result::Result<T, EngineError>;

/// What went wrong, with the code that crosses the binding and HTTP unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineError {
    /// Stable wire code, for example `index_not_found`.
    pub code: &'static str,
    /// For people: what was expected and what came.
    pub message: String,
    /// For programs: what some codes come with.
    pub details: Option<ErrorDetails>,
}

/// What a caller would otherwise read out of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorDetails {
    /// Of `json_decode_error`.
    JsonSyntax(JsonSyntaxError),
}

impl EngineError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
        }
    }

    pub(crate) fn malformed_json(error: &serde_json::Error) -> Self {
        let details = JsonSyntaxError {
            line: error.line(),
            column: error.column(),
            ends_early: error.is_eof(),
        };
        Self {
            details: Some(ErrorDetails::JsonSyntax(details)),
            ..Self::new("json_decode_error", error.to_string())
        }
    }

    pub(crate) fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new("invalid_argument", message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }

    /// What a caller is told of a panic. The panic itself was already printed, with its place, by
    /// the process's panic hook.
    pub fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Self::internal(format!("an internal error was contained: {text}"))
    }

    /// What the operating system refused to do. A full disk has a code of its own.
    pub(crate) fn io(action: impl fmt::Display, error: &io::Error) -> Self {
        let code = match is_storage_full(error) {
            true => "insufficient_storage",
            false => "backend_communication_error",
        };
        Self::new(code, format!("{action}: {error}"))
    }

    /// Whether the cause lies with the disk, so that the same may work a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self.code,
            "insufficient_storage" | "backend_communication_error"
        )
    }

    /// Whether the store could not be read or written.
    pub(crate) fn is_of_store(&self) -> bool {
        self.may_pass() || self.code == "backend_data_parsing_error"
    }

    pub(crate) fn index_not_found(name: &str) -> Self {
        Self::new("index_not_found", format!("Index {name} not found"))
    }
}

/// Whether a call failed for want of room.
fn is_storage_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Runs `work` and turns a panic into an error. For work that only reads, or that writes what is
/// thrown away with the error.
pub(crate) fn contain<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(EngineError::of_panic(&*payload)))
}

impl From<DocumentsError> for EngineError {
    fn from(error: DocumentsError) -> Self {
        let code = match &error {
            DocumentsError::Json(error) => return Self::malformed_json(error),
            DocumentsError::Options(_) => "invalid_argument",
            _ => "internal",
        };
        Self::new(code, error.to_string())
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NewerFormat { .. } => "newer_format",
            full if full.is_storage_full() => "insufficient_storage",
            StoreError::Io { .. }
            | StoreError::Closed
            | StoreError::ReadOnly
            | StoreError::InUse(_) => "backend_communication_error",
            _ => "backend_data_parsing_error",
        };
        Self::new(code, error.to_string())
    }
}

impl From<LexicalError> for EngineError {
    fn from(error: LexicalError) -> Self {
        let code = match error {
            LexicalError::QueryTooLong { .. } => "invalid_argument",
            // The paths of its files are for the log.
            LexicalError::Damaged { .. } => {
                return Self::new(
                    "service_unavailable",
                    "The text index is damaged and is being made anew: send this again in a moment",
                );
            }
            _ => "internal",
        };
        Self::new(code, error.to_string())
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for EngineError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_error_with_its_message() {
        let with_text = contain::<()>(|| panic!("row {} is gone", 7)).unwrap_err();
        assert_eq!(with_text.code, "internal");
        assert!(with_text.message.ends_with("row 7 is gone"), "{with_text}");
        let without = contain::<()>(|| std::panic::panic_any(5)).unwrap_err();
        assert!(without.message.ends_with("no message"), "{without}");
    }
}
