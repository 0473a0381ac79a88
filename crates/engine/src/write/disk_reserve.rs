//! The room on the disk: writes are refused while there is still some, so that no commit runs out of it
//! half way, and deletes, which make room, still pass.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::WriteError;

/// Bounds of [`storage_reserve`].
const RESERVE_MIN: u64 = 16 << 20;
const RESERVE_MAX: u64 = 256 << 20;

/// Bytes that a commit writes for one change beside the document: a path of pages in each of the
/// three trees of the store, as pages are never written in place.
const BYTES_PER_CHANGE: u64 = 32 << 10;

/// The number of times that the bytes of a document end up on the disk: in the store twice over (a
/// page is half full on average), and derived from it as vectors and postings.
const COPIES: u64 = 3;

/// The least room that a commit which only deletes needs.
const DELETE_BYTES: u64 = 1 << 20;

/// The room on the disk that holds one index.
#[derive(Debug, Clone)]
pub(crate) struct DiskReserve {
    directory: PathBuf,
}

/// Bytes of a file system.
#[derive(Debug, Clone, Copy)]
struct Space {
    available: u64,
    total: u64,
}

impl DiskReserve {
    pub fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// The folder of the index.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Checks that `changes` documents of `bytes` altogether may be added.
    ///
    /// # Errors
    /// [`WriteError::NoRoom`].
    pub fn for_adding(&self, changes: usize, bytes: usize) -> Result<(), WriteError> {
        let needed = changes as u64 * BYTES_PER_CHANGE + bytes as u64 * COPIES;
        self.check(needed, storage_reserve)
    }

    /// Checks that documents may be deleted: they may use the reserve.
    ///
    /// # Errors
    /// [`WriteError::NoRoom`].
    pub fn for_deleting(&self) -> Result<(), WriteError> {
        self.check(DELETE_BYTES, |_| 0)
    }

    /// Checks that a derived file of about `bytes` may be written.
    ///
    /// # Errors
    /// [`WriteError::NoRoom`].
    pub fn for_derived(&self, bytes: usize) -> Result<(), WriteError> {
        self.check(bytes as u64, storage_reserve)
    }

    /// Bytes that are left above the reserve; none where that cannot be asked.
    pub fn spare(&self) -> Option<u64> {
        let space = space(&self.directory)?;
        Some(space.available.saturating_sub(storage_reserve(space.total)))
    }

    /// `reserve` is that of a disk of so many bytes.
    fn check(&self, needed: u64, reserve: impl FnOnce(u64) -> u64) -> Result<(), WriteError> {
        // Where it cannot be asked, the write itself will tell.
        let Some(space) = space(&self.directory) else {
            return Ok(());
        };
        let (reserve, available) = (reserve(space.total), space.available);
        if available >= reserve.saturating_add(needed) {
            return Ok(());
        }
        Err(WriteError::NoRoom {
            available,
            needed,
            reserve,
        })
    }
}

/// Bytes kept free of documents on a disk of `total` bytes: a hundredth, from 16 to 256 MiB. Where no more are
/// left no document is added.
pub fn storage_reserve(total: u64) -> u64 {
    (total / 100).clamp(RESERVE_MIN, RESERVE_MAX)
}

#[cfg(target_os = "linux")]
fn space(directory: &Path) -> Option<Space> {
    let found = rustix::fs::statvfs(directory).ok()?;
    Some(Space {
        available: found.f_bavail.saturating_mul(found.f_frsize),
        total: found.f_blocks.saturating_mul(found.f_frsize),
    })
}

#[cfg(not(target_os = "linux"))]
fn space(_directory: &Path) -> Option<Space> {
    None
}

/// Bytes that a file takes: less than its length where it has holes.
#[cfg(unix)]
pub(crate) fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    /// The unit of the count, whatever the blocks of the disk.
    const BLOCK: u64 = 512;
    let metadata = fs::metadata(path)?;
    Ok(metadata.len().min(metadata.blocks() * BLOCK))
}

#[cfg(not(unix))]
pub(crate) fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    Ok(fs::metadata(path)?.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_a_hundredth_within_bounds() {
        assert_eq!(storage_reserve(1 << 20), RESERVE_MIN);
        assert_eq!(storage_reserve(10_000 << 20), 100 << 20);
        assert_eq!(storage_reserve(1 << 50), RESERVE_MAX);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn more_than_the_disk_has_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let room = DiskReserve::of(directory.path());
        let error = room.for_adding(1, usize::MAX / 8).unwrap_err();
        let said = error.to_string();
        let WriteError::NoRoom {
            available,
            needed,
            reserve,
        } = error
        else {
            panic!("{error}");
        };
        assert!(available < needed && (RESERVE_MIN..=RESERVE_MAX).contains(&reserve));
        let told = [available, needed, reserve].map(|bytes| bytes.to_string());
        assert!(told.iter().all(|bytes| said.contains(bytes)), "{said}");
        assert!(room.for_derived(usize::MAX / 8).is_err());
        let gone = DiskReserve::of(&directory.path().join("missing"));
        assert!(gone.for_adding(1, usize::MAX / 8).is_ok());
    }
}
