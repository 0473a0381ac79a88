//! Reading and writing at an offset, without a shared cursor.

use std::fs::File;
use std::io;

/// Fills `out` from the bytes at `offset`.
///
/// # Errors
/// Errors of the system; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
#[cfg(unix)]
pub fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

/// Writes all of `data` at `offset`.
///
/// # Errors
/// Errors of the system; any part of it may be written then.
#[cfg(unix)]
pub fn write_all_at(file: &File, data: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, data, offset)
}

/// Fills `out` from the bytes at `offset`.
///
/// # Errors
/// Errors of the system; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
#[cfg(windows)]
pub fn read_exact_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                out = &mut out[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of `data` at `offset`.
///
/// # Errors
/// Errors of the system; any part of it may be written then.
#[cfg(windows)]
pub fn write_all_at(file: &File, mut data: &[u8], mut offset: u64) -> io::Result<()> {
    while !data.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, data, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                data = &data[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
