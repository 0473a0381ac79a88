use std::io;
use std::path::PathBuf;

/// What can go wrong in the lexical index.
///
/// None of these is a user's mistake in a query: every query text is legal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LexicalError {
    /// More distinct text attributes than an index may have.
    #[error("a lexical index holds at most {expected} text fields, '{field}' would be one more")]
    TooManyFields {
        /// The attribute that found no slot.
        field: String,
        /// Most fields an index may have.
        expected: usize,
    },
    /// Ordinals must ascend: each stored version of a document gets a new, larger one.
    #[error("document ordinals ascend: expected at least {expected}, received {received}")]
    OrdinalNotAscending {
        /// Smallest ordinal that would have been accepted.
        expected: u32,
        /// The ordinal that was given.
        received: u32,
    },
    /// A file operation failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory concerned.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Postings could not be written or read.
    #[error("text segment: {0}")]
    Segment(#[from] tantivy::TantivyError),
}

impl LexicalError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> LexicalError {
        let path = path.into();
        move |source| LexicalError::Io { path, source }
    }
}

/// Result of every fallible operation of this crate.
pub type Result<T> = std::result::Result<T, LexicalError>;
