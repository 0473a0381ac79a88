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

/// The number at byte `start` of `text`, valid JSON, correctly rounded, and the byte where it ends. None
/// where there is none.
///
/// Most numbers of vectors are an integer of at most 53 bits over a power of ten: both exact, so that one
/// division rounds as it must (Clinger, How to read floating point numbers accurately, 1990). The
/// standard library reads the others.
pub(crate) fn number_at(text: &str, start: usize) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let is_negative = bytes.get(start) == Some(&b'-');
    let mut digits = Digits {
        bytes,
        at: start + usize::from(is_negative),
        value: 0,
        count: 0,
    };
    digits.read();
    let before = digits.count;
    let mut fraction = 0;
    if bytes.get(digits.at) == Some(&b'.') {
        digits.at += 1;
        digits.read();
        fraction = digits.count - before;
    }
    let Digits {
        at, value, count, ..
    } = digits;
    if count == 0 {
        return None;
    }
    let has_exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if has_exponent || count > DIGITS_MAX || value > EXACT_MAX || fraction >= POWERS.len() {
        let ends = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let length = bytes[start..].iter().position(ends);
        let end = length.map_or(bytes.len(), |length| start + length);
        return Some((text[start..end].parse().ok()?, end));
    }
    let magnitude = value as f64 / POWERS[fraction];
    Some((if is_negative { -magnitude } else { magnitude }, at))
}

/// A run of digits; of more than [`DIGITS_MAX`] only the count is right.
struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
    value: u64,
    count: usize,
}

impl Digits<'_> {
    /// Reads on, eight digits at a time.
    fn read(&mut self) {
        while let Some(chunk) = self.bytes[self.at..].first_chunk() {
            let chunk = u64::from_le_bytes(*chunk) ^ 0x3030_3030_3030_3030;
            // The high bit of each byte that is no digit; a carry can spoil only those behind the first.
            let others =
                (chunk.wrapping_add(0x7676_7676_7676_7676) | chunk) & 0x8080_8080_8080_8080;
            let count = others.trailing_zeros() / 8;
            if count == 0 {
                return;
            }
            self.push(of_eight(chunk << (64 - 8 * count)), count);
            if count < 8 {
                return;
            }
        }
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            self.push(u64::from(digit - b'0'), 1);
        }
    }

    fn push(&mut self, value: u64, count: u32) {
        self.value = self
            .value
            .wrapping_mul(10u64.pow(count))
            .wrapping_add(value);
        self.count += count as usize;
        self.at += count as usize;
    }
}

/// The number that eight digits make, a byte each, the first in the lowest: pairs, then fours, then all.
fn of_eight(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reads(text: &str) {
        let expected: f64 = text.parse().unwrap();
        for rest in ["", ",1", "]", " ,", "\n]", ",0.123456789]", "/:é"] {
            for before in ["", "[1,2,"] {
                let whole = format!("{before}{text}{rest}");
                let (number, end) = number_at(&whole, before.len()).unwrap();
                assert_eq!(number.to_bits(), expected.to_bits(), "{text}");
                assert_eq!(end, before.len() + text.len(), "{text}");
            }
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
            assert_eq!(number_at(text, 0), None, "{text}");
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
