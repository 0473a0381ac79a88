use std::io;
use std::path::{Path, PathBuf};

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};

use crate::checksummed_file::PageDamage;
use crate::session::Ended;

/// The result of every operation of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// An error between an index and its file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A new store was asked for where a file exists already. The file was not touched.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// Another process, or another [`Store`](crate::Store) of this one, has the file open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The file was written by a later release. It was not touched.
    #[error("the store has format {found}, this release reads formats up to {supported}")]
    NewerFormat {
        /// The format version the file states.
        found: u32,
        /// The newest format version this release reads.
        supported: u32,
    },
    /// A checksum or an invariant of the file does not hold. Nothing was served from the damaged
    /// part, and the store refuses further work until it is opened again.
    #[error("the store is damaged: {place}: {reason}")]
    Damaged {
        /// Table and key, or the part of the file.
        place: String,
        /// The expected and the found content.
        reason: String,
    },
    /// Ordinals ascend: each put needs one that no earlier put had.
    #[error("expected an ordinal of at least {expected_min}, received {received}")]
    OrdinalOrder {
        /// The smallest ordinal that is still free.
        expected_min: u32,
        /// The ordinal of the offending put.
        received: u32,
    },
    /// The store, or the store this view was made by, was dropped or opened anew since. Ask the
    /// store that took its place.
    #[error("the store was closed or opened anew")]
    Closed,
    /// A commit was asked of a store that was opened for reading only. Nothing was changed.
    #[error("the store was opened for reading only")]
    ReadOnly,
    /// The operating system refused an operation on the file, now or earlier: after one refused
    /// write a store takes no more, after one refused read it answers nothing more. Acknowledged
    /// commits are intact; [`Store::reopen`](crate::Store::reopen) tries again.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file, or `data file` where it is the one already open.
        path: PathBuf,
        /// The operating system's own error.
        source: io::Error,
    },
}

impl StoreError {
    /// Tells whether there was no room: the disk, the quota or the allowed size of a file is used
    /// up.
    pub fn is_storage_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, StoreError::Io { source, .. }
            if matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge))
    }

    /// Tells whether the operating system refused an operation, a full disk included. It may pass,
    /// and says nothing against the content of the file, unlike [`StoreError::Damaged`].
    pub fn is_io(&self) -> bool {
        matches!(self, StoreError::Io { .. })
    }

    pub(crate) fn damaged(place: impl Into<String>, reason: impl Into<String>) -> Self {
        StoreError::Damaged {
            place: place.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| match damage_in(&source) {
            Some(damage) => Self::damaged(damage.place(), damage.reason()),
            None if source.get_ref().is_some_and(|inner| inner.is::<Ended>()) => StoreError::Closed,
            None => StoreError::Io { path, source },
        }
    }

    /// An error of the file that is open.
    pub(crate) fn data_file(source: io::Error) -> Self {
        Self::io(Path::new("data file"))(source)
    }

    /// The same error, with the row that was being read named in front of the place.
    pub(crate) fn at(self, table: &str, key: &dyn std::fmt::Debug) -> Self {
        match self {
            StoreError::Damaged { place, reason } => {
                Self::damaged(format!("{table}[{key:?}], {place}"), reason)
            }
            other => other,
        }
    }
}

fn damage_in(error: &io::Error) -> Option<&PageDamage> {
    error.get_ref()?.downcast_ref()
}

impl From<StorageError> for StoreError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Corrupted(reason) => Self::damaged("tree", reason),
            // The tree's own way to say that the bytes are not a tree.
            StorageError::Io(source)
                if source.kind() == io::ErrorKind::InvalidData && damage_in(&source).is_none() =>
            {
                Self::damaged("tree", source.to_string())
            }
            StorageError::Io(source) => Self::data_file(source),
            StorageError::PreviousIo
            | StorageError::DatabaseClosed
            | StorageError::LockPoisoned(_) => StoreError::Closed,
            other => Self::data_file(io::Error::other(other.to_string())),
        }
    }
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Storage(storage) => storage.into(),
            other => Self::damaged("tables", other.to_string()),
        }
    }
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Storage(storage) => storage.into(),
            other => Self::damaged("tree", other.to_string()),
        }
    }
}

impl From<TransactionError> for StoreError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::Storage(storage) => storage.into(),
            _ => StoreError::Closed,
        }
    }
}

impl From<CommitError> for StoreError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Storage(storage) => storage.into(),
            _ => StoreError::Closed,
        }
    }
}
