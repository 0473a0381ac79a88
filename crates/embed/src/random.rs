//! Vectors without a model, for the `random/*` registry entries.

use std::f64::consts::TAU;

use pelorus_random::{SplitMix64, fnv1a};

use crate::normalize;

/// A unit vector that depends on `text` and `dim` alone: the same in every batch, process and
/// build, and in a direction uniform over the sphere for different texts. It carries no meaning.
///
/// The text's 64-bit FNV-1a hash seeds a SplitMix64 sequence; pairs of its numbers become pairs of
/// standard normal components by the method of Box and Muller (1958), and the row is normalised.
pub fn random_vector(text: &str, dim: usize) -> Vec<f32> {
    let mut sequence = SplitMix64(fnv1a(text.as_bytes()));
    let mut vector: Vec<f32> = Vec::with_capacity(dim + 1);
    while vector.len() < dim {
        let [a, b] = normals(&mut sequence);
        vector.extend([a as f32, b as f32]);
    }
    vector.truncate(dim);
    normalize(&mut vector, dim);
    vector
}

/// Uniform over (0, 1], in steps of 2^-53: never 0, whose logarithm is not finite.
fn fraction(sequence: &mut SplitMix64) -> f64 {
    ((sequence.bits() >> 11) + 1) as f64 * (-53.0_f64).exp2()
}

fn normals(sequence: &mut SplitMix64) -> [f64; 2] {
    let radius = (-2.0 * fraction(sequence).ln()).sqrt();
    let (sin, cos) = (TAU * fraction(sequence)).sin_cos();
    [radius * cos, radius * sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_same_text_gives_the_same_unit_vector() {
        for dim in [1, 2, 3, 16, 384, 1025] {
            let vector = random_vector("hello world", dim);
            assert_eq!(vector.len(), dim);
            assert_eq!(vector, random_vector("hello world", dim));
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-5);
        }
        assert_eq!(random_vector("hello", 0), []);
    }

    #[test]
    fn different_texts_are_nearly_orthogonal() {
        let vectors: Vec<_> = (0..50)
            .map(|i| random_vector(&format!("text {i}"), 512))
            .collect();
        for (i, a) in vectors.iter().enumerate() {
            for b in &vectors[..i] {
                assert!(dot(a, b).abs() < 0.3);
            }
        }
    }

    #[test]
    fn components_are_normally_distributed() {
        let mut sequence = SplitMix64(7);
        let sample: Vec<f64> = (0..20_000).flat_map(|_| normals(&mut sequence)).collect();
        let mean =
            |power: i32| sample.iter().map(|x| x.powi(power)).sum::<f64>() / sample.len() as f64;
        assert!(mean(1).abs() < 0.02, "mean {}", mean(1));
        assert!((mean(2) - 1.0).abs() < 0.03, "variance {}", mean(2));
        assert!((mean(4) - 3.0).abs() < 0.2, "fourth moment {}", mean(4));
    }
}
