//! The conversion of each mode by Pillow's `convert("RGB")`.

use crate::alpha::times;
use crate::picture::{Mode, Picture, Samples};

impl Picture {
    /// The picture in three bytes a pixel. Alpha is dropped, not laid on a ground; ink becomes light without a colour
    /// profile; more than eight bits are clipped.
    pub fn into_rgb(self) -> Picture {
        if self.mode() == Mode::Rgb {
            return self;
        }
        let rgb = match self.samples() {
            Samples::Bytes(bytes) => match self.mode() {
                Mode::GreyAlpha => bytes
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .flat_map(|&[grey, _]| [grey; 3])
                    .collect(),
                Mode::Rgba => bytes
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .flat_map(|&[red, green, blue, _]| [red, green, blue])
                    .collect(),
                Mode::Cmyk => bytes
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .flat_map(|&ink| light(ink))
                    .collect(),
                Mode::Palette | Mode::Rgb => bytes.clone(),
                Mode::Bilevel | Mode::Grey | Mode::Grey16 | Mode::GreyFloat => {
                    bytes.iter().flat_map(|&grey| [grey; 3]).collect()
                }
            },
            Samples::Words(words) => words
                .iter()
                .flat_map(|&word| [word.min(255) as u8; 3])
                .collect(),
            // The cast clips, truncates, and makes 0 of NaN.
            Samples::Floats(floats) => floats.iter().flat_map(|&float| [float as u8; 3]).collect(),
        };
        Picture::of_bytes(self.size(), Mode::Rgb, rgb)
    }

    /// The bytes of [`Picture::into_rgb`]: `[height, width, 3]`, row-major.
    pub fn into_rgb_bytes(self) -> Vec<u8> {
        match self.into_rgb().samples {
            Samples::Bytes(bytes) => bytes,
            Samples::Words(_) | Samples::Floats(_) => unreachable!("an RGB picture has bytes"),
        }
    }
}

fn light([cyan, magenta, yellow, black]: [u8; 4]) -> [u8; 3] {
    let white = 255 - black;
    [cyan, magenta, yellow].map(|ink| white.saturating_sub(times(ink, white)))
}
