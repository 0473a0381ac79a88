//! BMP. It is little more than its header, so it is read here: no library says which palettes are grey, and Pillow
//! resizes those otherwise.

use super::{Format, unpacked};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture, Size};

/// Length of the file header, which the information header follows.
const FILE_HEADER_LEN: usize = 14;
/// The oldest information header, of OS/2: its sizes have 16 bits and its palette three bytes a colour.
const CORE_HEADER_LEN: usize = 12;
/// The place of the masks of colours, in the header or right behind it.
const MASKS_AT: usize = FILE_HEADER_LEN + 40;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let header = Header::read(bytes)?;
    let size = Format::Bmp.admitted(header.width, header.height, limits)?;
    let pixels = bytes.get(header.pixels_at..).ok_or(TRUNCATED)?;
    match header.compression {
        Compression::None | Compression::Masks => {
            let rows = rows(pixels, size, &header)?;
            match header.bits {
                1 | 4 | 8 => {
                    let indices = match header.bits {
                        8 => rows,
                        bits => unpacked(&rows, size.width as usize, bits.into()).collect(),
                    };
                    coloured(size, indices, &header)
                }
                _ => direct(bytes, size, &rows, &header),
            }
        }
        Compression::RunLength { nibbles } => {
            let mut indices = run_lengths(pixels, size, nibbles)?;
            if !header.top_down {
                indices = indices
                    .chunks_exact(size.width as usize)
                    .rev()
                    .flatten()
                    .copied()
                    .collect();
            }
            coloured(size, indices, &header)
        }
    }
}

const TRUNCATED: Error = Error::Truncated {
    format: Format::Bmp,
};

#[derive(Clone, Copy, PartialEq)]
enum Compression {
    None,
    Masks,
    RunLength { nibbles: bool },
}

struct Header {
    width: u32,
    height: u32,
    top_down: bool,
    bits: u16,
    compression: Compression,
    /// Red, green and blue of each index.
    palette: Vec<[u8; 3]>,
    pixels_at: usize,
    /// The information header's own length.
    len: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header> {
        let len = u32_at(bytes, FILE_HEADER_LEN)? as usize;
        if !matches!(len, 12 | 40 | 52 | 56 | 64 | 108 | 124) {
            return Err(Format::Bmp.unsupported(format_args!("a header of {len} bytes")));
        }
        if bytes.len() < FILE_HEADER_LEN + len {
            return Err(TRUNCATED);
        }
        let core = len == CORE_HEADER_LEN;
        let (width, height, bits) = if core {
            (
                u16_at(bytes, 18)?.into(),
                i32::from(u16_at(bytes, 20)?),
                u16_at(bytes, 24)?,
            )
        } else {
            (
                u32_at(bytes, 18)?,
                u32_at(bytes, 22)? as i32,
                u16_at(bytes, 28)?,
            )
        };
        if !matches!(bits, 1 | 4 | 8 | 16 | 24 | 32) {
            return Err(Format::Bmp.unsupported(format_args!("{bits} bits a pixel")));
        }
        let compression = match if core { 0 } else { u32_at(bytes, 30)? } {
            0 => Compression::None,
            1 => Compression::RunLength { nibbles: false },
            2 => Compression::RunLength { nibbles: true },
            3 => Compression::Masks,
            other => return Err(Format::Bmp.unsupported(format_args!("compression {other}"))),
        };
        let colour_len = if core { 3 } else { 4 };
        let palette_at = FILE_HEADER_LEN + len;
        let palette = palette(
            bytes,
            palette_at,
            colour_len,
            bits,
            if core { 0 } else { u32_at(bytes, 46)? },
        )?;
        let palette_end = palette_at + palette.len() * colour_len;
        let pixels_at = match u32_at(bytes, 10)? as usize {
            0 => palette_end,
            // Some writers forget the palette.
            at if at == palette_at => palette_end,
            at => at,
        };
        Ok(Header {
            width,
            height: height.unsigned_abs(),
            top_down: height < 0,
            bits,
            compression,
            palette,
            pixels_at,
            len,
        })
    }
}

fn palette(
    bytes: &[u8],
    at: usize,
    colour_len: usize,
    bits: u16,
    claimed: u32,
) -> Result<Vec<[u8; 3]>> {
    if !matches!(bits, 1 | 4 | 8) {
        return Ok(Vec::new());
    }
    let count = if claimed == 0 {
        1 << bits
    } else {
        claimed as usize
    };
    if count > 1 << 16 {
        return Err(Format::Bmp.unsupported(format_args!("a palette of {count} colours")));
    }
    let colours = bytes.get(at..at + count * colour_len).ok_or(TRUNCATED)?;
    Ok(colours
        .chunks_exact(colour_len)
        .map(|colour| [colour[2], colour[1], colour[0]])
        .collect())
}

/// The bytes of the rows from the top on, without what fills them up to a multiple of four.
fn rows(pixels: &[u8], size: Size, header: &Header) -> Result<Vec<u8>> {
    let bits = u64::from(size.width) * u64::from(header.bits);
    let row_len = bits.div_ceil(8) as usize;
    let stride = bits.div_ceil(32) as usize * 4;
    // The last row need not be filled up.
    if (pixels.len() + stride - row_len) / stride < size.height as usize {
        return Err(TRUNCATED);
    }
    let row = |y: usize| &pixels[y * stride..][..row_len];
    let height = size.height as usize;
    Ok(if header.top_down {
        (0..height).flat_map(row).copied().collect()
    } else {
        (0..height).rev().flat_map(row).copied().collect()
    })
}

/// The colours of indices. A palette from black to white is none: such a picture is grey, or black and white.
fn coloured(size: Size, indices: Vec<u8>, header: &Header) -> Result<Picture> {
    let palette = &header.palette;
    let is_grey = |levels: &mut dyn Iterator<Item = u8>| {
        palette
            .iter()
            .zip(levels)
            .all(|(colour, level)| *colour == [level; 3])
    };
    Ok(
        if palette.len() == 2 && is_grey(&mut [0, 255].into_iter()) {
            let bytes = indices
                .into_iter()
                .map(|index| if index == 0 { 0 } else { 255 })
                .collect();
            Picture::of_bytes(size, Mode::Bilevel, bytes)
        } else if palette.len() > 2 && palette.len() <= 256 && is_grey(&mut (0..=255)) {
            Picture::of_bytes(size, Mode::Grey, indices)
        } else {
            // An index beyond the palette is black.
            let colour = |index: u8| palette.get(usize::from(index)).copied().unwrap_or_default();
            Picture::of_bytes(
                size,
                Mode::Palette,
                indices.into_iter().flat_map(colour).collect(),
            )
        },
    )
}

/// Pixels that hold their colour themselves.
fn direct(bytes: &[u8], size: Size, rows: &[u8], header: &Header) -> Result<Picture> {
    let masks = if header.compression == Compression::Masks {
        let alpha = if header.len >= 56 {
            u32_at(bytes, MASKS_AT + 12)?
        } else {
            0
        };
        Some([
            u32_at(bytes, MASKS_AT)?,
            u32_at(bytes, MASKS_AT + 4)?,
            u32_at(bytes, MASKS_AT + 8)?,
            alpha,
        ])
    } else {
        None
    };
    let of_words = |green_bits: u32| {
        let level = |word: u16, shift: u32, bits: u32| {
            let white = (1_u32 << bits) - 1;
            ((u32::from(word) >> shift & white) * 255 / white) as u8
        };
        let colours = rows.as_chunks::<2>().0.iter().flat_map(|&pixel| {
            let word = u16::from_le_bytes(pixel);
            [
                level(word, 5 + green_bits, 5),
                level(word, 5, green_bits),
                level(word, 0, 5),
            ]
        });
        Picture::of_bytes(size, Mode::Rgb, colours.collect())
    };
    let of_bytes = |order: [usize; 3]| {
        let colours = rows
            .chunks_exact(usize::from(header.bits / 8))
            .flat_map(|pixel| order.map(|at| pixel[at]));
        Picture::of_bytes(size, Mode::Rgb, colours.collect())
    };
    let of_bytes_and_alpha = |order: [usize; 4]| {
        let colours = rows
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|pixel| order.map(|at| pixel[at]));
        Picture::of_bytes(size, Mode::Rgba, colours.collect())
    };
    Ok(match (header.bits, masks) {
        (16, None | Some([0x7C00, 0x3E0, 0x1F, _])) => of_words(5),
        (16, Some([0xF800, 0x7E0, 0x1F, _])) => of_words(6),
        (24, None | Some([0xFF_0000, 0xFF00, 0xFF, _]))
        | (32, None | Some([0xFF_0000, 0xFF00, 0xFF, 0])) => of_bytes([2, 1, 0]),
        (32, Some([0xFF00_0000, 0xFF_0000, 0xFF00, 0])) => of_bytes([3, 2, 1]),
        (32, Some([0xFF00_0000, 0xFF00, 0xFF, 0])) => of_bytes([3, 1, 0]),
        (32, Some([0xFF00_0000, 0xFF_0000, 0xFF00, 0xFF])) => of_bytes_and_alpha([3, 2, 1, 0]),
        (32, Some([0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000])) => of_bytes_and_alpha([0, 1, 2, 3]),
        (32, Some([0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] | [0, 0, 0, 0])) => {
            of_bytes_and_alpha([2, 1, 0, 3])
        }
        (32, Some([0xFF00_0000, 0xFF00, 0xFF, 0xFF_0000])) => of_bytes_and_alpha([3, 1, 0, 2]),
        (_, masks) => {
            return Err(Format::Bmp.unsupported(format_args!("colours in the bits {masks:x?}")));
        }
    })
}

/// The indices of a run-length encoded picture, from its bottom row up.
fn run_lengths(pixels: &[u8], size: Size, nibbles: bool) -> Result<Vec<u8>> {
    let (width, len) = (size.width as usize, size.pixel_count());
    let mut indices = Vec::new();
    let mut at = 0;
    let mut next = || {
        let byte = pixels.get(at).copied().ok_or(TRUNCATED);
        at += 1;
        byte
    };
    while indices.len() < len {
        let (count, value) = (next()?, next()?);
        let pair = if nibbles {
            [value >> 4, value & 15]
        } else {
            [value; 2]
        };
        match (count, value) {
            // End of row: the rest of it has the first colour. At its start it is one already ended.
            (0, 0) => indices.resize(indices.len().next_multiple_of(width), 0),
            (0, 1) => return Err(TRUNCATED),
            (0, 2) => {
                let skipped = usize::from(next()?) + usize::from(next()?) * width;
                indices.resize(len.min(indices.len() + skipped), 0);
            }
            (0, count) => {
                let byte_count = if nibbles {
                    usize::from(count).div_ceil(2)
                } else {
                    usize::from(count)
                };
                let room = usize::from(count).min(len - indices.len());
                let mut literal = Vec::with_capacity(byte_count * 2);
                for _ in 0..byte_count {
                    let byte = next()?;
                    if nibbles {
                        literal.extend([byte >> 4, byte & 15])
                    } else {
                        literal.push(byte)
                    }
                }
                indices.extend_from_slice(&literal[..room]);
                if byte_count % 2 == 1 && indices.len() < len {
                    next()?;
                }
            }
            (count, _) => {
                // A run ends with its row.
                let room = width - indices.len() % width;
                indices.extend(pair.iter().cycle().take(usize::from(count).min(room)));
            }
        }
    }
    Ok(indices)
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let number = bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .ok_or(TRUNCATED)?;
    Ok(u16::from_le_bytes(*number))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let number = bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .ok_or(TRUNCATED)?;
    Ok(u32::from_le_bytes(*number))
}
