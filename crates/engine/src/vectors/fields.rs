//! The tensor fields that have vectors, and their folders: field names are text of users and no names for folders.
//!
//! The file `fields` is replaced as a whole before a snapshot is written: so a field that it does not list is in no
//! snapshot, and is read from the store.

use std::io;
use std::path::Path;

use pelorus_files::{Durability, read_manifest, write_manifest};
use serde::{Deserialize, Serialize};

const FIELDS: &str = "fields";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FieldFolder {
    pub name: String,
    pub folder: u32,
}

/// The list in `directory`; none if it is not there or not as it was written.
pub(crate) fn read(directory: &Path) -> Option<Vec<FieldFolder>> {
    let list = read_manifest(&directory.join(FIELDS)).ok()??;
    serde_json::from_slice(&list).ok()
}

/// A list as it is in the store.
pub(crate) fn encode(fields: &[FieldFolder]) -> Vec<u8> {
    serde_json::to_vec(fields).expect("texts and numbers serialise into memory")
}

/// Reads what [`encode`] made; none where it is something else.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<FieldFolder>> {
    serde_json::from_slice(bytes).ok()
}

/// Replaces the list; durable when this returns.
pub(crate) fn write(directory: &Path, fields: &[FieldFolder]) -> io::Result<()> {
    let list = serde_json::to_string(fields)?;
    write_manifest(&directory.join(FIELDS), &list, Durability::Synced)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn the_list_keeps_its_bytes() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()), None);
        let fields = [("title", 0), ("größe", 3)].map(|(name, folder)| FieldFolder {
            name: name.to_owned(),
            folder,
        });
        write(directory.path(), &fields).unwrap();
        let written = std::fs::read_to_string(directory.path().join(FIELDS)).unwrap();
        assert_eq!(
            written,
            "6ef46d84\n[{\"name\":\"title\",\"folder\":0},{\"name\":\"größe\",\"folder\":3}]"
        );
        assert_eq!(read(directory.path()), Some(fields.to_vec()));
    }
}
