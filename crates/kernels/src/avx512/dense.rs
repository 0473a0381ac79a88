//! The layers of a transformer: products by blocks of twelve rows and 32 columns that stay in registers over the whole
//! depth, so that a row has the same bits whatever rows are beside it; the rest as the portable loops have it.

use std::arch::x86_64::*;

use crate::panels::{self, Line, PANEL, Panels, Rows, RowsMut};
use crate::prefetch::Ahead;
use crate::scalar::dense as portable;

/// Rows of a block: with two vectors of a panel and one of a row, their sums just fit the registers.
const ROWS: usize = 12;

#[target_feature(enable = "avx512f")]
pub(super) fn multiply(rows: Rows<'_>, panels: &Panels, out: RowsMut<'_>) {
    panels::check(rows, panels, &out);
    for (number, (panel, columns)) in panels.iter().enumerate() {
        let filled = u32::MAX >> (PANEL - columns);
        let masks = [filled as u16, (filled >> 16) as u16];
        let blocks = rows.count.div_ceil(ROWS);
        for (part, (first, count)) in panels::blocks(rows.count, ROWS).enumerate() {
            let ahead = Ahead::of(panel, part, blocks);
            let values = rows.values[first * rows.stride..].as_ptr();
            let target = out.values[first * out.stride + number * PANEL..].as_mut_ptr();
            let block = match count {
                1 => block::<1>,
                2 => block::<2>,
                3 => block::<3>,
                4 => block::<4>,
                5 => block::<5>,
                6 => block::<6>,
                7 => block::<7>,
                8 => block::<8>,
                9 => block::<9>,
                10 => block::<10>,
                11 => block::<11>,
                _ => block::<ROWS>,
            };
            // SAFETY: `check` found that all rows lie in their buffers, and the masks leave out what lies behind the
            // columns; a panel has its first values and a line for each value of a row.
            unsafe { block(values, rows.stride, panel, ahead, target, out.stride, masks) };
        }
    }
}

/// The products of `COUNT` rows with a panel.
///
/// # Safety
/// `values` must begin `COUNT` rows of as many values as the panel has lines after its first, `target` as many rows of the
/// columns that the masks admit, each at its stride; the panel must have a line.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn block<const COUNT: usize>(
    values: *const f32,
    stride: usize,
    panel: &[Line],
    mut ahead: Ahead,
    target: *mut f32,
    target_stride: usize,
    masks: [u16; 2],
) {
    debug_assert!(!panel.is_empty());
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let mut line = panel.as_ptr().cast::<f32>();
        let first = [_mm512_loadu_ps(line), _mm512_loadu_ps(line.add(16))];
        let mut sums = [first; COUNT];
        for at in 0..panel.len() - 1 {
            line = line.add(PANEL);
            ahead.ask_twice();
            let (low, high) = (_mm512_loadu_ps(line), _mm512_loadu_ps(line.add(16)));
            for (row, sums) in sums.iter_mut().enumerate() {
                let value = _mm512_set1_ps(*values.add(row * stride + at));
                sums[0] = _mm512_fmadd_ps(value, low, sums[0]);
                sums[1] = _mm512_fmadd_ps(value, high, sums[1]);
            }
        }
        for (row, [low, high]) in sums.into_iter().enumerate() {
            let target = target.add(row * target_stride);
            _mm512_mask_storeu_ps(target, masks[0], low);
            _mm512_mask_storeu_ps(target.wrapping_add(16), masks[1], high);
        }
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn gelu(values: &mut [f32]) {
    portable::gelu(values);
}

#[target_feature(enable = "avx512f")]
pub(super) fn tanh_gelu(values: &mut [f32]) {
    portable::tanh_gelu(values);
}

#[target_feature(enable = "avx512f")]
pub(super) fn quick_gelu(values: &mut [f32]) {
    portable::quick_gelu(values);
}

#[target_feature(enable = "avx512f")]
pub(super) fn softmax(row: &mut [f32], scale: f32) {
    portable::softmax(row, scale);
}

#[target_feature(enable = "avx512f")]
pub(super) fn add_norm(
    row: &mut [f32],
    residual: &[f32],
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    portable::add_norm(row, residual, weight, bias, epsilon);
}
