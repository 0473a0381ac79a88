//! Products of rows of codes without VNNI: bytes become numbers of 16 bits, of which two products are added at a time. The
//! instruction that multiplies bytes at once saturates, and so would not be exact.

use std::arch::x86_64::*;

use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, Codes, GROUP, Int8Panels, Steps};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

/// Reachable through the tables of AVX2 alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Int8Kernels = Int8Kernels {
    encode: |row, steps, codes| {
        // SAFETY: the table is handed out where the processor has AVX2.
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

/// Rows of a block: with two vectors of weights and one of a row, two vectors of sums of each fit the registers.
const ROWS: usize = 4;
/// Columns of a block.
const COLUMNS: usize = 8;
/// Groups whose codes are widened at once.
const GROUPS: usize = 128;

/// Codes of some rows, widened.
type Wide = [[i16; GROUPS * GROUP]; ROWS];

struct Widened;

impl Block for Widened {
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
#[target_feature(enable = "avx2,fma")]
unsafe fn block<const COUNT: usize>(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(COUNT <= ROWS);
    results[..COUNT].fill([0; PANEL]);
    let mut wide: Wide = [[0; GROUPS * GROUP]; ROWS];
    for (part, panel) in panel.chunks(GROUPS).enumerate() {
        for (row, wide) in wide[..COUNT].iter_mut().enumerate() {
            let start = row * stride + part * GROUPS * GROUP;
            // SAFETY: the caller vouches for the rows.
            let codes =
                unsafe { std::slice::from_raw_parts(codes.add(start), panel.len() * GROUP) };
            for (wide, &code) in wide.iter_mut().zip(codes) {
                *wide = i16::from(code);
            }
        }
        for first in (0..PANEL).step_by(COLUMNS) {
            columns::<COUNT>(&wide, panel, first, results);
        }
    }
}

/// Adds the products of `COUNT` rows with some columns of a part of a panel.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn columns<const COUNT: usize>(
    wide: &Wide,
    panel: &[CodeGroup],
    first: usize,
    results: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(panel.len() <= GROUPS && first + COLUMNS <= PANEL && COUNT <= ROWS);
    // Two sums for each of four columns a vector.
    let mut sums = [[_mm256_setzero_si256(); 2]; COUNT];
    for (at, group) in panel.iter().enumerate() {
        // SAFETY: the columns are some of the group's, and a part has no more groups than are widened.
        unsafe {
            let weights = group.0.as_ptr().add(first * GROUP);
            let low = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.cast()));
            let high = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.add(16).cast()));
            for (row, sums) in sums.iter_mut().enumerate() {
                let codes = wide[row].as_ptr().add(at * GROUP).cast::<i64>();
                let codes = _mm256_set1_epi64x(codes.read_unaligned());
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(codes, low));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(codes, high));
            }
        }
    }
    for (sums, result) in sums.into_iter().zip(results) {
        let pairs = _mm256_hadd_epi32(sums[0], sums[1]);
        let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
        // SAFETY: the columns are some of the result's.
        unsafe {
            let place = result.as_mut_ptr().add(first).cast::<__m256i>();
            _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), ordered));
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: this function has the instructions of the block.
    unsafe { portable::multiply::<Widened>(codes, panels, epilogue) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply_gelu(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe { portable::multiply::<Widened>(codes, panels, epilogue) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn quantise(row: &[f32], steps: Steps<'_>, codes: &mut [u8]) -> bool {
    portable::quantise(row, steps, codes)
}
