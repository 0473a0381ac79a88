//! The values that a numeric type accepts, and their stored form.
//!
//! A number is read as JSON readers do: an integer of 64 bits stays exact, anything else is a
//! 64-bit float. A field of 32-bit floats rounds that once, here, so that the answer, the filter
//! and the score column all see the same value.

use std::ops::RangeInclusive;

use pelorus_columns::Number;
use pelorus_excerpt::truncated;

use crate::error::ItemError;
use crate::json::JsonValue;

/// The original refuses the lowest 32-bit integer; so do we, for documents that move both ways.
const INT_RANGE: RangeInclusive<i64> = -2_147_483_647..=2_147_483_647;

/// The largest 32-bit float as messages write it, which is a little more than it is: a number
/// within it rounds to it.
const FLOAT_BOUND: f64 = 3.402_823_5e38;

/// The type of a number: of a field, of the items of an array or of the values of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberType {
    Int,
    Long,
    Float,
    Double,
}

/// The reason that a value is not of a type.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    WrongType,
    OutOfRange,
}

impl NumberType {
    /// The type of that name in an index's settings.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "int" => Self::Int,
            "long" => Self::Long,
            "float" => Self::Float,
            "double" => Self::Double,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// The JSON type that values have, as messages spell it.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Int | Self::Long => "int",
            Self::Float | Self::Double => "float",
        }
    }

    /// Returns the stored form of a value in this type: its JSON, and the number that a reader of it gets. Truth values
    /// count as 1 and 0.
    pub fn stored(self, value: &JsonValue<'_>) -> Result<(String, Number), NumberError> {
        match (self, value) {
            (number, JsonValue::Bool(truth)) => number.stored(&JsonValue::Int((*truth).into())),
            (Self::Int, JsonValue::Int(number)) if !INT_RANGE.contains(number) => {
                Err(NumberError::OutOfRange)
            }
            (Self::Int | Self::Long, JsonValue::Int(number)) => {
                Ok((number.to_string(), Number::Int(*number)))
            }
            (Self::Int | Self::Long, JsonValue::BigInteger(_)) => Err(NumberError::OutOfRange),
            (Self::Int | Self::Long, _) => Err(NumberError::WrongType),
            (Self::Float, value) => match float(value)? {
                number if number.abs() <= FLOAT_BOUND => {
                    let (json, read) = float_json(number as f32);
                    Ok((json, Number::Float(read)))
                }
                _ => Err(NumberError::OutOfRange),
            },
            (Self::Double, value) => match float(value)? {
                number if number.is_finite() => Ok((double_json(number), Number::Float(number))),
                _ => Err(NumberError::OutOfRange),
            },
        }
    }

    /// The error of a value beyond this type. `place` is the field, and the key in a map.
    pub fn out_of_range(self, place: &str, value: &JsonValue<'_>) -> ItemError {
        let (lowest, highest) = match self {
            Self::Int => (INT_RANGE.start().to_string(), INT_RANGE.end().to_string()),
            Self::Long => (i64::MIN.to_string(), i64::MAX.to_string()),
            Self::Float => (format!("{:e}", -FLOAT_BOUND), format!("{FLOAT_BOUND:e}")),
            Self::Double => (format!("{:e}", f64::MIN), format!("{:e}", f64::MAX)),
        };
        let advice = match self {
            Self::Int => {
                " If you wish to store a value outside of this range, create a field with type 'long' or 'double'"
            }
            Self::Long | Self::Float => {
                " If you wish to store a value outside of this range, create a field with type 'double'"
            }
            Self::Double => "",
        };
        let (name, value) = (self.name(), value.echo());
        ItemError::invalid(format!(
            "Invalid value {value} for {name} field {place}. Expected a value in the range [{lowest}, {highest}], but found {value}.{advice}"
        ))
    }
}

/// A number as a 64-bit float, infinite where it is written as an integer beyond that.
fn float(value: &JsonValue<'_>) -> Result<f64, NumberError> {
    match value {
        JsonValue::Int(number) => Ok(*number as f64),
        JsonValue::BigInteger(text) => Ok(text.parse().unwrap_or(f64::INFINITY)),
        JsonValue::Float(number) => Ok(*number),
        _ => Err(NumberError::WrongType),
    }
}

/// The error of an integer beyond 64 bits where no type was declared.
pub(crate) fn beyond_64_bits(place: &str, text: &str) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for field {place}: an integer must be in the signed 64-bit range [{}, {}]",
        truncated(text),
        i64::MIN,
        i64::MAX
    ))
}

/// The shortest JSON that reads back as this 64-bit float, which is finite.
pub(crate) fn double_json(number: f64) -> String {
    serde_json::to_string(&number).expect("a finite number serialises")
}

/// The shortest JSON that reads back as this 32-bit float, which is finite, and the 64-bit float that
/// a reader gets. Readers go by way of 64 bits and so round twice: for a few numbers the shortest text
/// of 32 bits misses by that.
fn float_json(number: f32) -> (String, f64) {
    let short = serde_json::to_string(&number).expect("a finite number serialises");
    match short.parse::<f64>() {
        Ok(wide) if wide as f32 == number => (short, wide),
        _ => (double_json(f64::from(number)), f64::from(number)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_float_holds_what_32_bits_do_up_to_the_bound_that_its_message_names() {
        let stored = |number| {
            let stored = NumberType::Float.stored(&JsonValue::Float(number));
            stored.map(|(json, _)| json)
        };
        for (number, expected) in [
            (0.1, "0.1"),
            (0.123_456_789, "0.12345679"),
            (16_777_217.0, "16777216.0"),
            (3.402_823_5e38, "3.4028235e+38"),
            (-3.402_823_5e38, "-3.4028235e+38"),
            (1e-60, "0.0"),
        ] {
            assert_eq!(stored(number).as_deref(), Ok(expected));
        }
        assert_eq!(
            stored(3.402_823_5e38_f64.next_up()),
            Err(NumberError::OutOfRange)
        );
        assert_eq!(stored(f64::MIN), Err(NumberError::OutOfRange));
    }

    #[test]
    fn a_double_holds_any_number_that_64_bits_do() {
        let digits = "1".repeat(309);
        let stored = |value| NumberType::Double.stored(&value).map(|(json, _)| json);
        assert_eq!(
            stored(JsonValue::Int(9_007_199_254_740_993)).as_deref(),
            Ok("9007199254740992.0")
        );
        assert!(stored(JsonValue::BigInteger(&digits)).is_ok());
        let digits = "2".repeat(309);
        assert_eq!(
            stored(JsonValue::BigInteger(&digits)),
            Err(NumberError::OutOfRange)
        );
    }

    proptest! {
        #[test]
        fn a_reader_of_64_bits_gets_every_32_bit_float_back(bits in any::<u32>()) {
            let number = f32::from_bits(bits);
            prop_assume!(number.is_finite());
            let wide: f64 = float_json(number).0.parse().unwrap();
            prop_assert_eq!((wide as f32).to_bits(), bits);
        }
    }

    #[test]
    fn a_float_whose_shortest_text_is_rounded_twice_reads_back() {
        let number = 7.038_531e-26_f32;
        assert_ne!(number.to_string().parse::<f64>().unwrap() as f32, number);
        assert_eq!(float_json(number).0.parse::<f64>().unwrap() as f32, number);
    }
}
