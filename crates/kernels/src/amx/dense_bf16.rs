//! Products of bfloat16 by blocks of 32 rows and 32 columns: four tiles of sums that stay in registers over the whole depth.

use std::arch::asm;
use std::arch::x86_64::*;

use super::Tiles;
use crate::bf16_attention::{self, Products};
use crate::bf16_panels::{
    self, BF16_LINE, BLOCK_LINES, Bf16Line, Bf16Order, Bf16Panels, Bf16Part, Bf16PartMut, Bf16Rows,
};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense_bf16 as portable;
use crate::{Bf16Finish, Bf16Heads, Bf16Kernels, Bf16Scratch};

/// Reachable through the table of AMX alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Bf16Kernels = Bf16Kernels {
    order: Bf16Order::AsTheyCome,
    is_native: true,
    round: |values, lines| {
        // SAFETY: the table is handed out where the processor has AMX and AVX-512 with BF16.
        unsafe { round(values, lines) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above, and the system has lent the tiles; no caller has any.
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

/// Rows of a tile.
const TILE: usize = 16;
/// Rows of a block.
const ROWS: usize = 2 * TILE;

/// Sums of a block.
#[repr(align(64))]
struct Sums([[f32; PANEL]; ROWS]);

/// Rounds a row to lines, filled up with zeros.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn round(values: &[f32], lines: &mut [Bf16Line]) {
    assert_eq!(
        lines.len(),
        values.len().div_ceil(BF16_LINE),
        "as many lines as the values fill"
    );
    for (line, values) in lines.iter_mut().zip(values.chunks(BF16_LINE)) {
        let filled = u32::MAX >> (BF16_LINE - values.len());
        // SAFETY: the masks admit what is left of the values; a line has the bytes of a vector.
        unsafe {
            let low = _mm512_maskz_loadu_ps(filled as u16, values.as_ptr());
            let high =
                _mm512_maskz_loadu_ps((filled >> 16) as u16, values.as_ptr().wrapping_add(16));
            let rounded = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
            _mm512_store_si512(line.0.as_mut_ptr().cast(), rounded);
        }
    }
}

/// The product of rows with a packed matrix.
///
/// # Safety
/// As [`Tiles::configured`] has it.
unsafe fn multiply(rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
    // SAFETY: the caller vouches for AMX, and nothing within has tiles of its own.
    let tiles = unsafe { Tiles::configured() };
    tiles.multiply(rows, panels, out);
}

/// The product of rows with a packed matrix, finished and rounded.
///
/// # Safety
/// As [`Tiles::configured`] has it.
unsafe fn multiply_rounded(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: &mut Bf16Rows,
) {
    out.reshape(rows.count, panels.columns());
    // SAFETY: as in `multiply`.
    let tiles = unsafe { Tiles::configured() };
    // SAFETY: a processor with AMX has AVX-512 with BF16.
    unsafe { multiply_part(&tiles, rows, panels, finish, out.part_mut(0, 0)) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn multiply_part(
    tiles: &Tiles,
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: Bf16PartMut<'_>,
) {
    bf16_panels::check_rounded(Bf16Order::AsTheyCome, rows, panels, &out);
    products(tiles, rows, panels, |first, panel, _, sums| {
        for (row, sums) in sums.iter_mut().enumerate() {
            portable::finished(finish, sums);
            let line = (first + row) * out.stride + panel;
            round(sums, &mut out.lines[line..][..1]);
        }
    });
}

/// Attention.
///
/// # Safety
/// As [`Tiles::configured`] has it, and the processor must have AVX-512 with BF16.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn attend(
    qkv: &Bf16Rows,
    texts: &[u32],
    heads: Bf16Heads,
    context: &mut Bf16Rows,
    scratch: &mut Bf16Scratch,
) {
    // SAFETY: as in `multiply`.
    let tiles = unsafe { Tiles::configured() };
    bf16_attention::attend(qkv, texts, heads, context, scratch, &tiles);
}

impl Products for Tiles {
    fn multiply(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
        bf16_panels::check(Bf16Order::AsTheyCome, rows, panels, &out);
        products(self, rows, panels, |first, panel, columns, sums| {
            for (row, sums) in sums.iter().enumerate() {
                let place = (first + row) * out.stride + panel * PANEL;
                out.values[place..place + columns].copy_from_slice(&sums[..columns]);
            }
        });
    }

    fn multiply_rounded(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: Bf16PartMut<'_>) {
        // SAFETY: a processor with AMX has AVX-512 with BF16.
        unsafe { multiply_part(self, rows, panels, Bf16Finish::Plain, out) }
    }

    fn round(&self, values: &[f32], lines: &mut [Bf16Line]) {
        // SAFETY: as above.
        unsafe { round(values, lines) }
    }
}

/// Gives `store` the sums of each block of rows with each panel: the first row, the panel, its columns that count, and the
/// sums.
#[inline(always)]
fn products(
    _: &Tiles,
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    mut store: impl FnMut(usize, usize, usize, &mut [[f32; PANEL]]),
) {
    let mut sums = Sums([[0.0; PANEL]; ROWS]);
    for (number, (first, lines, columns)) in panels.iter().enumerate() {
        for start in (0..rows.count).step_by(ROWS) {
            let count = (rows.count - start).min(ROWS);
            let values = rows.lines[start * rows.stride..].as_ptr();
            let block = if count > TILE { block } else { low_block };
            // SAFETY: tiles are configured; rows were checked to lie in their buffer up to the end of the last tile.
            unsafe { block(values, rows.stride, first, lines, &mut sums) };
            store(start, number, columns, &mut sums.0[..count]);
        }
    }
}

/// The products of 32 rows with a panel.
///
/// # Safety
/// `values` must begin 32 rows of as many lines as the panel has blocks, `stride` lines apart; tiles must be configured.
unsafe fn block(
    values: *const Bf16Line,
    stride: usize,
    first: &[f32; PANEL],
    lines: &[Bf16Line],
    sums: &mut Sums,
) {
    // SAFETY: the caller vouches for the rows and the tiles; a panel has `BLOCK_LINES` for each block, and sums have room for
    // four tiles.
    unsafe {
        asm!(
            "tileloadd tmm0, [{first} + 1*{none}]",
            "tileloadd tmm1, [{first} + 1*{none} + 64]",
            "tileloadd tmm2, [{first} + 1*{none}]",
            "tileloadd tmm3, [{first} + 1*{none} + 64]",
            "test {blocks}, {blocks}",
            "jz 3f",
            "2:",
            "tileloadd tmm4, [{values} + 1*{stride}]",
            "tileloadd tmm6, [{lines} + 1*{line}]",
            "tileloadd tmm7, [{lines} + 1*{line} + 1024]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{below} + 1*{stride}]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {values}, 64",
            "add {below}, 64",
            "add {lines}, 2048",
            "dec {blocks}",
            "jnz 2b",
            "3:",
            "tilestored [{sums} + 1*{row}], tmm0",
            "tilestored [{sums} + 1*{row} + 64], tmm1",
            "tilestored [{sums} + 1*{row} + 2048], tmm2",
            "tilestored [{sums} + 1*{row} + 2112], tmm3",
            first = in(reg) first,
            none = in(reg) 0_usize,
            values = inout(reg) values => _,
            below = inout(reg) values.wrapping_add(TILE * stride) => _,
            stride = in(reg) stride * size_of::<Bf16Line>(),
            lines = inout(reg) lines.as_ptr() => _,
            line = in(reg) size_of::<Bf16Line>(),
            blocks = inout(reg) lines.len() / BLOCK_LINES => _,
            sums = in(reg) sums,
            row = in(reg) size_of::<[f32; PANEL]>(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// The products of sixteen rows with a panel.
///
/// # Safety
/// As [`block`] has it, but for sixteen rows.
unsafe fn low_block(
    values: *const Bf16Line,
    stride: usize,
    first: &[f32; PANEL],
    lines: &[Bf16Line],
    sums: &mut Sums,
) {
    // SAFETY: as in `block`.
    unsafe {
        asm!(
            "tileloadd tmm0, [{first} + 1*{none}]",
            "tileloadd tmm1, [{first} + 1*{none} + 64]",
            "test {blocks}, {blocks}",
            "jz 3f",
            "2:",
            "tileloadd tmm4, [{values} + 1*{stride}]",
            "tileloadd tmm6, [{lines} + 1*{line}]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{lines} + 1*{line} + 1024]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "add {values}, 64",
            "add {lines}, 2048",
            "dec {blocks}",
            "jnz 2b",
            "3:",
            "tilestored [{sums} + 1*{row}], tmm0",
            "tilestored [{sums} + 1*{row} + 64], tmm1",
            first = in(reg) first,
            none = in(reg) 0_usize,
            values = inout(reg) values => _,
            stride = in(reg) stride * size_of::<Bf16Line>(),
            lines = inout(reg) lines.as_ptr() => _,
            line = in(reg) size_of::<Bf16Line>(),
            blocks = inout(reg) lines.len() / BLOCK_LINES => _,
            sums = in(reg) sums,
            row = in(reg) size_of::<[f32; PANEL]>(),
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
