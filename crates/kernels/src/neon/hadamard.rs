//! The fast Hadamard transform: the steps inside of a vector, then whole vectors at a time.

use std::arch::aarch64::*;

use crate::scalar::hadamard as scalar;

const LANES: usize = 4;

#[target_feature(enable = "neon")]
pub(super) fn transform(block: &mut [f32], signs: &[f32]) {
    scalar::check(block, signs);
    if block.len() < LANES {
        return scalar::transform(block, signs);
    }
    let (fours, signs) = (
        block.as_chunks_mut::<LANES>().0,
        signs.as_chunks::<LANES>().0,
    );
    for (four, signs) in fours.iter_mut().zip(signs) {
        within(four, signs);
    }
    scalar::join(block, LANES);
}

/// The steps at distances 1 and 2: each component is added to its partner, itself negated where it
/// is the second of the two.
#[inline]
#[target_feature(enable = "neon")]
fn within(four: &mut [f32; LANES], signs: &[f32; LANES]) {
    let (first, second) = ([1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0f32]);
    // SAFETY: every pointer is that of four floats.
    unsafe {
        let x = vmulq_f32(vld1q_f32(four.as_ptr()), vld1q_f32(signs.as_ptr()));
        let x = vfmaq_f32(vrev64q_f32(x), x, vld1q_f32(first.as_ptr()));
        let x = vfmaq_f32(vextq_f32::<2>(x, x), x, vld1q_f32(second.as_ptr()));
        vst1q_f32(four.as_mut_ptr(), x);
    }
}
