//! The layers of a transformer: products by blocks of six rows and half a panel that stay in registers over the whole
//! depth, so that a row has the same bits whatever rows are beside it; the rest as the portable loops have it.

use std::arch::x86_64::*;

use crate::panels::{self, PANEL, Panels, Rows, RowsMut};
use crate::prefetch::Ahead;
use crate::scalar::dense as portable;

/// Rows of a block: with two vectors of a panel and one of a row, their sums just fit the registers.
const ROWS: usize = 6;
/// Columns of a block.
const COLUMNS: usize = 16;

#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(rows: Rows<'_>, panels: &Panels, out: RowsMut<'_>) {
    panels::check(rows, panels, &out);
    let depth = panels.depth();
    for (number, (panel, columns)) in panels.iter().enumerate() {
        let halves = columns.div_ceil(COLUMNS);
        let parts = rows.count.div_ceil(ROWS) * halves;
        for (number_of_block, (first, count)) in panels::blocks(rows.count, ROWS).enumerate() {
            let values = rows.values[first * rows.stride..].as_ptr();
            let block = match count {
                1 => block::<1>,
                2 => block::<2>,
                3 => block::<3>,
                4 => block::<4>,
                5 => block::<5>,
                _ => block::<ROWS>,
            };
            for (part, half) in (0..columns).step_by(COLUMNS).enumerate() {
                let ahead = Ahead::of(panel, number_of_block * halves + part, parts);
                let mut sums = [[0.0; COLUMNS]; ROWS];
                // SAFETY: `check` found that all rows lie in their buffer; a panel has its first values and `depth` lines.
                unsafe {
                    block(
                        values,
                        rows.stride,
                        panel.as_ptr().cast::<f32>().add(half),
                        depth,
                        ahead,
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
/// `values` must begin `COUNT` rows of `depth` values at their stride; `panel` must begin half a panel of `depth + 1` lines,
/// and there must be room for `COUNT` rows of sums.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn block<const COUNT: usize>(
    values: *const f32,
    stride: usize,
    panel: *const f32,
    depth: usize,
    mut ahead: Ahead,
    results: &mut [[f32; COLUMNS]],
) {
    debug_assert!(results.len() == COUNT);
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let mut line = panel;
        let first = [_mm256_loadu_ps(line), _mm256_loadu_ps(line.add(8))];
        let mut sums = [first; COUNT];
        for at in 0..depth {
            line = line.add(PANEL);
            ahead.ask();
            let (low, high) = (_mm256_loadu_ps(line), _mm256_loadu_ps(line.add(8)));
            for (row, sums) in sums.iter_mut().enumerate() {
                let value = _mm256_set1_ps(*values.add(row * stride + at));
                sums[0] = _mm256_fmadd_ps(value, low, sums[0]);
                sums[1] = _mm256_fmadd_ps(value, high, sums[1]);
            }
        }
        for (sums, result) in sums.into_iter().zip(results) {
            _mm256_storeu_ps(result.as_mut_ptr(), sums[0]);
            _mm256_storeu_ps(result.as_mut_ptr().add(8), sums[1]);
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn gelu(values: &mut [f32]) {
    portable::gelu(values);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn tanh_gelu(values: &mut [f32]) {
    portable::tanh_gelu(values);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn quick_gelu(values: &mut [f32]) {
    portable::quick_gelu(values);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn softmax(row: &mut [f32], scale: f32) {
    portable::softmax(row, scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn add_norm(
    row: &mut [f32],
    residual: &[f32],
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    portable::add_norm(row, residual, weight, bias, epsilon);
}
