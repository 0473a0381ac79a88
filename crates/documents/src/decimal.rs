//! Decimal numbers, read and measured in one pass.

/// The factor of digits behind the point, by how many there are: each the float nearest to it.
const SCALES: [f64; 23] = [
    1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15, 1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22,
];

/// Powers of ten by which digits make room for up to eight more.
const SHIFTS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Digits of which any number fits 63 bits.
const DIGITS_MAX: usize = 18;

/// The bits that a 64-bit float has more than one of 32 bits, and of these the half, where rounding turns.
const ROUNDED_AWAY: u64 = (1 << 29) - 1;
const HALF_WAY: u64 = 1 << 28;

/// The most that the product of digits and scale differs from the float nearest to the number, in units of the last
/// place: an error of one in each factor, which is at most two in the product, one in rounding it, and one in rounding
/// the number itself.
const ERROR_MAX: u64 = 4;

/// The number at byte `start` of `text`, read as a 64-bit float and then rounded to 32 bits, as every reader
/// of JSON does, and the byte where it ends. None where there is no number as JSON writes it.
///
/// Most numbers of vectors have at most 18 digits: an integer times a power of ten, both nearly exact in 64 bits. Their
/// product errs in the last places, which does not show in 32 bits, unless it lies half way between two floats of 32
/// bits. The standard library reads the others.
#[inline]
pub(crate) fn number_at(text: &str, start: usize) -> Option<(f32, usize)> {
    let bytes = text.as_bytes();
    let is_negative = bytes.get(start) == Some(&b'-');
    let mut digits = Digits {
        bytes,
        at: start + usize::from(is_negative),
        value: 0,
        count: 0,
    };
    let is_fraction = bytes.get(digits.at) == Some(&b'0');
    match is_fraction {
        true => digits.at += 1,
        false => digits.read(),
    }
    if !is_fraction && digits.count == 0 {
        return None;
    }
    let mut fraction = 0;
    if bytes.get(digits.at) == Some(&b'.') {
        digits.at += 1;
        let first = digits.at;
        digits.read();
        fraction = digits.at - first;
        if fraction == 0 {
            return None;
        }
    } else if is_fraction && bytes.get(digits.at).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let Digits {
        at,
        value,
        mut count,
        ..
    } = digits;
    if count > DIGITS_MAX && is_fraction {
        let zeros = bytes[at - fraction..at]
            .iter()
            .take_while(|byte| **byte == b'0');
        count -= zeros.count();
    }
    let has_exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if !has_exponent && count <= DIGITS_MAX && fraction < SCALES.len() {
        let magnitude = value as i64 as f64 * SCALES[fraction];
        if (magnitude.to_bits() & ROUNDED_AWAY).abs_diff(HALF_WAY) > ERROR_MAX {
            let number = magnitude as f32;
            return Some((if is_negative { -number } else { number }, at));
        }
    }
    by_the_standard_library(text, start)
}

#[cold]
fn by_the_standard_library(text: &str, start: usize) -> Option<(f32, usize)> {
    let bytes = text.as_bytes();
    let ends = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    let length = bytes[start..].iter().position(ends);
    let end = length.map_or(bytes.len(), |length| start + length);
    let number: f64 = text[start..end].parse().ok()?;
    Some((number as f32, end))
}

/// Digits up to a place; of more than [`DIGITS_MAX`] that begin with no zero, only the count is right.
struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
    value: u64,
    count: usize,
}

impl Digits<'_> {
    /// Reads on, eight digits at a time.
    #[inline(always)]
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
            self.push(of_eight(chunk << (64 - 8 * count)), count as usize);
            if count < 8 {
                return;
            }
        }
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            self.push(u64::from(digit - b'0'), 1);
        }
    }

    #[inline(always)]
    fn push(&mut self, value: u64, count: usize) {
        self.value = self.value.wrapping_mul(SHIFTS[count]).wrapping_add(value);
        self.count += count;
        self.at += count;
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
        let expected = text.parse::<f64>().unwrap() as f32;
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
            "0.034847371280193329",
            "0.0034847371280193329",
            "1.00000005960464477",
            "16777217.00000000000",
            "0.000000000000000000000000000000000000011754943",
        ] {
            reads(text);
        }
    }

    #[test]
    fn a_text_that_starts_with_no_number_of_json_is_none() {
        for text in [
            "",
            "-",
            "x",
            "null",
            "[1]",
            "\"1\"",
            ".",
            ".5",
            "+1",
            "01",
            "-01",
            "00",
            "1.",
            "1.e5",
            "1e",
            "1e+",
            "1e5e5",
            "00000000000000000000001",
        ] {
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
        fn numbers_about_half_way_between_two_floats_are_rounded_once(bits in 0x0080_0000..0x7f00_0000u32) {
            let between = f64::from(f32::from_bits(bits)).midpoint(f64::from(f32::from_bits(bits + 1)));
            for bits in between.to_bits() - 4..=between.to_bits() + 4 {
                reads(&f64::from_bits(bits).to_string());
                reads(&format!("{:.17}", f64::from_bits(bits)));
            }
        }

        #[test]
        fn any_digits_are_read(
            text in "-?(0|[1-9][0-9]{0,21})(\\.0{0,4}[0-9]{1,21})?([eE][+-]?[0-9]{1,3})?",
        ) {
            reads(&text);
        }
    }
}
