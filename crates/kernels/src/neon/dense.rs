//! The layers of a transformer: products by blocks of five rows and half a panel that stay in registers over the whole
//! depth, so that a row has the same bits whatever rows are beside it. NEON belongs to every aarch64 build, so the compiler
//! has used it in the portable loops for the rest.

use std::arch::aarch64::*;

use crate::panels::{self, PANEL, Panels, Rows, RowsMut};

/// Rows of a block: with four vectors of a panel and one of each row, their sums fit the 32 registers.
const ROWS: usize = 5;
/// Columns of a block.
const COLUMNS: usize = 16;
const LANES: usize = 4;
const VECTORS: usize = COLUMNS / LANES;

#[target_feature(enable = "neon")]
pub(super) fn multiply(rows: Rows<'_>, panels: &Panels, out: RowsMut<'_>) {
    panels::check(rows, panels, &out);
    let depth = panels.depth();
    for (number, (panel, columns)) in panels.iter().enumerate() {
        for (first, count) in panels::blocks(rows.count, ROWS) {
            let values = rows.values[first * rows.stride..].as_ptr();
            let block = match count {
                1 => block::<1>,
                2 => block::<2>,
                3 => block::<3>,
                4 => block::<4>,
                _ => block::<ROWS>,
            };
            for half in (0..columns).step_by(COLUMNS) {
                let mut sums = [[0.0; COLUMNS]; ROWS];
                // SAFETY: `check` found that all rows lie in their buffer; a panel has its first values and `depth` lines.
                unsafe {
                    block(
                        values,
                        rows.stride,
                        panel.as_ptr().cast::<f32>().add(half),
                        depth,
                        &mut sums[..count],
                    )
                };
                let filled = (columns - half).min(COLUMNS);
                for (row, sums) in sums[..count].iter().enumerate() {
                    let start = (first + row) * out.stride + number * PANEL + half;
                    out.values[start..start + filled].copy_from_slice(&sums[..filled]);
                }
            }
        }
    }
}

/// The products of `COUNT` rows with half a panel.
///
/// # Safety
/// `values` must begin `COUNT` rows of `depth` values at their stride; `panel` must begin half a panel of `depth + 1` lines.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn block<const COUNT: usize>(
    values: *const f32,
    stride: usize,
    panel: *const f32,
    depth: usize,
    results: &mut [[f32; COLUMNS]],
) {
    debug_assert!(results.len() == COUNT);
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let mut line = panel;
        let mut sums = [load(line); COUNT];
        let whole = depth - depth % LANES;
        for at in (0..whole).step_by(LANES) {
            // A vector of each row has the factors of four lines.
            let mut lanes = [vdupq_n_f32(0.0); COUNT];
            for (row, lanes) in lanes.iter_mut().enumerate() {
                *lanes = vld1q_f32(values.add(row * stride + at));
            }
            add::<0, COUNT>(&mut sums, &lanes, load(line.add(PANEL)));
            add::<1, COUNT>(&mut sums, &lanes, load(line.add(2 * PANEL)));
            add::<2, COUNT>(&mut sums, &lanes, load(line.add(3 * PANEL)));
            add::<3, COUNT>(&mut sums, &lanes, load(line.add(4 * PANEL)));
            line = line.add(LANES * PANEL);
        }
        for at in whole..depth {
            let mut lanes = [vdupq_n_f32(0.0); COUNT];
            for (row, lanes) in lanes.iter_mut().enumerate() {
                *lanes = vld1q_dup_f32(values.add(row * stride + at));
            }
            line = line.add(PANEL);
            add::<0, COUNT>(&mut sums, &lanes, load(line));
        }
        for (sums, result) in sums.into_iter().zip(results) {
            for (sum, place) in sums.into_iter().zip(result.as_chunks_mut::<LANES>().0) {
                vst1q_f32(place.as_mut_ptr(), sum);
            }
        }
    }
}

/// The columns of a block in one line.
///
/// # Safety
/// `line` must begin so many values.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(line: *const f32) -> [float32x4_t; VECTORS] {
    // SAFETY: the caller vouches for them.
    unsafe {
        [
            vld1q_f32(line),
            vld1q_f32(line.add(LANES)),
            vld1q_f32(line.add(2 * LANES)),
            vld1q_f32(line.add(3 * LANES)),
        ]
    }
}

/// Adds the products of a line with lane `LANE` of each row.
#[inline]
#[target_feature(enable = "neon")]
fn add<const LANE: i32, const COUNT: usize>(
    sums: &mut [[float32x4_t; VECTORS]; COUNT],
    values: &[float32x4_t; COUNT],
    line: [float32x4_t; VECTORS],
) {
    for (sums, &value) in sums.iter_mut().zip(values) {
        for (sum, part) in sums.iter_mut().zip(line) {
            *sum = vfmaq_laneq_f32::<LANE>(*sum, part, value);
        }
    }
}
