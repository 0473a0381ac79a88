use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{LexicalError, Result};

/// Bytes read at a time.
const READ_BYTES: usize = 128 * 1024;

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
    /// What reading them ran into.
    pub(crate) fn list(dir: &Path) -> Result<Vec<SegmentFile>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(dir).map_err(LexicalError::io(dir))? {
            let entry = entry.map_err(LexicalError::io(dir))?;
            let path = entry.path();
            let (bytes, checksum) = File::open(&path)
                .and_then(|file| sum_of(file, u64::MAX))
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

    /// Reads the whole file in `dir` and compares it with what was written.
    ///
    /// The file is read, not mapped: what a failing disk cannot deliver is then an error and not
    /// the end of the process.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] when it differs, or what reading it ran into.
    pub(crate) fn verify(&self, dir: &Path) -> Result<()> {
        let path = dir.join(&self.name);
        // One byte more than expected tells that a file has grown without reading all of it.
        let (bytes, checksum) = File::open(&path)
            .and_then(|file| sum_of(file, self.bytes + 1))
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

/// The number of bytes in `file`, at most `bytes_max`, and their CRC-32.
fn sum_of(file: File, bytes_max: u64) -> io::Result<(u64, u32)> {
    let mut file = file.take(bytes_max);
    let mut buffer = vec![0; READ_BYTES];
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((bytes, hasher.finalize())),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
