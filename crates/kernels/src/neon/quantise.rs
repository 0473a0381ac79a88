//! Quantisers: the portable loops, for which the compiler has NEON already, and planes of four-bit
//! codes by adding up the bits of neighbours.

use std::arch::aarch64::*;

use crate::scalar::quantise as scalar;

#[target_feature(enable = "neon")]
pub(super) fn encode_i4(v: &[f32], scale: f32, codes: &mut [i8], planes: &mut [u64]) -> (i32, f32) {
    let sums = scalar::codes_i4(v, scale, codes, planes);
    let words = codes.len() / 64;
    for (word, codes) in codes.as_chunks::<64>().0.iter().enumerate() {
        // SAFETY: sixty-four bytes are there.
        let codes = unsafe { vld1q_s8_x4(codes.as_ptr()) };
        for (j, bit) in [1, 2, 4, 8].into_iter().enumerate() {
            planes[j * words + word] = plane(codes, vdupq_n_s8(bit));
        }
    }
    sums
}

/// Tells for each of sixty-four bytes whether it shares a bit with `bit`.
#[inline]
#[target_feature(enable = "neon")]
fn plane(codes: int8x16x4_t, bit: int8x16_t) -> u64 {
    // Byte `i` of eight is to become bit `i`.
    let places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let bits = |v| vandq_u8(vtstq_s8(v, bit), places);
    let low = vpaddq_u8(bits(codes.0), bits(codes.1));
    let high = vpaddq_u8(bits(codes.2), bits(codes.3));
    let pairs = vpaddq_u8(low, high);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
}
