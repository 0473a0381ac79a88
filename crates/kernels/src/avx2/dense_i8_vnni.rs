//! Products of rows of codes on processors that have VNNI without AVX-512: blocks of six rows and half a panel.

use std::arch::x86_64::*;

use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, Codes, GROUP, Int8Panels, Steps};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

/// Reachable through the table of AVX-VNNI alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Int8Kernels = Int8Kernels {
    encode: |row, steps, codes| {
        // SAFETY: the table is handed out where the processor has AVX2 and AVX-VNNI.
        unsafe { super::dense_i8::quantise(row, steps, codes) }
    },
    multiply: |codes, panels, out| {
        // SAFETY: as above.
        unsafe { multiply(codes, panels, out) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        // SAFETY: as above.
        unsafe { multiply_gelu(codes, panels, steps, out) }
    },
};

/// Rows of a block: with two vectors of weights and one of a row, two vectors of sums of each fit the registers.
const ROWS: usize = 6;
/// Columns of a block.
const COLUMNS: usize = 16;

struct Vnni;

impl Block for Vnni {
    const ROWS: usize = ROWS;

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
            3 => block::<3>,
            4 => block::<4>,
            5 => block::<5>,
            _ => block::<ROWS>,
        };
        for first in (0..PANEL).step_by(COLUMNS) {
            // SAFETY: the caller vouches for rows and processor.
            unsafe { block(codes, stride, panel, first, sums) }
        }
    }
}

/// The sums of `COUNT` rows with the half of a panel that begins at column `first`.
///
/// # Safety
/// `codes` must begin `COUNT` rows of a code for each row of the panel, `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx2,fma,avxvnni")]
unsafe fn block<const COUNT: usize>(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    first: usize,
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(first + COLUMNS <= PANEL && COUNT <= ROWS);
    let mut sums = [[_mm256_setzero_si256(); 2]; COUNT];
    for (at, group) in panel.iter().enumerate() {
        // SAFETY: the columns are some of the group's; the caller vouches for the rows.
        unsafe {
            let weights = group.0.as_ptr().add(first * GROUP);
            let low = _mm256_load_si256(weights.cast());
            let high = _mm256_load_si256(weights.add(32).cast());
            for (row, sums) in sums.iter_mut().enumerate() {
                let codes = codes.add(row * stride + at * GROUP).cast::<i32>();
                let codes = _mm256_set1_epi32(codes.read_unaligned());
                sums[0] = _mm256_dpbusd_avx_epi32(sums[0], codes, low);
                sums[1] = _mm256_dpbusd_avx_epi32(sums[1], codes, high);
            }
        }
    }
    for (sums, result) in sums.into_iter().zip(results) {
        // SAFETY: the columns are some of the result's.
        unsafe {
            let place = result.as_mut_ptr().add(first);
            _mm256_storeu_si256(place.cast(), sums[0]);
            _mm256_storeu_si256(place.add(8).cast(), sums[1]);
        }
    }
}

#[target_feature(enable = "avx2,fma,avxvnni")]
pub(super) fn multiply(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: this function has the instructions of the block.
    unsafe { portable::multiply::<Vnni>(codes, panels, epilogue) }
}

#[target_feature(enable = "avx2,fma,avxvnni")]
pub(super) fn multiply_gelu(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<Vnni>(codes, panels, epilogue) }
}
