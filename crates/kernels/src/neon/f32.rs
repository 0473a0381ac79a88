//! f32 kernels.

use std::arch::aarch64::*;

const LANES: usize = 4;

/// Four floats of `v` from `at`.
///
/// # Safety
/// `at + 4 <= v.len()`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(v: &[f32], at: usize) -> float32x4_t {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all four floats inside `v`.
    unsafe { vld1q_f32(v.as_ptr().add(at)) }
}

/// The floats of `v` from `at` to its end, fewer than four, and zeros after them.
#[inline]
#[target_feature(enable = "neon")]
fn load_tail(v: &[f32], at: usize) -> float32x4_t {
    let mut padded = [0.0; LANES];
    padded[..v.len() - at].copy_from_slice(&v[at..]);
    // SAFETY: `padded` holds exactly four floats.
    unsafe { load(&padded, 0) }
}

/// Folds both vectors lane by lane with `step` from zero and joins the partial results with
/// `merge`. Zero against zero must leave a result as it is: that is how the tail is padded.
#[inline]
#[target_feature(enable = "neon")]
fn fold(
    a: &[f32],
    b: &[f32],
    step: impl Fn(float32x4_t, float32x4_t, float32x4_t) -> float32x4_t,
    merge: impl Fn(float32x4_t, float32x4_t) -> float32x4_t,
) -> float32x4_t {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [vdupq_n_f32(0.0); 4];
    let mut at = 0;
    while at + 4 * LANES <= len {
        for (i, acc) in acc.iter_mut().enumerate() {
            let from = at + i * LANES;
            // SAFETY: `from + 4 <= at + 16 <= len`.
            *acc = unsafe { step(*acc, load(a, from), load(b, from)) };
        }
        at += 4 * LANES;
    }
    while at + LANES <= len {
        // SAFETY: `at + 4 <= len` by the loop's condition.
        acc[0] = unsafe { step(acc[0], load(a, at), load(b, at)) };
        at += LANES;
    }
    if at < len {
        acc[1] = step(acc[1], load_tail(a, at), load_tail(b, at));
    }
    merge(merge(acc[0], acc[1]), merge(acc[2], acc[3]))
}

#[target_feature(enable = "neon")]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| vfmaq_f32(sum, x, y);
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn l2sq(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| {
        let diff = vsubq_f32(x, y);
        vfmaq_f32(sum, diff, diff)
    };
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn l1(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| vaddq_f32(sum, vabdq_f32(x, y));
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn linf(a: &[f32], b: &[f32]) -> f32 {
    let step = |max, x, y| vmaxq_f32(max, vabdq_f32(x, y));
    vmaxvq_f32(fold(a, b, step, |s, t| vmaxq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn hamming(a: &[f32], b: &[f32]) -> f32 {
    let one = vdupq_n_u32(1.0f32.to_bits());
    let step = |count, x, y| {
        let differs = vmvnq_u32(vceqq_f32(x, y));
        vaddq_f32(count, vreinterpretq_f32_u32(vandq_u32(differs, one)))
    };
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}
