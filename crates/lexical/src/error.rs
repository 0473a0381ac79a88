use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use pelorus_cancellation::Cancelled;

/// An error of the lexical index.
///
/// Only [`LexicalError::QueryTooLong`] is a user's mistake in a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LexicalError {
    /// More distinct text fields than an index may have.
    #[error("a lexical index holds at most {expected} text fields, '{field}' would be one more")]
    TooManyFields {
        /// The field that found no slot.
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
    /// A query is over a bound. None is ever cut instead: a query that lost a term would mean
    /// something else.
    #[error("a lexical query has at most {limit} {what}, received {received}")]
    QueryTooLong {
        /// The things of which there are too many, in the plural.
        what: &'static str,
        /// The most a query may have.
        limit: usize,
        /// The number in this query.
        received: usize,
    },
    /// A search ended before its end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A file operation failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory concerned.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The bytes of a file are not those written. The index is to be opened again: it then starts
    /// over.
    #[error("{path}: {reason}")]
    Damaged {
        /// The file or directory concerned.
        path: PathBuf,
        /// The part of it that is wrong.
        reason: String,
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

    pub(crate) fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> LexicalError {
        LexicalError::Damaged {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

/// Does `work`, which reads files in `dir`. Tantivy panics on bytes that cannot be right, such as
/// those of a page that the disk returned wrongly after the file was opened and compared: here
/// that is an error.
pub(crate) fn catch_panic<T>(dir: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // State that the work leaves behind is dropped or was not changed: segments never change, and
    // no lock is held while one is read.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = format!("reading it panicked: {}", message_of(&*panic));
        Err(LexicalError::damaged(dir, reason))
    })
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// Result of every fallible operation of this crate.
pub type Result<T> = std::result::Result<T, LexicalError>;
