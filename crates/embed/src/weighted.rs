//! Several vectors as one.

/// The mean of vectors of `dim` components, each times its weight: their sum over how many there are, or with `normalize`
/// scaled to unit length. A sum of zeros stays as it is. Summed in f64, in order; weights may be as large or as small as
/// they like, and only a mean that is itself beyond f64 is infinite.
pub fn weighted_mean(parts: &[(&[f32], f64)], dim: usize, normalize: bool) -> Vec<f64> {
    let unit = unit_of(parts.iter().map(|(_, weight)| *weight));
    let mut sum = vec![0.0; dim];
    for (vector, weight) in parts {
        debug_assert_eq!(vector.len(), dim, "a vector of another model");
        for (total, &x) in sum.iter_mut().zip(*vector) {
            *total += weight / unit * f64::from(x);
        }
    }
    let length = if normalize { length(&sum) } else { 0.0 };
    let scale = match length > 0.0 {
        true => length.recip(),
        false => unit / parts.len().max(1) as f64,
    };
    sum.iter_mut().for_each(|x| *x *= scale);
    sum
}

/// The unit by which weights are divided so that no sum of them overflows or vanishes: the largest one's power of two,
/// by which nothing is rounded.
fn unit_of(weights: impl Iterator<Item = f64>) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let largest = weights.fold(0.0, |most: f64, weight| most.max(weight.abs()));
    f64::from_bits(largest.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// The Euclidean length. Components are divided by the largest first, whose square could vanish.
fn length(vector: &[f64]) -> f64 {
    let largest = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = vector.iter().map(|x| (x / largest).powi(2)).sum();
    largest * squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAST: &[f32] = &[1.0, 0.0];
    const NORTH: &[f32] = &[0.0, 1.0];

    #[test]
    fn the_mean_divides_by_the_number_of_vectors_and_not_by_their_weights() {
        let mean = weighted_mean(&[(EAST, 2.0), (NORTH, -4.0)], 2, false);
        assert_eq!(mean, [1.0, -2.0]);
    }

    #[test]
    fn it_has_unit_length_where_that_is_asked_for() {
        for scale in [1.0, 1e-200, 1e200, f64::MIN_POSITIVE / 8.0, f64::MAX / 4.0] {
            let mean = weighted_mean(&[(EAST, 3.0 * scale), (NORTH, 4.0 * scale)], 2, true);
            let off = (mean[0] - 0.6).abs() + (mean[1] - 0.8).abs();
            assert!(off < 1e-12, "weights times {scale} gave {mean:?}");
        }
    }

    #[test]
    fn weights_whose_sum_overflows_have_a_mean() {
        let huge = f64::MAX / 2.0;
        let parts = [(EAST, huge), (EAST, huge), (EAST, huge)];
        let mean = weighted_mean(&parts, 2, false);
        assert!((mean[0] / huge - 1.0).abs() < 1e-12, "{mean:?}");
        assert_eq!(weighted_mean(&parts, 2, true), [1.0, 0.0]);
    }

    #[test]
    fn scaling_rounds_nothing() {
        let (vectors, weights) = ([[0.1f32, 0.7], [-0.3, 0.9]], [0.1, 0.3]);
        let parts: Vec<_> = vectors.iter().map(|v| &v[..]).zip(weights).collect();
        let plain = |at: usize| {
            let sum: f64 = parts
                .iter()
                .map(|(v, weight)| weight * f64::from(v[at]))
                .sum();
            sum * 0.5
        };
        assert_eq!(weighted_mean(&parts, 2, false), [plain(0), plain(1)]);
    }

    #[test]
    fn weights_that_cancel_out_leave_zeros() {
        let mean = weighted_mean(&[(EAST, 1.0), (EAST, -1.0)], 2, true);
        assert_eq!(mean, [0.0, 0.0]);
        assert_eq!(weighted_mean(&[], 2, true), [0.0, 0.0]);
    }
}
