//! The numbers a field keeps its vectors in, and the bytes of a vector of them.

use std::fmt;
use std::str::FromStr;

use pelorus_kernels::{bf16_to_f32, f32_to_bf16, int8_row_bytes, read_int8_row, write_int8_row};

/// The type of one component of a stored vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumericType {
    /// IEEE 754 single precision, four bytes: vectors are kept as they came.
    #[default]
    Float,
    /// The upper half of a [`Float`](Self::Float), two bytes: its range with 8 significant bits,
    /// rounded to nearest, ties to even.
    Bfloat16,
    /// A byte for each component, and a step for each vector: multiples of a 127th of its largest component.
    Int8,
}

impl NumericType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Float, Self::Bfloat16, Self::Int8];

    /// The name in index settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Bfloat16 => "bfloat16",
            Self::Int8 => "int8",
        }
    }

    /// Bytes of a vector of `dim` components.
    pub fn row_bytes(self, dim: usize) -> usize {
        match self {
            Self::Float => dim * size_of::<f32>(),
            Self::Bfloat16 => dim * size_of::<u16>(),
            Self::Int8 => int8_row_bytes(dim),
        }
    }

    /// Writes a vector as it is stored.
    ///
    /// # Panics
    /// If `row` does not have [as many bytes](Self::row_bytes) as the vector.
    pub fn write_row(self, vector: &[f32], row: &mut [u8]) {
        assert_eq!(row.len(), self.row_bytes(vector.len()), "bytes of a row");
        match self {
            Self::Float => {
                let components = row.as_chunks_mut().0.iter_mut();
                components
                    .zip(vector)
                    .for_each(|(out, x)| *out = x.to_le_bytes());
            }
            Self::Bfloat16 => {
                let components = row.as_chunks_mut().0.iter_mut();
                let halves = vector.iter().map(|&x| f32_to_bf16(x).to_le_bytes());
                components.zip(halves).for_each(|(out, half)| *out = half);
            }
            Self::Int8 => write_int8_row(vector, row),
        }
    }

    /// Hands the components of a stored vector to `take`, in order.
    #[inline]
    pub fn read_row(self, row: &[u8], mut take: impl FnMut(f32)) {
        match self {
            Self::Float => {
                let components = row.as_chunks().0.iter();
                components.for_each(|x| take(f32::from_le_bytes(*x)));
            }
            Self::Bfloat16 => {
                let components = row.as_chunks().0.iter();
                components.for_each(|x| take(bf16_to_f32(u16::from_le_bytes(*x))));
            }
            Self::Int8 => read_int8_row(row).for_each(take),
        }
    }

    /// Puts vectors, `[n, dim]`, in the place of what they will be once they were stored. Those become themselves.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn round(self, vectors: &mut [f32], dim: usize) {
        if self == Self::Float {
            return;
        }
        let mut row = vec![0; self.row_bytes(dim)];
        for vector in vectors.chunks_exact_mut(dim) {
            self.write_row(vector, &mut row);
            let mut components = vector.iter_mut();
            self.read_row(&row, |x| {
                if let Some(component) = components.next() {
                    *component = x;
                }
            });
        }
    }
}

impl fmt::Display for NumericType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for NumericType {
    type Err = UnknownNumericType;

    /// Reads the name in index settings.
    fn from_str(name: &str) -> Result<Self, UnknownNumericType> {
        match name {
            "float" => Ok(Self::Float),
            "bfloat16" => Ok(Self::Bfloat16),
            "int8" => Ok(Self::Int8),
            _ => Err(UnknownNumericType {
                received: name.to_owned(),
            }),
        }
    }
}

/// A name that stands for no numeric type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown vector numeric type {received:?}: expected float, bfloat16 or int8")]
pub struct UnknownNumericType {
    /// The name as it came.
    pub received: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numeric_type_is_read_back_from_its_name() {
        for numeric in NumericType::ALL {
            assert_eq!(numeric.to_string().parse(), Ok(numeric));
        }
        let error = "float16".parse::<NumericType>().unwrap_err().to_string();
        assert!(error.contains("\"float16\"") && error.contains("float, bfloat16 or int8"));
    }

    #[test]
    fn vectors_become_what_is_read_back_and_then_stay_the_same() {
        let vectors = [1.003_906_2, -0.1, 3.0, 0.0, 2.0e-9, 100.0];
        for numeric in NumericType::ALL {
            let (mut rounded, mut row) = (vectors, vec![0; numeric.row_bytes(3)]);
            numeric.round(&mut rounded, 3);
            for (vector, rounded) in vectors.chunks(3).zip(rounded.chunks(3)) {
                let mut stored = Vec::new();
                numeric.write_row(vector, &mut row);
                numeric.read_row(&row, |x| stored.push(x));
                assert_eq!(rounded, stored, "{numeric}");
            }
            let mut again = rounded;
            numeric.round(&mut again, 3);
            assert_eq!(again, rounded, "{numeric}");
            assert_eq!(rounded == vectors, numeric == NumericType::Float);
        }
    }
}
