//! Folders of indexes that are none: made but never opened, or deleted without knowing that it will
//! last. A disk that fails keeps them; the mender asks it again.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use pelorus_files::sync_directory;

use super::layout::{Layout, is_gone};
use crate::background::backoff::Backoff;

/// A folder to be moved away, durably.
#[derive(Debug)]
pub(super) struct Removal {
    /// The index that it was of.
    pub name: String,
    folder: PathBuf,
    /// The path that it is moved to.
    target: PathBuf,
}

impl Removal {
    pub fn new(name: &str, folder: PathBuf, target: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            folder,
            target,
        }
    }

    fn finish(&mut self, layout: &Layout) -> io::Result<()> {
        if !self.folder.starts_with(&self.target) {
            match layout.move_into(&self.folder, &self.target) {
                Ok(moved) => self.folder = moved,
                Err(_) if is_gone(&self.folder) => {}
                Err(failed) => {
                    self.folder = failed.moved_to.unwrap_or(self.folder.clone());
                    return Err(failed.error);
                }
            }
        }
        // Makes up for a sync that failed; for a moved folder it is only done again.
        sync_directory(&self.target)?;
        sync_directory(&layout.indexes())?;
        if self.target == layout.trash() {
            // A folder that cannot be removed now is removed at the next start.
            let _ = fs::remove_dir_all(&self.folder);
        }
        Ok(())
    }
}

/// The removals that are still open.
#[derive(Debug)]
pub(super) struct Removals {
    open: Vec<Removal>,
    retry: Backoff,
}

impl Removals {
    pub fn none() -> Self {
        Self {
            open: Vec::new(),
            retry: Backoff::QUICK,
        }
    }

    pub fn push(&mut self, removal: Removal) {
        self.open.push(removal);
    }

    /// Finishes the removals of the index `name`.
    ///
    /// # Errors
    /// Errors of the system. They stay open then.
    pub fn finish(&mut self, layout: &Layout, name: &str) -> io::Result<()> {
        let mut result = Ok(());
        self.open.retain_mut(|removal| {
            if removal.name != name {
                return true;
            }
            match removal.finish(layout) {
                Ok(()) => false,
                Err(error) => {
                    result = Err(error);
                    true
                }
            }
        });
        result
    }

    /// Tries all that are open, when it is time; gives when to try again.
    pub fn retry(&mut self, layout: &Layout, now: Instant) -> Option<Instant> {
        if self.retry.may_try(now) {
            self.open
                .retain_mut(|removal| removal.finish(layout).is_err());
            match self.open.is_empty() {
                true => self.retry.succeeded(),
                false => _ = self.retry.failed(now),
            }
        }
        self.retry.until()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_folder_that_cannot_be_moved_is_tried_again_until_it_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let layout = Layout::new(directory.path());
        let home = layout.indexes().join("a");
        fs::create_dir_all(&home).unwrap();
        // A file stands where the folder ought to go.
        fs::write(layout.trash(), "").unwrap();
        let mut removals = Removals::none();
        let now = Instant::now();
        assert_eq!(removals.retry(&layout, now), None);
        removals.push(Removal::new("a", home.clone(), layout.trash()));
        assert!(removals.finish(&layout, "a").is_err());
        assert!(removals.finish(&layout, "b").is_ok());
        let due = removals.retry(&layout, now).unwrap();
        assert!(due > now && home.exists());

        fs::remove_file(layout.trash()).unwrap();
        assert_eq!(
            removals.retry(&layout, due - Duration::from_nanos(1)),
            Some(due)
        );
        assert_eq!(removals.retry(&layout, due), None);
        assert!(!home.exists());
        assert_eq!(fs::read_dir(layout.trash()).unwrap().count(), 0);
    }
}
