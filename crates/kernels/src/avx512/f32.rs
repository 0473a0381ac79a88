//! f32 kernels.

use std::arch::x86_64::*;

use crate::vector::{self, Vector};

pub(super) const LANES: usize = 16;

impl Vector<f32> for __m512 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load(v: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixteen floats inside `v`; the load needs no alignment.
        unsafe { _mm512_loadu_ps(v.as_ptr().add(at)) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load_tail(v: &[f32], at: usize) -> Self {
        let rest = &v[at..];
        debug_assert!(rest.len() < LANES);
        let mask = (1u16 << rest.len()) - 1;
        // SAFETY: the mask admits exactly the floats of `rest`; masked lanes are not read.
        unsafe { _mm512_maskz_loadu_ps(mask, rest.as_ptr()) }
    }
}

/// Widens bfloat16.
impl Vector<u16> for __m512 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn load(v: &[u16], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixteen halves inside `v`; the load needs no alignment.
        widened(unsafe { _mm256_loadu_si256(v.as_ptr().add(at).cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn load_tail(v: &[u16], at: usize) -> Self {
        let rest = &v[at..];
        debug_assert!(rest.len() < LANES);
        let mask = (1u16 << rest.len()) - 1;
        // SAFETY: the mask admits exactly the halves of `rest`; masked lanes are not read.
        widened(unsafe { _mm256_maskz_loadu_epi16(mask, rest.as_ptr().cast()) })
    }
}

/// The floats whose upper halves are given.
#[inline]
#[target_feature(enable = "avx512f")]
fn widened(halves: __m256i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
}

/// Widens codes.
impl Vector<i8> for __m512 {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixteen codes inside `v`; the load needs no alignment.
        let codes = unsafe { _mm_loadu_si128(v.as_ptr().add(at).cast()) };
        _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let rest = &v[at..];
        debug_assert!(rest.len() < LANES);
        let mask = (1u16 << rest.len()) - 1;
        // SAFETY: the mask admits exactly the codes of `rest`; masked lanes are not read.
        let codes = unsafe { _mm_maskz_loadu_epi8(mask, rest.as_ptr()) };
        _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes))
    }
}

/// [Folds](vector::fold) both vectors with `step` from zero and joins the partial results with
/// `merge`.
#[inline]
#[target_feature(enable = "avx512f")]
fn fold<T>(
    a: &[f32],
    b: &[T],
    step: impl Fn(__m512, __m512, __m512) -> __m512,
    merge: impl Fn(__m512, __m512) -> __m512,
) -> __m512
where
    __m512: Vector<T>,
{
    // SAFETY: this function has the features of the vector.
    let [s, t, u, v] = unsafe { vector::fold(a, b, _mm512_setzero_ps(), step) };
    merge(merge(s, t), merge(u, v))
}

#[target_feature(enable = "avx512f")]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| _mm512_fmadd_ps(x, y, sum);
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn dot_bf16(a: &[f32], b: &[u16]) -> f32 {
    let step = |sum, x, y| _mm512_fmadd_ps(x, y, sum);
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn dot_int8(a: &[f32], scale: f32, b: &[i8]) -> f32 {
    let scale = _mm512_set1_ps(scale);
    let step = |sum, x, y| _mm512_fmadd_ps(x, _mm512_mul_ps(scale, y), sum);
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}

#[target_feature(enable = "avx512f")]
pub(super) fn l2sq(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| {
        let diff = _mm512_sub_ps(x, y);
        _mm512_fmadd_ps(diff, diff, sum)
    };
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}

#[target_feature(enable = "avx512f")]
pub(super) fn l1(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| _mm512_add_ps(sum, _mm512_abs_ps(_mm512_sub_ps(x, y)));
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}

#[target_feature(enable = "avx512f")]
pub(super) fn linf(a: &[f32], b: &[f32]) -> f32 {
    let step = |max, x, y| _mm512_max_ps(max, _mm512_abs_ps(_mm512_sub_ps(x, y)));
    _mm512_reduce_max_ps(fold(a, b, step, |s, t| _mm512_max_ps(s, t)))
}

#[target_feature(enable = "avx512f")]
pub(super) fn hamming(a: &[f32], b: &[f32]) -> f32 {
    let one = _mm512_set1_ps(1.0);
    let step = |count, x, y| {
        let differs = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(x, y);
        _mm512_mask_add_ps(count, differs, count, one)
    };
    _mm512_reduce_add_ps(fold(a, b, step, |s, t| _mm512_add_ps(s, t)))
}
