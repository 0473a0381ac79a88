//! `class FileLock` and `class FolderLock`: one process at a time, told by the system.

use std::fs::{File, TryLockError};
use std::path::Path;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_files::{LockFile, lock_folder};

use crate::error::{CodedError, answer};

/// A lock on a file, which ends with the process that holds it at the latest. Made by `tryFileLock`.
#[napi]
pub struct FileLock {
    /// None once it is released.
    held: Mutex<Option<LockFile>>,
}

#[napi]
impl FileLock {
    /// Lets others have the lock. Doing so twice is harmless.
    #[napi(catch_unwind)]
    pub fn release(&self) {
        if let Some(held) = self.held.lock().take() {
            held.release();
        }
    }
}

/// Locks the file at `path`, which is made where there is none; null where another holds it, be it in this process.
#[napi(catch_unwind)]
pub fn try_file_lock(env: &Env, path: String) -> napi::Result<Option<FileLock>> {
    answer(env, || {
        let held = LockFile::try_acquire(Path::new(&path));
        let held = held.map_err(|error| unlockable(&path, &error))?;
        Ok(held.map(|held| FileLock {
            held: Mutex::new(Some(held)),
        }))
    })
}

/// A lock on a folder itself, which ends with the process that holds it at the latest. Made by `tryFolderLock`.
#[napi]
pub struct FolderLock {
    /// None where the system has no such locks.
    _held: Option<File>,
}

/// Locks the folder at `path`, whatever becomes of the files in it; null where another holds it, be it in this process.
#[napi(catch_unwind)]
pub fn try_folder_lock(env: &Env, path: String) -> napi::Result<Option<FolderLock>> {
    answer(env, || match lock_folder(Path::new(&path)) {
        Ok(held) => Ok(Some(FolderLock { _held: held })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(unlockable(&path, &error)),
    })
}

fn unlockable(path: &str, error: &std::io::Error) -> CodedError {
    CodedError::new(
        "backend_communication_error",
        format!("locking {path}: {error}"),
    )
}
