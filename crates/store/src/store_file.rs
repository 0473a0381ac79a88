//! The file of a store: locked, made whole or not at all, and refused untouched when it is not ours.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::file_header::{self, FORMAT_VERSION, HEADER_LEN};
use crate::page_sums::{PAGE, file_len};
use crate::{Result, StoreError};

/// A new file, under a name of its own until it is finished. Dropped before that, it is removed.
pub(crate) struct Draft {
    at: PathBuf,
    finished: bool,
}

impl Draft {
    /// Makes the file that is to stand at `path`, locked and empty but for its head.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::InUse`] when it is being made already.
    pub(crate) fn make(path: &Path) -> Result<(Self, File)> {
        refuse_existing(path)?;
        let at = draft_path(path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = lock(&at, &options)?;
        let draft = Draft {
            at,
            finished: false,
        };
        // Asked again: another may have made the file before the lock was free.
        refuse_existing(path)?;
        // A draft left by a crash is nobody's data.
        prepare_disk(&file).map_err(StoreError::io(&draft.at))?;
        Ok((draft, file))
    }

    /// Gives the file its name, durably.
    pub(crate) fn finish(mut self, path: &Path) -> Result<()> {
        std::fs::rename(&self.at, path).map_err(StoreError::io(path))?;
        self.at = path.to_path_buf();
        sync_parent(path)?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed now is emptied by the next attempt.
            let _ = std::fs::remove_file(&self.at);
        }
    }
}

fn refuse_existing(path: &Path) -> Result<()> {
    match path.try_exists().map_err(StoreError::io(path))? {
        true => Err(StoreError::Exists(path.to_path_buf())),
        false => Ok(()),
    }
}

fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".draft");
    PathBuf::from(name)
}

/// Empties a disk and writes its head.
pub(crate) fn prepare_disk(disk: &impl Disk) -> io::Result<()> {
    disk.set_len(0)?;
    disk.set_len(file_len(0))?;
    disk.write_all_at(&file_header::encode(FORMAT_VERSION), 0)
}

/// Opens a file that no other process, and no other store of this one, has open.
pub(crate) fn lock(path: &Path, options: &OpenOptions) -> Result<File> {
    let file = options.open(path).map_err(StoreError::io(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_path_buf())),
        Err(TryLockError::Error(source)) => Err(StoreError::io(path)(source)),
    }
}

/// Refuses what is no store of a format this release reads. Writes nothing.
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

/// Makes the file's name durable. Windows has no such call and needs none.
fn sync_parent(path: &Path) -> Result<()> {
    if cfg!(unix) {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        File::open(parent)
            .and_then(|folder| folder.sync_all())
            .map_err(StoreError::io(parent))?;
    }
    Ok(())
}
