//! Files that nothing more is written to once their index is retired.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::sync::{AtomicBool, Ordering};

/// A file that takes nothing more once its index is retired.
pub(super) struct DraftFile<'a> {
    file: File,
    retired: &'a AtomicBool,
}

impl<'a> DraftFile<'a> {
    /// A new file in place of the one that has its name.
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
