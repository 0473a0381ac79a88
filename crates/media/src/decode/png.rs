//! PNG. An animated one is the picture that every viewer shows.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, DecodingError, Transformations};

use super::{Format, unpacked};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture, Samples, Size};

/// The chunk that ends a file, with its length and checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

/// As Pillow does, takes a file that lacks nothing but its end for whole.
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    match decode_ended(bytes, limits) {
        Err(truncated @ Error::Truncated { .. }) => {
            let ended = [&bytes[..end_of_chunks(bytes)], END].concat();
            decode_ended(&ended, limits).map_err(|_| truncated)
        }
        outcome => outcome,
    }
}

/// The end of the last chunk that is there with its checksum.
fn end_of_chunks(bytes: &[u8]) -> usize {
    const SIGNATURE_LEN: usize = 8;
    const FRAME_LEN: usize = 12;
    let mut end = SIGNATURE_LEN.min(bytes.len());
    while let Some(&len) = bytes[end..].first_chunk() {
        let next = end.saturating_add(u32::from_be_bytes(len) as usize + FRAME_LEN);
        if next > bytes.len() {
            break;
        }
        end = next;
    }
    end
}

fn decode_ended(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        png::Limits {
            bytes: limits.bytes_max,
        },
    );
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(of_decoder)?;
    let size = Format::Png.admitted(header.width, header.height, limits)?;
    let mut reader = decoder.read_info().map_err(of_decoder)?;
    let len = reader
        .output_buffer_size()
        .ok_or_else(|| Format::Png.damaged("its rows are too long"))?;
    let mut rows = vec![0; len];
    reader.next_frame(&mut rows).map_err(of_decoder)?;
    let (colour, depth) = reader.output_color_type();
    let picture = match (colour, depth) {
        (ColorType::Indexed, depth) => {
            let palette = reader.info().palette.as_deref().unwrap_or_default();
            palette_picture(size, &rows, depth as usize, palette)
        }
        (ColorType::Grayscale, BitDepth::One) => grey(size, Mode::Bilevel, &rows, 1),
        (ColorType::Grayscale, BitDepth::Two) => grey(size, Mode::Grey, &rows, 2),
        (ColorType::Grayscale, BitDepth::Four) => grey(size, Mode::Grey, &rows, 4),
        (ColorType::Grayscale, BitDepth::Sixteen) => {
            let words = rows
                .as_chunks::<2>()
                .0
                .iter()
                .map(|&word| u16::from_be_bytes(word))
                .collect();
            Picture::new(size, Mode::Grey16, Samples::Words(words))
        }
        (colour, depth) => {
            let mode = match colour {
                ColorType::Grayscale | ColorType::Indexed => Mode::Grey,
                ColorType::GrayscaleAlpha => Mode::GreyAlpha,
                ColorType::Rgb => Mode::Rgb,
                ColorType::Rgba => Mode::Rgba,
            };
            let samples = if depth == BitDepth::Sixteen {
                high_bytes(&rows)
            } else {
                rows
            };
            Picture::of_bytes(size, mode, samples)
        }
    };
    Ok(picture)
}

fn grey(size: Size, mode: Mode, rows: &[u8], bits: usize) -> Picture {
    let white = (1 << bits) - 1;
    let bytes = unpacked(rows, size.width as usize, bits)
        .map(|level| level * (255 / white))
        .collect();
    Picture::of_bytes(size, mode, bytes)
}

fn palette_picture(size: Size, rows: &[u8], bits: usize, palette: &[u8]) -> Picture {
    let colours = palette.as_chunks::<3>().0;
    // An index beyond the palette is black.
    let colour = |index: u8| colours.get(usize::from(index)).copied().unwrap_or_default();
    let bytes = if bits == 8 {
        rows.iter().flat_map(|&index| colour(index)).collect()
    } else {
        unpacked(rows, size.width as usize, bits)
            .flat_map(colour)
            .collect()
    };
    Picture::of_bytes(size, Mode::Palette, bytes)
}

/// Where colours have 16 bits, Pillow takes the upper eight.
fn high_bytes(rows: &[u8]) -> Vec<u8> {
    rows.as_chunks::<2>()
        .0
        .iter()
        .map(|&[high, _]| high)
        .collect()
}

fn of_decoder(error: DecodingError) -> Error {
    match error {
        DecodingError::IoError(error) => Format::Png.of_io(&error),
        error => Format::Png.damaged(error),
    }
}
