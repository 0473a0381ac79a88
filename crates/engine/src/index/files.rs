//! The folder of an index: its store, which is open, and the room on its disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use pelorus_store::Store;

use crate::write::disk_reserve::DiskReserve;

const STORE: &str = "index.redb";

/// The file of the store in the folder of an index.
pub(crate) fn store_path(directory: &Path) -> PathBuf {
    directory.join(STORE)
}

/// The files of one index.
pub(crate) struct IndexFiles {
    /// Their folder, and the room that its disk has left.
    pub disk: DiskReserve,
    /// Exchanged for the same file opened anew when a write failed, and for a copy without free pages.
    store: ArcSwap<Store>,
}

impl IndexFiles {
    /// The files in the folder of `disk`, among them the file of `store`.
    pub fn new(disk: DiskReserve, store: Arc<Store>) -> Self {
        Self {
            disk,
            store: ArcSwap::new(store),
        }
    }

    pub fn directory(&self) -> &Path {
        self.disk.directory()
    }

    pub fn store(&self) -> Arc<Store> {
        self.store.load_full()
    }

    /// Replaces the store by one with the same content.
    pub fn exchange_store(&self, store: Arc<Store>) {
        self.store.store(store);
    }

    /// The path of the store's file.
    pub fn store_path(&self) -> PathBuf {
        store_path(self.directory())
    }
}
