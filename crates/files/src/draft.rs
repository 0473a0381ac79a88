//! Files that are there whole or not at all: written under another name, then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::directory::sync_parent;

/// The durability of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It may be lost or damaged then: its checksum tells, and it can be made anew.
    None,
    /// It is on stable storage, under its name, when the call returns.
    Synced,
}

/// Deletes a file when dropped, unless it was [kept](Self::keep).
#[derive(Debug)]
#[must_use = "dropping it deletes the file"]
pub struct Draft {
    path: Option<PathBuf>,
}

impl Draft {
    /// The draft of a file that is about to be made.
    pub fn new(path: PathBuf) -> Self {
        Self { path: Some(path) }
    }

    /// Renames the file, which is still deleted when this is dropped.
    ///
    /// # Errors
    /// Errors of the system; the file has its old name then.
    pub fn rename(&mut self, to: &Path) -> io::Result<()> {
        if let Some(path) = &mut self.path {
            fs::rename(&*path, to)?;
            *path = to.to_owned();
        }
        Ok(())
    }

    /// Leaves the file where it is.
    pub fn keep(mut self) {
        self.path = None;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The error that matters is the one that kept the file from being finished. A draft
            // that cannot be deleted now is overwritten by the next attempt.
            let _ = fs::remove_file(path);
        }
    }
}

/// The end of the name of a draft.
const DRAFT: &str = ".draft";

/// The path of the draft of a file that is to stand at `path`.
pub fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(DRAFT);
    name.into()
}

/// Makes `contents` the file at `path`, in place of the one that may be there. Only one thread may
/// do so at a time.
///
/// # Errors
/// Errors of the system. The file before is still there then, unless it was the last step, the
/// sync of the directory, that failed: either of them may be there after power loss.
pub fn replace(path: &Path, contents: &[u8], durability: Durability) -> io::Result<()> {
    let mut draft = Draft::new(draft_path(path));
    let mut file = File::create(draft_path(path))?;
    file.write_all(contents)?;
    if durability == Durability::Synced {
        file.sync_all()?;
    }
    // Windows renames no file that is open.
    drop(file);
    draft.rename(path)?;
    draft.keep();
    match durability {
        Durability::Synced => sync_parent(path),
        Durability::None => Ok(()),
    }
}

/// Deletes, in `folder` and the folders in it, the drafts that a process which was killed has left. Nobody may be at work
/// on one. A draft that cannot be deleted is left: it takes room until the next one of its name is made.
pub fn remove_drafts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => remove_drafts(&path),
            Ok(kind) if kind.is_file() && path.as_os_str().to_string_lossy().ends_with(DRAFT) => {
                let _ = fs::remove_file(path);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_replaced_stays_and_no_draft_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        for durability in [Durability::None, Durability::Synced] {
            replace(&path, b"old", durability).unwrap();
            // No file can be made where a directory is.
            fs::create_dir(draft_path(&path)).unwrap();
            assert!(replace(&path, b"new", durability).is_err());
            assert_eq!(fs::read(&path).unwrap(), b"old");
            fs::remove_dir(draft_path(&path)).unwrap();
            // Nor renamed onto one.
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(replace(&path, b"new", durability).is_err());
            assert!(!draft_path(&path).exists());
            fs::remove_dir(&path).unwrap();
        }
    }

    #[test]
    fn a_draft_is_deleted_under_the_name_it_has_unless_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let made = || {
            fs::write(&first, "x").unwrap();
            Draft::new(first.clone())
        };
        drop(made());
        assert!(!first.exists());
        let mut renamed = made();
        renamed.rename(&second).unwrap();
        assert!(second.exists());
        drop(renamed);
        assert!(!second.exists());
        made().keep();
        assert!(first.exists());
    }
}
