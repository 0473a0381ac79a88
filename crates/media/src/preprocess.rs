//! From a picture to the input of a vision tower.

use crate::crop::Window;
use crate::error::{Error, Result};
use crate::picture::{Picture, Size};
use crate::resize::Filter;
use crate::tensor::{Tensor, interpolated, normalized};

/// The longest side that a picture is resized to. Pictures whose sides differ so much would need gigabytes in the
/// original libraries.
const RESIZED_SIDE_MAX: u64 = 1 << 24;

/// The size that a picture is resized to before the centre is cut out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizing {
    /// The shorter side becomes the model's, the longer one keeps the shape, rounded down: torchvision's `Resize(side)`.
    Shortest,
    /// Both sides become the model's, whatever the shape: torchvision's `Resize((side, side))`.
    Squash,
}

impl Sizing {
    /// # Errors
    /// [`Error::TooNarrow`] when a side would be longer than 2^24 pixels.
    fn resized(self, size: Size, side: u32) -> Result<Size> {
        let Sizing::Shortest = self else {
            return Ok(Size::new(side, side));
        };
        let (short, long) = (size.width.min(size.height), size.width.max(size.height));
        let resized_long = u64::from(side) * u64::from(long) / u64::from(short);
        if resized_long > RESIZED_SIDE_MAX {
            return Err(Error::TooNarrow {
                width: size.width,
                height: size.height,
                side,
            });
        }
        let long = resized_long as u32;
        Ok(if size.width <= size.height {
            Size::new(side, long)
        } else {
            Size::new(long, side)
        })
    }
}

/// The way to make the pixels of the resized picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resampling {
    /// Bytes, in the mode of the picture, as Pillow resizes; then RGB.
    Pillow(Filter),
    /// RGB first, then `f32` from 0 to 1 by bicubic interpolation with a = -0.75 and no antialiasing, as PyTorch's
    /// `interpolate` does: values may leave that range. LanguageBind takes its pictures so.
    Tensor,
}

/// The preparation of a model's pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocessing {
    /// Width and height of the tensor, in pixels, at least 1.
    pub side: u32,
    pub sizing: Sizing,
    pub resampling: Resampling,
    /// Taken from each value of a channel, red, green and blue, where white is 1.
    pub mean: [f32; 3],
    /// The divisor of the result.
    pub std: [f32; 3],
}

impl Preprocessing {
    /// The picture resized, its centre cut out, and normalised.
    ///
    /// # Errors
    /// [`Error::TooNarrow`] when the resized picture would be longer than 2^24 pixels.
    pub fn tensor(&self, picture: &Picture) -> Result<Tensor> {
        let resized = self.sizing.resized(picture.size(), self.side)?;
        let window = Window::centred(Size::new(self.side, self.side), resized);
        Ok(match self.resampling {
            Resampling::Pillow(filter) => {
                let rgb = picture
                    .resize_window(resized, window, filter)
                    .into_rgb_bytes();
                normalized(&rgb, self.side, self.mean, self.std)
            }
            Resampling::Tensor => {
                let rgb = picture.clone().into_rgb();
                interpolated(&rgb, resized, window, self.mean, self.std)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_side_is_rounded_down() {
        let resized = |width, height| {
            Sizing::Shortest
                .resized(Size::new(width, height), 224)
                .unwrap()
        };
        assert_eq!(resized(1920, 1080), Size::new(398, 224));
        assert_eq!(resized(1080, 1920), Size::new(224, 398));
        assert_eq!(resized(3, 3), Size::new(224, 224));
    }

    #[test]
    fn a_side_too_long_to_resize_is_refused() {
        let line = Size::new(1, 100_000_000);
        let error = Sizing::Shortest.resized(line, 224).unwrap_err();
        assert_eq!(
            error,
            Error::TooNarrow {
                width: 1,
                height: 100_000_000,
                side: 224
            }
        );
        assert_eq!(Sizing::Squash.resized(line, 224), Ok(Size::new(224, 224)));
    }
}
