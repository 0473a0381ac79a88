//! The 16-bit floats that kernels compute in.

use half::{bf16, f16};

/// The type of what lies on a device: weights and what becomes of tokens. Sums are of 32 bits in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Half precision: 11 bits of mantissa, up to 65,504. Runs from compute capability 7.5 on.
    F16,
    /// Brain float: 8 bits of mantissa, the range of f32. Runs from compute capability 8.0 on.
    Bf16,
}

impl Element {
    /// The nearest element, ties to even, in its bits.
    pub fn bits(self, value: f32) -> u16 {
        match self {
            Self::F16 => f16::from_f32(value).to_bits(),
            Self::Bf16 => bf16::from_f32(value).to_bits(),
        }
    }

    /// The float that the bits stand for.
    pub fn value(self, bits: u16) -> f32 {
        match self {
            Self::F16 => f16::from_bits(bits).to_f32(),
            Self::Bf16 => bf16::from_bits(bits).to_f32(),
        }
    }

    /// The value after rounding to this element.
    pub fn round(self, value: f32) -> f32 {
        self.value(self.bits(value))
    }
}
