use std::cmp::Ordering;
use std::fmt;

/// A number as written: integers stay exact, everything else is a 64-bit float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// Reads a decimal integer, or else a decimal float, with an optional sign and exponent.
    ///
    /// An integer beyond 64 bits becomes the nearest float. `None` for anything else, which
    /// includes digit separators, `nan`, `inf` and floats too large for 64 bits.
    pub fn parse(text: &str) -> Option<Number> {
        // The standard parser also takes `inf`, `infinity` and `nan`, in any case.
        if text
            .bytes()
            .any(|b| b.is_ascii_alphabetic() && !matches!(b, b'e' | b'E'))
        {
            return None;
        }
        if let Ok(int) = text.parse() {
            return Some(Number::Int(int));
        }
        text.parse()
            .ok()
            .filter(|float: &f64| float.is_finite())
            .map(Number::Float)
    }

    /// The value as a float; integers beyond 2^53 are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(int) => int as f64,
            Number::Float(float) => float,
        }
    }

    /// Compares two numbers exactly: integers beyond 2^53 are not rounded. Neither is a NaN.
    pub fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Float(a), Number::Float(b)) => float_order(a, b),
            (Number::Int(int), Number::Float(float)) => int_to_float(int, float),
            (Number::Float(float), Number::Int(int)) => int_to_float(int, float).reverse(),
        }
    }
}

fn float_order(a: f64, b: f64) -> Ordering {
    // Both zeros are one number.
    a.partial_cmp(&b).unwrap_or_else(|| a.total_cmp(&b))
}

fn int_to_float(int: i64, float: f64) -> Ordering {
    // The least float beyond every i64.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float >= BEYOND {
        Ordering::Less
    } else if float < -BEYOND {
        Ordering::Greater
    } else {
        let whole = float.trunc();
        int.cmp(&(whole as i64)).then(float_order(whole, float))
    }
}

impl fmt::Display for Number {
    /// A form that [`Number::parse`] reads back as the same variant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(int) => write!(f, "{int}"),
            Number::Float(float) => write!(f, "{float:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Number::{self, Float, Int};

    #[test]
    fn numbers_are_compared_exactly() {
        let ascending = [
            Float(f64::MIN),
            Int(i64::MIN),
            Int(-1),
            Float(-0.5),
            Int(0),
            Float(0.5),
            Int(1),
            Float(1.5),
            Int(9_007_199_254_740_992),
            Int(9_007_199_254_740_993),
            Float(9_007_199_254_740_994.0),
            Int(i64::MAX),
            Float(9_223_372_036_854_775_808.0),
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(a.compare(*b), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [
            (Int(2), Float(2.0)),
            (Float(0.0), Float(-0.0)),
            (Float(-0.0), Int(0)),
        ] {
            assert_eq!(a.compare(b), Ordering::Equal);
            assert_eq!(b.compare(a), Ordering::Equal);
        }
    }

    #[test]
    fn integers_stay_exact_to_64_bits() {
        assert_eq!(
            Number::parse("9223372036854775807"),
            Some(Number::Int(i64::MAX))
        );
        assert_eq!(
            Number::parse("-9223372036854775808"),
            Some(Number::Int(i64::MIN))
        );
        assert_eq!(
            Number::parse("9223372036854775808"),
            Some(Number::Float(9223372036854775808.0))
        );
    }

    #[test]
    fn floats_come_with_fraction_or_exponent() {
        assert_eq!(Number::parse("1e3"), Some(Number::Float(1000.0)));
        assert_eq!(Number::parse("-.5"), Some(Number::Float(-0.5)));
        assert_eq!(Number::parse("5."), Some(Number::Float(5.0)));
    }

    #[test]
    fn special_spellings_are_no_numbers() {
        for text in [
            "",
            "-",
            "nan",
            "NaN",
            "inf",
            "-Infinity",
            "1_000",
            "1e999",
            " 1",
            "0x10",
            "e",
        ] {
            assert_eq!(Number::parse(text), None, "{text:?}");
        }
    }
}
