//! The int8 kernel: sixteen codes at a time, products in i16, sums in i32.

use std::arch::aarch64::*;

use crate::vector::{self, Vector};

const LANES: usize = 16;

impl Vector<i8> for int8x16_t {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all sixteen codes inside `v`.
        unsafe { vld1q_s8(v.as_ptr().add(at)) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly sixteen codes.
        unsafe { Self::load(&padded, 0) }
    }
}

#[target_feature(enable = "neon")]
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    // A product of two codes is at most 2^14, so i16 holds it.
    let step = |sum, x, y| {
        let low = vmull_s8(vget_low_s8(x), vget_low_s8(y));
        vpadalq_s16(vpadalq_s16(sum, low), vmull_high_s8(x, y))
    };
    // SAFETY: this function has the features of the vector.
    let [s, t] = unsafe { vector::fold(a, b, vdupq_n_s32(0), step) };
    vaddvq_s32(vaddq_s32(s, t))
}
