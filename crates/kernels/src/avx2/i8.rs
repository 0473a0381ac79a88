//! The int8 kernel: sixteen codes widened to i16, multiplied and added in pairs to i32. Exact for
//! every code, -128 included, which the shorter unsigned-by-signed form is not.

use std::arch::x86_64::*;

use super::sum_epi32;
use crate::vector::{self, Vector};

const LANES: usize = 16;

/// Sixteen codes, widened.
impl Vector<i8> for __m256i {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixteen codes inside `v`; the load needs no alignment.
        _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(v.as_ptr().add(at).cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly sixteen codes.
        unsafe { Self::load(&padded, 0) }
    }
}

/// Adds the products of two vectors to sums.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply_add(sum: __m256i, x: __m256i, y: __m256i) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let step = |sum, x, y| multiply_add(sum, x, y);
    // SAFETY: this function has the features of the vector.
    let [s, t, u, v] = unsafe { vector::fold(a, b, _mm256_setzero_si256(), step) };
    sum_epi32(_mm256_add_epi32(
        _mm256_add_epi32(s, t),
        _mm256_add_epi32(u, v),
    ))
}
