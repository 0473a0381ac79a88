//! WebP, the first frame on its canvas.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::Format;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture};

/// The bytes of `RIFF` and the length that follows it.
const HEAD_LEN: u64 = 8;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    // The part that is cut off may be the end of the last row, which the decoder takes for zeros, or frames of no
    // interest; Pillow refuses either.
    let claimed = bytes[4..]
        .first_chunk()
        .map_or(0, |&len| u64::from(u32::from_le_bytes(len)));
    if (bytes.len() as u64) < HEAD_LEN + claimed {
        return Err(Format::WebP.truncated());
    }
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(of_decoder)?;
    decoder.set_memory_limit(limits.bytes_max);
    let (width, height) = decoder.dimensions();
    let size = Format::WebP.admitted(width, height, limits)?;
    let mode = if decoder.has_alpha() {
        Mode::Rgba
    } else {
        Mode::Rgb
    };
    let mut pixels = vec![0; size.pixel_count() * mode.channels()];
    decoder.read_image(&mut pixels).map_err(of_decoder)?;
    Ok(Picture::of_bytes(size, mode, pixels))
}

fn of_decoder(error: DecodingError) -> Error {
    match error {
        DecodingError::IoError(error) => Format::WebP.of_io(&error),
        error => Format::WebP.damaged(error),
    }
}
