//! f32 kernels.

use std::arch::x86_64::*;

pub(super) const LANES: usize = 16;

/// Sixteen floats of `v` from `at`.
///
/// # Safety
/// `at + 16 <= v.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn load(v: &[f32], at: usize) -> __m512 {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all sixteen floats inside `v`; the load needs no alignment.
    unsafe { _mm512_loadu_ps(v.as_ptr().add(at)) }
}

/// The floats of `v` from `at` to its end, fewer than sixteen, and zeros after them.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_tail(v: &[f32], at: usize) -> __m512 {
    let rest = &v[at..];
    debug_assert!(rest.len() < LANES);
    let mask = (1u16 << rest.len()) - 1;
    // SAFETY: the mask admits exactly the floats of `rest`; masked lanes are not read.
    unsafe { _mm512_maskz_loadu_ps(mask, rest.as_ptr()) }
}

/// Folds both vectors lane by lane with `step` from zero and joins the partial results with
/// `merge`. Zero against zero must leave a result as it is: that is how the tail is padded.
#[inline]
#[target_feature(enable = "avx512f")]
fn fold(
    a: &[f32],
    b: &[f32],
    step: impl Fn(__m512, __m512, __m512) -> __m512,
    merge: impl Fn(__m512, __m512) -> __m512,
) -> __m512 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [_mm512_setzero_ps(); 4];
    let mut at = 0;
    while at + 4 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 16 <= at + 64 <= len`.
            *acc = unsafe { step(*acc, load(a, from), load(b, from)) };
        }
        at += 4 * LANES;
    }
    while at + LANES <= len {
        // SAFETY: `at + 16 <= len` by the loop's condition.
        acc[0] = unsafe { step(acc[0], load(a, at), load(b, at)) };
        at += LANES;
    }
    if at < len {
        acc[1] = step(acc[1], load_tail(a, at), load_tail(b, at));
    }
    merge(merge(acc[0], acc[1]), merge(acc[2], acc[3]))
}

#[target_feature(enable = "avx512f")]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| _mm512_fmadd_ps(x, y, sum);
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
