//! Planar floats.

use crate::crop::Window;
use crate::picture::{Picture, Samples, Size};

/// The input of a vision tower for one picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Width and height in pixels.
    pub side: u32,
    /// `[3, side, side]`, row-major: red, green, blue.
    pub values: Vec<f32>,
}

/// `(byte / 255 - mean) / std` of RGB bytes `[side, side, 3]`.
pub(crate) fn normalized(rgb: &[u8], side: u32, mean: [f32; 3], std: [f32; 3]) -> Tensor {
    let mut values = Vec::with_capacity(rgb.len());
    for channel in 0..3 {
        let table: [f32; 256] =
            std::array::from_fn(|byte| (byte as f32 / 255.0 - mean[channel]) / std[channel]);
        values.extend(
            rgb.as_chunks::<3>()
                .0
                .iter()
                .map(|pixel| table[usize::from(pixel[channel])]),
        );
    }
    Tensor { side, values }
}

/// The normalised window of an RGB picture that is resized as floats, by bicubic interpolation.
pub(crate) fn interpolated(
    rgb: &Picture,
    to: Size,
    window: Window,
    mean: [f32; 3],
    std: [f32; 3],
) -> Tensor {
    let Samples::Bytes(bytes) = rgb.samples() else {
        unreachable!("an RGB picture has bytes")
    };
    let from = rgb.size();
    let columns = taps(from.width, to.width, window.left, window.size.width);
    let rows = taps(from.height, to.height, window.top, window.size.height);
    let mut values = Vec::with_capacity(window.size.pixel_count() * 3);
    for channel in 0..3 {
        let value = |x: usize, y: usize| {
            f32::from(bytes[(y * from.width as usize + x) * 3 + channel]) / 255.0
        };
        for row in &rows {
            for column in &columns {
                let interpolated: f32 = row
                    .iter()
                    .map(|&(y, down)| {
                        down * column
                            .iter()
                            .map(|&(x, across)| across * value(x, y))
                            .sum::<f32>()
                    })
                    .sum();
                values.push((interpolated - mean[channel]) / std[channel]);
            }
        }
    }
    Tensor {
        side: window.size.width,
        values,
    }
}

/// The four pixels, and their weights, that each pixel from `first` on is made of; beyond the border the outermost
/// counts again. In `f32`, as the original has it.
fn taps(from: u32, to: u32, first: u32, count: u32) -> Vec<[(usize, f32); 4]> {
    let scale = from as f32 / to as f32;
    (first..first + count)
        .map(|at| {
            let position = if from == to {
                at as f32
            } else {
                scale * (at as f32 + 0.5) - 0.5
            };
            let left = position.floor();
            let share = position - left;
            let weights = [
                cubic_far(share + 1.0),
                cubic_near(share),
                cubic_near(1.0 - share),
                cubic_far(2.0 - share),
            ];
            std::array::from_fn(|tap| {
                let pixel = left as i64 + tap as i64 - 1;
                (pixel.clamp(0, i64::from(from) - 1) as usize, weights[tap])
            })
        })
        .collect()
}

const A: f32 = -0.75;

/// Keys' kernel up to one pixel from the middle.
fn cubic_near(x: f32) -> f32 {
    ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
}

/// Keys' kernel from one pixel to two.
fn cubic_far(x: f32) -> f32 {
    ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_planar_and_normalised() {
        let tensor = normalized(&[0, 51, 255], 1, [0.5, 0.2, 0.0], [0.5, 1.0, 2.0]);
        assert_eq!(tensor.values, [-1.0, 0.0, 0.5]);
    }

    #[test]
    fn interpolation_between_two_pixels_overshoots() {
        let picture = Picture::from_rgb(Size::new(2, 1), vec![0, 0, 0, 255, 255, 255]).unwrap();
        let to = Size::new(8, 1);
        let window = Window::whole(to);
        let tensor = interpolated(&picture, to, window, [0.0; 3], [1.0; 3]);
        assert!(
            tensor.values[1] < 0.0 && tensor.values[6] > 1.0,
            "{:?}",
            &tensor.values[..8]
        );
    }
}
