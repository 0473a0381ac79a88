//! Which tensor fields have vectors, and in which folder: field names are text of users and no names
//! for folders.
//!
//! The file `fields` is a line with the CRC-32 of the rest, then JSON, and is replaced as a whole
//! before a snapshot is written: so what it does not list is in no snapshot, and is read from the
//! store.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::lock::sync_directory;

const FIELDS: &str = "fields";
const DRAFT: &str = "fields.draft";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FieldFolder {
    pub name: String,
    pub folder: u32,
}

/// The list in `directory`; none if it is not there or not as it was written.
pub(crate) fn read(directory: &Path) -> Option<Vec<FieldFolder>> {
    let text = fs::read_to_string(directory.join(FIELDS)).ok()?;
    let (checksum, list) = text.split_once('\n')?;
    (checksum == checksum_of(list))
        .then(|| serde_json::from_str(list).ok())
        .flatten()
}

/// Replaces the list; durable when this returns.
pub(crate) fn write(directory: &Path, fields: &[FieldFolder]) -> io::Result<()> {
    let list = serde_json::to_string(fields)?;
    let draft = directory.join(DRAFT);
    let written = || {
        let mut file = File::create(&draft)?;
        write!(file, "{}\n{list}", checksum_of(&list))?;
        file.sync_all()?;
        fs::rename(&draft, directory.join(FIELDS))
    };
    written().inspect_err(|_| {
        // The error that matters is the one at hand.
        let _ = fs::remove_file(&draft);
    })?;
    sync_directory(directory)
}

fn checksum_of(list: &str) -> String {
    format!("{:08x}", crc32fast::hash(list.as_bytes()))
}
