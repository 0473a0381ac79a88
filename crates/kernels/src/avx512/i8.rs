//! The int8 kernel.
//!
//! VNNI multiplies unsigned by signed bytes, so the inner product lifts one side by 128 and takes
//! 128 times the other side's sum away again: `a·b = (a + 128)·b - 128 Σb`. Both sums come from
//! the same instruction, and neither can saturate.

use std::arch::x86_64::*;

pub(super) const LANES: usize = 64;

/// Sixty-four codes of `v` from `at`.
///
/// # Safety
/// `at + 64 <= v.len()`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn load(v: &[i8], at: usize) -> __m512i {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all sixty-four codes inside `v`; the load needs no alignment.
    unsafe { _mm512_loadu_si512(v.as_ptr().add(at).cast()) }
}

/// The codes of `v` from `at` to its end, fewer than sixty-four, and zeros after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn load_tail(v: &[i8], at: usize) -> __m512i {
    let rest = &v[at..];
    debug_assert!(rest.len() < LANES);
    let mask = (1u64 << rest.len()) - 1;
    // SAFETY: the mask admits exactly the codes of `rest`; masked lanes are not read.
    unsafe { _mm512_maskz_loadu_epi8(mask, rest.as_ptr()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let (lift, one) = (_mm512_set1_epi8(-128), _mm512_set1_epi8(1));
    let mut lifted = [_mm512_setzero_si512(); 2];
    let mut offset = [_mm512_setzero_si512(); 2];
    let mut at = 0;
    while at + 2 * LANES <= len {
        for i in 0..2 {
            let from = at + i * LANES;
            // SAFETY: `from + 64 <= at + 128 <= len`.
            let (x, y) = unsafe { (load(a, from), load(b, from)) };
            lifted[i] = _mm512_dpbusd_epi32(lifted[i], _mm512_xor_si512(x, lift), y);
            offset[i] = _mm512_dpbusd_epi32(offset[i], one, y);
        }
        at += 2 * LANES;
    }
    if at + LANES <= len {
        // SAFETY: just checked.
        let (x, y) = unsafe { (load(a, at), load(b, at)) };
        lifted[0] = _mm512_dpbusd_epi32(lifted[0], _mm512_xor_si512(x, lift), y);
        offset[0] = _mm512_dpbusd_epi32(offset[0], one, y);
        at += LANES;
    }
    if at < len {
        let (x, y) = (load_tail(a, at), load_tail(b, at));
        lifted[1] = _mm512_dpbusd_epi32(lifted[1], _mm512_xor_si512(x, lift), y);
        offset[1] = _mm512_dpbusd_epi32(offset[1], one, y);
    }
    let lifted = _mm512_add_epi32(lifted[0], lifted[1]);
    let offset = _mm512_slli_epi32::<7>(_mm512_add_epi32(offset[0], offset[1]));
    _mm512_reduce_add_epi32(_mm512_sub_epi32(lifted, offset))
}
