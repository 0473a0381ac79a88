//! The places of things in a data directory.
//!
//! An index is a folder of `indexes/` whose name says which index it holds, so that the index is
//! known, listed and its name taken even when nothing inside can be read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pelorus_files::{create_directories, sync_directory};

/// Hexadecimal digits that begin the name of an index's folder and tell it from all others.
const ID_DIGITS: usize = 32;

/// The folders of a data directory.
#[derive(Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the directory `root`; nothing is made yet.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Makes the folders that are missing, durably, and empties those whose contents a stop left behind.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn prepare(&self) -> io::Result<()> {
        for folder in [self.indexes(), self.building(), self.trash()] {
            fs::create_dir_all(folder)?;
        }
        // Always: an earlier start may have made them and ended right after.
        sync_directory(&self.root)?;
        for left_over in [self.building(), self.trash()] {
            for path in folders(&left_over)? {
                // A folder that cannot be removed now is tried again at the next start.
                let _ = fs::remove_dir_all(path);
            }
        }
        Ok(())
    }

    /// One folder for each index.
    pub fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }

    /// Indexes that are being made.
    pub fn building(&self) -> PathBuf {
        self.root.join("building")
    }

    /// Deleted indexes whose files are not removed yet.
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// Indexes that were deleted while they could not be opened. Nothing in here is ever touched.
    pub fn damaged(&self) -> PathBuf {
        self.root.join("damaged")
    }

    /// Moves a folder into `parent`, durably, under its own name or, where that is taken, under
    /// one with a number.
    ///
    /// # Errors
    /// Errors of the system, and where the folder then is.
    pub(super) fn move_into(&self, folder: &Path, parent: &Path) -> Result<PathBuf, MoveError> {
        let stayed = |error| MoveError {
            error,
            moved_to: None,
        };
        create_directories(parent).map_err(stayed)?;
        let name = folder_name(folder);
        let free = (0..)
            .map(|number| match number {
                0 => parent.join(&name),
                _ => parent.join(format!("{name}-{number}")),
            })
            .find(|target| fs::symlink_metadata(target).is_err())
            .expect("numbers do not end");
        fs::rename(folder, &free).map_err(stayed)?;
        let from = folder.parent().unwrap_or(&self.root);
        match sync_directory(parent).and_then(|()| sync_directory(from)) {
            Ok(()) => Ok(free),
            // The move is not durable, so it is taken back: else the index would come back by
            // itself.
            Err(error) => match fs::rename(&free, folder) {
                Ok(()) => Err(stayed(error)),
                Err(_) => Err(MoveError {
                    error,
                    moved_to: Some(free),
                }),
            },
        }
    }
}

/// A folder that could not be moved, or was moved but not durably.
#[derive(Debug)]
pub(super) struct MoveError {
    pub error: io::Error,
    /// The place where it is now; none where it was.
    pub moved_to: Option<PathBuf>,
}

/// The name of a new folder for an index.
pub(crate) fn new_folder_name(index: &str) -> String {
    format!("{}.{index}", uuid::Uuid::new_v4().simple())
}

/// The index that a folder of this name holds; `None` for a folder of an earlier version, which
/// has digits alone.
pub(crate) fn index_of_folder(folder: &str) -> Option<&str> {
    let (id, index) = folder.split_once('.')?;
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && !index.is_empty()).then_some(index)
}

/// Tells whether there is certainly nothing at a path: not merely something that cannot be looked
/// at.
pub(crate) fn is_gone(path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The last part of a path.
pub(crate) fn folder_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The folders in a folder, sorted by name.
///
/// # Errors
/// Errors of the system.
pub(crate) fn folders(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_its_index() {
        for index in ["shop", "CON", "-", "with.dot", "_a-9"] {
            assert_eq!(index_of_folder(&new_folder_name(index)), Some(index));
        }
        let digits = "0123456789abcdef0123456789abcdef";
        for other in [
            digits,
            "shop",
            "a.shop",
            &format!("{digits}."),
            &format!("{}z.shop", &digits[1..]),
        ] {
            assert_eq!(index_of_folder(other), None, "{other}");
        }
    }

    #[test]
    fn a_folder_is_moved_beside_its_namesakes() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        layout.prepare().unwrap();
        let folder = layout.indexes().join("a");
        let moved: Vec<String> = (0..3)
            .map(|_| {
                fs::create_dir(&folder).unwrap();
                folder_name(&layout.move_into(&folder, &layout.damaged()).unwrap())
            })
            .collect();
        assert_eq!(moved, ["a", "a-1", "a-2"]);
        assert!(folders(&layout.indexes()).unwrap().is_empty());
    }
}
