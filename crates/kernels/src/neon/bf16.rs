//! bfloat16 kernels: four values widened by a shift, then summed in f32.

use std::arch::aarch64::*;

const LANES: usize = 4;

/// Four bfloat16 values of `v` from `at` as floats.
///
/// # Safety
/// `at + 4 <= v.len()`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(v: &[u16], at: usize) -> float32x4_t {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all four values inside `v`.
    let halves = unsafe { vld1_u16(v.as_ptr().add(at)) };
    vreinterpretq_f32_u32(vshlq_n_u32::<16>(vmovl_u16(halves)))
}

/// The values of `v` from `at` to its end, fewer than four, and zeros after them.
#[inline]
#[target_feature(enable = "neon")]
fn load_tail(v: &[u16], at: usize) -> float32x4_t {
    let mut padded = [0; LANES];
    padded[..v.len() - at].copy_from_slice(&v[at..]);
    // SAFETY: `padded` holds exactly four values.
    unsafe { load(&padded, 0) }
}

#[inline]
#[target_feature(enable = "neon")]
fn sum(
    a: &[u16],
    b: &[u16],
    step: impl Fn(float32x4_t, float32x4_t, float32x4_t) -> float32x4_t,
) -> f32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [vdupq_n_f32(0.0); 2];
    let mut at = 0;
    while at + 2 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 4 <= at + 8 <= len`.
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
    vaddvq_f32(vaddq_f32(acc[0], acc[1]))
}

#[target_feature(enable = "neon")]
pub(super) fn dot(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| vfmaq_f32(sum, x, y))
}

#[target_feature(enable = "neon")]
pub(super) fn l2sq(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |sum, x, y| {
        let diff = vsubq_f32(x, y);
        vfmaq_f32(sum, diff, diff)
    })
}
