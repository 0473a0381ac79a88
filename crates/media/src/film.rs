//! From the frames of a film to the input of LanguageBind's film tower.

use crate::crop::Window;
use crate::error::{Error, Result};
use crate::picture::Size;

/// Frames of a film that the tower looks at.
pub const FILM_FRAMES: usize = 8;
/// Width and height of a frame of the tensor, in pixels.
pub const FILM_SIDE: u32 = 224;

/// The longest side that a frame is interpolated to.
const INTERPOLATED_SIDE_MAX: f64 = (1 << 16) as f64;

/// The mean and deviation by which the values of OpenAI's CLIP were normalised.
const MEAN: [f32; 3] = [0.481_454_66, 0.457_827_5, 0.408_210_73];
const STD: [f32; 3] = [0.268_629_54, 0.261_302_6, 0.275_777_1];

/// One frame as the tower takes it, `[3, FILM_SIDE, FILM_SIDE]`, row-major, of RGB bytes `[height, width, 3]`: normalised, the shorter side interpolated to
/// [`FILM_SIDE`] as floats, bilinear and without antialiasing, as PyTorch's `interpolate` does it, and the centre cut out.
/// The original also mirrors every other film by chance, as in training; here none is.
///
/// # Errors
/// [`Error::TooNarrow`] when the longer side would have more than 2^16 pixels.
///
/// # Panics
/// When the bytes do not fill the size, or it is empty.
pub fn film_frame(rgb: &[u8], from: Size) -> Result<Vec<f32>> {
    assert!(
        from.pixel_count() > 0 && rgb.len() == from.pixel_count() * 3,
        "{} bytes in a frame of {from:?}",
        rgb.len()
    );
    let to = short_side_scaled(from)?;
    let window = Window::centred(Size::new(FILM_SIDE, FILM_SIDE), to);
    let columns = taps(from.width, to.width, window.left);
    let rows = taps(from.height, to.height, window.top);
    let mut values = Vec::with_capacity(3 * window.size.pixel_count());
    for channel in 0..3 {
        let normalized: [f32; 256] =
            std::array::from_fn(|byte| (byte as f32 / 255.0 - MEAN[channel]) / STD[channel]);
        for row in &rows {
            let across = |y: usize, column: &Taps| {
                let value = |x: usize| {
                    normalized[usize::from(rgb[(y * from.width as usize + x) * 3 + channel])]
                };
                column.mix(value(column.first), value(column.second))
            };
            values.extend(
                columns
                    .iter()
                    .map(|column| row.mix(across(row.first, column), across(row.second, column))),
            );
        }
    }
    Ok(values)
}

/// The longer side keeps the shape, rounded down from floats: pytorchvideo's `ShortSideScale`.
fn short_side_scaled(size: Size) -> Result<Size> {
    let (short, long) = (size.width.min(size.height), size.width.max(size.height));
    let scaled = (f64::from(long) / f64::from(short) * f64::from(FILM_SIDE)).floor();
    if scaled > INTERPOLATED_SIDE_MAX {
        return Err(Error::TooNarrow {
            width: size.width,
            height: size.height,
            side: FILM_SIDE,
        });
    }
    let long = scaled as u32;
    Ok(if size.width < size.height {
        Size::new(FILM_SIDE, long)
    } else {
        Size::new(long, FILM_SIDE)
    })
}

/// The two pixels that one is made of, and the share of the second.
struct Taps {
    first: usize,
    second: usize,
    share: f32,
}

impl Taps {
    fn mix(&self, first: f32, second: f32) -> f32 {
        (1.0 - self.share) * first + self.share * second
    }
}

/// Those of [`FILM_SIDE`] pixels from `first` on, of a side of `from` made one of `to`. In `f32`, as the original has it.
fn taps(from: u32, to: u32, first: u32) -> Vec<Taps> {
    let scale = from as f32 / to as f32;
    let last = from as usize - 1;
    (first..first + FILM_SIDE)
        .map(|at| {
            let position = (scale * (at as f32 + 0.5) - 0.5).max(0.0);
            let first = (position as usize).min(last);
            Taps {
                first,
                second: (first + 1).min(last),
                share: (position - first as f32).min(1.0),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: u32, height: u32, rgb: Vec<u8>) -> Result<Vec<f32>> {
        film_frame(&rgb, Size::new(width, height))
    }

    #[test]
    fn one_colour_stays_one_colour() {
        let values = frame(5, 3, [255, 0, 51].repeat(15)).unwrap();
        let expected: [f32; 3] =
            std::array::from_fn(|at| ([1.0_f32, 0.0, 0.2][at] - MEAN[at]) / STD[at]);
        for (plane, expected) in values.chunks(224 * 224).zip(expected) {
            assert!(plane.iter().all(|value| (value - expected).abs() < 1e-6));
        }
        assert_eq!(values.len(), 3 * 224 * 224);
    }

    #[test]
    fn a_frame_like_a_thread_is_refused() {
        let error = frame(1, 1000, vec![0; 3000]).unwrap_err();
        assert_eq!(
            error,
            Error::TooNarrow {
                width: 1,
                height: 1000,
                side: 224
            }
        );
    }
}
