//! Quantisers: sixty-four components at a time, four partial results to hide latency.

use std::arch::x86_64::*;

use super::f32::LANES;
use crate::int8_codec::CODE_MAX;
use crate::scalar::quantise::{check_i4, check_i8, check_residual};
use crate::vector::Vector;

/// Vectors that become one of codes.
const PARTS: usize = 4;
/// Codes of such a vector.
const CODES: usize = PARTS * LANES;

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn residual(x: &[f32], factor: f32, centre: &[f32], out: &mut [f32]) -> (f32, f32) {
    check_residual(x, centre, out);
    let factor = _mm512_set1_ps(factor);
    let (mut largest, mut squares) = ([_mm512_setzero_ps(); PARTS], [_mm512_setzero_ps(); PARTS]);
    let mut at = 0;
    while at + CODES <= x.len() {
        for i in 0..PARTS {
            // SAFETY: `16 i + 16 <= 64`, and none of the three is shorter than `at + 64`.
            let residual = unsafe { write_residual(x, factor, centre, out, at + i * LANES) };
            largest[i] = wider(residual, largest[i]);
            squares[i] = _mm512_fmadd_ps(residual, residual, squares[i]);
        }
        at += CODES;
    }
    while at + LANES <= x.len() {
        // SAFETY: none of the three is shorter than `at + 16`.
        let residual = unsafe { write_residual(x, factor, centre, out, at) };
        largest[0] = wider(residual, largest[0]);
        squares[0] = _mm512_fmadd_ps(residual, residual, squares[0]);
        at += LANES;
    }
    // SAFETY: this function has the features of the vector.
    let (x_tail, centre_tail) =
        unsafe { (__m512::load_tail(x, at), __m512::load_tail(centre, at)) };
    let scaled = _mm512_mul_ps(x_tail, factor);
    let residual = _mm512_sub_ps(scaled, centre_tail);
    largest[1] = wider(residual, largest[1]);
    squares[1] = _mm512_fmadd_ps(residual, residual, squares[1]);
    let rest = &mut out[at..];
    // SAFETY: the mask admits exactly the floats of `rest`.
    unsafe { _mm512_mask_storeu_ps(rest.as_mut_ptr(), (1 << rest.len()) - 1, residual) };
    let [a, b, c, d] = largest;
    let largest = _mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d));
    let [a, b, c, d] = squares;
    let squares = _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d));
    (_mm512_reduce_max_ps(largest), _mm512_reduce_add_ps(squares))
}

/// Writes sixteen residuals from `at`.
///
/// # Safety
/// None of the three may be shorter than `at + 16`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn write_residual(
    x: &[f32],
    factor: __m512,
    centre: &[f32],
    out: &mut [f32],
    at: usize,
) -> __m512 {
    debug_assert!(at + LANES <= out.len());
    // SAFETY: the caller vouches for sixteen floats of each.
    unsafe {
        let residual = _mm512_sub_ps(
            _mm512_mul_ps(__m512::load(x, at), factor),
            __m512::load(centre, at),
        );
        _mm512_storeu_ps(out.as_mut_ptr().add(at), residual);
        residual
    }
}

/// The larger of a magnitude and `largest`, which stays where there is no number: the instruction
/// then answers its second operand.
#[inline]
#[target_feature(enable = "avx512f")]
fn wider(x: __m512, largest: __m512) -> __m512 {
    _mm512_max_ps(_mm512_abs_ps(x), largest)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn encode_i8(v: &[f32], steps: f32, codes: &mut [i8]) -> i32 {
    check_i8(v, codes);
    let mut sum = _mm512_setzero_si512();
    let (v, v_rest) = v.as_chunks::<CODES>();
    let (codes, codes_rest) = codes.as_chunks_mut::<CODES>();
    for (v, codes) in v.iter().zip(codes) {
        sum = encode_i8_64(v, steps, codes, sum);
    }
    if !v_rest.is_empty() {
        let (mut v, mut codes) = ([0.0; CODES], [0; CODES]);
        v[..v_rest.len()].copy_from_slice(v_rest);
        sum = encode_i8_64(&v, steps, &mut codes, sum);
        codes_rest.copy_from_slice(&codes[..v_rest.len()]);
    }
    _mm512_reduce_add_epi32(sum)
}

/// Adds the codes to `sum`, sixteen partial ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn encode_i8_64(v: &[f32; CODES], steps: f32, codes: &mut [i8; CODES], sum: __m512i) -> __m512i {
    let steps = _mm512_set1_ps(steps);
    let (low, high) = (_mm512_set1_ps(-CODE_MAX), _mm512_set1_ps(CODE_MAX));
    let mut parts = [_mm512_setzero_si512(); PARTS];
    for (i, part) in parts.iter_mut().enumerate() {
        // SAFETY: `16 i + 16 <= 64`.
        let x = _mm512_mul_ps(unsafe { __m512::load(v, i * LANES) }, steps);
        let clipped = _mm512_max_ps(_mm512_min_ps(x, high), low);
        *part = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x), clipped);
    }
    let narrow = narrow(parts);
    // SAFETY: `codes` takes exactly the sixty-four bytes.
    unsafe { _mm512_storeu_si512(codes.as_mut_ptr().cast(), narrow) };
    _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), narrow)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn encode_i4(v: &[f32], scale: f32, codes: &mut [i8], planes: &mut [u64]) -> (i32, f32) {
    check_i4(v, codes, planes);
    let scale = _mm512_set1_ps(scale);
    let mut sum = _mm512_setzero_si512();
    let mut products = [_mm512_setzero_ps(); PARTS];
    let words = planes.len() / 4;
    let chunks = v.as_chunks::<CODES>().0.iter();
    for (word, (v, codes)) in chunks.zip(codes.as_chunks_mut::<CODES>().0).enumerate() {
        let mut parts = [_mm512_setzero_si512(); PARTS];
        for (i, part) in parts.iter_mut().enumerate() {
            // SAFETY: `16 i + 16 <= 64`.
            let x = _mm512_mul_ps(unsafe { __m512::load(v, i * LANES) }, scale);
            // Where there is no number, the instruction answers its second operand.
            let clipped =
                _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-8.0)), _mm512_set1_ps(7.0));
            *part = _mm512_cvtps_epi32(clipped);
            products[i] = _mm512_fmadd_ps(x, _mm512_cvtepi32_ps(*part), products[i]);
        }
        let narrow = narrow(parts);
        // SAFETY: `codes` takes exactly the sixty-four bytes.
        unsafe { _mm512_storeu_si512(codes.as_mut_ptr().cast(), narrow) };
        sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), narrow);
        for (j, bit) in [1, 2, 4, 8].into_iter().enumerate() {
            planes[j * words + word] = _mm512_test_epi8_mask(narrow, _mm512_set1_epi8(bit));
        }
    }
    let [a, b, c, d] = products;
    let products = _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d));
    (_mm512_reduce_add_epi32(sum), _mm512_reduce_add_ps(products))
}

/// Sixty-four codes as bytes, in order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn narrow([a, b, c, d]: [__m512i; PARTS]) -> __m512i {
    // Packing interleaves the quarters of its operands: 128 bits hold four codes of each part.
    let packed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_permutexvar_epi32(order, packed)
}
