use std::fmt;

use pelorus_lexical::LexicalError;
use pelorus_store::StoreError;

/// Shorthand for this crate's results.
pub type Result<T> = std::result::Result<T, EngineError>;

/// What went wrong, with the code that crosses the binding and HTTP unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// Stable wire code, for example `index_not_found`.
    pub code: &'static str,
    /// For people: what was expected and what came.
    pub message: String,
}

impl EngineError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new("invalid_argument", message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }

    pub(crate) fn index_not_found(name: &str) -> Self {
        Self::new("index_not_found", format!("Index {name} not found"))
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::NewerFormat { .. } => "newer_format",
            _ => "backend_data_parsing_error",
        };
        Self::new(code, error.to_string())
    }
}

impl From<LexicalError> for EngineError {
    fn from(error: LexicalError) -> Self {
        let code = match error {
            LexicalError::QueryTooLong { .. } => "invalid_argument",
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
