//! Everything that goes wrong, and the code that each error has for callers.

mod definition;
mod directory;
mod filter;
mod registry;
mod restore;
mod search;
mod write;

use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pelorus_cancellation::Cancelled;
use pelorus_columns::ColumnError;
use pelorus_documents::DocumentsError;
use pelorus_lexical::LexicalError;
use pelorus_store::StoreError;

use crate::generated::JsonSyntaxError;

pub use definition::DefinitionError;
pub use directory::DataDirectoryError;
pub use filter::FilterError;
pub use registry::RegistryError;
pub use restore::RestoreError;
pub use search::SearchError;
pub use write::WriteError;

/// Shorthand for this crate's results.
pub type Result<T> = std::result::Result<T, EngineError>;

/// An error, with the expected and the received value. Its message is for people,
/// [`code`](Self::code) and [`details`](Self::details) are for programs.
///
/// Cloned where many are told of it, such as all whose writes waited for one commit.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The caller's JSON is not of the shape that was agreed on.
    #[error("{what}: {source}")]
    Request {
        what: &'static str,
        source: Arc<serde_json::Error>,
    },
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    #[error(transparent)]
    DataDirectory(#[from] DataDirectoryError),
    /// A batch of documents, or the stored form of one, cannot be used.
    #[error(transparent)]
    Documents(Arc<DocumentsError>),
    #[error(transparent)]
    Store(Arc<StoreError>),
    #[error(transparent)]
    Lexical(Arc<LexicalError>),
    /// In place of [`LexicalError::Damaged`]: the paths of its files are for the log.
    #[error("The text index is damaged and is being made anew: send this again in a moment")]
    LexicalDamaged,
    /// The operating system refused an operation.
    #[error("{action}: {source}")]
    Io {
        action: String,
        source: Arc<io::Error>,
    },
    #[error("cannot start a thread: {source}")]
    Thread { source: Arc<io::Error> },
    #[error(
        "the limit on open files of this process is {limit}, and at least {limit_min} are needed: raise it (ulimit -n, or LimitNOFILE of the service)"
    )]
    OpenFiles { limit: u64, limit_min: u64 },
    #[error(
        "The documents asked for take more than {bytes_max} bytes together: ask for fewer at once, or for fewer of their fields"
    )]
    AnswerTooLarge { bytes_max: usize },
    /// A scan or search that is read page by page was ended.
    #[error(
        "This was read for too long: {held} bytes of the disk were held back for it, which writes could not use meanwhile. Begin again without a cursor, and read faster or less"
    )]
    SnapshotTooOld { held: u64 },
    #[error("document {doc} of the view is not in the store")]
    MissingDocument { doc: u32 },
    #[error(
        "The vectors of field {field:?} of document {id:?} are damaged on the disk: add the document again to have them made anew"
    )]
    DamagedVectors { id: String, field: String },
    /// Damaged vectors in an index that serves all the rest.
    #[error(
        "Vectors of {documents} documents are damaged on the disk, such as of document {id:?}, in fields {fields:?}: they are not searched. Add these documents again to have them made anew; the log says which"
    )]
    PartlyDamaged {
        documents: usize,
        id: String,
        fields: Vec<String>,
    },
    /// A part of the cluster that keeps the index did not answer for it.
    #[error("The cluster cannot serve the index now: {reason}")]
    ClusterUnavailable { reason: String },
    /// Nobody waits for the answer any more.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Data derived from the documents may be wrong, and are being made anew.
    #[error("{reason}")]
    Distrusted { reason: String },
    #[error("an internal error was contained: {message}")]
    Panic { message: String },
}

/// The facts that a caller would otherwise read out of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorDetails {
    /// The details of `json_decode_error`.
    JsonSyntax(JsonSyntaxError),
}

impl EngineError {
    /// The code that crosses the binding and HTTP unchanged, for example `index_not_found`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Registry(RegistryError::Unopened { source, .. })
            | Self::Write(WriteError::Suspended { source, .. }) => source.code(),

            Self::Registry(RegistryError::NotFound { .. }) => "index_not_found",
            Self::Registry(RegistryError::AlreadyExists { .. }) => "index_already_exists",
            Self::Request { .. } | Self::Definition(_) => "invalid_argument",
            Self::Filter(error) => filter_code(error),
            Self::Search(error) => search_code(error),
            Self::AnswerTooLarge { .. } => "illegal_requested_doc_count",
            Self::SnapshotTooOld { .. } => "snapshot_too_old",
            Self::DamagedVectors { .. } | Self::PartlyDamaged { .. } => "vectors_damaged",
            Self::Cancelled(Cancelled::DeadlineExceeded) => "vector_store_timeout",
            Self::Cancelled(Cancelled::ByCaller) => "client_closed_request",
            Self::Write(WriteError::QueueFull { .. }) => "too_many_requests",
            Self::Write(WriteError::WithinElsewhere) => "insufficient_scope",

            Self::DataDirectory(error) => match error {
                DataDirectoryError::InUse { .. } => "data_directory_in_use",
                DataDirectoryError::NewerFormat { .. } => "newer_format",
                DataDirectoryError::Unusable { .. }
                | DataDirectoryError::UnusableFormat { .. }
                | DataDirectoryError::InvalidFormat { .. } => "data_directory_unreadable",
            },
            Self::OpenFiles { .. } => "server_configuration_error",
            Self::Restore(RestoreError::Newer { .. }) => "newer_format",
            Self::Restore(_) => "backup_damaged",

            Self::Documents(error) => match **error {
                DocumentsError::Json(_) => "json_decode_error",
                DocumentsError::Options(_) | DocumentsError::TooMany { .. } => "invalid_argument",
                _ => "internal",
            },
            Self::LexicalDamaged
            | Self::Write(WriteError::Rebuilding { .. })
            | Self::ClusterUnavailable { .. } => "service_unavailable",

            Self::Write(WriteError::NoRoom { .. }) => "insufficient_storage",
            Self::Io { source, .. } if is_storage_full(source) => "insufficient_storage",
            Self::Io { .. } => "backend_communication_error",
            Self::Store(error) => store_code(error),
            Self::Write(WriteError::LostCommits)
            | Self::Registry(
                RegistryError::MissingFolder
                | RegistryError::SeveralFolders { .. }
                | RegistryError::NameMismatch { .. }
                | RegistryError::UnreadableDefinition,
            ) => "backend_data_parsing_error",

            Self::Write(WriteError::OrdinalsUsedUp | WriteError::Closed)
            | Self::Registry(RegistryError::Closed)
            | Self::Thread { .. }
            | Self::MissingDocument { .. }
            | Self::Distrusted { .. }
            | Self::Lexical(_)
            | Self::Panic { .. } => "internal",
        }
    }

    /// Returns the details that come with the code.
    pub fn details(&self) -> Option<ErrorDetails> {
        let Self::Documents(error) = self else {
            return None;
        };
        let DocumentsError::Json(error) = &**error else {
            return None;
        };
        Some(ErrorDetails::JsonSyntax(JsonSyntaxError {
            line: error.line(),
            column: error.column(),
            ends_early: error.is_eof(),
        }))
    }

    /// Returns the error that a caller gets for a panic. The panic itself was already printed, with
    /// its place, by the process's panic hook.
    pub fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Self::Panic {
            message: message.to_owned(),
        }
    }

    pub(crate) fn request(what: &'static str, source: serde_json::Error) -> Self {
        Self::Request {
            what,
            source: Arc::new(source),
        }
    }

    pub(crate) fn io(action: impl fmt::Display, source: io::Error) -> Self {
        Self::Io {
            action: action.to_string(),
            source: Arc::new(source),
        }
    }

    pub(crate) fn thread(source: io::Error) -> Self {
        Self::Thread {
            source: Arc::new(source),
        }
    }

    /// Tells whether the cause lies with the disk, so that the same may work a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self.code(),
            "insufficient_storage" | "backend_communication_error"
        )
    }

    /// Tells whether the store could not be read or written.
    pub(crate) fn is_of_store(&self) -> bool {
        self.may_pass() || self.is_damage()
    }

    /// Tells whether the stored bytes are not those that were written.
    pub(crate) fn is_damage(&self) -> bool {
        self.code() == "backend_data_parsing_error"
    }

    /// Tells whether a later version wrote the stored data. Nothing else is opened beside it.
    pub(crate) fn is_newer_format(&self) -> bool {
        self.code() == "newer_format"
    }
}

fn filter_code(error: &FilterError) -> &'static str {
    match error {
        FilterError::Columns(ColumnError::NotFilterable { .. }) => "invalid_field_name",
        FilterError::ContainsInStructured => "bad_request",
        FilterError::Language(_)
        | FilterError::Columns(_)
        | FilterError::ContainsWithin
        | FilterError::ContainsField { .. } => "invalid_argument",
    }
}

fn search_code(error: &SearchError) -> &'static str {
    match error {
        SearchError::UnknownField { .. } | SearchError::UnknownContextField { .. } => {
            "invalid_field_name"
        }
        SearchError::ClusterAnswer(_) => "backend_data_parsing_error",
        SearchError::Interpolation(_) | SearchError::CollapseInStructured => "bad_request",
        SearchError::Ranking { .. }
        | SearchError::MissingRrf
        | SearchError::MissingInterpolation
        | SearchError::QueryVectors { .. }
        | SearchError::QueryTooLong { .. }
        | SearchError::SparseLengths { .. }
        | SearchError::SparseIndex { .. }
        | SearchError::SparseQuery(_)
        | SearchError::LateInteraction(_)
        | SearchError::LateDimensions { .. }
        | SearchError::NotFinite
        | SearchError::NoVectors
        | SearchError::MissingDocuments { .. }
        | SearchError::MissingEmbeddings { .. }
        | SearchError::ContextTooLarge { .. }
        | SearchError::NoTensorFields { .. }
        | SearchError::NoLexicalFields { .. }
        | SearchError::NoHybridFields { .. }
        | SearchError::NothingToDiversifyBy { .. }
        | SearchError::FacetLimit { .. }
        | SearchError::TooManyIntervals { .. }
        | SearchError::NotOfCandidates(_)
        | SearchError::MadeBefore { .. }
        | SearchError::TooManyClauses { .. }
        | SearchError::NoCollapseField { .. } => "invalid_argument",
    }
}

fn store_code(error: &StoreError) -> &'static str {
    match error {
        StoreError::NewerFormat { .. } => "newer_format",
        full if full.is_storage_full() => "insufficient_storage",
        StoreError::Io { .. }
        | StoreError::Closed
        | StoreError::ReadOnly
        | StoreError::InUse(_) => "backend_communication_error",
        _ => "backend_data_parsing_error",
    }
}

/// Tells whether a call failed for want of room.
fn is_storage_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Runs `work` and turns a panic into an error. For work that only reads, or whose writes are
/// thrown away with the error.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(EngineError::of_panic(&*payload)))
}

impl From<DocumentsError> for EngineError {
    fn from(error: DocumentsError) -> Self {
        Self::Documents(Arc::new(error))
    }
}

impl From<ColumnError> for EngineError {
    fn from(error: ColumnError) -> Self {
        FilterError::Columns(error).into()
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<LexicalError> for EngineError {
    fn from(error: LexicalError) -> Self {
        match error {
            LexicalError::Damaged { .. } => Self::LexicalDamaged,
            LexicalError::Cancelled(cancelled) => cancelled.into(),
            LexicalError::QueryTooLong {
                what,
                limit,
                received,
            } => SearchError::QueryTooLong {
                what,
                limit,
                received,
            }
            .into(),
            error => Self::Lexical(Arc::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_error_with_its_message() {
        let with_text = catch_panic::<()>(|| panic!("row {} is gone", 7)).unwrap_err();
        assert_eq!(with_text.code(), "internal");
        assert!(with_text.to_string().ends_with("row 7 is gone"));
        let without = catch_panic::<()>(|| std::panic::panic_any(5)).unwrap_err();
        assert!(without.to_string().ends_with("no message"));
    }

    /// No request is answered with these: the process does not start, or the server answers with
    /// what their details say.
    const NEVER_ANSWERED: [&str; 4] = [
        "data_directory_in_use",
        "data_directory_unreadable",
        "newer_format",
        "json_decode_error",
    ];

    #[test]
    fn every_code_is_in_the_catalogue() {
        let catalogue = include_str!("../../../../openapi/errors.yaml");
        let listed = |code: &str| {
            let mut names = catalogue.lines().filter_map(|line| line.split_once(':'));
            names.any(|(name, _)| name == code)
        };
        // Codes are the strings above that hold nothing but small letters and underscores.
        let source = include_str!("mod.rs").split("#[cfg(test)]").next();
        let strings = source.unwrap_or_default().split('"').skip(1).step_by(2);
        let is_code = |text: &&str| text.bytes().all(|b| b == b'_' || b.is_ascii_lowercase());
        let codes: Vec<&str> = strings.filter(is_code).collect();
        assert!(codes.len() > 20, "{codes:?}");
        for code in codes {
            assert!(listed(code) || NEVER_ANSWERED.contains(&code), "{code}");
        }
    }
}
