//! JPEG, by a decoder that is bit-equal to the libjpeg-turbo of Pillow: the same inverse transform, upsampling of
//! colours and conversion from YCbCr.

use libjpeg_turbo_rs::common::types::ComponentInfo;
use libjpeg_turbo_rs::{DecodeLimits, Decoder, JpegError, PixelFormat};

use super::Format;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::picture::{Mode, Picture};

/// Scans of one picture. Encoders write about ten; each costs a walk over all blocks, however few bytes it has.
const SCANS_MAX: usize = 100;

/// Second bytes of markers.
const RESTART_0: u8 = 0xD0;
const RESTART_7: u8 = 0xD7;
const END: u8 = 0xD9;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture> {
    let bounds = DecodeLimits {
        max_scans: SCANS_MAX,
        ..DecodeLimits::default()
    };
    let header = Decoder::new_header_only(bytes, bounds).map_err(of_decoder)?;
    let frame = header.header();
    let size = Format::Jpeg.admitted(frame.width.into(), frame.height.into(), limits)?;
    let (mode, output) = match frame.components.len() {
        1 => (Mode::Grey, PixelFormat::Grayscale),
        3 => (Mode::Rgb, PixelFormat::Rgb),
        4 if subsampled(&frame.components) => {
            return Err(Format::Jpeg.unsupported("subsampled inks"));
        }
        4 => (Mode::Cmyk, PixelFormat::Cmyk),
        count => return Err(Format::Jpeg.unsupported(format_args!("{count} components"))),
    };
    let decoder = Decoder::new_with_limits(bytes, bounds).map_err(of_decoder)?;
    let image = decoder
        .with_output_format(output)
        .decode_image()
        .map_err(of_decoder)?;
    let mut pixels = image.data;
    if pixels.len() != size.pixel_count() * mode.channels() {
        return Err(Format::Jpeg.damaged("its scans do not fill the size that its header claims"));
    }
    // Pillow asks for little more than the pixels of a picture of one scan.
    if frame.is_progressive && lacks_end(bytes) {
        return Err(Format::Jpeg.truncated());
    }
    if mode == Mode::Cmyk {
        // Adobe stores light, not ink, and so does everybody after it.
        for ink in &mut pixels {
            *ink = 255 - *ink;
        }
    }
    Ok(Picture::of_bytes(size, mode, pixels))
}

/// Tells whether the marker that ends the picture is missing. Segments may hold such bytes too, those of a small
/// picture.
fn lacks_end(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(rest) = bytes.get(at..)
        && let Some(found) = rest.windows(2).position(is_marker)
    {
        let marker = &rest[found + 1..];
        if marker[0] == END {
            return false;
        }
        let Some(&len) = marker[1..].first_chunk() else {
            break;
        };
        at += found + 2 + usize::from(u16::from_be_bytes(len));
    }
    true
}

/// Tells whether a pair is a marker; none is inside scans, where 0xFF is followed by 0, or by the
/// number of a restart.
fn is_marker(pair: &[u8]) -> bool {
    pair[0] == 0xFF && !matches!(pair[1], 0 | RESTART_0..=RESTART_7 | 0xFF)
}

fn subsampled(components: &[ComponentInfo]) -> bool {
    let sampling =
        |component: &ComponentInfo| (component.horizontal_sampling, component.vertical_sampling);
    components
        .windows(2)
        .any(|pair| sampling(&pair[0]) != sampling(&pair[1]))
}

fn of_decoder(error: JpegError) -> Error {
    match error {
        JpegError::UnexpectedEof => Format::Jpeg.truncated(),
        JpegError::Unsupported(feature) => Format::Jpeg.unsupported(feature),
        error => Format::Jpeg.damaged(error),
    }
}
