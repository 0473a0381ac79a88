//! Several vectors as one.

/// The mean of `rows`, `[weights.len(), dim]`, each row times its weight: the sum over the number of rows, or with
/// `normalize` scaled to unit length. A sum of zeros stays as it is. Summed in f64, in the order of the rows.
///
/// # Panics
/// When there is not one row for each weight.
pub fn weighted_mean(rows: &[f32], weights: &[f64], dim: usize, normalize: bool) -> Vec<f64> {
    assert_eq!(rows.len(), weights.len() * dim, "one row a weight");
    let mut sum = vec![0.0; dim];
    for (row, weight) in rows.chunks_exact(dim.max(1)).zip(weights) {
        for (total, &x) in sum.iter_mut().zip(row) {
            *total += weight * f64::from(x);
        }
    }
    let length = if normalize { length(&sum) } else { 0.0 };
    let scale = match length > 0.0 {
        true => length.recip(),
        false => (weights.len() as f64).recip(),
    };
    sum.iter_mut().for_each(|x| *x *= scale);
    sum
}

/// The Euclidean length. Components are divided by the largest first, whose square could overflow.
fn length(vector: &[f64]) -> f64 {
    let largest = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let squares: f64 = vector.iter().map(|x| (x / largest).powi(2)).sum();
    largest * squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_divides_by_the_number_of_rows_and_not_by_their_weights() {
        let mean = weighted_mean(&[1.0, 0.0, 0.0, 1.0], &[2.0, -4.0], 2, false);
        assert_eq!(mean, [1.0, -2.0]);
    }

    #[test]
    fn it_has_unit_length_where_that_is_asked_for() {
        for scale in [1.0, 1e-200, 1e200] {
            let mean = weighted_mean(&[1.0, 0.0, 0.0, 1.0], &[3.0 * scale, 4.0 * scale], 2, true);
            let off = (mean[0] - 0.6).abs() + (mean[1] - 0.8).abs();
            assert!(off < 1e-12, "weights times {scale} gave {mean:?}");
        }
    }

    #[test]
    fn weights_that_cancel_out_leave_zeros() {
        let mean = weighted_mean(&[1.0, 0.0, 1.0, 0.0], &[1.0, -1.0], 2, true);
        assert_eq!(mean, [0.0, 0.0]);
    }

    #[test]
    #[should_panic(expected = "one row a weight")]
    fn a_missing_row_is_a_bug_of_the_caller() {
        weighted_mean(&[1.0, 0.0], &[1.0, 1.0], 2, false);
    }
}
