//! The file of a store: locked, made whole or not at all, and refused untouched when it is not ours.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use pelorus_files::{Draft, draft_path, open_locked, sync_parent};

use crate::disk::Disk;
use crate::file_header::{self, FORMAT_VERSION, HEADER_LEN};
use crate::page_sums::{PAGE, file_len};
use crate::{Result, StoreError};

/// A new file, under a name of its own until it is finished. Dropped before that, it is removed.
#[derive(Debug)]
pub(crate) struct NewFile {
    draft: Draft,
}

impl NewFile {
    /// Makes the file that is to stand at `path`, locked and empty but for its head.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::InUse`] when it is being made already.
    pub(crate) fn make(path: &Path) -> Result<(Self, File)> {
        refuse_existing(path)?;
        let (draft, file) = lock_draft(path)?;
        // Asked again: another may have made the file before the lock was free.
        refuse_existing(path)?;
        prepare(&draft_path(path), &file)?;
        Ok((Self { draft }, file))
    }

    /// Makes a file that may take the place of the one at `path`, which the caller has locked.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when it is being made already.
    pub(crate) fn beside(path: &Path) -> Result<(Self, File)> {
        let (draft, file) = lock_draft(path)?;
        prepare(&draft_path(path), &file)?;
        Ok((Self { draft }, file))
    }

    /// Gives the file its name, durably.
    pub(crate) fn finish(mut self, path: &Path) -> Result<()> {
        self.draft.rename(path).map_err(StoreError::io(path))?;
        sync_parent(path).map_err(StoreError::io(path))?;
        self.draft.keep();
        Ok(())
    }

    /// Gives the file its name, in place of the file that has it.
    pub(crate) fn rename(mut self, path: &Path) -> Result<()> {
        self.draft.rename(path).map_err(StoreError::io(path))?;
        self.draft.keep();
        Ok(())
    }
}

/// Removes the rest, after a crash, of a file that was to take the place of the one at `path`, which the caller has
/// locked.
pub(crate) fn remove_draft(path: &Path) {
    // A draft that cannot be removed now takes room until the next one is made.
    let _ = fs::remove_file(draft_path(path));
}

fn lock_draft(path: &Path) -> Result<(Draft, File)> {
    let at = draft_path(path);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = lock(&at, &options)?;
    Ok((Draft::new(at), file))
}

/// Empties a draft: the rest of one after a crash is nobody's data.
fn prepare(at: &Path, file: &File) -> Result<()> {
    prepare_disk(file).map_err(StoreError::io(at))
}

fn refuse_existing(path: &Path) -> Result<()> {
    match path.try_exists().map_err(StoreError::io(path))? {
        true => Err(StoreError::Exists(path.to_path_buf())),
        false => Ok(()),
    }
}

/// Empties a disk and writes its head.
pub(crate) fn prepare_disk(disk: &impl Disk) -> io::Result<()> {
    disk.set_len(0)?;
    disk.set_len(file_len(0))?;
    disk.write_all_at(&file_header::encode(FORMAT_VERSION), 0)
}

/// Opens a file that no other process, and no other store of this one, has open.
pub(crate) fn lock(path: &Path, options: &OpenOptions) -> Result<File> {
    open_locked(path, options).map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::InUse(path.to_path_buf()),
        TryLockError::Error(source) => StoreError::io(path)(source),
    })
}

/// Refuses a file that is no store of a format this release reads. Writes nothing.
pub(crate) fn check_head(disk: &impl Disk) -> Result<()> {
    let len = disk.len().map_err(StoreError::data_file)?;
    if len < HEADER_LEN as u64 {
        let reason = format!("{len} bytes are no store");
        return Err(StoreError::damaged("file header", reason));
    }
    let mut head = [0; HEADER_LEN];
    disk.read_exact_at(&mut head, 0)
        .map_err(StoreError::data_file)?;
    file_header::check(&head)?;
    if len < file_len(1) || !len.is_multiple_of(PAGE) {
        return Err(StoreError::damaged("file length", format!("{len} bytes")));
    }
    Ok(())
}
