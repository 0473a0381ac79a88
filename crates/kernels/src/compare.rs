//! Selects the values that are small enough to matter, as one bit for each.

/// The most values [`not_above`] compares.
pub const COMPARED_MAX: usize = 64;

/// Bit `i` of the answer is set unless `values[i] > bound`: also where one of the two is not a
/// number. The first [`COMPARED_MAX`] values count.
#[inline(always)]
pub fn not_above(values: &[f32], bound: f32) -> u64 {
    let values = &values[..values.len().min(COMPARED_MAX)];
    let (fours, rest) = values.as_chunks::<4>();
    let mut mask = 0;
    for (i, four) in fours.iter().enumerate() {
        mask |= not_above_4(four, bound) << (4 * i);
    }
    for (i, &value) in rest.iter().enumerate() {
        mask |= u64::from(is_not_above(value, bound)) << (4 * fours.len() + i);
    }
    mask
}

#[inline(always)]
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what is not a number is not above"
)]
fn is_not_above(value: f32, bound: f32) -> bool {
    !(value > bound)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn not_above_4(values: &[f32; 4], bound: f32) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: four floats are there, the load needs no alignment, and every x86-64 has SSE2.
    unsafe {
        let values = _mm_loadu_ps(values.as_ptr());
        let not_above = _mm_cmpngt_ps(values, _mm_set1_ps(bound));
        u64::from(_mm_movemask_ps(not_above).cast_unsigned())
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn not_above_4(values: &[f32; 4], bound: f32) -> u64 {
    (0..4)
        .map(|i| u64::from(is_not_above(values[i], bound)) << i)
        .sum()
}

/// Bit `i` is set where byte `i` is 1 and clear where it is 0.
#[inline]
pub fn bits_of(bytes: &[u8; 64]) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    let mut word = 0;
    for (i, eight) in eights.iter().enumerate() {
        // The products of the bytes' lowest bits with the powers of two meet in the highest byte.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (8 * i);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_its_bit() {
        for bits in [0, 1, 1 << 63, u64::MAX, 0x8123_4567_89ab_cdef] {
            let bytes = std::array::from_fn(|i| (bits >> i & 1) as u8);
            assert_eq!(bits_of(&bytes), bits);
        }
    }

    #[test]
    fn each_value_has_its_bit() {
        let values: Vec<f32> = (0..70u16).map(|i| f32::from(i * 37 % 70)).collect();
        for len in [0, 1, 3, 4, 31, 64, 70] {
            let mask = not_above(&values[..len], 20.0);
            for (i, &value) in values.iter().enumerate().take(64) {
                assert_eq!(mask >> i & 1 == 1, i < len && value <= 20.0, "{i} of {len}");
            }
        }
    }

    #[test]
    fn nan_is_let_through() {
        assert_eq!(
            not_above(&[f32::NAN, 1.0, 2.0, 3.0, f32::NAN], 1.5),
            0b10011
        );
        assert_eq!(not_above(&[1.0; 5], f32::NAN), 0b11111);
        assert_eq!(not_above(&[f32::INFINITY; 5], f32::INFINITY), 0b11111);
    }
}
