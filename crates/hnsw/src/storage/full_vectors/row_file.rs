//! The file that rows are appended to: written at positions, read through maps.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

/// The operations of the file under the rows; a test puts a full disk in its place.
pub(super) trait RowFile: Send + Sync {
    /// Writes all of `data` at `offset`, or fails with any part of it written.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
    /// Makes the file reach to the end of `bytes`, where it does not yet, and maps them for
    /// reading. Bytes that were not written read as zeros.
    fn map(&self, bytes: Range<u64>) -> io::Result<MmapRaw>;
    /// Returns once all bytes written and the length are on stable storage.
    fn sync(&self) -> io::Result<()>;
    /// Lets another opening have the file.
    fn unlock(&self) -> io::Result<()>;
}

/// A new file that is locked. One of that name is unlinked, not emptied: it may still be mapped.
pub(super) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    open_locked(path, options().create_new(true))
}

/// The file that is there, locked.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_locked(path, &options())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options
}

/// Keeps a second opening, which could shorten the file under the maps of the first, away.
fn open_locked(path: &Path, options: &OpenOptions) -> io::Result<File> {
    Ok(pelorus_files::open_locked(path, options)?)
}

impl RowFile for File {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        pelorus_files::write_all_at(self, data, offset)
    }

    fn map(&self, bytes: Range<u64>) -> io::Result<MmapRaw> {
        // Unix would map bytes past the end as well, Windows would not. No disk space is taken
        // where files may have holes.
        if self.metadata()?.len() < bytes.end {
            self.set_len(bytes.end)?;
        }
        let len = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
        let map = MmapOptions::new()
            .offset(bytes.start)
            .len(len)
            .map_raw_read_only(self)?;
        // Rows are read here and there. Where memory is too short for all of them, reading ahead
        // would fetch many times the bytes that are needed. Advice that cannot be followed does no
        // harm.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        Ok(map)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn unlock(&self) -> io::Result<()> {
        File::unlock(self)
    }
}
