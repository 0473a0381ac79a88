//! `class IndexBackup` and `class IndexRestore`: copies of an index in pieces, and indexes made of them.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;

use crate::bytes::{Bytes, RawValue};
use crate::error::{CodedError, answer};
use crate::pool::{self, Lane};
use crate::promise;

/// One state of an index, piece by piece. Made by `Engine.backUp`.
#[napi]
pub struct IndexBackup {
    /// None once it is closed. A piece that is being read holds it as well.
    backup: Mutex<Option<Arc<pelorus_engine::IndexBackup>>>,
    documents: f64,
}

impl IndexBackup {
    pub(crate) fn of(
        backup: pelorus_engine::IndexBackup,
    ) -> Result<Self, pelorus_engine::EngineError> {
        let documents = backup.documents()? as f64;
        let backup = Mutex::new(Some(Arc::new(backup)));
        Ok(Self { backup, documents })
    }
}

impl Drop for IndexBackup {
    fn drop(&mut self) {
        self.close();
    }
}

#[napi]
impl IndexBackup {
    /// The number of documents.
    #[napi(getter)]
    pub fn documents(&self) -> f64 {
        self.documents
    }

    /// The next piece, a few megabytes; null after the last. To be called again when it has answered.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn next_piece(&self, env: &Env) -> napi::Result<RawValue> {
        let backup = answer(env, || {
            let closed = || CodedError::invalid_argument("the copy was closed before");
            self.backup.lock().clone().ok_or_else(closed)
        })?;
        promise::run(env, Lane::Bulk, move || Ok(backup.next_piece()?.map(Bytes)))
    }

    /// Lets go of the state of the index, which takes room as long as it is held.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let backup = self.backup.lock().take();
        // The freed state may be files, and this is the event loop.
        pool::spawn(Lane::Bulk, move || drop(backup));
    }
}

/// An index that is made of pieces, which nobody sees before it is whole. Made by `Engine.restore`.
#[napi]
pub struct IndexRestore {
    /// None once it is finished or closed.
    restore: Arc<Mutex<Option<pelorus_engine::IndexRestore>>>,
}

impl IndexRestore {
    pub(crate) fn of(restore: pelorus_engine::IndexRestore) -> Self {
        Self {
            restore: Arc::new(Mutex::new(Some(restore))),
        }
    }
}

impl Drop for IndexRestore {
    fn drop(&mut self) {
        let restore = Arc::clone(&self.restore);
        // Its files are removed.
        pool::spawn(Lane::Bulk, move || drop(restore.lock().take()));
    }
}

#[napi]
impl IndexRestore {
    /// Takes the next piece, in the order in which they were read. Rejects with `backup_damaged` and `newer_format`.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn add(&self, env: &Env, piece: &[u8]) -> napi::Result<RawValue> {
        let (restore, piece) = (Arc::clone(&self.restore), piece.to_vec());
        promise::run(env, Lane::Bulk, move || {
            let mut restore = restore.lock();
            let open = restore.as_mut().ok_or_else(closed)?;
            Ok(open.add(&piece)?)
        })
    }

    /// Makes the index one that is served; resolves when that is durable. Rejects with `backup_damaged` where pieces are
    /// missing: there is no index then.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn finish(&self, env: &Env) -> napi::Result<RawValue> {
        let restore = Arc::clone(&self.restore);
        promise::run(env, Lane::Bulk, move || {
            let open = restore.lock().take();
            Ok(open.ok_or_else(closed)?.finish()?)
        })
    }

    /// Leaves nothing of the index, unless it is finished; resolves when its files are gone.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        let restore = Arc::clone(&self.restore);
        promise::run(env, Lane::Bulk, move || {
            drop(restore.lock().take());
            Ok(())
        })
    }
}

fn closed() -> CodedError {
    CodedError::invalid_argument("the restore was finished or closed before")
}
