//! Products of rows of codes without instructions for sums of products: blocks of three rows and eight columns. Codes less
//! 128 are signed, so that two products of theirs have room in 16 bits before neighbours are added to 32.

use std::arch::aarch64::*;

use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, GROUP};
use crate::panels::PANEL;
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

pub(super) const KERNELS: Int8Kernels = Int8Kernels {
    // NEON belongs to every aarch64 build, so the compiler has used it here already.
    encode: portable::quantise,
    multiply: |codes, panels, out| {
        let epilogue = ToFloats::of(codes, panels, out);
        // SAFETY: the table is handed out where the processor has NEON.
        unsafe { portable::multiply::<Pairs>(codes, panels, epilogue) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        let epilogue = ToGeluCodes::of(codes, panels, steps, out);
        // SAFETY: as above.
        unsafe { portable::multiply::<Pairs>(codes, panels, epilogue) }
    },
};

/// Rows of a block: with four vectors of weights, of four rows the sums and products no longer fit the 32 registers.
const ROWS: usize = 3;
/// Columns of a block.
const COLUMNS: usize = 8;
/// Columns whose weights of a group are one vector.
const LANES: usize = 4;
/// Groups whose codes are loaded at once.
const GROUPS: usize = 4;

struct Pairs;

impl Block for Pairs {
    const ROWS: usize = ROWS;
    const LESS: i32 = 128;

    #[inline(always)]
    unsafe fn sums(
        codes: *const u8,
        stride: usize,
        panel: &[CodeGroup],
        count: usize,
        sums: &mut [Sums; ROWS_MAX],
    ) {
        let block = match count {
            1 => block::<1>,
            2 => block::<2>,
            _ => block::<ROWS>,
        };
        for first in (0..PANEL).step_by(COLUMNS) {
            // SAFETY: the caller vouches for rows and processor.
            unsafe { block(codes, stride, panel, first, sums) }
        }
    }
}

/// The sums of `COUNT` rows with the columns of a panel that begin at `first`.
///
/// # Safety
/// `codes` must begin `COUNT` rows of a code for each row of the panel, `stride` bytes apart.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn block<const COUNT: usize>(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    first: usize,
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(first + COLUMNS <= PANEL && COUNT <= ROWS);
    // Two sums for each of two columns a vector.
    let mut sums = [[vdupq_n_s32(0); 4]; COUNT];
    let (quads, rest) = panel.as_chunks::<GROUPS>();
    debug_assert!(rest.is_empty());
    for (at, groups) in quads.iter().enumerate() {
        let mut signed_codes = [vdupq_n_s8(0); COUNT];
        for (row, signed_codes) in signed_codes.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the rows.
            let codes = unsafe { vld1q_u8(codes.add(row * stride + at * GROUPS * GROUP)) };
            *signed_codes = signed(codes);
        }
        add::<0, COUNT>(&mut sums, &signed_codes, groups, first);
        add::<2, COUNT>(&mut sums, &signed_codes, groups, first);
    }
    for (sums, result) in sums.into_iter().zip(results) {
        let (places, _) = result[first..].as_chunks_mut::<LANES>();
        for (pairs, place) in sums.as_chunks::<2>().0.iter().zip(places) {
            // SAFETY: there are four sums.
            unsafe { vst1q_s32(place.as_mut_ptr(), vpaddq_s32(pairs[0], pairs[1])) }
        }
    }
}

/// Adds the products of group `AT` and the next.
#[inline]
#[target_feature(enable = "neon")]
fn add<const AT: usize, const COUNT: usize>(
    sums: &mut [[int32x4_t; 4]; COUNT],
    codes: &[int8x16_t; COUNT],
    groups: &[CodeGroup; GROUPS],
    first: usize,
) {
    let [low, high] = [AT, AT + 1].map(|at| load(&groups[at], first));
    for (sums, &codes) in sums.iter_mut().zip(codes) {
        let codes = vreinterpretq_s32_s8(codes);
        let codes = match AT {
            0 => [vdupq_laneq_s32::<0>(codes), vdupq_laneq_s32::<1>(codes)],
            _ => [vdupq_laneq_s32::<2>(codes), vdupq_laneq_s32::<3>(codes)],
        };
        let [lows, highs] = codes.map(|codes| vreinterpretq_s8_s32(codes));
        for (at, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            // Two products are at most 2 * 128 * 127.
            let products = vmull_s8(vget_low_s8(low[at]), vget_low_s8(lows));
            let products = vmlal_s8(products, vget_low_s8(high[at]), vget_low_s8(highs));
            sums[0] = vpadalq_s16(sums[0], products);
            let products = vmlal_high_s8(vmull_high_s8(low[at], lows), high[at], highs);
            sums[1] = vpadalq_s16(sums[1], products);
        }
    }
}

/// The weights of a block's columns in one group.
#[inline]
#[target_feature(enable = "neon")]
fn load(group: &CodeGroup, first: usize) -> [int8x16_t; 2] {
    let (vectors, _) = group.0[first * GROUP..][..COLUMNS * GROUP].as_chunks::<16>();
    // SAFETY: a vector has sixteen weights.
    [0, 1].map(|at| unsafe { vld1q_s8(vectors[at].as_ptr()) })
}

/// Codes less 128.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed(codes: uint8x16_t) -> int8x16_t {
    vreinterpretq_s8_u8(veorq_u8(codes, vdupq_n_u8(0x80)))
}
