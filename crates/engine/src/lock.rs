//! One process per data directory, and the version of what lies in it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;

use pelorus_files::{Durability, open_locked, replace};

use crate::error::{EngineError, Result};

/// Version of the directory's layout that this build writes.
pub(crate) const FORMAT: u32 = 1;

/// Holds the data directory for this process until dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Makes the directory where it is missing, locks it and checks its format.
    ///
    /// # Errors
    /// `data_directory_unreadable`, `data_directory_in_use`, `newer_format`; nothing in the
    /// directory has been changed then.
    pub fn acquire(dir: &Path) -> Result<Self> {
        let unreadable = |e: std::io::Error| {
            EngineError::new(
                "data_directory_unreadable",
                format!("the data directory {} cannot be used: {e}", dir.display()),
            )
        };
        // Looked at first: a directory of another version is not even locked.
        read_format(dir)?;
        fs::create_dir_all(dir).map_err(unreadable)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = open_locked(&dir.join("lock"), &options).map_err(|error| match error {
            TryLockError::WouldBlock => EngineError::new(
                "data_directory_in_use",
                format!(
                    "the data directory {} is in use by another process",
                    dir.display()
                ),
            ),
            TryLockError::Error(e) => unreadable(e),
        })?;
        if read_format(dir)?.is_none() {
            write_format(dir)?;
        }
        Ok(Self { _file: file })
    }
}

fn unreadable_format(dir: &Path, problem: &str) -> EngineError {
    let path = dir.join("format");
    EngineError::new(
        "data_directory_unreadable",
        format!("{}: {problem}", path.display()),
    )
}

/// The directory's format; none where nothing has been written yet.
fn read_format(dir: &Path) -> Result<Option<u32>> {
    let text = match fs::read_to_string(dir.join("format")) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unreadable_format(dir, &e.to_string())),
    };
    let found: u32 = text.trim().parse().map_err(|_| {
        unreadable_format(dir, &format!("expected a version number, found {text:?}"))
    })?;
    if found > FORMAT {
        return Err(EngineError::new(
            "newer_format",
            format!(
                "the data directory {} has format {found}, this version reads up to {FORMAT}: use the version that wrote it or a later one",
                dir.display()
            ),
        ));
    }
    Ok(Some(found))
}

fn write_format(dir: &Path) -> Result<()> {
    let contents = format!("{FORMAT}\n");
    replace(&dir.join("format"), contents.as_bytes(), Durability::Synced)
        .map_err(|e| unreadable_format(dir, &e.to_string()))
}
