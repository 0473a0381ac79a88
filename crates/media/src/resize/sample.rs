//! The arithmetic of each kind of sample.

/// Bits after the point of a weight: 32, less 8 of the sample, less 2 for what weights below 0 and above 1 add.
const WEIGHT_BITS: u32 = 32 - 8 - 2;

/// What a kernel does with samples of a kind.
pub(super) trait Sample: Copy + Default {
    type Weight: Copy;
    type Sum: Copy;
    /// What a sum begins at.
    const START: Self::Sum;

    fn quantize(weight: f64) -> Self::Weight;
    fn add(sum: &mut Self::Sum, sample: Self, weight: Self::Weight);
    fn finish(sum: Self::Sum) -> Self;
}

/// Fixed point. A weight is rounded half away from zero; half a grey level is in the sum from the start, so that the
/// shift rounds. Weights sum to less than 2 in absolute value, so no sum leaves an `i32`; it wraps only to keep the
/// loops free of branches.
impl Sample for u8 {
    type Weight = i32;
    type Sum = i32;
    const START: i32 = 1 << (WEIGHT_BITS - 1);

    fn quantize(weight: f64) -> i32 {
        (weight * f64::from(1 << WEIGHT_BITS) + 0.5_f64.copysign(weight)) as i32
    }

    #[inline(always)]
    fn add(sum: &mut i32, sample: u8, weight: i32) {
        *sum = sum.wrapping_add(i32::from(sample).wrapping_mul(weight));
    }

    #[inline(always)]
    fn finish(sum: i32) -> u8 {
        (sum >> WEIGHT_BITS).clamp(0, 255) as u8
    }
}

impl Sample for u16 {
    type Weight = f64;
    type Sum = f64;
    const START: f64 = 0.0;

    fn quantize(weight: f64) -> f64 {
        weight
    }

    #[inline(always)]
    fn add(sum: &mut f64, sample: u16, weight: f64) {
        *sum += f64::from(sample) * weight;
    }

    /// Pillow clips each byte for itself, so a sum above the range keeps its low one.
    fn finish(sum: f64) -> u16 {
        let rounded = sum.round() as i32;
        if rounded > i32::from(u16::MAX) {
            0xFF00 | (rounded & 0xFF) as u16
        } else {
            rounded.max(0) as u16
        }
    }
}

impl Sample for f32 {
    type Weight = f64;
    type Sum = f64;
    const START: f64 = 0.0;

    fn quantize(weight: f64) -> f64 {
        weight
    }

    #[inline(always)]
    fn add(sum: &mut f64, sample: f32, weight: f64) {
        *sum += f64::from(sample) * weight;
    }

    fn finish(sum: f64) -> f32 {
        sum as f32
    }
}
