//! Which file holds rows that are kept nowhere else, and by which numbers they are known: a small
//! file beside it, which is replaced as a whole. A folder without one has only what can be made anew.

use std::fs;
use std::io;
use std::path::Path;

use pelorus_files::{Durability, ManifestError, read_manifest, write_manifest};

use crate::storage::row_numbers::RowNumbers;

const ROWS: &str = "rows";

/// The file of full vectors that counts, and the numbers of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowManifest {
    /// The number of the file.
    pub file: usize,
    pub numbers: RowNumbers,
}

impl RowManifest {
    /// The manifest in a folder; none where there is no such file.
    ///
    /// # Errors
    /// What reading it ran into; of [`io::ErrorKind::InvalidData`] when it is not what was written.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match read_manifest(&folder.join(ROWS)) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(ManifestError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        let manifest = Self::parse(&text);
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "it is no list of rows");
        manifest.ok_or_else(unreadable).map(Some)
    }

    /// Deletes the manifest in a folder: its rows are of no use any more.
    pub fn delete(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(ROWS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Replaces the manifest in a folder; durable when this returns, with all names in the folder.
    ///
    /// # Errors
    /// What the system ran into. Either of the two may be there after power loss.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = format!("{}\n{}", self.file, self.numbers.to_text());
        write_manifest(&folder.join(ROWS), &text, Durability::Synced)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let (file, numbers) = std::str::from_utf8(text).ok()?.split_once('\n')?;
        Some(Self {
            file: file.parse().ok()?,
            numbers: RowNumbers::from_text(numbers)?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RowManifest::read(folder.path()).unwrap(), None);
        let manifest = RowManifest {
            file: 3,
            numbers: RowNumbers::listing([0, 1, 7, 8, 9], 20),
        };
        manifest.write(folder.path()).unwrap();
        let path = folder.path().join(ROWS);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.split_once('\n').unwrap().1, "3\n20 0,2 5,3");
        assert_eq!(RowManifest::read(folder.path()).unwrap(), Some(manifest));
        std::fs::write(&path, text.replace("20", "21")).unwrap();
        let error = RowManifest::read(folder.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
