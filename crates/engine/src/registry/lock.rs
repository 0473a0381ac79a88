//! One process per data directory, and the version of its format.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pelorus_files::{Durability, create_directories, lock_folder, open_locked, replace};

use crate::error::DataDirectoryError;

/// Version of the directory's layout that this build writes. In version 2 a store may refer to rows of
/// vectors that lie beside it; a directory of version 1 becomes one of version 2 when it is opened.
pub(crate) const FORMAT: u32 = 2;

/// Holds the data directory for this process until dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
    /// The directory itself, where the system can: the file may be removed while it is held.
    _folder: Option<File>,
}

impl DirectoryLock {
    /// Makes the directory where it is missing, locks it and checks its format.
    ///
    /// # Errors
    /// `data_directory_unreadable`, `data_directory_in_use`, `newer_format`; nothing in the
    /// directory has been changed then.
    pub fn acquire(dir: &Path) -> Result<Self, DataDirectoryError> {
        let unusable = |error| DataDirectoryError::unusable(dir, error);
        // Looked at first: a directory of another version is not even locked.
        read_format(dir)?;
        create_directories(dir).map_err(unusable)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let refused = |error| match error {
            TryLockError::WouldBlock => DataDirectoryError::InUse {
                path: dir.to_owned(),
            },
            TryLockError::Error(error) => unusable(error),
        };
        // The folder first: where it is held, no file comes into it.
        let folder = lock_folder(dir).map_err(refused)?;
        let file = open_locked(&dir.join("lock"), &options).map_err(refused)?;
        // First of all: an earlier version would take those rows for something to be made anew.
        if read_format(dir)? != Some(FORMAT) {
            write_format(dir)?;
        }
        Ok(Self {
            _file: file,
            _folder: folder,
        })
    }
}

/// A data directory that nobody uses, held without a change to it.
#[derive(Debug)]
pub(crate) struct QuietLock {
    _file: Option<File>,
    _folder: Option<File>,
}

impl QuietLock {
    /// Locks a directory as far as nothing is made for that.
    ///
    /// # Errors
    /// As [`DirectoryLock::acquire`].
    pub fn acquire(dir: &Path) -> Result<Self, DataDirectoryError> {
        read_format(dir)?;
        let refused = |error| match error {
            TryLockError::WouldBlock => DataDirectoryError::InUse {
                path: dir.to_owned(),
            },
            TryLockError::Error(error) => DataDirectoryError::unusable(dir, error),
        };
        let folder = lock_folder(dir).map_err(refused)?;
        let file = match open_locked(&dir.join("lock"), OpenOptions::new().read(true)) {
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::NotFound => None,
            file => Some(file.map_err(refused)?),
        };
        Ok(Self {
            _file: file,
            _folder: folder,
        })
    }
}

fn unusable_format(path: PathBuf, source: io::Error) -> DataDirectoryError {
    DataDirectoryError::UnusableFormat {
        path,
        source: Arc::new(source),
    }
}

/// The directory's format; none where nothing has been written yet, or beside indexes a file that
/// no version wrote: a damaged one keeps nothing from being served.
fn read_format(dir: &Path) -> Result<Option<u32>, DataDirectoryError> {
    let path = dir.join("format");
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable_format(path, error)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let digits = text.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        if dir.join("indexes").is_dir() {
            return Ok(None);
        }
        let found = text.into_owned();
        return Err(DataDirectoryError::InvalidFormat { path, found });
    }
    // Digits that are too many for the type are those of a later version too.
    let found = digits.parse().unwrap_or(u32::MAX);
    if found > FORMAT {
        return Err(DataDirectoryError::NewerFormat {
            path: dir.to_owned(),
            found,
            supported: FORMAT,
        });
    }
    Ok(Some(found))
}

fn write_format(dir: &Path) -> Result<(), DataDirectoryError> {
    let path = dir.join("format");
    let contents = format!("{FORMAT}\n");
    replace(&path, contents.as_bytes(), Durability::Synced)
        .map_err(|error| unusable_format(path, error))
}
