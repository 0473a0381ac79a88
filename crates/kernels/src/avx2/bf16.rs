//! bfloat16 kernels: eight values widened by a shift, then summed in f32.

use std::arch::x86_64::*;

use super::sum_ps;

const LANES: usize = 8;

/// Eight bfloat16 values of `v` from `at` as floats.
///
/// # Safety
/// `at + 8 <= v.len()`.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn load(v: &[u16], at: usize) -> __m256 {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all eight values inside `v`; the load needs no alignment.
    let halves = unsafe { _mm_loadu_si128(v.as_ptr().add(at).cast()) };
    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
}

/// The values of `v` from `at` to its end, fewer than eight, and zeros after them.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn load_tail(v: &[u16], at: usize) -> __m256 {
    let mut padded = [0; LANES];
    padded[..v.len() - at].copy_from_slice(&v[at..]);
    // SAFETY: `padded` holds exactly eight values.
    unsafe { load(&padded, 0) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum(a: &[u16], b: &[u16], step: impl Fn(__m256, __m256, __m256) -> __m256) -> f32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [_mm256_setzero_ps(); 2];
    let mut at = 0;
    while at + 2 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 8 <= at + 16 <= len`.
            *acc = unsafe { step(*acc, load(a, from), load(b, from)) };
        }
        at += 2 * LANES;
    }
    if at + LANES <= len {
        // SAFETY: just checked.
        acc[0] = unsafe { step(acc[0], load(a, at), load(b, at)) };
        at += LANES;
    }
    if at < len {
        acc[1] = step(acc[1], load_tail(a, at), load_tail(b, at));
    }
    sum_ps(_mm256_add_ps(acc[0], acc[1]))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| _mm256_fmadd_ps(x, y, sum))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn l2sq(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| {
        let diff = _mm256_sub_ps(x, y);
        _mm256_fmadd_ps(diff, diff, sum)
    })
}
