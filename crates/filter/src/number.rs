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

    /// The integer that a decimal number is, however it is written: `2.0` and `2e0` are 2. It is exact, as no float is.
    pub fn whole(text: &str) -> Option<i64> {
        let halves = halves(text).filter(|halves| halves % 2 == 0)?;
        i64::try_from(halves / 2).ok()
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

/// Digits before the point of which 2^64 has no more.
const WHOLE_DIGITS_MAX: i64 = 20;

/// Twice a decimal number, or the odd number between the doubles of the two integers that it is between. `None` for
/// what is no number, and beyond 20 digits, where every integer of 64 bits is on one side.
pub(crate) fn halves(text: &str) -> Option<i128> {
    Number::parse(text)?;
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let Some(zeros) = digits().position(|digit| digit != b'0') else {
        return Some(0);
    };
    // An exponent of more digits than 64 bits hold moves any digit beyond all bounds.
    let exponent = exponent.parse().unwrap_or(match exponent.starts_with('-') {
        true => i64::MIN / 2,
        false => i64::MAX / 2,
    });
    let point = whole.len() as i64 - zeros as i64 + exponent;
    if point > WHOLE_DIGITS_MAX {
        return None;
    }
    let before = usize::try_from(point).unwrap_or(0);
    let significant = || digits().skip(zeros);
    let padded = significant().chain(std::iter::repeat(b'0')).take(before);
    let whole = padded.fold(0_i128, |whole, digit| whole * 10 + i128::from(digit - b'0'));
    let is_broken = significant().skip(before).any(|digit| digit != b'0');
    let halves = 2 * whole + i128::from(is_broken);
    Some(if is_negative { -halves } else { halves })
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
    fn whole_numbers_are_exact_however_they_are_written() {
        for (text, whole) in [
            ("2", Some(2)),
            ("-2.0", Some(-2)),
            ("+1e3", Some(1000)),
            ("1500e-2", Some(15)),
            ("0.0015e3", None),
            ("-0", Some(0)),
            ("0e99999999999999999999", Some(0)),
            ("2.5", None),
            ("1e-400", None),
            ("1.00000000000000000000000000000001", None),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
            ("9.223372036854775807e18", Some(i64::MAX)),
            ("-9223372036854775808.000", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("1e19", None),
            ("1e300", None),
            ("x", None),
        ] {
            assert_eq!(Number::whole(text), whole, "{text}");
        }
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
