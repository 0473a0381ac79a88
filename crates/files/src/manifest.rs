//! Small files that say what the other files are: a line with the CRC-32 of the rest, in eight
//! hexadecimal digits, then JSON. Replaced as a whole.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::draft::{Durability, replace};

/// Why a manifest that is there cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// What reading it ran into.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its bytes are not those that were written.
    #[error("checksum mismatch")]
    Checksum,
    /// Its bytes are those that were written, by a version that writes other members.
    #[error("written by another version")]
    Members(#[from] serde_json::Error),
}

/// The manifest at `path`; none if there is no file.
///
/// # Errors
/// As [`ManifestError`] says.
pub fn read_manifest<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ManifestError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let line_end = bytes.iter().position(|&byte| byte == b'\n');
    let (checksum, body) = bytes.split_at(line_end.unwrap_or(bytes.len()));
    let body = body.get(1..).unwrap_or_default();
    if checksum != checksum_line(body).as_bytes() {
        return Err(ManifestError::Checksum);
    }
    Ok(Some(serde_json::from_slice(body)?))
}

/// [Replaces](replace) the manifest at `path`.
///
/// # Errors
/// As [`replace`], and for a value that has no JSON.
pub fn write_manifest(
    path: &Path,
    manifest: &impl Serialize,
    durability: Durability,
) -> io::Result<()> {
    let body = serde_json::to_string(manifest)?;
    let text = format!("{}\n{body}", checksum_line(body.as_bytes()));
    replace(path, text.as_bytes(), durability)
}

fn checksum_line(body: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(body))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    type Members = (u32, Vec<String>);

    #[test]
    fn a_manifest_comes_back_and_every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let read = || read_manifest::<Members>(&path);
        assert_eq!(read().unwrap(), None);
        let members = (7, vec!["ä".to_owned()]);
        write_manifest(&path, &members, Durability::Synced).unwrap();
        assert_eq!(read().unwrap(), Some(members));

        let good = fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bad).unwrap();
            assert!(matches!(read(), Err(ManifestError::Checksum)), "bit {bit}");
        }
        for len in 0..good.len() {
            fs::write(&path, &good[..len]).unwrap();
            assert!(read().is_err(), "cut to {len} bytes");
        }
    }

    #[test]
    fn the_bytes_of_a_manifest_do_not_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let members: Members = (7, vec!["x".to_owned()]);
        write_manifest(&path, &members, Durability::None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"c3de5274\n[7,[\"x\"]]");
    }

    #[test]
    fn other_members_are_of_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        write_manifest(&path, &"other", Durability::None).unwrap();
        let error = read_manifest::<Members>(&path).unwrap_err();
        assert!(matches!(error, ManifestError::Members(_)));
    }
}
