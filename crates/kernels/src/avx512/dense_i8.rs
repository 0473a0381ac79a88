//! Products of rows of codes: blocks of twelve rows and a panel whose sums stay in registers over the whole depth. VNNI
//! adds four products of an unsigned and a signed byte at a time, without saturation.

use std::arch::x86_64::*;

use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, Codes, GROUP, Int8Panels, Steps};
use crate::panels::RowsMut;
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

/// Reachable through the tables of AVX-512 alone, which is what makes its functions safe to call.
pub(crate) const KERNELS: Int8Kernels = Int8Kernels {
    encode: |row, steps, codes| {
        // SAFETY: the table is handed out where the processor has AVX-512 with VNNI.
        unsafe { quantise(row, steps, codes) }
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

/// Rows of a block: with two vectors of a panel and one of a row, their sums just fit the registers.
const ROWS: usize = 12;

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
            6 => block::<6>,
            7 => block::<7>,
            8 => block::<8>,
            9 => block::<9>,
            10 => block::<10>,
            11 => block::<11>,
            _ => block::<ROWS>,
        };
        // SAFETY: the caller vouches for rows and processor.
        unsafe { block(codes, stride, panel, sums) }
    }
}

/// The sums of `COUNT` rows with a panel.
///
/// # Safety
/// `codes` must begin `COUNT` rows of a code for each row of the panel, `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn block<const COUNT: usize>(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(COUNT <= ROWS);
    let mut sums = [[_mm512_setzero_si512(); 2]; COUNT];
    for (at, group) in panel.iter().enumerate() {
        let weights = group.0.as_ptr();
        // SAFETY: a group has two vectors of bytes; the caller vouches for the rows.
        unsafe {
            let low = _mm512_load_si512(weights.cast());
            let high = _mm512_load_si512(weights.add(64).cast());
            for (row, sums) in sums.iter_mut().enumerate() {
                let codes = codes.add(row * stride + at * GROUP).cast::<i32>();
                let codes = _mm512_set1_epi32(codes.read_unaligned());
                sums[0] = _mm512_dpbusd_epi32(sums[0], codes, low);
                sums[1] = _mm512_dpbusd_epi32(sums[1], codes, high);
            }
        }
    }
    for (sums, result) in sums.into_iter().zip(results) {
        let result = result.as_mut_ptr();
        // SAFETY: a result has two vectors of sums.
        unsafe {
            _mm512_storeu_si512(result.cast(), sums[0]);
            _mm512_storeu_si512(result.add(16).cast(), sums[1]);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn multiply(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: this function has the instructions of the block.
    unsafe { portable::multiply::<Vnni>(codes, panels, epilogue) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn multiply_gelu(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<Vnni>(codes, panels, epilogue) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn quantise(row: &[f32], steps: Steps<'_>, codes: &mut [u8]) -> bool {
    portable::quantise(row, steps, codes)
}
