//! Precision of the products of an encoder.

use std::fmt;

use pelorus_kernels::kernels;

/// The numbers that weights are kept in and rows are multiplied in. Sums, norms and vectors are f32 in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Floats of 32 bits, as models have them.
    #[default]
    F32,
    /// The upper halves of such floats.
    Bf16,
    /// Integers of 8 bits.
    Int8,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::Int8];

    /// The name by which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
        }
    }

    /// Tells whether this processor has instructions for it: without, it is slower than f32.
    pub fn is_native(self) -> bool {
        self != Self::Bf16 || kernels().bf16.is_native
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
