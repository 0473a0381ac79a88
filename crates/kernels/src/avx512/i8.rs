//! The int8 kernel.
//!
//! VNNI multiplies unsigned by signed bytes, so the inner product lifts one side by 128 and takes
//! 128 times the other side's sum away again: `a·b = (a + 128)·b - 128 Σb`. Both sums come from
//! the same instruction, and neither can saturate.

use std::arch::x86_64::*;

use crate::vector::{self, Vector};

pub(super) const LANES: usize = 64;

impl Vector<i8> for __m512i {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixty-four codes inside `v`; the load needs no alignment.
        unsafe { _mm512_loadu_si512(v.as_ptr().add(at).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let rest = &v[at..];
        debug_assert!(rest.len() < LANES);
        let mask = (1u64 << rest.len()) - 1;
        // SAFETY: the mask admits exactly the codes of `rest`; masked lanes are not read.
        unsafe { _mm512_maskz_loadu_epi8(mask, rest.as_ptr()) }
    }
}

/// Adds `(x + 128) y` to sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn lifted_multiply_add(sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
    _mm512_dpbusd_epi32(sum, _mm512_xor_si512(x, _mm512_set1_epi8(-128)), y)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let zero = _mm512_setzero_si512();
    let step = |(lifted, offset), x, y| {
        (
            lifted_multiply_add(lifted, x, y),
            _mm512_dpbusd_epi32(offset, _mm512_set1_epi8(1), y),
        )
    };
    // SAFETY: this function has the features of the vector.
    let [(lifted, offset), (s, t)] = unsafe { vector::fold(a, b, (zero, zero), step) };
    let lifted = _mm512_add_epi32(lifted, s);
    let offset = _mm512_slli_epi32::<7>(_mm512_add_epi32(offset, t));
    _mm512_reduce_add_epi32(_mm512_sub_epi32(lifted, offset))
}
