//! The int8 kernel: sixteen codes at a time, products in i16, sums in i32.

use std::arch::aarch64::*;

const LANES: usize = 16;

/// Sixteen codes of `v` from `at`.
///
/// # Safety
/// `at + 16 <= v.len()`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(v: &[i8], at: usize) -> int8x16_t {
    debug_assert!(at + LANES <= v.len());
    // SAFETY: the caller keeps all sixteen codes inside `v`.
    unsafe { vld1q_s8(v.as_ptr().add(at)) }
}

/// The codes of `v` from `at` to its end, fewer than sixteen, and zeros after them.
#[inline]
#[target_feature(enable = "neon")]
fn load_tail(v: &[i8], at: usize) -> int8x16_t {
    let mut padded = [0; LANES];
    padded[..v.len() - at].copy_from_slice(&v[at..]);
    // SAFETY: `padded` holds exactly sixteen codes.
    unsafe { load(&padded, 0) }
}

#[inline]
#[target_feature(enable = "neon")]
fn sum(a: &[i8], b: &[i8], step: impl Fn(int32x4_t, int8x16_t, int8x16_t) -> int32x4_t) -> i32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut acc = [vdupq_n_s32(0); 2];
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
    vaddvq_s32(vaddq_s32(acc[0], acc[1]))
}

/// Adds products to the sums. A product of two codes is at most 2^14, so i16 holds it.
#[target_feature(enable = "neon")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b, |sum, x, y| {
        let low = vmull_s8(vget_low_s8(x), vget_low_s8(y));
        vpadalq_s16(vpadalq_s16(sum, low), vmull_high_s8(x, y))
    })
}
