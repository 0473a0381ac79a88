//! YOLOX: what its graph takes and says. <https://arxiv.org/abs/2107.08430>

use super::Detection;
use crate::error::{Error, Result};
use crate::picture::Size;

/// Side of the graph's input, in pixels.
pub(super) const SIDE: u32 = 384;
/// The grey of the square beside the picture.
const PADDING: f32 = 114.0;
/// Sides of the cells of each grid that the graph looks at, in pixels.
const STRIDES: [u32; 3] = [8, 16, 32];
/// The place of a cell's certainty that there is anything, behind its middle and size. The
/// certainties of each kind of thing follow.
const OBJECTNESS: usize = 4;

/// `[3, 384, 384]`, row-major: blue, green and red from 0 to 255 of RGB bytes `[height, width, 3]`, as large as the square
/// has room for, in its upper left corner. Bytes are interpolated linearly and rounded, as OpenCV does it.
///
/// # Panics
/// When the bytes do not fill the size, or it is empty.
pub fn yolox_tensor(rgb: &[u8], from: Size) -> Vec<f32> {
    assert!(from.pixel_count() > 0 && rgb.len() == from.pixel_count() * 3);
    let ratio = ratio(from);
    let to = |side: u32| ((f64::from(side) * ratio) as u32).max(1);
    let columns = taps(from.width, to(from.width));
    let rows = taps(from.height, to(from.height));
    let side = SIDE as usize;
    let mut values = vec![PADDING; 3 * side * side];
    for channel in 0..3 {
        let value =
            |x: usize, y: usize| f32::from(rgb[(y * from.width as usize + x) * 3 + 2 - channel]);
        for (y, row) in rows.iter().enumerate() {
            for (x, column) in columns.iter().enumerate() {
                let across = |y: usize| mix(value(column.0, y), value(column.1, y), column.2);
                values[(channel * side + y) * side + x] =
                    mix(across(row.0), across(row.1), row.2).round();
            }
        }
    }
    values
}

fn ratio(from: Size) -> f64 {
    let side = f64::from(SIDE);
    (side / f64::from(from.height)).min(side / f64::from(from.width))
}

fn mix(first: f32, second: f32, share: f32) -> f32 {
    (1.0 - share) * first + share * second
}

/// The two pixels that each is made of, and the share of the second.
fn taps(from: u32, to: u32) -> Vec<(usize, usize, f32)> {
    let scale = f64::from(from) / f64::from(to);
    let last = f64::from(from - 1);
    (0..to)
        .map(|at| {
            let position = (scale * (f64::from(at) + 0.5) - 0.5).clamp(0.0, last);
            let first = position.floor();
            let share = (position - first) as f32;
            (first as usize, (first + 1.0).min(last) as usize, share)
        })
        .collect()
}

/// The detections of the graph in a picture of size `from`, in its pixels. `output` is `[cells, channels]`, row-major:
/// the cells of grids of 8, 16 and 32 pixels, row by row.
///
/// # Errors
/// [`Error::DetectorOutput`] when it is not of that shape.
pub fn yolox_detections(output: &[f32], channels: usize, from: Size) -> Result<Vec<Detection>> {
    let cells: u32 = STRIDES.iter().map(|stride| (SIDE / stride).pow(2)).sum();
    if channels <= OBJECTNESS || output.len() != cells as usize * channels {
        return Err(Error::DetectorOutput {
            expected: format!("{cells} cells of at least {} numbers", OBJECTNESS + 1),
            received: format!("{} numbers in cells of {channels}", output.len()),
        });
    }
    let ratio = ratio(from) as f32;
    let corners = STRIDES.into_iter().flat_map(|stride| {
        let count = SIDE / stride;
        (0..count * count).map(move |cell| (cell % count, cell / count, stride as f32))
    });
    Ok(corners
        .zip(output.chunks_exact(channels))
        .map(|((column, row, stride), cell)| {
            let middle = [cell[0] + column as f32, cell[1] + row as f32].map(|at| at * stride);
            let half = [cell[2].exp(), cell[3].exp()].map(|size| size * stride / 2.0);
            let bounds = [
                middle[0] - half[0],
                middle[1] - half[1],
                middle[0] + half[0],
                middle[1] + half[1],
            ];
            Detection {
                bounds: bounds.map(|at| at / ratio),
                score: cell[OBJECTNESS],
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_where_from_their_own_corner() {
        let channels = 6;
        let mut output = vec![0.0; 3024 * channels];
        // The third cell of the second row of the grid of 16 pixels, which has 24 cells a row.
        let cell = (48 * 48 + 24 + 2) * channels;
        output[cell..cell + 5].copy_from_slice(&[0.5, 0.25, 2_f32.ln(), 0.0, 0.75]);
        let found = yolox_detections(&output, channels, Size::new(384, 192)).unwrap();
        assert_eq!(found.len(), 3024);
        let detection = found[48 * 48 + 24 + 2];
        assert_eq!(detection.score, 0.75);
        for (at, expected) in detection.bounds.iter().zip([24.0, 12.0, 56.0, 28.0]) {
            assert!((at - expected).abs() < 1e-4, "{detection:?}");
        }
    }

    #[test]
    fn outputs_of_other_shapes_are_refused() {
        let from = Size::new(240, 240);
        for (len, channels) in [(3024 * 5, 4), (3024 * 5 - 1, 5), (0, 0), (3023 * 6, 6)] {
            let refused = yolox_detections(&vec![0.0; len], channels, from);
            assert!(
                matches!(refused, Err(Error::DetectorOutput { .. })),
                "{len}, {channels}"
            );
        }
    }
}
