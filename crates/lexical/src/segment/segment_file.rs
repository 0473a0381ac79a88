use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use pelorus_files::checksum;
use serde::{Deserialize, Serialize};

use crate::error::{LexicalError, Result};

/// A file of a segment as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SegmentFile {
    pub(crate) name: String,
    bytes: u64,
    /// CRC-32 of the whole file. Tantivy's own checksums leave out the last bytes of each file and
    /// all of those that are JSON.
    checksum: u32,
}

impl SegmentFile {
    /// All files in `dir` as they are now, by name.
    ///
    /// # Errors
    /// Errors of reading them.
    pub(crate) fn list(dir: &Path) -> Result<Vec<SegmentFile>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(dir).map_err(LexicalError::io(dir))? {
            let entry = entry.map_err(LexicalError::io(dir))?;
            let path = entry.path();
            let (bytes, checksum) = File::open(&path)
                .and_then(checksum)
                .map_err(LexicalError::io(path))?;
            files.push(SegmentFile {
                name: entry.file_name().to_string_lossy().into(),
                bytes,
                checksum,
            });
        }
        files.sort();
        Ok(files)
    }

    /// Reads the whole file in `dir` and compares it with the written one.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] when it differs, or what reading it ran into.
    pub(crate) fn verify(&self, dir: &Path) -> Result<()> {
        let path = dir.join(&self.name);
        // One byte more than expected tells that a file has grown without reading all of it.
        let (bytes, checksum) = File::open(&path)
            .and_then(|file| checksum(file.take(self.bytes + 1)))
            .map_err(LexicalError::io(&path))?;
        if bytes != self.bytes {
            let expected = self.bytes;
            let reason = format!("expected {expected} bytes, received {bytes} or more");
            return Err(LexicalError::damaged(path, reason));
        }
        if checksum != self.checksum {
            return Err(LexicalError::damaged(path, "checksum mismatch"));
        }
        Ok(())
    }
}
