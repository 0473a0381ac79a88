//! Kernels for AVX2 with FMA: 256-bit vectors, four partial results to hide latency, the last
//! incomplete vector through a zero-filled copy. Processors that add products of bytes as well (AVX-VNNI) have a table of
//! their own.

mod bits;
mod dense;
mod dense_bf16;
mod dense_i8;
mod dense_i8_vnni;
mod f32;
mod hadamard;
mod i8;
mod i8_rows;
mod near_sets;
mod quantise;

use std::arch::x86_64::*;

use crate::{Kernels, scalar};

/// Rows of codes that are worked on together.
const ROWS: usize = 4;

/// The table, or none where the processor lacks AVX2 or FMA.
pub(crate) fn table() -> Option<&'static Kernels> {
    let available = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    available.then_some(&PLAIN_TABLE)
}

/// The table of processors that add products of bytes without AVX-512, or none where the processor does not.
pub(crate) fn vnni_table() -> Option<&'static Kernels> {
    let available = table().is_some() && is_x86_feature_detected!("avxvnni");
    available.then_some(&VNNI_TABLE)
}

static PLAIN_TABLE: Kernels = TABLE;

static VNNI_TABLE: Kernels = Kernels {
    name: "avxvnni",
    int8: dense_i8_vnni::KERNELS,
    ..TABLE
};

/// Reachable through [`table`] and [`vnni_table`] alone, which is what makes its functions safe to call.
const TABLE: Kernels = Kernels {
    name: "avx2",
    dot_f32: |a, b| {
        // SAFETY: `table` hands this out after it found AVX2 and FMA.
        unsafe { f32::dot(a, b) }
    },
    dot_bf16: |a, b| {
        // SAFETY: as above.
        unsafe { f32::dot_bf16(a, b) }
    },
    dot_int8: |a, scale, b| {
        // SAFETY: as above.
        unsafe { f32::dot_int8(a, scale, b) }
    },
    l2sq_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l2sq(a, b) }
    },
    l1_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l1(a, b) }
    },
    linf_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::linf(a, b) }
    },
    hamming_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::hamming(a, b) }
    },
    dot_i8: |a, b| {
        // SAFETY: as above.
        unsafe { i8::dot(a, b) }
    },
    dot_i8_rows: |query, _, rows, out| {
        // SAFETY: as above.
        unsafe { i8_rows::dot(query, rows, out) }
    },
    bit_keys: |query, weights, rows, out| {
        // SAFETY: as above.
        unsafe { bits::keys(query, weights, rows, out) }
    },
    hadamard: |block, signs| {
        // SAFETY: as above.
        unsafe { hadamard::transform(block, signs) }
    },
    reflect: |v, parts| {
        // SAFETY: as above.
        unsafe { hadamard::reflect(v, parts) }
    },
    insert_sorted: scalar::sorted::insert,
    near_sets: |sets, other, lacking, added, out| {
        // SAFETY: as above.
        unsafe { near_sets::find(sets, other, lacking, added, out) }
    },
    residual: |x, factor, centre, out| {
        // SAFETY: as above.
        unsafe { quantise::residual(x, factor, centre, out) }
    },
    encode_i8: |v, steps, codes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i8(v, steps, codes) }
    },
    encode_i4: |v, scale, codes, planes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i4(v, scale, codes, planes) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { dense::multiply(rows, panels, out) }
    },
    gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::gelu(values) }
    },
    tanh_gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::tanh_gelu(values) }
    },
    quick_gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::quick_gelu(values) }
    },
    softmax: |row, scale| {
        // SAFETY: as above.
        unsafe { dense::softmax(row, scale) }
    },
    add_norm: |row, residual, weight, bias, epsilon| {
        // SAFETY: as above.
        unsafe { dense::add_norm(row, residual, weight, bias, epsilon) }
    },
    bf16: dense_bf16::KERNELS,
    int8: dense_i8::KERNELS,
};

/// One to four rows, the last repeated to make four. Marked to be inlined for what calls it has
/// vectors the build at large has not, and closures in such functions stay calls.
#[inline(always)]
fn four<'a, T>(rows: &[&'a [T]]) -> [&'a [T]; ROWS] {
    let last = rows.len() - 1;
    [
        rows[0],
        rows[last.min(1)],
        rows[last.min(2)],
        rows[last.min(3)],
    ]
}

/// The eight lanes added up.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum_ps(v: __m256) -> f32 {
    let half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
    let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
}

/// The eight lanes added up.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum_epi32(v: __m256i) -> i32 {
    let half = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
    _mm_cvtsi128_si32(_mm_add_epi32(
        pair,
        _mm_shuffle_epi32::<0b10_11_00_01>(pair),
    ))
}
