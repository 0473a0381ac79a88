//! Parts of a picture that get vectors of their own.

use crate::crop::Window;
use crate::detect::Detection;
use crate::picture::{Picture, Size};
use crate::resize::Filter;

/// The side of the square that a picture is made into before it is cut, in pixels.
pub(crate) const SQUARE_SIDE: u32 = 240;
/// Cells of a row and of a column of the `simple` grid.
const GRID_CELLS: u32 = 3;
pub(crate) const SQUARE: Size = Size::new(SQUARE_SIDE, SQUARE_SIDE);
/// The least that is told from the edge, in pixels of the square: in a picture of one pixel it is still shown without an
/// exponent.
const SHOWN_MIN: f64 = 0.024;

/// A part of a picture, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    pub picture: Picture,
    /// Left, top, right and bottom, in pixels of the picture that was cut.
    pub bounds: [f64; 4],
}

/// The picture in the square that it is cut from, and that detectors look at: 240 x 240, whatever its shape.
pub fn squared(picture: &Picture) -> Picture {
    picture.resize(SQUARE, Filter::Bicubic)
}

/// The patch method `simple`: the whole picture, then a grid of three by three, row by row. All are cut from the
/// picture resized to 240 x 240, the whole one too.
pub fn simple_patches(picture: &Picture) -> Vec<Patch> {
    let cell_side = SQUARE_SIDE / GRID_CELLS;
    let cells = (0..GRID_CELLS * GRID_CELLS).map(|index| {
        let left = f64::from(index % GRID_CELLS * cell_side);
        let top = f64::from(index / GRID_CELLS * cell_side);
        let side = f64::from(cell_side);
        [left, top, left + side, top + side]
    });
    cut(picture, cells)
}

/// The patch methods that ask a detector: the whole picture, then its finds in the [`squared`] one. The parts outside
/// of it are cut off; the reference has black there.
pub fn detected_patches(picture: &Picture, detections: &[Detection]) -> Vec<Patch> {
    cut(picture, detections.iter().map(|one| one.bounds.map(inside)))
}

/// A place in the square. One so close to the edge that only an exponent could show it is at the edge.
fn inside(at: f32) -> f64 {
    let at = f64::from(at).clamp(0.0, f64::from(SQUARE_SIDE));
    if at < SHOWN_MIN { 0.0 } else { at }
}

/// The whole picture, and its parts by their bounds in the square.
fn cut(picture: &Picture, parts: impl Iterator<Item = [f64; 4]>) -> Vec<Patch> {
    let square = squared(picture);
    let whole = [0.0, 0.0, f64::from(SQUARE_SIDE), f64::from(SQUARE_SIDE)];
    std::iter::once(whole)
        .chain(parts)
        .filter_map(|part| {
            Some(Patch {
                picture: square.crop(window(part)?),
                bounds: bounds(part, picture.size()),
            })
        })
        .collect()
}

/// Whole pixels as Pillow crops them, half ones rounded to the even one; none where none are left.
fn window(part: [f64; 4]) -> Option<Window> {
    let [left, top, right, bottom] = part.map(|at| at.round_ties_even() as u32);
    let size = Size::new(right.checked_sub(left)?, bottom.checked_sub(top)?);
    (size.width > 0 && size.height > 0).then_some(Window { left, top, size })
}

fn bounds(part: [f64; 4], original: Size) -> [f64; 4] {
    let across = f64::from(original.width) / f64::from(SQUARE_SIDE);
    let down = f64::from(original.height) / f64::from(SQUARE_SIDE);
    let [left, top, right, bottom] = part;
    [left * across, top * down, right * across, bottom * down]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simple_grid_is_the_whole_and_nine_cells_in_pixels_of_the_original() {
        let picture = Picture::from_rgb(Size::new(480, 120), vec![7; 480 * 120 * 3]).unwrap();
        let patches = simple_patches(&picture);
        assert_eq!(patches.len(), 10);
        assert_eq!(patches[0].bounds, [0.0, 0.0, 480.0, 120.0]);
        assert_eq!(patches[0].picture.size(), Size::new(240, 240));
        assert_eq!(patches[2].bounds, [160.0, 0.0, 320.0, 40.0]);
        assert_eq!(patches[9].bounds, [320.0, 80.0, 480.0, 120.0]);
        assert_eq!(patches[9].picture.size(), Size::new(80, 80));
    }

    #[test]
    fn bounds_of_a_part_are_rounded_as_the_reference_rounds() {
        assert_eq!(
            bounds([0.0, 48.0, 192.0, 176.0], Size::new(512, 512)),
            [0.0, 102.4, 409.6, 375.46666666666664]
        );
    }

    #[test]
    fn a_detection_is_cut_at_the_edge_of_the_picture() {
        let picture = Picture::from_rgb(Size::new(480, 480), vec![7; 480 * 480 * 3]).unwrap();
        let found = [
            [-20.0, 100.5, 101.5, 250.0],
            [1e-6, 0.0, 1e9, 120.0],
            [300.0, 10.0, 400.0, 200.0],
            [50.1, 0.0, 50.2, 200.0],
        ];
        let found = found.map(|bounds| Detection { bounds, score: 1.0 });
        let patches = detected_patches(&picture, &found);
        let shown: Vec<_> = patches.iter().map(|patch| patch.bounds).collect();
        assert_eq!(
            shown,
            [
                [0.0, 0.0, 480.0, 480.0],
                [0.0, 201.0, 203.0, 480.0],
                [0.0, 0.0, 480.0, 240.0]
            ]
        );
        assert_eq!(patches[1].picture.size(), Size::new(102, 140));
        assert_eq!(patches[2].picture.size(), Size::new(240, 120));
    }
}
