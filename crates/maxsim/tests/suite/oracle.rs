//! Scores beside MaxSim by plain loops over 64-bit floats.
//!
//! The bound: a component of a vector of length 1 is off by half a step at most, which is a 254th of the largest component, so
//! that the vector is off by e = √n · largest / 254 at most. The product of two is off by no more than
//! e(query) + (1 + e(query)) · e(document), and the greatest of several by the greatest of these.

use pelorus_maxsim::{MaxSim, MultiVector};
use pelorus_random::SplitMix64;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Vectors = Vec<Vec<f32>>;

/// Vectors of any lengths, of which some are alike, and one in ten has few numbers but 0.
fn random_vectors(random: &mut SplitMix64, count: usize, dimensions: usize) -> Vectors {
    let mut vectors: Vectors = Vec::new();
    for _ in 0..count {
        let size = 10_f32.powi(random.below(7) as i32 - 3);
        let few = random.below(10) == 0;
        let near =
            (!vectors.is_empty() && random.below(4) == 0).then(|| random.below(vectors.len()));
        let numbers = (0..dimensions).map(|at| {
            let number = match few && random.below(dimensions) > 2 {
                true => 0.0,
                false => random.normal() * size,
            };
            near.map_or(number, |near| vectors[near][at] + number * 0.1)
        });
        let vector = numbers.collect();
        vectors.push(vector);
    }
    vectors
}

fn unit(vector: &[f32]) -> Vec<f64> {
    let squares: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let length = if squares > 0.0 { squares.sqrt() } else { 1.0 };
    vector.iter().map(|&x| f64::from(x) / length).collect()
}

/// The greatest product of each vector of the query, and the most by which an answer may differ.
fn expected(query: &Vectors, document: &Vectors) -> Vec<(f64, f64)> {
    let error = |unit: &[f64]| {
        let largest = unit.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // A step is rounded up to 17 bits, and products are in 32.
        (unit.len() as f64).sqrt() * largest / 254.0 * 1.0001 + 1e-6
    };
    let document: Vec<Vec<f64>> = document.iter().map(|vector| unit(vector)).collect();
    let off = document.iter().map(|vector| error(vector));
    let off = off.fold(0.0, f64::max);
    let of_vector = |vector: &Vec<f32>| {
        let vector = unit(vector);
        let products = document.iter();
        let products = products.map(|other| vector.iter().zip(other).map(|(a, b)| a * b).sum());
        let own = error(&vector);
        (
            products.fold(f64::NEG_INFINITY, f64::max),
            own + (1.0 + own) * off,
        )
    };
    query.iter().map(of_vector).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x70e1_0415),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_score_is_that_of_plain_loops_within_the_bound(
        seed in any::<u64>(),
        (queries, documents) in (1..40_usize, 1..70_usize),
        dimensions in prop::sample::select(vec![2, 3, 16, 31, 64, 96, 127, 128, 130, 200, 1024]),
    ) {
        let mut random = SplitMix64(seed);
        let query = random_vectors(&mut random, queries, dimensions);
        let document = random_vectors(&mut random, documents, dimensions);
        let kept = MultiVector::new(&document).unwrap();
        let search = MaxSim::new(&MultiVector::new(&query).unwrap());
        let parts = search.parts(&kept).unwrap();
        let wanted = expected(&query, &document);
        prop_assert_eq!(parts.len(), wanted.len());
        for (part, (product, bound)) in parts.iter().zip(&wanted) {
            prop_assert!(part.vector < documents);
            prop_assert!((part.product - product).abs() <= *bound, "{part:?} for {product}, within {bound}");
        }
        let sum: f64 = parts.iter().map(|part| part.product).sum();
        prop_assert_eq!(search.score(&kept), Some(sum));
    }

    #[test]
    fn lengths_and_the_order_of_vectors_say_nothing(seed in any::<u64>(), count in 1..30_usize) {
        let mut random = SplitMix64(seed);
        let query = random_vectors(&mut random, 5, 24);
        let document = random_vectors(&mut random, count, 24);
        let search = MaxSim::new(&MultiVector::new(&query).unwrap());
        let score = |vectors: &Vectors| search.score(&MultiVector::new(vectors).unwrap());
        // Powers of 2 leave all significant bits.
        let longer: Vectors = document.iter().map(|vector| vector.iter().map(|x| x * 8.0).collect()).collect();
        prop_assert_eq!(score(&longer), score(&document));
        let turned: Vectors = document.iter().rev().cloned().collect();
        prop_assert_eq!(score(&turned), score(&document));
        // One more vector takes nothing away.
        let more = [document.clone(), random_vectors(&mut random, 1, 24)].concat();
        prop_assert!(score(&more) >= score(&document));
    }
}
