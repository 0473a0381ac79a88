//! From bytes to a picture, a file for each format.

mod bmp;
mod gif;
mod jpeg;
mod png;
mod tiff;
mod webp;

use std::fmt;
use std::panic::{UnwindSafe, catch_unwind};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Picture, Size};

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Jpeg,
    Png,
    Gif,
    WebP,
    Bmp,
    Tiff,
}

impl Format {
    /// The format whose first bytes these are.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        match bytes {
            [0xFF, 0xD8, 0xFF, ..] => Some(Format::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Format::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => Some(Format::WebP),
            [b'B', b'M', ..] => Some(Format::Bmp),
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Format::Tiff),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Jpeg => "JPEG",
            Format::Png => "PNG",
            Format::Gif => "GIF",
            Format::WebP => "WebP",
            Format::Bmp => "BMP",
            Format::Tiff => "TIFF",
        })
    }
}

/// The picture that a file holds, of an animation the first frame. The name of the file, and the type that it is said
/// to have, count for nothing.
///
/// # Errors
/// [`Error::UnknownFormat`] for bytes that are no picture; [`Error::TooManyBytes`] and [`Error::TooManyPixels`] before
/// any memory is taken for pixels; [`Error::Truncated`], [`Error::Damaged`] and [`Error::Unsupported`] by the finds of
/// the format's decoder.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    limits.admit_bytes(bytes.len())?;
    match Format::of(bytes).ok_or(Error::UnknownFormat)? {
        Format::Jpeg => Format::Jpeg.fenced(|| jpeg::decode(bytes, limits)),
        Format::Png => png::decode(bytes, limits),
        Format::Gif => gif::decode(bytes, limits),
        Format::WebP => Format::WebP.fenced(|| webp::decode(bytes, limits)),
        Format::Bmp => bmp::decode(bytes, limits),
        Format::Tiff => tiff::decode(bytes, limits),
    }
}

impl Format {
    fn damaged(self, reason: impl fmt::Display) -> Error {
        Error::Damaged {
            format: self,
            reason: reason.to_string(),
        }
    }

    fn unsupported(self, feature: impl fmt::Display) -> Error {
        Error::Unsupported {
            format: self,
            feature: feature.to_string(),
        }
    }

    fn truncated(self) -> Error {
        Error::Truncated { format: self }
    }

    fn of_io(self, error: &std::io::Error) -> Error {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.truncated(),
            _ => self.damaged(error),
        }
    }

    /// Runs a decoder that may panic over the bytes: a defect of the decoder is one of the picture then.
    fn fenced<T>(self, decode: impl FnOnce() -> Result<T> + UnwindSafe) -> Result<T> {
        catch_unwind(decode).unwrap_or_else(|_| Err(self.damaged("its decoder gave up")))
    }

    /// The size that a header claims, if it is one and within the limits.
    fn admitted(self, width: u32, height: u32, limits: &Limits) -> Result<Size> {
        if width == 0 || height == 0 {
            return Err(self.damaged(format_args!("its header claims {width} x {height} pixels")));
        }
        let size = Size::new(width, height);
        limits.admit_size(size)?;
        Ok(size)
    }
}

/// Numbers of one, two or four bits, the first in the highest bits, with every row of `width` of them beginning at a
/// byte. Rows that are missing are left out.
fn unpacked(rows: &[u8], width: usize, bits: usize) -> impl Iterator<Item = u8> {
    let per_byte = 8 / bits;
    let mask = ((1_u16 << bits) - 1) as u8;
    rows.chunks_exact(width.div_ceil(per_byte))
        .flat_map(move |row| {
            (0..width).map(move |x| row[x / per_byte] >> (8 - bits - x % per_byte * bits) & mask)
        })
}
