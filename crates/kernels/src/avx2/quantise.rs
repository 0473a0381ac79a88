//! Quantisers: thirty-two components at a time, four partial results to hide latency.

use std::arch::x86_64::*;

use super::f32::LANES;
use super::{sum_epi32, sum_ps};
use crate::int8_codec::CODE_MAX;
use crate::scalar::quantise::{check_i4, check_i8, check_residual};
use crate::vector::Vector;

/// Vectors that become one of codes.
const PARTS: usize = 4;
/// Codes of such a vector.
const CODES: usize = PARTS * LANES;

#[target_feature(enable = "avx2,fma")]
pub(super) fn residual(x: &[f32], factor: f32, centre: &[f32], out: &mut [f32]) -> (f32, f32) {
    check_residual(x, centre, out);
    let factor = _mm256_set1_ps(factor);
    let (mut largest, mut squares) = ([_mm256_setzero_ps(); PARTS], [_mm256_setzero_ps(); PARTS]);
    let mut at = 0;
    while at + CODES <= x.len() {
        for i in 0..PARTS {
            // SAFETY: `8 i + 8 <= 32`, and none of the three is shorter than `at + 32`.
            let residual = unsafe { write_residual(x, factor, centre, out, at + i * LANES) };
            largest[i] = wider(residual, largest[i]);
            squares[i] = _mm256_fmadd_ps(residual, residual, squares[i]);
        }
        at += CODES;
    }
    while at + LANES <= x.len() {
        // SAFETY: none of the three is shorter than `at + 8`.
        let residual = unsafe { write_residual(x, factor, centre, out, at) };
        largest[0] = wider(residual, largest[0]);
        squares[0] = _mm256_fmadd_ps(residual, residual, squares[0]);
        at += LANES;
    }
    // SAFETY: this function has the features of the vector.
    let (x_tail, centre_tail) =
        unsafe { (__m256::load_tail(x, at), __m256::load_tail(centre, at)) };
    let scaled = _mm256_mul_ps(x_tail, factor);
    let residual = _mm256_sub_ps(scaled, centre_tail);
    largest[1] = wider(residual, largest[1]);
    squares[1] = _mm256_fmadd_ps(residual, residual, squares[1]);
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` takes exactly the eight floats.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), residual) };
    let rest = &mut out[at..];
    rest.copy_from_slice(&lanes[..rest.len()]);
    let [a, b, c, d] = largest;
    let largest = _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(c, d));
    let [a, b, c, d] = squares;
    let squares = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
    // SAFETY: `lanes` takes exactly the eight floats.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), largest) };
    (lanes.into_iter().fold(0.0, f32::max), sum_ps(squares))
}

/// Writes eight residuals from `at`.
///
/// # Safety
/// None of the three may be shorter than `at + 8`.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn write_residual(
    x: &[f32],
    factor: __m256,
    centre: &[f32],
    out: &mut [f32],
    at: usize,
) -> __m256 {
    debug_assert!(at + LANES <= out.len());
    // SAFETY: the caller vouches for eight floats of each.
    unsafe {
        let residual = _mm256_sub_ps(
            _mm256_mul_ps(__m256::load(x, at), factor),
            __m256::load(centre, at),
        );
        _mm256_storeu_ps(out.as_mut_ptr().add(at), residual);
        residual
    }
}

/// The larger of a magnitude and `largest`, which stays where there is no number: the instruction
/// then answers its second operand.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn wider(x: __m256, largest: __m256) -> __m256 {
    _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0), x), largest)
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn encode_i8(v: &[f32], steps: f32, codes: &mut [i8]) -> i32 {
    check_i8(v, codes);
    let mut sum = _mm256_setzero_si256();
    let (v, v_rest) = v.as_chunks::<CODES>();
    let (codes, codes_rest) = codes.as_chunks_mut::<CODES>();
    for (v, codes) in v.iter().zip(codes) {
        sum = encode_i8_32(v, steps, codes, sum);
    }
    if !v_rest.is_empty() {
        let (mut v, mut codes) = ([0.0; CODES], [0; CODES]);
        v[..v_rest.len()].copy_from_slice(v_rest);
        sum = encode_i8_32(&v, steps, &mut codes, sum);
        codes_rest.copy_from_slice(&codes[..v_rest.len()]);
    }
    sum_epi32(sum)
}

/// Adds the codes to `sum`, eight partial ones.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn encode_i8_32(v: &[f32; CODES], steps: f32, codes: &mut [i8; CODES], sum: __m256i) -> __m256i {
    let steps = _mm256_set1_ps(steps);
    let (low, high) = (_mm256_set1_ps(-CODE_MAX), _mm256_set1_ps(CODE_MAX));
    let mut parts = [_mm256_setzero_si256(); PARTS];
    for (i, part) in parts.iter_mut().enumerate() {
        // SAFETY: `8 i + 8 <= 32`.
        let x = _mm256_mul_ps(unsafe { __m256::load(v, i * LANES) }, steps);
        let clipped = _mm256_max_ps(_mm256_min_ps(x, high), low);
        let number = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
        *part = _mm256_and_si256(_mm256_cvtps_epi32(clipped), number);
    }
    // SAFETY: `codes` takes exactly the thirty-two bytes.
    unsafe { _mm256_storeu_si256(codes.as_mut_ptr().cast(), narrow(parts)) };
    _mm256_add_epi32(sum, added(parts))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn encode_i4(v: &[f32], scale: f32, codes: &mut [i8], planes: &mut [u64]) -> (i32, f32) {
    check_i4(v, codes, planes);
    let scale = _mm256_set1_ps(scale);
    let mut sum = _mm256_setzero_si256();
    let mut products = [_mm256_setzero_ps(); PARTS];
    let words = planes.len() / 4;
    planes.fill(0);
    let chunks = v.as_chunks::<CODES>().0.iter();
    for (half, (v, codes)) in chunks.zip(codes.as_chunks_mut::<CODES>().0).enumerate() {
        let mut parts = [_mm256_setzero_si256(); PARTS];
        for (i, part) in parts.iter_mut().enumerate() {
            // SAFETY: `8 i + 8 <= 32`.
            let x = _mm256_mul_ps(unsafe { __m256::load(v, i * LANES) }, scale);
            // Where there is no number, the instruction answers its second operand.
            let clipped =
                _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-8.0)), _mm256_set1_ps(7.0));
            *part = _mm256_cvtps_epi32(clipped);
            products[i] = _mm256_fmadd_ps(x, _mm256_cvtepi32_ps(*part), products[i]);
        }
        let narrow = narrow(parts);
        // SAFETY: `codes` takes exactly the thirty-two bytes.
        unsafe { _mm256_storeu_si256(codes.as_mut_ptr().cast(), narrow) };
        sum = _mm256_add_epi32(sum, added(parts));
        // The highest bits of bytes make a mask; the sign of a code is one of them.
        let bits = [
            _mm256_slli_epi16::<7>(narrow),
            _mm256_slli_epi16::<6>(narrow),
            _mm256_slli_epi16::<5>(narrow),
            narrow,
        ];
        for (j, bits) in bits.into_iter().enumerate() {
            let mask = u64::from(_mm256_movemask_epi8(bits).cast_unsigned());
            planes[j * words + half / 2] |= mask << (CODES * (half % 2));
        }
    }
    let [a, b, c, d] = products;
    let products = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
    (sum_epi32(sum), sum_ps(products))
}

/// Thirty-two codes as bytes, in order.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn narrow([a, b, c, d]: [__m256i; PARTS]) -> __m256i {
    // Packing interleaves the halves of its operands: 128 bits hold four codes of each part.
    let packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn added([a, b, c, d]: [__m256i; PARTS]) -> __m256i {
    _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d))
}
