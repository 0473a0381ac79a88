//! The first page of a store's file: its kind and the format of the rest.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic |
//! | 8..12 | format version, little endian |
//! | 12..16 | crc32 of bytes 0..12 |
//! | 16..4096 | zero |
//!
//! Written when the file is made, and whenever it is opened for writing. These sixteen bytes keep their
//! meaning in every later format, so that an older release can always name the version it cannot read.
//!
//! Format 1 had a table of ids besides, which is not kept up any more. It stays in such a file until a copy takes its
//! place: to delete it, all of it would have to be read, and whole.

use crate::{Result, StoreError};

/// The format this release writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 2;

/// Bytes that identify the file, checksum included.
pub(crate) const HEADER_LEN: usize = 16;

const MAGIC: [u8; 8] = *b"PELSTORE";

pub(crate) fn encode(version: u32) -> [u8; HEADER_LEN] {
    let mut bytes = [0; HEADER_LEN];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    let sum = crc32fast::hash(&bytes[..12]);
    bytes[12..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Checks that the bytes head a store this release can read.
///
/// # Errors
/// [`StoreError::Damaged`] when they head no store at all, [`StoreError::NewerFormat`].
pub(crate) fn check(bytes: &[u8; HEADER_LEN]) -> Result<()> {
    if bytes[..8] != MAGIC {
        return Err(StoreError::damaged("file header", "this is not a store"));
    }
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (expected, received) = (word(12), crc32fast::hash(&bytes[..12]));
    if expected != received {
        return Err(StoreError::damaged(
            "file header",
            format!("checksum {expected:08x} expected, {received:08x} found"),
        ));
    }
    match word(8) {
        1..=FORMAT_VERSION => Ok(()),
        found => Err(StoreError::NewerFormat {
            found,
            supported: FORMAT_VERSION,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_this_release_is_accepted() {
        assert!(check(&encode(FORMAT_VERSION)).is_ok());
    }

    #[test]
    fn a_later_version_is_named() {
        let refused = check(&encode(7)).unwrap_err();
        assert!(matches!(
            refused,
            StoreError::NewerFormat {
                found: 7,
                supported: FORMAT_VERSION
            }
        ));
    }

    #[test]
    fn every_flipped_bit_is_damage() {
        for bit in 0..HEADER_LEN * 8 {
            let mut bytes = encode(FORMAT_VERSION);
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(
                matches!(check(&bytes), Err(StoreError::Damaged { .. })),
                "bit {bit}"
            );
        }
    }
}
