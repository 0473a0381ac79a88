//! Products of bfloat16 with f32 sums, in plain Rust. Sums are those of the tiles of AMX: of each line of a row, the products
//! at even and at odd places add up by themselves, and the two sums together are added to that of the lines before. The
//! other tables do the same, so that all agree bit for bit, but where a sum on the way is too small for a normal float.

use crate::bf16_attention::{self, Bf16Heads, Bf16Scratch, Products};
use crate::bf16_panels::{
    self, BF16_LINE, BLOCK_LINES, Bf16Line, Bf16Order, Bf16Panels, Bf16Part, Bf16PartMut, Bf16Rows,
    rounded,
};
use crate::panels::{PANEL, RowsMut};
use crate::{Bf16Finish, Bf16Kernels, bf16_to_f32};

/// Columns of a tile.
const TILE: usize = 16;

/// The portable kernels.
pub(crate) const KERNELS: Bf16Kernels = Bf16Kernels {
    order: Bf16Order::AsTheyCome,
    is_native: false,
    round,
    multiply,
    multiply_rounded,
    attend,
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
    bf16_panels::check(Bf16Order::AsTheyCome, rows, panels, &out);
    products(rows, panels, |row, panel, columns, sums| {
        out.values[row * out.stride + panel * PANEL..][..columns].copy_from_slice(&sums[..columns]);
    });
}

/// The product of rows with a packed matrix, finished and rounded.
#[inline(always)]
pub(crate) fn multiply_rounded(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: &mut Bf16Rows,
) {
    out.reshape(rows.count, panels.columns());
    multiply_part(rows, panels, finish, out.part_mut(0, 0));
}

#[inline(always)]
fn multiply_part(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: Bf16PartMut<'_>,
) {
    bf16_panels::check_rounded(Bf16Order::AsTheyCome, rows, panels, &out);
    products(rows, panels, |row, panel, _, mut sums| {
        finished(finish, &mut sums);
        round(&sums, &mut out.lines[row * out.stride + panel..][..1]);
    });
}

/// Takes the last step before rounding.
#[inline(always)]
pub(crate) fn finished(finish: Bf16Finish, values: &mut [f32; PANEL]) {
    if finish == Bf16Finish::Gelu {
        gelu(values);
    }
}

/// `x Φ(x)` by a polynomial, for values that are rounded afterwards: it takes no division, which would take longer than
/// the product before.
#[inline(always)]
fn gelu(values: &mut [f32; PANEL]) {
    for value in values.iter_mut() {
        let x = value.clamp(-4.0, 4.0);
        let square = x * x;
        // The least error times x over all x below 4, the value at 4 being exact.
        let mut sum = -1.278_030_7e-9_f32;
        sum = sum.mul_add(square, 1.044_462_2e-7);
        sum = sum.mul_add(square, -3.709_717e-6);
        sum = sum.mul_add(square, 7.619_159e-5);
        sum = sum.mul_add(square, -1.021_055_4e-3);
        sum = sum.mul_add(square, 9.581_422e-3);
        sum = sum.mul_add(square, -6.606_414e-2);
        sum = sum.mul_add(square, 3.988_055_6e-1);
        // Beyond, the normal distribution is zero or one, as closely as the polynomial tells.
        *value *= match *value {
            ..=-4.0 => 0.0,
            4.0.. => 1.0,
            _ => sum.mul_add(x, 0.5),
        };
    }
}

/// Attention.
#[inline(always)]
pub(crate) fn attend(
    qkv: &Bf16Rows,
    texts: &[u32],
    heads: Bf16Heads,
    context: &mut Bf16Rows,
    scratch: &mut Bf16Scratch,
) {
    bf16_attention::attend(qkv, texts, heads, context, scratch, &Portable);
}

/// Products as they are here.
struct Portable;

impl Products for Portable {
    #[inline(always)]
    fn multiply(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
        multiply(rows, panels, out);
    }

    #[inline(always)]
    fn multiply_rounded(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: Bf16PartMut<'_>) {
        multiply_part(rows, panels, Bf16Finish::Plain, out);
    }

    #[inline(always)]
    fn round(&self, values: &[f32], lines: &mut [Bf16Line]) {
        round(values, lines);
    }
}

/// Gives `store` the sums of each row with each panel: the row, the panel, its columns that count, and the sums.
#[inline(always)]
fn products(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    mut store: impl FnMut(usize, usize, usize, [f32; PANEL]),
) {
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
            store(row, number, columns, sums);
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
