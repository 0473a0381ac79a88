//! Indexes that come and go.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use pelorus_files::sync_directory;

use super::layout::{MoveError, folder_name, is_gone, new_folder_name};
use super::removal::Removal;
use super::{Registry, RegistryError, Slot};
use crate::error::{EngineError, Result};
use crate::index::Index;

impl Registry {
    /// Creates an index; durable when this returns. After a failure there is none.
    ///
    /// # Errors
    /// `index_already_exists`, `invalid_argument` for a definition that cannot be read, and errors
    /// of the disk.
    pub fn create(&self, name: &str, definition: &[u8]) -> Result<()> {
        let _turn = self.changing.lock();
        if self.slots.read().contains_key(name) {
            let name = name.to_owned();
            return Err(RegistryError::AlreadyExists { name }.into());
        }
        let io = |error| EngineError::io(format!("creating index {name}"), error);
        self.removals
            .lock()
            .finish(&self.layout, name)
            .map_err(io)?;
        let folder = new_folder_name(name);
        let building = self.layout.building().join(&folder);
        let home = self.layout.indexes().join(&folder);
        fs::create_dir(&building).map_err(io)?;
        let made = Index::create(&building, name, definition)
            .and_then(|()| sync_directory(&building).map_err(io))
            .and_then(|()| fs::rename(&building, &home).map_err(io));
        if let Err(error) = made {
            // A folder that cannot be removed now is removed at the next start.
            let _ = fs::remove_dir_all(&building);
            return Err(error);
        }
        let slot = Slot::new(name.to_owned(), vec![home.clone()]);
        let opened = sync_directory(&self.layout.indexes())
            .map_err(io)
            .and_then(|()| {
                let _turn = slot.turn.lock();
                self.open_slot(&slot)
            });
        if let Err(error) = opened {
            // It never was: a disk that fails just now is asked again until the folder is gone.
            let removal = Removal::new(name, home, self.layout.trash());
            self.remove(removal);
            return Err(error);
        }
        slot.touch(self.activity.next());
        self.slots.write().insert(name.to_owned(), slot.clone());
        self.close_least_used(&slot);
        Ok(())
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
    fn remove(&self, removal: Removal) {
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
