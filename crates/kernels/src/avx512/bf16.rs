//! bfloat16 kernels: sixteen values widened by a shift, then summed in f32. The BF16 extension's
//! own product would flush denormals, so it is left out: results stay those of the scalar table.

use std::arch::x86_64::*;

const LANES: usize = 16;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn widen(halves: __m256i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
}

/// Sixteen bfloat16 values of `v` from `at` as floats.
///
/// # Safety
/// `at + 16 <= v.len()`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load(v: &[u16], at: usize) -> __m512 {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all sixteen values inside `v`; the load needs no alignment.
    widen(unsafe { _mm256_loadu_si256(v.as_ptr().add(at).cast()) })
}

/// The values of `v` from `at` to its end, fewer than sixteen, and zeros after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load_tail(v: &[u16], at: usize) -> __m512 {
    let rest = &v[at..];
    debug_assert!(rest.len() < LANES);
    let mask = (1u16 << rest.len()) - 1;
    // SAFETY: the mask admits exactly the values of `rest`; masked lanes are not read.
    widen(unsafe { _mm256_maskz_loadu_epi16(mask, rest.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn sum(a: &[u16], b: &[u16], step: impl Fn(__m512, __m512, __m512) -> __m512) -> f32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [_mm512_setzero_ps(); 2];
    let mut at = 0;
    while at + 2 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 16 <= at + 32 <= len`.
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
    _mm512_reduce_add_ps(_mm512_add_ps(acc[0], acc[1]))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn dot(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| _mm512_fmadd_ps(x, y, sum))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn l2sq(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| {
        let diff = _mm512_sub_ps(x, y);
        _mm512_fmadd_ps(diff, diff, sum)
    })
}
