//! int8 rows: vectors kept in a byte a component, to be read back as floats.
//!
//! A row is a step, `f32` in little-endian order, and a code for each component; a component is step times code. A
//! vector that was read back is written as the very same row again. For that the step has [`STEP_BITS`] significant
//! bits: its products with codes, of seven bits, are then exact.

use std::slice;

use crate::int8_codec::CODE_MAX;
use crate::kernels;

/// Bytes of the step, before the codes.
const STEP_BYTES: usize = size_of::<f32>();
/// Significant bits of a step.
const STEP_BITS: u32 = 17;

/// The bytes of a row of `dim` components.
pub const fn int8_row_bytes(dim: usize) -> usize {
    STEP_BYTES + dim
}

/// Writes the row of a vector, with the smallest step by which its largest component has a code. Components that are no
/// numbers become zero.
///
/// # Panics
/// If `row` is not as long as the row of this vector.
pub fn write_int8_row(vector: &[f32], row: &mut [u8]) {
    assert_eq!(row.len(), int8_row_bytes(vector.len()), "bytes of a row");
    let (head, codes) = row.split_at_mut(STEP_BYTES);
    let step = step_of(vector);
    head.copy_from_slice(&step.to_le_bytes());
    if step == 0.0 {
        codes.fill(0);
    } else {
        // SAFETY: bytes are codes as well, and the codes end with the bytes that they are.
        let codes =
            unsafe { slice::from_raw_parts_mut(codes.as_mut_ptr().cast::<i8>(), codes.len()) };
        (kernels().encode_i8)(vector, 1.0 / step, codes);
    }
}

/// The step that spans the components of a vector, rounded up; zero where it would lack significant bits.
fn step_of(vector: &[f32]) -> f32 {
    const DROPPED: u32 = (1 << (f32::MANTISSA_DIGITS - STEP_BITS)) - 1;
    let largest = vector
        .iter()
        .fold(0.0, |largest: f32, x| largest.max(x.abs()));
    let bits = (largest.min(f32::MAX) / CODE_MAX).to_bits();
    let step = f32::from_bits((bits + DROPPED) & !DROPPED);
    if step.is_normal() { step } else { 0.0 }
}

/// The components of a row, in order.
///
/// # Panics
/// If `row` is too short to have a step.
#[inline]
pub fn read_int8_row(row: &[u8]) -> impl ExactSizeIterator<Item = f32> {
    let (step, codes) = split_int8_row(row);
    codes.iter().map(move |&code| step * f32::from(code))
}

/// The step and the codes of a row.
///
/// # Panics
/// If `row` is too short to have a step.
#[inline]
pub fn split_int8_row(row: &[u8]) -> (f32, &[i8]) {
    let (head, codes) = row.split_first_chunk().expect("a row with a step");
    // SAFETY: bytes are codes as well, and the codes end with the bytes that they are.
    let codes = unsafe { slice::from_raw_parts(codes.as_ptr().cast::<i8>(), codes.len()) };
    (f32::from_le_bytes(*head), codes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row_of(vector: &[f32]) -> Vec<u8> {
        let mut row = vec![1; int8_row_bytes(vector.len())];
        write_int8_row(vector, &mut row);
        row
    }

    fn read(row: &[u8]) -> Vec<f32> {
        read_int8_row(row).collect()
    }

    proptest! {
        #[test]
        fn a_component_is_off_by_half_a_step_at_most(vector in prop::collection::vec(-3.0f32..5.0, 1..200)) {
            let row = row_of(&vector);
            let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
            let half = largest / 127.0 * 0.5 * 1.0001;
            for (x, stored) in vector.iter().zip(read(&row)) {
                prop_assert!((x - stored).abs() <= half, "{x} became {stored}");
            }
        }

        #[test]
        fn a_vector_that_was_read_back_has_the_same_row(bits in prop::collection::vec(any::<u32>(), 1..40)) {
            let vector: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            let row = row_of(&vector);
            let stored = read(&row);
            if stored.iter().all(|x| x.is_finite()) {
                prop_assert_eq!(row_of(&stored), row);
            }
        }

        #[test]
        fn vectors_of_any_one_size_have_lasting_rows(
            vector in prop::collection::vec(-1.0f32..1.0, 1..40), power in -149i32..127,
        ) {
            let factor = 2.0f64.powi(power);
            let vector: Vec<f32> = vector.into_iter().map(|x| (f64::from(x) * factor) as f32).collect();
            let row = row_of(&vector);
            prop_assert_eq!(row_of(&read(&row)), row);
        }
    }

    #[test]
    fn a_row_keeps_its_form() {
        // The step is a 127th of 2, rounded up to 17 bits.
        let step = 0x3c81_0280_u32.to_le_bytes();
        let row = row_of(&[2.0, -2.0, 1.0, 0.0, -0.0, f32::NAN]);
        assert_eq!(row, [&step[..], &[127, 129, 63, 0, 0, 0]].concat());
        assert_eq!(row_of(&[]), [0; 4]);
        assert_eq!(row_of(&[0.0, 1e-40, -1e-37]), [0; 7]);
    }

    #[test]
    fn the_largest_numbers_have_no_row_of_finite_ones() {
        assert!(read(&row_of(&[f32::MAX])).iter().any(|x| x.is_infinite()));
        assert!(
            read(&row_of(&[f32::INFINITY]))
                .iter()
                .any(|x| x.is_infinite())
        );
        assert!(read(&row_of(&[3.3e38, 1.0])).iter().all(|x| x.is_finite()));
    }
}
