//! f32 kernels.

use std::arch::x86_64::*;

use super::sum_ps;
use crate::vector::{self, Vector};

pub(super) const LANES: usize = 8;

impl Vector<f32> for __m256 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(v: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all eight floats inside `v`; the load needs no alignment.
        unsafe { _mm256_loadu_ps(v.as_ptr().add(at)) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_tail(v: &[f32], at: usize) -> Self {
        let mut padded = [0.0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly eight floats.
        unsafe { Self::load(&padded, 0) }
    }
}

/// Widens bfloat16.
impl Vector<u16> for __m256 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(v: &[u16], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all eight halves inside `v`; the load needs no alignment.
        let halves = unsafe { _mm_loadu_si128(v.as_ptr().add(at).cast()) };
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_tail(v: &[u16], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly eight halves.
        unsafe { Self::load(&padded, 0) }
    }
}

/// Widens codes.
impl Vector<i8> for __m256 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all eight codes inside `v`; the load needs no alignment.
        let codes = unsafe { _mm_loadl_epi64(v.as_ptr().add(at).cast()) };
        _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly eight codes.
        unsafe { Self::load(&padded, 0) }
    }
}

/// [Folds](vector::fold) both vectors with `step` from zero and joins the partial results with
/// `merge`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn fold<T>(
    a: &[f32],
    b: &[T],
    step: impl Fn(__m256, __m256, __m256) -> __m256,
    merge: impl Fn(__m256, __m256) -> __m256,
) -> __m256
where
    __m256: Vector<T>,
{
    // SAFETY: this function has the features of the vector.
    let [s, t, u, v] = unsafe { vector::fold(a, b, _mm256_setzero_ps(), step) };
    merge(merge(s, t), merge(u, v))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| _mm256_fmadd_ps(x, y, sum);
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot_bf16(a: &[f32], b: &[u16]) -> f32 {
    let step = |sum, x, y| _mm256_fmadd_ps(x, y, sum);
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot_int8(a: &[f32], scale: f32, b: &[i8]) -> f32 {
    let scale = _mm256_set1_ps(scale);
    let step = |sum, x, y| _mm256_fmadd_ps(x, _mm256_mul_ps(scale, y), sum);
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn l2sq(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| {
        let diff = _mm256_sub_ps(x, y);
        _mm256_fmadd_ps(diff, diff, sum)
    };
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn abs_diff(x: __m256, y: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), _mm256_sub_ps(x, y))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn l1(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| _mm256_add_ps(sum, abs_diff(x, y));
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn linf(a: &[f32], b: &[f32]) -> f32 {
    let max = fold(
        a,
        b,
        |max, x, y| _mm256_max_ps(max, abs_diff(x, y)),
        |s, t| _mm256_max_ps(s, t),
    );
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` holds the eight floats that are stored.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), max) };
    lanes.into_iter().fold(0.0, f32::max)
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn hamming(a: &[f32], b: &[f32]) -> f32 {
    let one = _mm256_set1_ps(1.0);
    let step = |count, x, y| {
        let differs = _mm256_cmp_ps::<_CMP_NEQ_UQ>(x, y);
        _mm256_add_ps(count, _mm256_and_ps(differs, one))
    };
    sum_ps(fold(a, b, step, |s, t| _mm256_add_ps(s, t)))
}
