//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::sync::{AtomicBool, Ordering};

/// Deletes a file when it is dropped, unless it was [kept](Self::keep).
pub(crate) struct Draft {
    path: Option<PathBuf>,
}

impl Draft {
    /// Of a file that is about to be made.
    pub fn new(path: PathBuf) -> Self {
        Self { path: Some(path) }
    }

    /// Leaves the file where it is.
    pub fn keep(mut self) {
        self.path = None;
    }

    /// Renames the file.
    pub fn rename(self, to: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, to)?;
        }
        self.keep();
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The error that matters is the one that kept the file from being finished.
            let _ = fs::remove_file(path);
        }
    }
}

/// A file that takes nothing more once its index is retired.
pub(super) struct DraftFile<'a> {
    file: File,
    retired: &'a AtomicBool,
}

impl<'a> DraftFile<'a> {
    /// A new file in place of what has its name.
    pub fn create(path: &Path, retired: &'a AtomicBool) -> io::Result<Self> {
        let file = File::create(path)?;
        Ok(Self { file, retired })
    }

    /// Returns once all that was written is on stable storage.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

impl Write for DraftFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_retired(self.retired)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// An error once `retired` is true.
pub(crate) fn unless_retired(retired: &AtomicBool) -> io::Result<()> {
    match retired.load(Ordering::Acquire) {
        true => Err(io::Error::other("the index is retired")),
        false => Ok(()),
    }
}
