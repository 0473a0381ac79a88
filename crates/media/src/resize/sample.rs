//! The arithmetic of each kind of sample.

use super::filter::Kernel;
use super::rgb_row;

/// Bits after the point of a weight: 32, less 8 of the sample, less 2 for what weights below 0 and above 1 add.
pub(super) const WEIGHT_BITS: u32 = 32 - 8 - 2;

/// The arithmetic of a kernel on samples of a kind.
pub(super) trait Sample: Copy + Default + 'static {
    type Weight: Copy + 'static;
    type Sum: Copy;
    /// The start of a sum.
    const START: Self::Sum;

    fn quantize(weight: f64) -> Self::Weight;
    fn add(sum: &mut Self::Sum, sample: Self, weight: Self::Weight);
    fn finish(sum: Self::Sum) -> Self;

    /// Returns a function that convolves a row of pixels of `C` samples by kernels.
    fn row_convolution<const C: usize>(
        kernels: &[Kernel<Self::Weight>],
    ) -> RowConvolution<'_, Self> {
        Box::new(one_by_one::<Self, C>(kernels))
    }
}

/// From a row to the convolved one.
pub(super) type RowConvolution<'k, S> = Box<dyn Fn(&[S], &mut [S]) + 'k>;

fn one_by_one<S: Sample, const C: usize>(kernels: &[Kernel<S::Weight>]) -> impl Fn(&[S], &mut [S]) {
    move |row, convolved| {
        let (convolved, _) = convolved.as_chunks_mut::<C>();
        for (out, kernel) in convolved.iter_mut().zip(kernels) {
            let sums = added([S::START; C], &row[kernel.start * C..], &kernel.weights);
            *out = sums.map(S::finish);
        }
    }
}

/// Adds pixels to the sums of their channels, as many as there are weights.
#[inline(always)]
pub(super) fn added<S: Sample, const C: usize>(
    mut sums: [S::Sum; C],
    samples: &[S],
    weights: &[S::Weight],
) -> [S::Sum; C] {
    let (pixels, _) = samples.as_chunks::<C>();
    for (pixel, &weight) in pixels.iter().zip(weights) {
        for (sum, &sample) in sums.iter_mut().zip(pixel) {
            S::add(sum, sample, weight);
        }
    }
    sums
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

    fn row_convolution<const C: usize>(kernels: &[Kernel<i32>]) -> RowConvolution<'_, u8> {
        match C {
            3 => Box::new(rgb_row::convolution(kernels)),
            _ => Box::new(one_by_one::<u8, C>(kernels)),
        }
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
