//! `class FileLock`: one process at a time, told by the system.

use std::path::Path;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_files::LockFile;

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
        let held = held.map_err(|error| {
            CodedError::new(
                "backend_communication_error",
                format!("locking {path}: {error}"),
            )
        })?;
        Ok(held.map(|held| FileLock {
            held: Mutex::new(Some(held)),
        }))
    })
}
