//! Conversion between f32 and bfloat16, the upper half of an f32 kept in a `u16`.

/// The f32 that a bfloat16 stands for, without loss.
#[inline]
pub fn bf16_to_f32(value: u16) -> f32 {
    f32::from_bits(u32::from(value) << 16)
}

/// The largest f32 that rounds to a finite bfloat16: one less than the middle between the largest of them and infinity.
pub const BF16_ROUNDED_MAX: f32 = f32::from_bits(0x7f7f_7fff);

/// Rounds to the nearest bfloat16, ties to even. NaN stays NaN.
#[inline]
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        // Rounding could carry a NaN's payload into infinity, so keep it quiet instead.
        return (bits >> 16) as u16 | 0x40;
    }
    let ties_to_even = (bits >> 16) & 1;
    ((bits + 0x7fff + ties_to_even) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_short_mantissas_survive_the_round_trip() {
        for value in [0.0, -0.0, 1.0, -2.5, 0.15625, f32::INFINITY] {
            assert_eq!(bf16_to_f32(f32_to_bf16(value)).to_bits(), value.to_bits());
        }
        assert!(bf16_to_f32(f32_to_bf16(f32::NAN)).is_nan());
    }

    #[test]
    fn rounding_goes_to_the_nearest_and_ties_to_even() {
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f80_8001)), 0x3f81);
    }

    #[test]
    fn the_largest_float_that_stays_finite_is_the_one_that_is_named() {
        let finite = |value: f32| bf16_to_f32(f32_to_bf16(value)).is_finite();
        for sign in [1.0, -1.0] {
            assert!(finite(sign * BF16_ROUNDED_MAX));
            assert!(!finite(sign * BF16_ROUNDED_MAX.next_up()));
        }
    }
}
