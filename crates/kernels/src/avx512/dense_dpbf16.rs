//! Products of bfloat16 by blocks of rows and 32 columns, two products with each instruction.

use std::arch::x86_64::*;

use crate::Bf16Kernels;
use crate::bf16_panels::{self, BF16_LINE, BLOCK_LINES, Bf16Line, Bf16Order, Bf16Panels, Bf16Part};
use crate::panels::{self, PANEL, RowsMut};

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
    bf16_panels::check(ORDER, rows, panels, out.stride, out.values.len());
    for (number, (start, lines, columns)) in panels.iter().enumerate() {
        let filled = u32::MAX >> (PANEL - columns);
        let masks = [filled as u16, (filled >> 16) as u16];
        for (first, count) in panels::blocks(rows.count, ROWS) {
            let values = rows.lines[first * rows.stride..].as_ptr();
            let target = out.values[first * out.stride + number * PANEL..].as_mut_ptr();
            let block = match count {
                1 => block::<1>,
                2 => block::<2>,
                3 => block::<3>,
                4 => block::<4>,
                5 => block::<5>,
                _ => block::<ROWS>,
            };
            // SAFETY: `check` found that all rows lie in their buffers, and the masks leave out what lies behind the
            // columns.
            unsafe { block(values, rows.stride, start, lines, target, out.stride, masks) };
        }
    }
}

/// The products of `COUNT` rows with a panel.
///
/// # Safety
/// `values` must begin `COUNT` rows of as many lines as the panel has blocks, `target` as many rows of the columns that the
/// masks admit, each at its stride.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn block<const COUNT: usize>(
    values: *const Bf16Line,
    stride: usize,
    first: &[f32; PANEL],
    lines: &[Bf16Line],
    target: *mut f32,
    target_stride: usize,
    masks: [u16; 2],
) {
    let mut sums = [*first; COUNT];
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
    for (row, sums) in sums.iter().enumerate() {
        // SAFETY: the caller vouches for the target.
        unsafe {
            let target = target.add(row * target_stride);
            _mm512_mask_storeu_ps(target, masks[0], _mm512_loadu_ps(sums.as_ptr()));
            let high = _mm512_loadu_ps(sums[16..].as_ptr());
            _mm512_mask_storeu_ps(target.wrapping_add(16), masks[1], high);
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
