//! The weights that turn products of sign bits into keys.

/// Words after the bits of a row that hold what its keys are made of.
pub(crate) const FACTOR_WORDS: usize = 2;

/// The weights of the parts of a key that [`Kernels::bit_keys`] makes.
///
/// [`Kernels::bit_keys`]: crate::Kernels::bit_keys
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyWeights {
    /// The weight of a product of query and vector.
    pub product: f32,
    /// The weight of the error radius of a row: 0 for the key itself, more for a lower bound of it.
    pub error: f32,
}

impl KeyWeights {
    /// The key of a row with these factors behind its bits, given the product with its signs.
    #[inline(always)]
    pub(crate) fn key(self, product: f32, factors: &[u64]) -> f32 {
        let low = |word: u64| f32::from_bits(word as u32);
        let (add, factor) = (low(factors[0]), low(factors[0] >> 32));
        add - self.product * factor * product - self.error * low(factors[1])
    }
}
