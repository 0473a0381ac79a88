/// The reason that a batch of documents, or the stored form of one, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentsError {
    /// The body is not JSON.
    #[error("{0}")]
    Json(serde_json::Error),
    /// The options of the request are not of the shape that was agreed on.
    #[error("options: {0}")]
    Options(serde_json::Error),
    /// More documents than a batch may have.
    #[error("{received} documents at once; at most {max} are taken")]
    TooMany { max: usize, received: usize },
    /// The stored bytes are not as they are written.
    #[error("a stored {what} cannot be read")]
    Stored { what: &'static str },
    /// The value of a stored field is not as it is written.
    #[error("stored field {field}: {reason}")]
    StoredField { field: String, reason: String },
    /// Not one vector came for each input.
    #[error("expected {rows} vectors of {dimensions} dimensions, got {received} numbers")]
    Vectors {
        rows: usize,
        dimensions: usize,
        received: usize,
    },
    /// A failure or parts were reported of an input that does not exist.
    #[error("expected failures and parts of inputs below {inputs}, got input {received}")]
    UnknownInput { inputs: usize, received: usize },
    #[error("input {input} has no parts")]
    NoParts { input: usize },
    #[error("the model gave a vector that is not finite")]
    NotFinite,
}

pub(crate) type Result<T> = std::result::Result<T, DocumentsError>;

/// The reason that one document was refused; the rest of the batch goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemError {
    /// The document's own id where it could be read.
    pub id: Option<String>,
    pub code: &'static str,
    pub message: String,
}

impl ItemError {
    /// An error with the code `invalid_argument`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            id: None,
            code: "invalid_argument",
            message: message.into(),
        }
    }

    pub(crate) fn name(message: impl Into<String>) -> Self {
        Self {
            id: None,
            code: "invalid_field_name",
            message: message.into(),
        }
    }

    /// The same error, of the document `id`.
    #[must_use]
    pub fn of(self, id: String) -> Self {
        Self {
            id: Some(id),
            ..self
        }
    }
}
