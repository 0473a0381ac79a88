//! Indexes that come and go.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::layout::{MoveError, folder_name, is_gone};
use super::new_home::NewHome;
use super::removal::Removal;
use super::{Registry, Slot};
use crate::error::{EngineError, Result};
use crate::index::Index;

impl Registry {
    /// Creates an index; durable when this returns. After a failure there is none.
    ///
    /// # Errors
    /// `index_already_exists`, `invalid_argument` for a definition that cannot be read, and errors
    /// of the disk.
    pub fn create(self: &Arc<Self>, name: &str, definition: &[u8]) -> Result<()> {
        let home = NewHome::reserve(self, name)?;
        Index::create(home.path(), name, definition)?;
        home.adopt()
    }

    /// Deletes an index; its name is free when this returns. The files of one that is damaged are
    /// not erased but moved to `damaged/`. After a failure the index is still there, or gone and not
    /// confirmed by the disk.
    ///
    /// # Errors
    /// `index_not_found`, and errors of the disk.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        let _changing = self.changing.lock();
        let slot = self.slot(name)?;
        let _turn = slot.turn.lock();
        let open = slot.open.load_full();
        let is_damaged = match &open {
            Some(index) => index.is_damaged(),
            None => slot.unopened.lock().is_some(),
        };
        let target = match is_damaged {
            true => self.layout.damaged(),
            false => self.layout.trash(),
        };
        slot.dropped.store(true, Ordering::Release);
        slot.open.store(None);
        if let Some(index) = &open {
            index.drop_writes();
        }
        match self.move_homes(&slot, &target) {
            Ok(folders) => {
                self.slots.write().remove(name);
                drop(open);
                for folder in folders {
                    match is_damaged {
                        true => log::warn!(
                            "index {name} was deleted while it was damaged: its files are kept in {}",
                            folder.display()
                        ),
                        // A search may still hold the files open; what stays is removed at the
                        // next start.
                        false => _ = fs::remove_dir_all(folder),
                    }
                }
                Ok(())
            }
            Err(MoveError { error, moved_to }) => {
                let mut homes = slot.homes.lock();
                // A disk that fails may not say that a folder is gone, but it was moved.
                let moved = moved_to.as_deref().map(folder_name);
                let is_moved = |home: &Path| {
                    let moved = moved.as_deref();
                    moved.is_some_and(|moved| moved.starts_with(&folder_name(home)))
                };
                homes.retain(|home| !is_moved(home) && !is_gone(home));
                match homes.is_empty() {
                    true => {
                        self.slots.write().remove(name);
                        if let Some(moved) = moved_to {
                            self.remove(Removal::new(name, moved, target));
                        }
                    }
                    // The next call opens it again.
                    false => slot.dropped.store(false, Ordering::Release),
                }
                Err(EngineError::io(format!("deleting index {name}"), error))
            }
        }
    }

    /// Removes a folder, now or as soon as the disk lets it.
    pub(super) fn remove(&self, removal: Removal) {
        let mut removals = self.removals.lock();
        let name = removal.name.clone();
        removals.push(removal);
        if removals.finish(&self.layout, &name).is_err()
            && let Ok(context) = self.context()
        {
            context.waker.wake();
        }
    }

    fn move_homes(
        &self,
        slot: &Slot,
        target: &Path,
    ) -> std::result::Result<Vec<PathBuf>, MoveError> {
        let homes = slot.homes.lock();
        let there = homes.iter().filter(|home| !is_gone(home));
        there
            .map(|home| self.layout.move_into(home, target))
            .collect()
    }
}
