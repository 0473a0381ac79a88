//! One bit a component: sign codes of rotated vectors, and queries in four bits against them.
//!
//! With `s` the signs of a rotated vector `r`, `⟨q, r⟩ ≈ factor · ⟨q, s⟩` where
//! `factor = |r|² / |r|₁`. The estimate has no bias: `factor · s - r` is at right angles to `r` and,
//! the rotation being random, in a random direction otherwise (Gao and Long 2024, "RaBitQ",
//! section 3). Its error is about normal with deviation
//! `|q| |r| √(1 - ρ²) / (ρ √(d - 1))`, where `ρ = |r|₁ / (|r| √d)`, about 0.8.

use crate::kernels;
use crate::key_weights::FACTOR_WORDS;

/// Query components are clipped at this many standard deviations: beyond it finer steps lose more
/// than they gain.
const CLIP_DEVIATIONS: f32 = 2.9;
/// Steps from zero to the clip. The four-bit range is -8..=7.
const CLIP_STEPS: f32 = 7.5;
/// Bits of a query component.
const PLANES: usize = 4;
/// The part of a query's length that four bits lose, measured on normal components.
const QUERY_LOSS: f64 = 0.12;

/// The factor that makes the estimates of one row of sign bits unbiased, and the bound of their
/// error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitFactors {
    /// `|r|² / |r|₁`: an inner product is about this times that of the query with the signs.
    pub rescale: f32,
    /// One standard deviation of an estimate per unit of the query's length. About one estimate in
    /// three is off by more than that, one in twenty by more than twice that.
    pub error: f32,
}

impl BitFactors {
    /// `|r|²` of the `components` whose signs were encoded: what factor and error were made of.
    pub fn square(self, components: usize) -> f32 {
        let (dim, factor) = (components as f64, f64::from(self.rescale));
        let lost = f64::from(self.error).powi(2) - (QUERY_LOSS * factor).powi(2);
        let square = dim * factor * factor - lost * (dim - 1.0).max(1.0);
        square.clamp(0.0, f64::from(f32::MAX)) as f32
    }
}

/// Writes the sign bits of `rotated`, `[64 n]`, into `bits`, `[n]`: component `i` is bit `i % 64`
/// of word `i / 64`, set where it is not negative. The factors are finite for whatever input, and
/// zero for a vector of zeros.
///
/// # Panics
/// If `bits` does not hold one bit a component.
pub fn encode_bits(rotated: &[f32], bits: &mut [u64]) -> BitFactors {
    assert_eq!(rotated.len(), bits.len() * 64, "one bit a component");
    for (word, components) in bits.iter_mut().zip(rotated.as_chunks::<64>().0) {
        *word = sign_bits(components);
    }
    let (sum, square) = moments(rotated);
    if sum == 0.0 {
        return BitFactors::default();
    }
    let factor = square / sum;
    // |r|² (1 - ρ²) / ρ² = d factor² - |r|²; Cauchy and Schwarz keep it above zero.
    let dim = rotated.len() as f64;
    let lost = (dim * factor * factor - square).max(0.0) / (dim - 1.0).max(1.0);
    let error = (lost + (QUERY_LOSS * factor).powi(2)).sqrt();
    BitFactors {
        rescale: factor as f32,
        error: error.min(f64::from(f32::MAX)) as f32,
    }
}

/// Bit `i` is set where component `i` is not negative.
#[inline]
fn sign_bits(components: &[f32; 64]) -> u64 {
    let mut word = 0;
    for (i, x) in components.iter().enumerate() {
        word |= u64::from(!x.to_bits() >> 31) << i;
    }
    word
}

/// `Σ|x|` and `Σx²`. Both fit f64 for any f32; a value that is not finite counts as the largest
/// that is.
fn moments(v: &[f32]) -> (f64, f64) {
    const LANES: usize = 8;
    let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
    for chunk in v.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let x = f64::from(chunk[lane].abs().min(f32::MAX));
            sums[lane] += x;
            squares[lane] += x * x;
        }
    }
    (sums.iter().sum(), squares.iter().sum())
}

/// A rotated query in four signed bits a component, cut into planes of one bit.
#[derive(Clone, Debug)]
pub struct BitQuery {
    /// `[4, words]`: plane `j` holds bit `j` of every code, the last one the sign.
    planes: Vec<u64>,
    /// `[64 words]`: the codes, -8..=7.
    #[cfg(target_arch = "x86_64")]
    codes: Vec<i8>,
    /// Sum of the codes.
    sum: i32,
    /// The value of one step of a code.
    step: f32,
    norm: f32,
}

impl BitQuery {
    /// Quantises `rotated`, `[64 n]` with n in 1..=64.
    ///
    /// All components share one step, so that products stay integers until the end. The step is
    /// chosen for the codes to have no bias either: `⟨q, step · codes⟩ = |q|²`.
    ///
    /// # Panics
    /// If `rotated` is of another length.
    pub fn new(rotated: &[f32]) -> Self {
        Self::of_square(rotated, (kernels().dot_f32)(rotated, rotated))
    }

    /// The same of a vector whose sum of squares is known: rotations do not change it.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn of_square(rotated: &[f32], square: f32) -> Self {
        let words = rotated.len() / 64;
        assert!(
            rotated.len().is_multiple_of(64) && (1..=64).contains(&words),
            "a multiple of 64 up to 4096 components, not {}",
            rotated.len()
        );
        let norm = length(rotated, square);
        let clip = CLIP_DEVIATIONS * norm / (rotated.len() as f32).sqrt();
        // A query of zeros, or one whose steps f32 cannot express, has codes of zeros.
        let scale = Some(CLIP_STEPS / clip).filter(|scale| scale.is_normal());
        let mut codes = vec![0; rotated.len()];
        let scale = scale.unwrap_or(0.0);
        let mut planes = vec![0; PLANES * words];
        let (sum, product) = (kernels().encode_i4)(rotated, scale, &mut codes, &mut planes);
        let step = norm * (norm * scale) / product;
        Self {
            planes,
            #[cfg(target_arch = "x86_64")]
            codes,
            sum,
            step: if step.is_finite() { step } else { 0.0 },
            norm,
        }
    }

    /// Length of the query, `|q|`.
    pub fn norm(&self) -> f32 {
        self.norm
    }

    /// Words of sign bits in a row this query can be compared with.
    pub fn words(&self) -> usize {
        self.planes.len() / PLANES
    }

    /// Plane `j`, `[words]`: bit `j` of every code. The last one weighs -8.
    pub(crate) fn plane(&self, j: usize) -> &[u64] {
        &self.planes[j * self.words()..][..self.words()]
    }

    /// The codes, `[64 words]`, -8..=7.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn codes(&self) -> &[i8] {
        &self.codes
    }

    /// The value of a product, given the sum of the codes whose bits are set: `Σ ±code` is twice
    /// that less the sum of all. The integer has 17 bits, so one rounding is all there is.
    #[inline(always)]
    pub(crate) fn product(&self, sum_of_set: i32) -> f32 {
        self.step * (2 * sum_of_set - self.sum) as f32
    }

    /// Sum of the codes, and the value of one step of a code.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn sum_and_step(&self) -> (i32, f32) {
        (self.sum, self.step)
    }

    /// Checks the conditions of every kernel, once for all rows.
    ///
    /// # Panics
    /// If there is not one result for each row, or a row too short for its bits and factors.
    #[inline(always)]
    pub(crate) fn check_rows(&self, rows: &[&[u64]], out: &[f32]) {
        assert_eq!(rows.len(), out.len(), "one key a row");
        let words = self.words() + FACTOR_WORDS;
        assert!(
            rows.iter().all(|row| row.len() >= words),
            "rows of {words} words"
        );
    }
}

/// `|v|`, given its square; the largest f32 where it does not fit.
fn length(v: &[f32], square: f32) -> f32 {
    if (1e-24..1e30).contains(&square) {
        return square.sqrt();
    }
    moments(v).1.sqrt().min(f64::from(f32::MAX)) as f32
}
