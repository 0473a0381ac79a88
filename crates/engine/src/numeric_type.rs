//! What the numbers of stored vectors are.

use std::str::FromStr;

use pelorus_kernels::{bf16_to_f32, f32_to_bf16};

/// The `vectorNumericType` of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NumericType {
    /// 32-bit floats.
    #[default]
    Float,
    /// The upper half of a 32-bit float: its range, and 8 bits of precision.
    Bfloat16,
}

impl NumericType {
    /// The nearest number of this type, of two equally near ones the even one. Beyond the range of
    /// bfloat16 that is infinity.
    pub fn round(self, number: f32) -> f32 {
        match self {
            Self::Float => number,
            Self::Bfloat16 => bf16_to_f32(f32_to_bf16(number)),
        }
    }
}

impl FromStr for NumericType {
    type Err = ();

    /// Reads the name in index settings.
    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "float" => Ok(Self::Float),
            "bfloat16" => Ok(Self::Bfloat16),
            _ => Err(()),
        }
    }
}
