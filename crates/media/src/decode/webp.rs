//! WebP, the first frame on its canvas.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::Format;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture};

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
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
