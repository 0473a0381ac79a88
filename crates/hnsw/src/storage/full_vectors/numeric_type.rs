//! The numbers a field keeps its vectors in.

use std::fmt;
use std::str::FromStr;

/// The type of one component of a stored vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumericType {
    /// IEEE 754 single precision, four bytes: vectors are kept as they came.
    #[default]
    Float,
    /// The upper half of a [`Float`](Self::Float), two bytes: its range with 8 significant bits,
    /// rounded to nearest, ties to even.
    Bfloat16,
}

impl NumericType {
    /// The name in index settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Bfloat16 => "bfloat16",
        }
    }

    /// Bytes of one component.
    pub fn bytes(self) -> usize {
        match self {
            Self::Float => size_of::<f32>(),
            Self::Bfloat16 => size_of::<u16>(),
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
            _ => Err(UnknownNumericType {
                received: name.to_owned(),
            }),
        }
    }
}

/// A name that stands for no numeric type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown vector numeric type {received:?}: expected float or bfloat16")]
pub struct UnknownNumericType {
    /// The name as it came.
    pub received: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_read_back_from_its_name() {
        for numeric in [NumericType::Float, NumericType::Bfloat16] {
            assert_eq!(numeric.to_string().parse(), Ok(numeric));
        }
        let error = "float16".parse::<NumericType>().unwrap_err().to_string();
        assert!(error.contains("\"float16\"") && error.contains("float or bfloat16"));
    }
}
