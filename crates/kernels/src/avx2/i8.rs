//! The int8 kernel: sixteen codes widened to i16, multiplied and added in pairs to i32. Exact for
//! every code, -128 included, which the shorter unsigned-by-signed form is not.

use std::arch::x86_64::*;

use super::sum_epi32;

pub(super) const LANES: usize = 16;

/// Sixteen codes of `v` from `at`, widened.
///
/// # Safety
/// `at + 16 <= v.len()`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn load(v: &[i8], at: usize) -> __m256i {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all sixteen codes inside `v`; the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(v.as_ptr().add(at).cast()) })
}

/// The codes of `v` from `at` to its end, fewer than sixteen, and zeros after them.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn load_tail(v: &[i8], at: usize) -> __m256i {
    let mut padded = [0; LANES];
    padded[..v.len() - at].copy_from_slice(&v[at..]);
    // SAFETY: `padded` holds exactly sixteen codes.
    unsafe { load(&padded, 0) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [_mm256_setzero_si256(); 4];
    let mut at = 0;
    while at + 4 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 16 <= at + 64 <= len`.
            *acc =
                unsafe { _mm256_add_epi32(*acc, _mm256_madd_epi16(load(a, from), load(b, from))) };
        }
        at += 4 * LANES;
    }
    while at + LANES <= len {
        // SAFETY: `at + 16 <= len` by the loop's condition.
        acc[0] = unsafe { _mm256_add_epi32(acc[0], _mm256_madd_epi16(load(a, at), load(b, at))) };
        at += LANES;
    }
    if at < len {
        acc[1] = _mm256_add_epi32(
            acc[1],
            _mm256_madd_epi16(load_tail(a, at), load_tail(b, at)),
        );
    }
    let (low, high) = (
        _mm256_add_epi32(acc[0], acc[1]),
        _mm256_add_epi32(acc[2], acc[3]),
    );
    sum_epi32(_mm256_add_epi32(low, high))
}
