//! Products of bfloat16 by blocks of rows and 32 columns, two products with each instruction.

use std::arch::x86_64::*;

use crate::bf16_attention::{self, Products};
use crate::bf16_panels::{
    self, BF16_LINE, BLOCK_LINES, Bf16Line, Bf16Order, Bf16Panels, Bf16Part, Bf16PartMut, Bf16Rows,
};
use crate::panels::{self, PANEL, RowsMut};
use crate::scalar::dense_bf16 as portable;
use crate::{Bf16Finish, Bf16Heads, Bf16Kernels, Bf16Scratch};

/// Reachable through the table of BF16 alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Bf16Kernels = Bf16Kernels {
    order: ORDER,
    is_native: true,
    round: |values, lines| {
        // SAFETY: the table is handed out where the processor has F, BW and BF16.
        unsafe { round(values, lines) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { multiply(rows, panels, out) }
    },
    multiply_rounded: |rows, panels, finish, out| {
        // SAFETY: as above.
        unsafe { multiply_rounded(rows, panels, finish, out) }
    },
    attend: |qkv, texts, heads, context, scratch| {
        // SAFETY: as above.
        unsafe { attend(qkv, texts, heads, context, scratch) }
    },
};

/// The order in which the instruction's two additions make the sums of all tables.
const ORDER: Bf16Order = Bf16Order::Parted;
/// The values of a row at the places of a line.
const INDICES: [u16; BF16_LINE] = indices();
/// Pairs of a line whose products make one sum.
const HALF: usize = BF16_LINE / 4;
/// Lines of a tile.
const TILE: usize = BLOCK_LINES / 2;
/// Rows of a block: their four sums each, two vectors of a panel and one of a row just fit the registers.
const ROWS: usize = 6;

const fn indices() -> [u16; BF16_LINE] {
    let (indices, mut narrow) = (ORDER.indices(), [0; BF16_LINE]);
    let mut place = 0;
    while place < BF16_LINE {
        narrow[place] = indices[place] as u16;
        place += 1;
    }
    narrow
}

/// Rounds a row to lines, filled up with zeros.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn round(values: &[f32], lines: &mut [Bf16Line]) {
    assert_eq!(
        lines.len(),
        values.len().div_ceil(BF16_LINE),
        "as many lines as the values fill"
    );
    // SAFETY: the indices fill a vector, as a line does; the masks admit what is left of the values.
    unsafe {
        let indices = _mm512_loadu_si512(INDICES.as_ptr().cast());
        for (line, values) in lines.iter_mut().zip(values.chunks(BF16_LINE)) {
            let filled = u32::MAX >> (BF16_LINE - values.len());
            let low = _mm512_maskz_loadu_ps(filled as u16, values.as_ptr());
            let high =
                _mm512_maskz_loadu_ps((filled >> 16) as u16, values.as_ptr().wrapping_add(16));
            let rounded = _mm512_cvtne2ps_pbh(high, low);
            let rounded = _mm512_permutexvar_epi16(
                indices,
                std::mem::transmute::<__m512bh, __m512i>(rounded),
            );
            _mm512_store_si512(line.0.as_mut_ptr().cast(), rounded);
        }
    }
}

/// The product of rows with a packed matrix.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn multiply(rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
    bf16_panels::check(ORDER, rows, panels, &out);
    products(rows, panels, |row, panel, columns, sums| {
        out.values[row * out.stride + panel * PANEL..][..columns].copy_from_slice(&sums[..columns]);
    });
}

/// The product of rows with a packed matrix, finished and rounded.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn multiply_rounded(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: &mut Bf16Rows,
) {
    out.reshape(rows.count, panels.columns());
    multiply_part(rows, panels, finish, out.part_mut(0, 0));
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn multiply_part(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: Bf16PartMut<'_>,
) {
    bf16_panels::check_rounded(ORDER, rows, panels, &out);
    products(rows, panels, |row, panel, _, sums| {
        portable::finished(finish, sums);
        round(sums, &mut out.lines[row * out.stride + panel..][..1]);
    });
}

/// Attention.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn attend(
    qkv: &Bf16Rows,
    texts: &[u32],
    heads: Bf16Heads,
    context: &mut Bf16Rows,
    scratch: &mut Bf16Scratch,
) {
    bf16_attention::attend(qkv, texts, heads, context, scratch, &Pairs(()));
}

/// Products by pairs, made by functions with these instructions alone.
struct Pairs(());

impl Products for Pairs {
    fn multiply(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
        // SAFETY: they are made where the processor has the instructions.
        unsafe { multiply(rows, panels, out) }
    }

    fn multiply_rounded(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: Bf16PartMut<'_>) {
        // SAFETY: as above.
        unsafe { multiply_part(rows, panels, Bf16Finish::Plain, out) }
    }

    fn round(&self, values: &[f32], lines: &mut [Bf16Line]) {
        // SAFETY: as above.
        unsafe { round(values, lines) }
    }
}

/// Gives `store` the sums of each row with each panel: the row, the panel, its columns that count, and the sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn products(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    mut store: impl FnMut(usize, usize, usize, &mut [f32; PANEL]),
) {
    let mut sums = [[0.0; PANEL]; ROWS];
    for (number, (start, lines, columns)) in panels.iter().enumerate() {
        for (first, count) in panels::blocks(rows.count, ROWS) {
            let values = rows.lines[first * rows.stride..].as_ptr();
            let sums = &mut sums[..count];
            sums.fill(*start);
            let block = match count {
                1 => block::<1>,
                2 => block::<2>,
                3 => block::<3>,
                4 => block::<4>,
                5 => block::<5>,
                _ => block::<ROWS>,
            };
            // SAFETY: rows were checked to lie in their buffers, and there is a sum for each of them.
            unsafe { block(values, rows.stride, lines, sums) };
            for (row, sums) in sums.iter_mut().enumerate() {
                store(first + row, number, columns, sums);
            }
        }
    }
}

/// Adds the products of `COUNT` rows with a panel.
///
/// # Safety
/// `values` must begin `COUNT` rows of as many lines as the panel has blocks, `stride` lines apart, and there must be sums
/// of as many.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn block<const COUNT: usize>(
    values: *const Bf16Line,
    stride: usize,
    lines: &[Bf16Line],
    sums: &mut [[f32; PANEL]],
) {
    debug_assert!(sums.len() == COUNT);
    for (at, block) in lines.chunks_exact(BLOCK_LINES).enumerate() {
        // SAFETY: the caller vouches for the rows; a block has two tiles of sixteen lines, a line sixteen pairs.
        unsafe {
            let mut parts = [[[_mm512_setzero_ps(); 2]; 2]; COUNT];
            for pair in 0..HALF {
                for half in 0..2 {
                    let pair = half * HALF + pair;
                    let low = load(&block[pair]);
                    let high = load(&block[TILE + pair]);
                    for (row, parts) in parts.iter_mut().enumerate() {
                        let value = values.add(row * stride + at).cast::<i32>().add(pair);
                        let value = _mm512_set1_epi32(value.read_unaligned());
                        let value = std::mem::transmute::<__m512i, __m512bh>(value);
                        parts[half][0] = _mm512_dpbf16_ps(parts[half][0], value, low);
                        parts[half][1] = _mm512_dpbf16_ps(parts[half][1], value, high);
                    }
                }
            }
            for (sums, [even, odd]) in sums.iter_mut().zip(parts) {
                for (half, (even, odd)) in even.into_iter().zip(odd).enumerate() {
                    let place = sums[half * 16..].as_mut_ptr();
                    let sum = _mm512_add_ps(_mm512_loadu_ps(place), _mm512_add_ps(even, odd));
                    _mm512_storeu_ps(place, sum);
                }
            }
        }
    }
}

/// The pairs of a line.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn load(line: &Bf16Line) -> __m512bh {
    // SAFETY: a line has as many bytes as a vector, and begins where one may.
    unsafe { std::mem::transmute::<__m512i, __m512bh>(_mm512_load_si512(line.0.as_ptr().cast())) }
}
