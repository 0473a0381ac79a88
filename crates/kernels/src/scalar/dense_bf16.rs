//! Products of bfloat16 with f32 sums, in plain Rust. Sums are those of the tiles of AMX: of each line of a row, the products
//! at even and at odd places add up by themselves, and the two sums together are added to that of the lines before. The
//! other tables do the same, so that all agree bit for bit, but where a sum on the way is too small for a normal float.

use crate::bf16_panels::{
    self, BF16_LINE, BLOCK_LINES, Bf16Line, Bf16Order, Bf16Panels, Bf16Part, rounded,
};
use crate::panels::{PANEL, RowsMut};
use crate::{Bf16Kernels, bf16_to_f32};

/// Columns of a tile.
const TILE: usize = 16;

/// The portable kernels.
pub(crate) const KERNELS: Bf16Kernels = Bf16Kernels {
    order: Bf16Order::AsTheyCome,
    is_native: false,
    round,
    multiply,
};

/// Rounds a row to lines, filled up with zeros.
#[inline(always)]
pub(crate) fn round(values: &[f32], lines: &mut [Bf16Line]) {
    assert_eq!(
        lines.len(),
        values.len().div_ceil(BF16_LINE),
        "as many lines as the values fill"
    );
    let (whole, rest) = values.as_chunks::<BF16_LINE>();
    for (line, values) in lines.iter_mut().zip(whole) {
        for (place, &value) in line.0.iter_mut().zip(values) {
            *place = rounded(value);
        }
    }
    if let Some(line) = lines.get_mut(whole.len()) {
        line.0 = [0; BF16_LINE];
        for (place, &value) in line.0.iter_mut().zip(rest) {
            *place = rounded(value);
        }
    }
}

/// The product of rows with a packed matrix.
#[inline(always)]
pub(crate) fn multiply(rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
    bf16_panels::check(
        Bf16Order::AsTheyCome,
        rows,
        panels,
        out.stride,
        out.values.len(),
    );
    for (number, (first, lines, columns)) in panels.iter().enumerate() {
        for row in 0..rows.count {
            let values = &rows.lines[row * rows.stride..][..panels.blocks()];
            let mut sums = *first;
            for (line, block) in values.iter().zip(lines.chunks_exact(BLOCK_LINES)) {
                let (halves, _) = sums.as_chunks_mut::<TILE>();
                for (sums, tile) in halves.iter_mut().zip(block.chunks_exact(TILE)) {
                    add_tile(line, tile, sums);
                }
            }
            out.values[row * out.stride + number * PANEL..][..columns]
                .copy_from_slice(&sums[..columns]);
        }
    }
}

/// Adds the product of a line and a tile.
#[inline(always)]
fn add_tile(line: &Bf16Line, tile: &[Bf16Line], sums: &mut [f32; TILE]) {
    let (mut even, mut odd) = ([0.0_f32; TILE], [0.0_f32; TILE]);
    for (pair, values) in line.0.chunks_exact(2).zip(tile) {
        let (low, high) = (bf16_to_f32(pair[0]), bf16_to_f32(pair[1]));
        for column in 0..TILE {
            even[column] = low.mul_add(bf16_to_f32(values.0[2 * column]), even[column]);
            odd[column] = high.mul_add(bf16_to_f32(values.0[2 * column + 1]), odd[column]);
        }
    }
    for column in 0..TILE {
        sums[column] += even[column] + odd[column];
    }
}
