//! f32 kernels.

use std::arch::aarch64::*;

use crate::vector::{self, Vector};

const LANES: usize = 4;

impl Vector<f32> for float32x4_t {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(v: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all four floats inside `v`.
        unsafe { vld1q_f32(v.as_ptr().add(at)) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_tail(v: &[f32], at: usize) -> Self {
        let mut padded = [0.0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly four floats.
        unsafe { Self::load(&padded, 0) }
    }
}

/// Widens bfloat16.
impl Vector<u16> for float32x4_t {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(v: &[u16], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all four halves inside `v`.
        let halves = unsafe { vld1_u16(v.as_ptr().add(at)) };
        vreinterpretq_f32_u32(vshll_n_u16::<16>(halves))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_tail(v: &[u16], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly four halves.
        unsafe { Self::load(&padded, 0) }
    }
}

/// Widens codes.
impl Vector<i8> for float32x4_t {
    const LANES: usize = LANES;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(v: &[i8], at: usize) -> Self {
        debug_assert!(at + LANES <= v.len());
        // SAFETY: the caller keeps all four codes inside `v`; the read needs no alignment.
        let codes = unsafe { v.as_ptr().add(at).cast::<u32>().read_unaligned() };
        let codes = vmovl_s8(vcreate_s8(u64::from(codes)));
        vcvtq_f32_s32(vmovl_s16(vget_low_s16(codes)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_tail(v: &[i8], at: usize) -> Self {
        let mut padded = [0; LANES];
        padded[..v.len() - at].copy_from_slice(&v[at..]);
        // SAFETY: `padded` holds exactly four codes.
        unsafe { Self::load(&padded, 0) }
    }
}

/// [Folds](vector::fold) both vectors with `step` from zero and joins the partial results with
/// `merge`.
#[inline]
#[target_feature(enable = "neon")]
fn fold<T>(
    a: &[f32],
    b: &[T],
    step: impl Fn(float32x4_t, float32x4_t, float32x4_t) -> float32x4_t,
    merge: impl Fn(float32x4_t, float32x4_t) -> float32x4_t,
) -> float32x4_t
where
    float32x4_t: Vector<T>,
{
    // SAFETY: this function has the features of the vector.
    let [s, t, u, v] = unsafe { vector::fold(a, b, vdupq_n_f32(0.0), step) };
    merge(merge(s, t), merge(u, v))
}

#[target_feature(enable = "neon")]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let step = |sum, x, y| vfmaq_f32(sum, x, y);
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn dot_bf16(a: &[f32], b: &[u16]) -> f32 {
    let step = |sum, x, y| vfmaq_f32(sum, x, y);
    vaddvq_f32(fold(a, b, step, |s, t| vaddq_f32(s, t)))
}

#[target_feature(enable = "neon")]
pub(super) fn dot_int8(a: &[f32], scale: f32, b: &[i8]) -> f32 {
    let step = |sum, x, y| vfmaq_f32(sum, x, vmulq_n_f32(y, scale));
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
