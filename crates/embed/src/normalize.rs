//! Unit length.

/// Sums that are kept side by side, so that the loop needs no fixed order and becomes vector code.
const LANES: usize = 8;

/// Divides each row of `[rows, dim]` by its Euclidean length, in place. A zero row stays as it is,
/// and so does nothing else: squares are summed in f64, where no finite f32 under- or overflows.
///
/// # Panics
/// When `vectors` is not a whole number of rows.
pub fn normalize(vectors: &mut [f32], dim: usize) {
    if vectors.is_empty() {
        return;
    }
    assert!(
        dim > 0 && vectors.len().is_multiple_of(dim),
        "expected rows of {dim} components, received {} components",
        vectors.len()
    );
    for row in vectors.chunks_exact_mut(dim) {
        let length = squared_length(row).sqrt();
        if length > 0.0 {
            row.iter_mut()
                .for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
    }
}

fn squared_length(row: &[f32]) -> f64 {
    let (blocks, rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0_f64; LANES];
    for block in blocks {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum += f64::from(x) * f64::from(x);
        }
    }
    let rest: f64 = rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(mut vectors: Vec<f32>, dim: usize) -> Vec<f32> {
        normalize(&mut vectors, dim);
        vectors
    }

    #[test]
    fn every_row_gets_unit_length_on_its_own() {
        assert_eq!(
            normalized(vec![3.0, 4.0, 0.0, -2.0], 2),
            [0.6, 0.8, 0.0, -1.0]
        );
    }

    #[test]
    fn a_zero_row_stays_zero() {
        assert_eq!(
            normalized(vec![0.0, 0.0, 1.0, 0.0], 2),
            [0.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn tiny_and_huge_rows_have_unit_length_too() {
        for scale in [f32::from_bits(1), 1e-30, 1e30, f32::MAX] {
            let row = normalized(vec![scale; 4], 4);
            assert!(
                row.iter().all(|x| (x - 0.5).abs() < 1e-6),
                "{scale} gave {row:?}"
            );
        }
    }

    #[test]
    fn rows_of_any_length_agree_with_the_plain_formula() {
        for dim in 1..40 {
            let row: Vec<f32> = (0..dim).map(|i| (i as f32 * 0.7).sin() + 0.1).collect();
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            let unit = normalized(row.clone(), dim);
            assert!(
                unit.iter()
                    .zip(&row)
                    .all(|(u, x)| (u - x / length).abs() < 1e-6),
                "dim {dim}"
            );
        }
    }

    #[test]
    fn nothing_is_a_whole_number_of_rows() {
        assert_eq!(normalized(Vec::new(), 0), []);
    }

    #[test]
    #[should_panic(expected = "expected rows of 2 components, received 3")]
    fn a_broken_row_is_a_bug_of_the_caller() {
        normalized(vec![1.0; 3], 2);
    }
}
