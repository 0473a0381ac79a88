//! Pixels as a decoder leaves them.

use crate::crop::Window;

/// The meaning of a pixel's samples. A mode that nothing may be interpolated in (a palette, black and white) is kept
/// apart from one of the same layout, because [`Picture::resize`] has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One byte, 0 or 255. Resized by nearest neighbour, whatever filter is asked for.
    Bilevel,
    /// One byte.
    Grey,
    /// One `u16`. Becomes a byte by clipping: 255 and all above are white.
    Grey16,
    /// One `f32`. Becomes a byte by clipping to 0..=255 and truncation.
    GreyFloat,
    /// Grey and alpha, a byte each. Resized premultiplied; alpha is then dropped.
    GreyAlpha,
    /// The colour of a palette, three bytes. Resized by nearest neighbour, whatever filter is asked for.
    Palette,
    /// Three bytes.
    Rgb,
    /// Four bytes, alpha last and not premultiplied. Resized premultiplied; alpha is then dropped.
    Rgba,
    /// Four bytes of ink, 255 is all of it. Becomes RGB without a colour profile.
    Cmyk,
}

impl Mode {
    /// Samples of one pixel.
    pub const fn channels(self) -> usize {
        match self {
            Mode::Bilevel | Mode::Grey | Mode::Grey16 | Mode::GreyFloat => 1,
            Mode::GreyAlpha => 2,
            Mode::Palette | Mode::Rgb => 3,
            Mode::Rgba | Mode::Cmyk => 4,
        }
    }

    pub(crate) const fn interpolates(self) -> bool {
        !matches!(self, Mode::Bilevel | Mode::Palette)
    }
}

/// The samples of a picture, `[height, width, channels]`, row-major.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
    Floats(Vec<f32>),
}

impl Samples {
    pub(crate) fn len(&self) -> usize {
        match self {
            Samples::Bytes(bytes) => bytes.len(),
            Samples::Words(words) => words.len(),
            Samples::Floats(floats) => floats.len(),
        }
    }
}

/// Width and height in pixels, both at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    pub(crate) const fn pixel_count(self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// A decoded picture: what [`crate::decode`] makes of bytes, and resizing and cropping of another picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    size: Size,
    mode: Mode,
    pub(crate) samples: Samples,
}

impl Picture {
    /// # Panics
    /// When the samples do not fill the size.
    pub(crate) fn new(size: Size, mode: Mode, samples: Samples) -> Self {
        assert_eq!(samples.len(), size.pixel_count() * mode.channels());
        Self {
            size,
            mode,
            samples,
        }
    }

    pub(crate) fn of_bytes(size: Size, mode: Mode, bytes: Vec<u8>) -> Self {
        Self::new(size, mode, Samples::Bytes(bytes))
    }

    /// A picture of three bytes a pixel, `[height, width, 3]`, row-major; `None` when that is not what `bytes` holds.
    pub fn from_rgb(size: Size, bytes: Vec<u8>) -> Option<Self> {
        let fits = size.width > 0 && size.height > 0 && bytes.len() == size.pixel_count() * 3;
        fits.then(|| Self::of_bytes(size, Mode::Rgb, bytes))
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The same picture under other samples of the same layout.
    pub(crate) fn with_samples(&self, size: Size, samples: Samples) -> Self {
        Self::new(size, self.mode, samples)
    }

    /// The part of the picture in a window.
    ///
    /// # Panics
    /// When the window is not inside the picture.
    pub fn crop(&self, window: Window) -> Picture {
        window.assert_inside(self.size);
        let samples = match &self.samples {
            Samples::Bytes(bytes) => {
                Samples::Bytes(window.cut(bytes, self.size, self.mode.channels()))
            }
            Samples::Words(words) => {
                Samples::Words(window.cut(words, self.size, self.mode.channels()))
            }
            Samples::Floats(floats) => {
                Samples::Floats(window.cut(floats, self.size, self.mode.channels()))
            }
        };
        self.with_samples(window.size, samples)
    }
}
