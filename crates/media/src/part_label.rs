//! The label that is stored and shown for a part of a picture, film or sound.

/// Numbers as Python prints a list of floats, `[0.0, 102.4, 409.6]`: each with the fewest digits that read back as the same
/// number, and at least one behind the point.
///
/// Python and Rust differ in how they spell exponents, so none may be needed.
///
/// # Panics
/// When a number is neither 0 nor from 1e-4 up to 1e16.
pub fn part_label(numbers: &[f64]) -> String {
    for number in numbers {
        assert!(
            *number == 0.0 || (1e-4..1e16).contains(&number.abs()),
            "{number} in a label"
        );
    }
    format!("{numbers:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_python_prints() {
        assert_eq!(
            part_label(&[0.0, 102.4, 409.6, 375.466_666_666_666_64]),
            "[0.0, 102.4, 409.6, 375.46666666666664]"
        );
        assert_eq!(
            part_label(&[0.0001, 170.66666666666666, 100_000_000.0]),
            "[0.0001, 170.66666666666666, 100000000.0]"
        );
        assert_eq!(part_label(&[]), "[]");
    }

    #[test]
    #[should_panic(expected = "in a label")]
    fn a_number_that_needs_an_exponent_is_refused() {
        part_label(&[1e16]);
    }
}
