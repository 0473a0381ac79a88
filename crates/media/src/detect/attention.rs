//! DINO: what its last layer looks at. <https://arxiv.org/abs/2104.14294>

use super::Detection;
use crate::error::{Error, Result};

/// Pixels of a cell's side.
const CELL_SIDE: usize = 16;
/// Cells of a row and of a column: the graph takes 224 x 224 pixels.
const GRID: usize = 14;
pub(super) const CELLS: usize = GRID * GRID;
/// The most heads that make sense; the graph has six.
const HEADS_MAX: usize = 64;

/// The maps that are made of the attention of all heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttentionMaps {
    /// One, the mean of the heads' absolute values: `dino-v1`.
    Mean,
    /// One for each head, without values below 0: `dino-v2`.
    EachHead,
}

/// The regions that attract attention, each as the rectangle around it, in the pixels of the graph's 224 x 224. The reference
/// takes them for pixels of 240 x 240. A map is cut by Otsu's threshold; regions inside of holes of others are none. The
/// score of a region is the share of the picture that its rectangle takes.
///
/// `attention` is `[heads, 14, 14]`, row-major: what the class token's query makes of each cell.
///
/// # Errors
/// [`Error::DetectorOutput`] when it is not of that shape.
pub fn attention_detections(attention: &[f32], maps: AttentionMaps) -> Result<Vec<Detection>> {
    let heads = attention.len() / CELLS;
    if !(1..=HEADS_MAX).contains(&heads) || !attention.len().is_multiple_of(CELLS) {
        return Err(Error::DetectorOutput {
            expected: format!("{GRID} x {GRID} numbers of each head"),
            received: format!("{} numbers", attention.len()),
        });
    }
    let heads_of = |cell: usize| attention.iter().skip(cell).step_by(CELLS);
    let made: Vec<Vec<f32>> = match maps {
        AttentionMaps::Mean => vec![
            (0..CELLS)
                .map(|cell| heads_of(cell).map(|value| value.abs()).sum::<f32>() / heads as f32)
                .collect(),
        ],
        AttentionMaps::EachHead => attention
            .chunks_exact(CELLS)
            .map(|head| head.iter().map(|value| value.max(0.0)).collect())
            .collect(),
    };
    Ok(made
        .iter()
        .flat_map(|map| regions(&bright_cells(map)))
        .collect())
}

/// The cells above Otsu's threshold of the map stretched to 256 levels; none of a map that is even or has no numbers.
fn bright_cells(map: &[f32]) -> Vec<bool> {
    let lowest = map.iter().copied().fold(f32::INFINITY, f32::min);
    let highest = map.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let span = highest - lowest;
    if !span.is_finite() || span <= 0.0 {
        return vec![false; CELLS];
    }
    let levels: Vec<u8> = map
        .iter()
        .map(|value| ((value - lowest) / span * 255.0) as u8)
        .collect();
    let threshold = otsu(&levels);
    levels.iter().map(|&level| level > threshold).collect()
}

/// The level that parts the others best: the variance between the two classes is greatest, and of equal levels the
/// lowest.
fn otsu(levels: &[u8]) -> u8 {
    let mut counts = [0.0_f64; 256];
    for &level in levels {
        counts[usize::from(level)] += 1.0;
    }
    let total = levels.len() as f64;
    let mean = counts
        .iter()
        .enumerate()
        .map(|(level, count)| level as f64 * count)
        .sum::<f64>()
        / total;
    let (mut share, mut sum, mut best, mut most) = (0.0, 0.0, 0, 0.0);
    for (level, count) in counts.iter().enumerate() {
        share += count / total;
        sum += level as f64 * count / total;
        if share.min(1.0 - share) < f64::from(f32::EPSILON) {
            continue;
        }
        let difference = sum / share - (mean - sum) / (1.0 - share);
        let between = share * (1.0 - share) * difference * difference;
        // Rounding must not prefer a level of a gap to the first one in it.
        if between > most * (1.0 + 1e-12) {
            (most, best) = (between, level as u8);
        }
    }
    best
}

/// The rectangles around regions of bright cells, which touch by sides or corners, but for those that lie in a hole of
/// another: row by row, by their uppermost cell.
fn regions(bright: &[bool]) -> Vec<Detection> {
    let outside = outside(bright);
    let mut seen = [false; CELLS];
    let mut found = Vec::new();
    for first in 0..CELLS {
        if !bright[first] || seen[first] {
            continue;
        }
        let (mut left, mut top, mut right, mut bottom) = (GRID, GRID, 0, 0);
        seen[first] = true;
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            let (column, row) = (cell % GRID, cell / GRID);
            (left, top) = (left.min(column), top.min(row));
            (right, bottom) = (right.max(column + 1), bottom.max(row + 1));
            for next in neighbours(cell, true) {
                if bright[next] && !seen[next] {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        // The cell above the uppermost one is dark, and lies where the region does: outside of all others, or in a
        // hole.
        if first < GRID || outside[first - GRID] {
            let area = (right - left) * (bottom - top);
            found.push(Detection {
                bounds: [left, top, right, bottom].map(|at| (at * CELL_SIDE) as f32),
                score: area as f32 / CELLS as f32,
            });
        }
    }
    found
}

/// The dark cells that are connected, side by side, with what is around the grid.
fn outside(bright: &[bool]) -> [bool; CELLS] {
    let on_edge = |cell: usize| {
        let (column, row) = (cell % GRID, cell / GRID);
        column == 0 || row == 0 || column == GRID - 1 || row == GRID - 1
    };
    let mut open: Vec<usize> = (0..CELLS)
        .filter(|&cell| !bright[cell] && on_edge(cell))
        .collect();
    let mut outside = [false; CELLS];
    for &cell in &open {
        outside[cell] = true;
    }
    while let Some(cell) = open.pop() {
        for next in neighbours(cell, false) {
            if !bright[next] && !outside[next] {
                outside[next] = true;
                open.push(next);
            }
        }
    }
    outside
}

/// The cells beside one, and those at its corners where they count.
fn neighbours(cell: usize, by_corners: bool) -> impl Iterator<Item = usize> {
    let (column, row) = (cell % GRID, cell / GRID);
    let around = |at: usize| at.saturating_sub(1)..(at + 2).min(GRID);
    around(row)
        .flat_map(move |near_row| around(column).map(move |near| (near, near_row)))
        .filter(move |&(near, near_row)| {
            let steps = near.abs_diff(column) + near_row.abs_diff(row);
            steps == 1 || (by_corners && steps == 2)
        })
        .map(|(near, near_row)| near_row * GRID + near)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A head that looks at the cells marked `#`.
    fn head(rows: [&str; GRID]) -> Vec<f32> {
        let cells = rows.iter().flat_map(|row| row.bytes());
        cells
            .map(|cell| if cell == b'#' { 0.9 } else { 0.1 })
            .collect()
    }

    #[test]
    fn regions_touch_by_corners_and_those_in_holes_are_none() {
        let attention = head([
            "##............",
            "..#...........",
            "..............",
            ".....#######..",
            ".....#.....#..",
            ".....#.###.#..",
            ".....#.....#..",
            ".....#######..",
            "..............",
            "..............",
            "..............",
            "..............",
            "..............",
            "............##",
        ]);
        let found = attention_detections(&attention, AttentionMaps::EachHead).unwrap();
        let bounds: Vec<_> = found.iter().map(|one| one.bounds).collect();
        assert_eq!(
            bounds,
            [
                [0.0, 0.0, 48.0, 32.0],
                [80.0, 48.0, 192.0, 128.0],
                [192.0, 208.0, 224.0, 224.0]
            ]
        );
        assert_eq!(found[1].score, 35.0 / 196.0);
    }

    #[test]
    fn even_maps_and_maps_without_numbers_have_no_regions() {
        for value in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            for maps in [AttentionMaps::Mean, AttentionMaps::EachHead] {
                assert_eq!(attention_detections(&[value; 6 * CELLS], maps), Ok(vec![]));
            }
        }
    }

    #[test]
    fn outputs_of_other_shapes_are_refused() {
        for len in [0, CELLS - 1, 65 * CELLS] {
            let refused = attention_detections(&vec![0.0; len], AttentionMaps::Mean);
            assert!(
                matches!(refused, Err(Error::DetectorOutput { .. })),
                "{len}"
            );
        }
    }
}
