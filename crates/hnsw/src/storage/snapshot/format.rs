//! Plain numbers in a stream with a checksum at its end.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crc32fast::Hasher;

use super::SnapshotError;

/// Bytes of a number of 32 bits, seven in each.
const VARINT_MAX: usize = 5;
/// Bytes of the checksum.
const SUM_BYTES: usize = size_of::<u32>();
/// Bytes read at a time for their checksum: they stay in a core's own cache until they are summed.
const VERIFY_BYTES: usize = 256 << 10;

/// Writes numbers and, at the end, the checksum of all.
pub(super) struct Writer<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> Writer<W> {
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            hasher: Hasher::new(),
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.inner.write_all(bytes)
    }

    pub fn u32(&mut self, value: u32) -> io::Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    pub fn u64(&mut self, value: u64) -> io::Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Seven bits a byte, the lowest first, the eighth saying that more follow (LEB128).
    pub fn varint(&mut self, value: u32) -> io::Result<()> {
        let (mut bytes, mut len, mut rest) = ([0; VARINT_MAX], 0, value);
        while rest >= 0x80 {
            bytes[len] = rest as u8 | 0x80;
            rest >>= 7;
            len += 1;
        }
        bytes[len] = rest as u8;
        self.bytes(&bytes[..=len])
    }

    /// Appends the checksum and answers the destination.
    pub fn finish(mut self) -> io::Result<W> {
        let sum = self.hasher.finalize();
        self.inner.write_all(&sum.to_le_bytes())?;
        Ok(self.inner)
    }
}

/// Compares a file with the checksum at its end, and goes back to its beginning.
///
/// # Errors
/// [`SnapshotError::Checksum`] if they differ, or what reading it ran into.
pub(super) fn verify(file: &mut File) -> Result<(), SnapshotError> {
    let Some(len) = file.metadata()?.len().checked_sub(SUM_BYTES as u64) else {
        return Err(SnapshotError::Damaged("it ends too early"));
    };
    let (mut hasher, mut rest) = (Hasher::new(), len);
    let mut buffer = vec![0; VERIFY_BYTES];
    while rest > 0 {
        let part = &mut buffer[..rest.min(VERIFY_BYTES as u64) as usize];
        file.read_exact(part)?;
        hasher.update(part);
        rest -= part.len() as u64;
    }
    let mut sum = [0; SUM_BYTES];
    file.read_exact(&mut sum)?;
    let (expected, received) = (u32::from_le_bytes(sum), hasher.finalize());
    if expected != received {
        return Err(SnapshotError::Checksum { expected, received });
    }
    file.rewind()?;
    Ok(())
}

/// Reads the file of a [`Writer`], that was [verified](verify).
pub(super) struct Reader<R> {
    inner: R,
}

impl<R: Read> Reader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner }
    }

    pub fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), SnapshotError> {
        self.inner
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => SnapshotError::Damaged("it ends too early"),
                _ => error.into(),
            })
    }

    pub fn u8(&mut self) -> Result<u8, SnapshotError> {
        let mut byte = [0];
        self.bytes(&mut byte)?;
        Ok(byte[0])
    }

    pub fn u32(&mut self) -> Result<u32, SnapshotError> {
        let mut bytes = [0; 4];
        self.bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub fn u64(&mut self) -> Result<u64, SnapshotError> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn varint(&mut self) -> Result<u32, SnapshotError> {
        let mut value = 0;
        for place in 0..VARINT_MAX as u32 {
            let byte = u32::from(self.u8()?);
            value |= (byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(SnapshotError::Damaged("a number that does not end"))
    }

    /// Checks that nothing but the checksum follows.
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        self.bytes(&mut [0; SUM_BYTES])?;
        match self.inner.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(SnapshotError::Damaged("something follows its end")),
        }
    }
}
