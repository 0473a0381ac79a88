//! GIF, the first frame on its canvas.

use std::io::Read;

use gif::{ColorOutput, DecodeOptions, DecodingError};

use super::Format;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture, Size};

const HEAD_LEN: usize = 13;
const FRAME_HEAD_LEN: usize = 10;
/// Flags of a head: whether a palette follows, and the bits of its indices, less one.
const PALETTE: u8 = 0x80;
const PALETTE_BITS: u8 = 7;
/// A block of no length, and the end of the file.
const END: [u8; 2] = [0, b';'];

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    // A block counts when it is whole, as for Pillow; and where all of them are, the bytes after them may be missing.
    let (whole, end) = match pixels_end(bytes).and_then(|end| bytes.get(..end)) {
        Some(whole) => (whole, &END[..]),
        None => (bytes, &[][..]),
    };
    let mut decoder = options.read_info(whole.chain(end)).map_err(of_decoder)?;
    let (width, height) = (decoder.width(), decoder.height());
    let frame = decoder
        .next_frame_info()
        .map_err(of_decoder)?
        .ok_or_else(|| Format::Gif.truncated())?
        .clone();
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let (frame_width, frame_height) = (usize::from(frame.width), usize::from(frame.height));
    // A frame beyond the canvas widens it.
    let right = u32::from(frame.left) + u32::from(frame.width);
    let bottom = u32::from(frame.top) + u32::from(frame.height);
    let size = Format::Gif.admitted(right.max(width.into()), bottom.max(height.into()), limits)?;
    let mut indices = vec![0; frame_width * frame_height];
    decoder.read_into_buffer(&mut indices).map_err(of_decoder)?;
    // Pixels that the frame leaves open are transparent, or the first colour.
    let mut canvas = vec![frame.transparent.unwrap_or(0); size.pixel_count()];
    for (y, row) in indices.chunks_exact(frame_width.max(1)).enumerate() {
        canvas[(top + y) * size.width as usize + left..][..frame_width].copy_from_slice(row);
    }
    let palette = frame
        .palette
        .as_deref()
        .or(decoder.global_palette())
        .unwrap_or_default();
    Ok(coloured(size, canvas, palette))
}

/// The end of the last whole block of the first frame's pixels; `None` where there is no such frame.
fn pixels_end(bytes: &[u8]) -> Option<usize> {
    let palette_len = |flags: u8| match flags & PALETTE {
        0 => 0,
        _ => 3 << ((flags & PALETTE_BITS) + 1),
    };
    let mut at = HEAD_LEN + palette_len(*bytes.get(10)?);
    loop {
        match bytes.get(at)? {
            b'!' => {
                let end = blocks_end(bytes, at + 2);
                if *bytes.get(end)? != 0 {
                    return None;
                }
                at = end + 1;
            }
            b',' => {
                let flags = *bytes.get(at + FRAME_HEAD_LEN - 1)?;
                // One byte more says how long the first codes are.
                let blocks = at + FRAME_HEAD_LEN + palette_len(flags) + 1;
                return Some(blocks_end(bytes, blocks));
            }
            _ => return None,
        }
    }
}

/// The end of whole blocks, each behind its length.
fn blocks_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&len @ 1..) = bytes.get(at)
        && at + usize::from(len) < bytes.len()
    {
        at += 1 + usize::from(len);
    }
    at
}

/// A palette that maps every index to its own grey is none: such a picture is grey, and can be interpolated.
fn coloured(size: Size, indices: Vec<u8>, palette: &[u8]) -> Picture {
    let colours = palette.as_chunks::<3>().0;
    if colours
        .iter()
        .enumerate()
        .all(|(index, colour)| colour.iter().all(|&level| usize::from(level) == index))
    {
        return Picture::of_bytes(size, Mode::Grey, indices);
    }
    // An index beyond the palette is black.
    let colour = |index: u8| colours.get(usize::from(index)).copied().unwrap_or_default();
    Picture::of_bytes(
        size,
        Mode::Palette,
        indices.into_iter().flat_map(colour).collect(),
    )
}

fn of_decoder(error: DecodingError) -> Error {
    match error {
        DecodingError::UnexpectedEof => Format::Gif.truncated(),
        DecodingError::Io(error) => Format::Gif.of_io(&error),
        error => Format::Gif.damaged(error),
    }
}
