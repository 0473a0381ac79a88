//! Decimal numbers, read and measured in one pass.

/// Powers of ten that a 64-bit float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Every integer up to this is a 64-bit float.
const EXACT_MAX: u64 = 1 << 53;

/// Digits of which any number fits 64 bits.
const DIGITS_MAX: usize = 19;

/// The number that `text`, valid JSON, starts with, correctly rounded, and how many bytes it takes.
/// None where it starts with none.
///
/// Most numbers of vectors are an integer of at most 53 bits over a power of ten: both exact, so that one
/// division rounds as it must (Clinger, How to read floating point numbers accurately, 1990). The
/// standard library reads the others.
pub(crate) fn number_at_start(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let is_negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(is_negative);
    let (mut digits, mut count, mut places) = (0u64, 0, None);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits = digits.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                count += 1;
            }
            b'.' if places.is_none() => places = Some(count),
            _ => break,
        }
        at += 1;
    }
    let has_exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    let fraction = places.map_or(0, |before| count - before);
    if count == 0 {
        return None;
    }
    if has_exponent || count > DIGITS_MAX || digits > EXACT_MAX || fraction >= POWERS.len() {
        let ends = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let length = bytes.iter().position(ends).unwrap_or(bytes.len());
        return Some((text[..length].parse().ok()?, length));
    }
    let magnitude = digits as f64 / POWERS[fraction];
    Some((if is_negative { -magnitude } else { magnitude }, at))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reads(text: &str) {
        let expected: f64 = text.parse().unwrap();
        for rest in ["", ",1", "]", " ,", "\n]"] {
            let (number, length) = number_at_start(&format!("{text}{rest}")).unwrap();
            assert_eq!(number.to_bits(), expected.to_bits(), "{text}");
            assert_eq!(length, text.len(), "{text}");
        }
    }

    #[test]
    fn edges_are_read_as_the_standard_library_reads_them() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "1",
            "0.1",
            "-0.034847371",
            "9007199254740992",
            "9007199254740993",
            "9007199254740.993",
            "0.9007199254740993",
            "18446744073709551616",
            "1e22",
            "1E-7",
            "-1.5e+300",
            "1e400",
            "5e-324",
            "0.0000000000000000000001",
            "0.00000000000000000000001",
            "123456789012345678901234567890.5",
            "0.03484737127065659",
            "00000000000000000000001",
        ] {
            reads(text);
        }
    }

    #[test]
    fn what_starts_with_no_number_is_none() {
        for text in ["", "-", "x", "null", "[1]", "\"1\"", "."] {
            assert_eq!(number_at_start(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn shortest_texts_of_floats_are_read_back(number in any::<f64>(), single in any::<f32>()) {
            if number.is_finite() {
                reads(&number.to_string());
            }
            if single.is_finite() {
                reads(&f64::from(single).to_string());
                reads(&single.to_string());
            }
        }

        #[test]
        fn any_digits_are_read(text in "-?[0-9]{1,22}(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
            reads(&text);
        }
    }
}
