//! CRC-32 of the bytes read from a file.
//!
//! Read, not mapped: bytes that a failing disk cannot deliver are then an error and not the end of
//! the process.

use std::io::{self, Read};

/// Bytes read at a time: they stay in a core's own cache until they are summed.
const READ_BYTES: usize = 256 << 10;

/// Reads `from` to its end; the number of bytes and their CRC-32.
///
/// # Errors
/// Errors of the system.
pub fn checksum(mut from: impl Read) -> io::Result<(u64, u32)> {
    let mut buffer = vec![0; READ_BYTES];
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok((bytes, hasher.finalize())),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    /// Gives a byte at a time, each after an interruption.
    struct Interrupted<'a>(&'a [u8], bool);

    impl Read for Interrupted<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            match self.1 {
                true => Err(io::ErrorKind::Interrupted.into()),
                false => self.0.read(&mut out[..1]),
            }
        }
    }

    #[test]
    fn every_byte_counts_however_it_arrives() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(checksum(&b"123456789"[..]).unwrap(), (9, 0xCBF4_3926));
        let slowly = Interrupted(b"123456789", false);
        assert_eq!(checksum(slowly).unwrap(), (9, 0xCBF4_3926));
        let long = vec![7; 2 * READ_BYTES + 1];
        let expected = (long.len() as u64, crc32fast::hash(&long));
        assert_eq!(checksum(&*long).unwrap(), expected);
    }
}
