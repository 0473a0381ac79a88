//! Small files that describe the other files: a line with the CRC-32 of the rest, in eight
//! hexadecimal digits, then a text, such as JSON. Replaced as a whole.

use std::fs;
use std::io;
use std::path::Path;

use crate::draft::{Durability, replace};

/// The reason that a manifest which is there cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// An error of reading it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its bytes are not those that were written.
    #[error("checksum mismatch")]
    Checksum,
}

/// The text of the manifest at `path`; none if there is no file.
///
/// # Errors
/// As [`ManifestError`] says.
pub fn read_manifest(path: &Path) -> Result<Option<Vec<u8>>, ManifestError> {
    let mut bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let line_end = bytes.iter().position(|&byte| byte == b'\n');
    let text = bytes.split_off(line_end.map_or(bytes.len(), |end| end + 1));
    if bytes != checksum_line(&text).as_bytes() {
        return Err(ManifestError::Checksum);
    }
    Ok(Some(text))
}

/// [Replaces](replace) the manifest at `path`.
///
/// # Errors
/// As [`replace`].
pub fn write_manifest(path: &Path, text: &str, durability: Durability) -> io::Result<()> {
    let whole = checksum_line(text.as_bytes()) + text;
    replace(path, whole.as_bytes(), durability)
}

fn checksum_line(text: &[u8]) -> String {
    format!("{:08x}\n", crc32fast::hash(text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_comes_back_and_every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let read = || read_manifest(&path);
        assert_eq!(read().unwrap(), None);
        let text = "[7,[\"ä\"]]\nand more";
        write_manifest(&path, text, Durability::Synced).unwrap();
        assert_eq!(read().unwrap().unwrap(), text.as_bytes());

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
        write_manifest(&path, "[7,[\"x\"]]", Durability::None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"c3de5274\n[7,[\"x\"]]");
    }
}
