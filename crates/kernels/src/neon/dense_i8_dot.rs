//! Products of rows of codes on processors that add products of bytes: blocks of five rows and half a panel, whose sums stay
//! in registers over the whole depth. The functions for these instructions are not stable in Rust, so they stand here in
//! assembly.

use std::arch::aarch64::*;
use std::arch::asm;

use super::dense_i8::signed;
use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, Codes, GROUP, Int8Panels, Steps};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

/// Reachable through the table of `dotprod` alone, which is what makes its functions safe to call.
pub(super) const DOTPROD: Int8Kernels = Int8Kernels {
    encode: portable::quantise,
    multiply: |codes, panels, out| {
        // SAFETY: the table is handed out where the processor has these products of signed bytes.
        unsafe { multiply_signed(codes, panels, out) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        // SAFETY: as above.
        unsafe { multiply_gelu_signed(codes, panels, steps, out) }
    },
};

/// Reachable through the table of `i8mm` alone, which is what makes its functions safe to call.
pub(super) const I8MM: Int8Kernels = Int8Kernels {
    encode: portable::quantise,
    multiply: |codes, panels, out| {
        // SAFETY: the table is handed out where the processor has these products of signed with unsigned bytes.
        unsafe { multiply_mixed(codes, panels, out) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        // SAFETY: as above.
        unsafe { multiply_gelu_mixed(codes, panels, steps, out) }
    },
};

/// Rows of a block: with four vectors of weights and one of the codes of each row, their sums fit the 32 registers.
const ROWS: usize = 5;
/// Columns of a block.
const COLUMNS: usize = 16;
/// Columns whose weights of a group are one vector.
const LANES: usize = 4;
const VECTORS: usize = COLUMNS / LANES;
/// Groups whose codes are loaded at once.
const GROUPS: usize = 4;

/// An instruction that adds four products of bytes to each of four sums.
trait Dot {
    /// As in [`Block`].
    const LESS: i32;

    /// Brings codes into the form that the instruction takes.
    fn taken(codes: uint8x16_t) -> int8x16_t;

    /// Adds the products of the weights of four columns with the codes of group `GROUP`.
    ///
    /// # Safety
    /// The processor must have the instruction.
    unsafe fn add<const GROUP: i32>(
        sums: int32x4_t,
        weights: int8x16_t,
        codes: int8x16_t,
    ) -> int32x4_t;
}

/// Both of its factors are signed, so codes are less by 128.
struct Signed;

impl Dot for Signed {
    const LESS: i32 = 128;

    #[inline(always)]
    fn taken(codes: uint8x16_t) -> int8x16_t {
        // SAFETY: NEON belongs to every aarch64 build.
        unsafe { signed(codes) }
    }

    #[inline(always)]
    unsafe fn add<const GROUP: i32>(
        mut sums: int32x4_t,
        weights: int8x16_t,
        codes: int8x16_t,
    ) -> int32x4_t {
        // SAFETY: the caller vouches for the processor; registers are all that it touches.
        unsafe {
            asm!(
                "sdot {sums:v}.4s, {weights:v}.16b, {codes:v}.4b[{group}]",
                sums = inout(vreg) sums,
                weights = in(vreg) weights,
                codes = in(vreg) codes,
                group = const GROUP,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// Its weights are signed and its codes are not.
struct Mixed;

impl Dot for Mixed {
    const LESS: i32 = 0;

    #[inline(always)]
    fn taken(codes: uint8x16_t) -> int8x16_t {
        // SAFETY: NEON belongs to every aarch64 build.
        unsafe { vreinterpretq_s8_u8(codes) }
    }

    #[inline(always)]
    unsafe fn add<const GROUP: i32>(
        mut sums: int32x4_t,
        weights: int8x16_t,
        codes: int8x16_t,
    ) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            asm!(
                "sudot {sums:v}.4s, {weights:v}.16b, {codes:v}.4b[{group}]",
                sums = inout(vreg) sums,
                weights = in(vreg) weights,
                codes = in(vreg) codes,
                group = const GROUP,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// Blocks by an instruction. All of it is inlined into the functions that enable the instruction: elsewhere the assembler
/// does not know it.
struct By<D>(std::marker::PhantomData<D>);

impl<D: Dot> Block for By<D> {
    const ROWS: usize = ROWS;
    const LESS: i32 = D::LESS;

    #[inline(always)]
    unsafe fn sums(
        codes: *const u8,
        stride: usize,
        panel: &[CodeGroup],
        count: usize,
        sums: &mut [Sums; ROWS_MAX],
    ) {
        for first in (0..PANEL).step_by(COLUMNS) {
            // SAFETY: the caller vouches for rows and processor.
            unsafe {
                match count {
                    1 => block::<D, 1>(codes, stride, panel, first, sums),
                    2 => block::<D, 2>(codes, stride, panel, first, sums),
                    3 => block::<D, 3>(codes, stride, panel, first, sums),
                    4 => block::<D, 4>(codes, stride, panel, first, sums),
                    _ => block::<D, ROWS>(codes, stride, panel, first, sums),
                }
            }
        }
    }
}

/// The sums of `COUNT` rows with the half of a panel that begins at column `first`.
///
/// # Safety
/// `codes` must begin `COUNT` rows of a code for each row of the panel, `stride` bytes apart; the processor must have the
/// instruction.
#[inline(always)]
unsafe fn block<D: Dot, const COUNT: usize>(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    first: usize,
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(first + COLUMNS <= PANEL && COUNT <= ROWS);
    let (quads, rest) = panel.as_chunks::<GROUPS>();
    debug_assert!(rest.is_empty());
    // SAFETY: the columns are some of a group's and of the result's; the caller vouches for rows and processor.
    unsafe {
        let mut sums = [[vdupq_n_s32(0); VECTORS]; COUNT];
        for (at, groups) in quads.iter().enumerate() {
            let mut taken = [vdupq_n_s8(0); COUNT];
            for (row, taken) in taken.iter_mut().enumerate() {
                let codes = vld1q_u8(codes.add(row * stride + at * GROUPS * GROUP));
                *taken = D::taken(codes);
            }
            add::<D, 0, COUNT>(&mut sums, &taken, &groups[0], first);
            add::<D, 1, COUNT>(&mut sums, &taken, &groups[1], first);
            add::<D, 2, COUNT>(&mut sums, &taken, &groups[2], first);
            add::<D, 3, COUNT>(&mut sums, &taken, &groups[3], first);
        }
        for (sums, result) in sums.into_iter().zip(results) {
            let (places, _) = result[first..].as_chunks_mut::<LANES>();
            for (sums, place) in sums.into_iter().zip(places) {
                vst1q_s32(place.as_mut_ptr(), sums);
            }
        }
    }
}

/// Adds the products of one group of each row.
///
/// # Safety
/// The columns from `first` on must be some of the group's; the processor must have the instruction.
#[inline(always)]
unsafe fn add<D: Dot, const AT: i32, const COUNT: usize>(
    sums: &mut [[int32x4_t; VECTORS]; COUNT],
    codes: &[int8x16_t; COUNT],
    group: &CodeGroup,
    first: usize,
) {
    // SAFETY: the caller vouches for columns and processor.
    unsafe {
        let weights = group.0.as_ptr().add(first * GROUP);
        let weights = [
            vld1q_s8(weights),
            vld1q_s8(weights.add(LANES * GROUP)),
            vld1q_s8(weights.add(2 * LANES * GROUP)),
            vld1q_s8(weights.add(3 * LANES * GROUP)),
        ];
        for (sums, &codes) in sums.iter_mut().zip(codes) {
            for (sums, weights) in sums.iter_mut().zip(weights) {
                *sums = D::add::<AT>(*sums, weights, codes);
            }
        }
    }
}

#[target_feature(enable = "neon,dotprod")]
fn multiply_signed(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: this function has the instruction.
    unsafe { portable::multiply::<By<Signed>>(codes, panels, epilogue) }
}

#[target_feature(enable = "neon,dotprod")]
fn multiply_gelu_signed(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<By<Signed>>(codes, panels, epilogue) }
}

#[target_feature(enable = "neon,i8mm")]
fn multiply_mixed(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<By<Mixed>>(codes, panels, epilogue) }
}

#[target_feature(enable = "neon,i8mm")]
fn multiply_gelu_mixed(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<By<Mixed>>(codes, panels, epilogue) }
}
