//! Parts of a picture that get vectors of their own.

use crate::crop::Window;
use crate::picture::{Picture, Size};
use crate::resize::Filter;

/// The side of the square that a picture is made into before it is cut, in pixels.
const SQUARE_SIDE: u32 = 240;
/// Cells of a row and of a column of the `simple` grid.
const GRID_CELLS: u32 = 3;

/// A part of a picture, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    pub picture: Picture,
    /// Left, top, right and bottom, in pixels of the picture that was cut.
    pub bounds: [f64; 4],
}

/// The patch method `simple`: the whole picture, then a grid of three by three, row by row. All are cut from the
/// picture resized to 240 x 240, the whole one too.
pub fn simple_patches(picture: &Picture) -> Vec<Patch> {
    let square = Size::new(SQUARE_SIDE, SQUARE_SIDE);
    let squared = picture.resize(square, Filter::Bicubic);
    let cell_side = SQUARE_SIDE / GRID_CELLS;
    let cell = |index: u32| Window {
        left: index % GRID_CELLS * cell_side,
        top: index / GRID_CELLS * cell_side,
        size: Size::new(cell_side, cell_side),
    };
    std::iter::once(Window::whole(square))
        .chain((0..GRID_CELLS * GRID_CELLS).map(cell))
        .map(|window| Patch {
            picture: squared.crop(window),
            bounds: bounds(window, picture.size()),
        })
        .collect()
}

fn bounds(window: Window, original: Size) -> [f64; 4] {
    let across = f64::from(original.width) / f64::from(SQUARE_SIDE);
    let down = f64::from(original.height) / f64::from(SQUARE_SIDE);
    [
        f64::from(window.left) * across,
        f64::from(window.top) * down,
        f64::from(window.left + window.size.width) * across,
        f64::from(window.top + window.size.height) * down,
    ]
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
        let window = Window {
            left: 0,
            top: 48,
            size: Size::new(192, 128),
        };
        assert_eq!(
            bounds(window, Size::new(512, 512)),
            [0.0, 102.4, 409.6, 375.46666666666664]
        );
    }
}
