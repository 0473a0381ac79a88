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
    if mode == Mode::Cmyk {
        // Adobe stores light, not ink, and so does everybody after it.
        for ink in &mut pixels {
            *ink = 255 - *ink;
        }
    }
    Ok(Picture::of_bytes(size, mode, pixels))
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
