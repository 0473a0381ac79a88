//! TIFF, the first page. The one format whose orientation Pillow heeds.

use std::io::Cursor;

use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError};

use super::{Format, unpacked};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture, Samples, Size};

/// `PhotometricInterpretation` of a palette, and of grey whose 0 is black.
const PALETTE: u16 = 3;
const BLACK_IS_ZERO: u16 = 1;
/// `ExtraSamples` of a channel that means nothing, and of alpha by which colours are not multiplied.
const UNSPECIFIED: u16 = 0;
const ALPHA: u16 = 2;

/// `FillOrder` of bytes whose lowest bit is the first pixel's.
const LOWEST_BIT_FIRST: u16 = 2;
/// `PlanarConfiguration` of samples of one channel after those of another.
const SEPARATE_PLANES: u16 = 2;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(of_decoder)?;
    let fill_order: Option<u16> = decoder
        .find_tag_unsigned(Tag::FillOrder)
        .map_err(of_decoder)?;
    if fill_order != Some(LOWEST_BIT_FIRST) {
        return decode_highest_bit_first(bytes, limits);
    }
    let (width, height) = decoder.dimensions().map_err(of_decoder)?;
    Format::Tiff.admitted(width, height, limits)?;
    decode_highest_bit_first(&with_bits_turned(bytes, &mut decoder)?, limits)
}

/// The same file with the bits of its samples in the usual order, which the decoder takes for granted. The compression
/// worked on bytes of that order.
fn with_bits_turned(bytes: &[u8], decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Vec<u8>> {
    let mut places = |strips, tiles| -> Result<Vec<u64>> {
        let tag = match decoder.find_tag(strips).map_err(of_decoder)? {
            Some(_) => strips,
            None => tiles,
        };
        decoder.get_tag_u64_vec(tag).map_err(of_decoder)
    };
    let offsets = places(Tag::StripOffsets, Tag::TileOffsets)?;
    let lengths = places(Tag::StripByteCounts, Tag::TileByteCounts)?;
    let mut turned = bytes.to_vec();
    for (offset, length) in offsets.into_iter().zip(lengths) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
        let range = start.min(bytes.len())..end.min(bytes.len());
        // From the file as it is: strips may share bytes.
        for (to, from) in turned[range.clone()].iter_mut().zip(&bytes[range]) {
            *to = from.reverse_bits();
        }
    }
    Ok(turned)
}

fn decode_highest_bit_first(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(of_decoder)?;
    let (width, height) = decoder.dimensions().map_err(of_decoder)?;
    let size = Format::Tiff.admitted(width, height, limits)?;
    let orientation = decoder
        .find_tag_unsigned(Tag::Orientation)
        .map_err(of_decoder)?
        .unwrap_or(1);
    let photometric = decoder
        .find_tag_unsigned(Tag::PhotometricInterpretation)
        .map_err(of_decoder)?;
    let picture = if photometric == Some(PALETTE) {
        let palette = decoder.get_tag_u16_vec(Tag::ColorMap).map_err(of_decoder)?;
        let indices = indices_as_grey(bytes)
            .ok_or_else(|| Format::Tiff.unsupported("a palette, as BigTIFF"))?;
        let mut decoder = Decoder::new(Cursor::new(indices)).map_err(of_decoder)?;
        let depth = decoder.colortype().map_err(of_decoder)?;
        palette_picture(
            size,
            depth,
            decoder.read_image().map_err(of_decoder)?,
            &palette,
        )?
    } else {
        let colours = decoder.colortype().map_err(of_decoder)?;
        let extra = decoder
            .find_tag_unsigned_vec(Tag::ExtraSamples)
            .map_err(of_decoder)?;
        let extra = extra.as_deref().unwrap_or(&[ALPHA]);
        let colours = with_alpha(colours, extra)?;
        let picture = picture(size, colours, samples(&mut decoder, size)?)?;
        if extra == [UNSPECIFIED] {
            picture.into_rgb()
        } else {
            picture
        }
    };
    Ok(picture.upright(orientation))
}

/// The samples of all channels, pixel by pixel.
fn samples(decoder: &mut Decoder<Cursor<&[u8]>>, size: Size) -> Result<DecodingResult> {
    let planes: Option<u16> = decoder
        .find_tag_unsigned(Tag::PlanarConfiguration)
        .map_err(of_decoder)?;
    if planes != Some(SEPARATE_PLANES) {
        return decoder.read_image().map_err(of_decoder);
    }
    let mut planes = DecodingResult::U8(Vec::new());
    decoder
        .read_image_to_buffer(&mut planes)
        .map_err(of_decoder)?;
    let pixels = size.pixel_count();
    match planes {
        DecodingResult::U8(planes) => interleaved(&planes, pixels).map(DecodingResult::U8),
        DecodingResult::U16(planes) => interleaved(&planes, pixels).map(DecodingResult::U16),
        DecodingResult::F32(planes) if planes.len() == pixels => Ok(DecodingResult::F32(planes)),
        _ => Err(Format::Tiff.unsupported("planes of such samples")),
    }
}

/// Pixels of planes, which follow one another. Those of fewer than 8 bits, of which a byte has several, have one plane.
fn interleaved<T: Copy>(planes: &[T], pixels: usize) -> Result<Vec<T>> {
    if planes.len() <= pixels {
        return Ok(planes.to_vec());
    }
    if !planes.len().is_multiple_of(pixels) {
        return Err(Format::Tiff.damaged(format_args!(
            "its planes have {} samples for {pixels} pixels",
            planes.len()
        )));
    }
    let pixel = |at: usize| planes.iter().skip(at).step_by(pixels).copied();
    Ok((0..pixels).flat_map(pixel).collect())
}

/// The same file, with its palette taken for shades of grey: the decoder reads those, and no palettes. `None` where
/// the first directory is not that of a classic TIFF.
fn indices_as_grey(bytes: &[u8]) -> Option<Vec<u8>> {
    const ENTRY_LEN: usize = 12;
    let little_endian = bytes.starts_with(b"II");
    let short = |at: usize| {
        let short = *bytes.get(at..)?.first_chunk()?;
        Some(if little_endian {
            u16::from_le_bytes(short)
        } else {
            u16::from_be_bytes(short)
        })
    };
    let long = *bytes.get(4..)?.first_chunk()?;
    let directory = if little_endian {
        u32::from_le_bytes(long)
    } else {
        u32::from_be_bytes(long)
    } as usize;
    let entries =
        (0..short(directory)?.into()).map(|entry: usize| directory + 2 + entry * ENTRY_LEN);
    let entry = entries
        .into_iter()
        .find(|&at| short(at) == Some(Tag::PhotometricInterpretation.to_u16()))?;
    let value = entry + 8;
    (short(2)? == 42 && short(value)? == PALETTE).then(|| {
        let mut grey = bytes.to_vec();
        let black_is_zero = if little_endian {
            BLACK_IS_ZERO.to_le_bytes()
        } else {
            BLACK_IS_ZERO.to_be_bytes()
        };
        grey[value..value + 2].copy_from_slice(&black_is_zero);
        grey
    })
}

/// The colours of a file by its word on the channels beyond them. The decoder knows no grey with alpha, and takes any
/// fourth channel beside red, green and blue for alpha.
fn with_alpha(colours: ColorType, extra: &[u16]) -> Result<ColorType> {
    match (colours, extra) {
        (
            ColorType::Multiband {
                bit_depth,
                num_samples: 2,
            },
            [ALPHA],
        ) => Ok(ColorType::GrayA(bit_depth)),
        (ColorType::RGBA(_), [ALPHA | UNSPECIFIED]) => Ok(colours),
        (ColorType::RGBA(_) | ColorType::Multiband { .. }, extra) => Err(Format::Tiff.unsupported(
            format_args!("pixels of {colours:?} with extra samples {extra:?}"),
        )),
        _ => Ok(colours),
    }
}

fn picture(size: Size, colours: ColorType, samples: DecodingResult) -> Result<Picture> {
    let unsupported = || Format::Tiff.unsupported(format_args!("pixels of {colours:?}"));
    let width = size.width as usize;
    let (mode, samples) = match (colours, samples) {
        (ColorType::Gray(1), DecodingResult::U8(rows)) => (
            Mode::Bilevel,
            Samples::Bytes(unpacked(&rows, width, 1).map(|level| level * 255).collect()),
        ),
        (ColorType::Gray(bits @ (2 | 4)), DecodingResult::U8(rows)) => {
            let white = (1 << bits) - 1;
            let bytes = unpacked(&rows, width, bits.into())
                .map(|level| level * (255 / white))
                .collect();
            (Mode::Grey, Samples::Bytes(bytes))
        }
        (ColorType::Gray(16), DecodingResult::U16(words)) => (Mode::Grey16, Samples::Words(words)),
        (ColorType::Gray(32), DecodingResult::F32(floats)) => {
            (Mode::GreyFloat, Samples::Floats(floats))
        }
        (colours, DecodingResult::U8(bytes)) => (
            mode(colours, 8).ok_or_else(unsupported)?,
            Samples::Bytes(bytes),
        ),
        (colours, DecodingResult::U16(words)) => {
            // Pillow takes the high byte of 16-bit colours too.
            let high_bytes = words.into_iter().map(|word| (word >> 8) as u8).collect();
            (
                mode(colours, 16).ok_or_else(unsupported)?,
                Samples::Bytes(high_bytes),
            )
        }
        _ => return Err(unsupported()),
    };
    filled(size, mode, samples)
}

fn mode(colours: ColorType, bits: u8) -> Option<Mode> {
    match colours {
        ColorType::Gray(depth) if depth == bits => Some(Mode::Grey),
        ColorType::GrayA(depth) if depth == bits => Some(Mode::GreyAlpha),
        ColorType::RGB(depth) if depth == bits => Some(Mode::Rgb),
        ColorType::RGBA(depth) if depth == bits => Some(Mode::Rgba),
        ColorType::CMYK(depth) if depth == bits => Some(Mode::Cmyk),
        _ => None,
    }
}

/// A palette has all its reds first, then greens, then blues, in 16 bits. An index beyond it is black.
fn palette_picture(
    size: Size,
    depth: ColorType,
    indices: DecodingResult,
    palette: &[u16],
) -> Result<Picture> {
    let indices: Vec<u8> = match (depth, indices) {
        (ColorType::Gray(8), DecodingResult::U8(rows)) => rows,
        (ColorType::Gray(bits @ (1 | 2 | 4)), DecodingResult::U8(rows)) => {
            unpacked(&rows, size.width as usize, bits.into()).collect()
        }
        _ => {
            return Err(Format::Tiff.unsupported(format_args!("a palette and pixels of {depth:?}")));
        }
    };
    let count = palette.len() / 3;
    let level = |channel: usize, index: u8| {
        let index = usize::from(index);
        if index < count {
            (palette[channel * count + index] >> 8) as u8
        } else {
            0
        }
    };
    let bytes = indices
        .into_iter()
        .flat_map(|index| [0, 1, 2].map(|channel| level(channel, index)))
        .collect();
    filled(size, Mode::Palette, Samples::Bytes(bytes))
}

/// The picture, if the file had samples for every pixel that its header claims.
fn filled(size: Size, mode: Mode, samples: Samples) -> Result<Picture> {
    let (expected, received) = (size.pixel_count() * mode.channels(), samples.len());
    if received != expected {
        return Err(Format::Tiff.damaged(format_args!(
            "it has {received} samples, its header claims {expected}"
        )));
    }
    Ok(Picture::new(size, mode, samples))
}

fn of_decoder(error: TiffError) -> Error {
    match error {
        TiffError::IoError(error) => Format::Tiff.of_io(&error),
        TiffError::UnsupportedError(error) => Format::Tiff.unsupported(feature(&error.to_string())),
        error => Format::Tiff.damaged(error),
    }
}

/// The feature that the decoder does not read, out of its message, without the words that say so.
fn feature(refusal: &str) -> &str {
    let feature = refusal.trim_end_matches('.');
    let feature = feature.strip_prefix("unsupported ").unwrap_or(feature);
    [" is unsupported", " not supported"]
        .iter()
        .find_map(|words| feature.strip_suffix(words))
        .unwrap_or(feature)
}
