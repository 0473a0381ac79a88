//! The folder of an index that is being made.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pelorus_files::sync_directory;

use super::layout::new_folder_name;
use super::removal::Removal;
use super::{Registry, RegistryError, Slot};
use crate::error::{EngineError, Result};

/// A folder for the files of an index that nobody sees yet, and its name, which nobody else gets meanwhile. Dropped, the
/// folder is removed and the name is free.
pub(crate) struct NewHome {
    registry: Arc<Registry>,
    name: String,
    building: PathBuf,
}

impl NewHome {
    /// # Errors
    /// `index_already_exists`, also while another is made of that name, and errors of the disk.
    pub fn reserve(registry: &Arc<Registry>, name: &str) -> Result<Self> {
        let _changing = registry.changing.lock();
        let is_taken = registry.slots.read().contains_key(name);
        if is_taken || !registry.reserved.lock().insert(name.to_owned()) {
            let name = name.to_owned();
            return Err(RegistryError::AlreadyExists { name }.into());
        }
        let building = registry.layout.building().join(new_folder_name(name));
        // From here on the name is free again when this is dropped.
        let home = Self {
            registry: Arc::clone(registry),
            name: name.to_owned(),
            building,
        };
        let io = |error| home.failed(error);
        let mut removals = registry.removals.lock();
        removals.finish(&registry.layout, name).map_err(io)?;
        drop(removals);
        fs::create_dir(&home.building).map_err(io)?;
        Ok(home)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.building
    }

    /// Makes the index in the folder one of the registry, open and durable when this returns.
    ///
    /// # Errors
    /// Errors of the disk, and why it cannot be opened. It is none then.
    pub fn adopt(self) -> Result<()> {
        let registry = &self.registry;
        let io = |error| self.failed(error);
        let folder = self.building.file_name().expect("it was given a name");
        let home = registry.layout.indexes().join(folder);
        sync_directory(&self.building).map_err(io)?;
        fs::rename(&self.building, &home).map_err(io)?;
        let slot = Slot::new(self.name.clone(), vec![home.clone()]);
        let opened = sync_directory(&registry.layout.indexes())
            .map_err(io)
            .and_then(|()| {
                let _turn = slot.turn.lock();
                registry.open_slot(&slot)
            });
        if let Err(error) = opened {
            // It never was: a disk that fails just now is asked again until the folder is gone.
            let removal = Removal::new(&self.name, home, registry.layout.trash());
            registry.remove(removal);
            return Err(error);
        }
        slot.touch(registry.activity.next());
        let mut slots = registry.slots.write();
        slots.insert(self.name.clone(), slot.clone());
        drop(slots);
        registry.close_least_used(&slot);
        Ok(())
    }

    fn failed(&self, error: std::io::Error) -> EngineError {
        EngineError::io(format!("creating index {}", self.name), error)
    }
}

impl Drop for NewHome {
    fn drop(&mut self) {
        // It is elsewhere once the index is one. A folder that cannot be removed now is removed at the next start.
        let _ = fs::remove_dir_all(&self.building);
        self.registry.reserved.lock().remove(&self.name);
    }
}
