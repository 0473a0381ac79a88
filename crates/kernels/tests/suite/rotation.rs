//! Rotations keep geometry and make any vector look like noise.

use crate::rng::{Draw, Rng};
use pelorus_kernels::Rotation;

const DIMS: [usize; 17] = [
    2, 3, 8, 16, 33, 64, 100, 128, 300, 384, 768, 1000, 1024, 1536, 3072, 4095, 4096,
];

fn rotated(rotation: &Rotation, x: &[f32]) -> Vec<f32> {
    let mut out = x.to_vec();
    out.resize(rotation.padded(), 0.0);
    rotation.rotate(&mut out);
    out
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum()
}

#[test]
fn lengths_and_inner_products_stay_in_every_dimension() {
    let mut rng = Rng(1);
    for dim in DIMS.into_iter().chain((1..=64).map(|words| words * 64)) {
        let rotation = Rotation::new(dim, 7);
        assert_eq!(rotation.padded(), dim.div_ceil(64) * 64);
        let (a, b) = (rng.normals(dim), rng.normals(dim));
        let (ra, rb) = (rotated(&rotation, &a), rotated(&rotation, &b));
        let tolerance = 1e-5 * (dot(&a, &a) * dot(&b, &b)).sqrt();
        assert!((dot(&ra, &ra) - dot(&a, &a)).abs() < tolerance, "{dim}");
        assert!((dot(&ra, &rb) - dot(&a, &b)).abs() < tolerance, "{dim}");
    }
}

/// Deviation, mean magnitude, and mean fourth power in units of a normal sample's.
fn moments(v: &[f32]) -> (f64, f64, f64) {
    let mean = |power| {
        v.iter()
            .map(|&x| f64::from(x.abs()).powi(power))
            .sum::<f64>()
            / v.len() as f64
    };
    let square = mean(2);
    (square.sqrt(), mean(1), mean(4) / (3.0 * square * square))
}

#[test]
fn one_component_or_equal_components_spread_like_a_normal_sample() {
    let mut rng = Rng(2);
    for dim in DIMS.into_iter().chain((1..=64).map(|words| words * 64)) {
        let rotation = Rotation::new(dim, 11);
        let (mut total, mut count) = (0.0, 0.0);
        let constant = vec![0.3; dim];
        let one_hots = (0..24).map(|_| {
            let mut x = vec![0.0; dim];
            x[rng.bits() as usize % dim] = -2.0;
            x
        });
        for x in one_hots.chain([constant]) {
            let out = rotated(&rotation, &x);
            let (deviation, mean, kurtosis) = moments(&out);
            let slack = 3.0 / (out.len() as f64).sqrt();
            let ratio = mean / deviation;
            assert!(
                (ratio - 0.798).abs() < slack,
                "{dim}: |x| is {ratio} deviations"
            );
            total += kurtosis;
            count += 1.0;
        }
        let kurtosis: f64 = total / count;
        assert!((0.8..1.25).contains(&kurtosis), "{dim}: {kurtosis}");
    }
}

#[test]
fn equal_seeds_give_equal_rotations_and_others_do_not() {
    let x = Rng(3).normals(100);
    let first = rotated(&Rotation::new(100, 1), &x);
    assert_eq!(first, rotated(&Rotation::new(100, 1).clone(), &x));
    assert_ne!(first, rotated(&Rotation::new(100, 2), &x));
}

#[test]
#[should_panic(expected = "a dimension in 1..=4096")]
fn a_dimension_beyond_the_limit_is_refused() {
    Rotation::new(4097, 1);
}
