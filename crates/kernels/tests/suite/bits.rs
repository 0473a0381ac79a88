//! One-bit codes: estimates without bias, errors as announced, all tables alike.

use crate::rng::{Draw, Rng};
use pelorus_kernels::{BitFactors, BitQuery, Kernels, KeyWeights, Rotation, encode_bits};

fn encode(rotated: &[f32]) -> (Vec<u64>, BitFactors) {
    let mut bits = vec![0; rotated.len() / 64];
    let factors = encode_bits(rotated, &mut bits);
    (bits, factors)
}

/// A row of these bits, with factors for its key.
fn row(bits: &[u64], [add, factor, error]: [f32; 3]) -> Vec<u64> {
    let factors = [
        u64::from(factor.to_bits()) << 32 | u64::from(add.to_bits()),
        0xabad_1dea_0000_0000 | u64::from(error.to_bits()),
    ];
    [bits, &factors].concat()
}

fn keys(table: &Kernels, query: &BitQuery, weights: KeyWeights, rows: &[Vec<u64>]) -> Vec<f32> {
    let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
    let mut out = vec![f32::NAN; rows.len()];
    (table.bit_keys)(query, weights, &rows, &mut out);
    out
}

/// The product with the signs of each row, as the key of factors that leave it as it is.
fn products(table: &Kernels, query: &BitQuery, rows: &[&[u64]]) -> Vec<f32> {
    let rows: Vec<Vec<u64>> = rows
        .iter()
        .map(|bits| row(bits, [0.0, -1.0, 0.0]))
        .collect();
    let weights = KeyWeights {
        product: 1.0,
        error: 0.0,
    };
    keys(table, query, weights, &rows)
}

#[test]
fn products_agree_with_the_scalar_table_exactly() {
    let mut rng = Rng(1);
    for words in 1..=64 {
        let query = BitQuery::new(&rng.normals(words * 64));
        assert_eq!(query.words(), words);
        for count in [0, 1, 3, 4, 5, 21] {
            let mut rows: Vec<Vec<u64>> = (0..count)
                .map(|_| (0..words).map(|_| rng.bits()).collect())
                .collect();
            if let [first, second, ..] = &mut rows[..] {
                first.fill(0);
                second.fill(u64::MAX);
            }
            let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
            let expected = products(Kernels::scalar(), &query, &rows);
            for table in Kernels::supported() {
                let found = products(table, &query, &rows);
                assert_eq!(found, expected, "{} {words} words", table.name);
            }
        }
    }
}

#[test]
fn keys_are_made_of_products_by_the_factors_behind_the_bits() {
    let mut rng = Rng(5);
    for words in [1, 2, 3, 6, 12, 64] {
        let query = BitQuery::new(&rng.normals(words * 64));
        let factors: Vec<[f32; 3]> = (0..21)
            .map(|_| [rng.float(), rng.float(), rng.float()])
            .collect();
        let bits: Vec<Vec<u64>> = factors
            .iter()
            .map(|_| (0..words).map(|_| rng.bits()).collect())
            .collect();
        let rows: Vec<Vec<u64>> = bits
            .iter()
            .zip(&factors)
            .map(|(bits, &factors)| row(bits, factors))
            .collect();
        let bits: Vec<&[u64]> = bits.iter().map(Vec::as_slice).collect();
        let weights = KeyWeights {
            product: 1.5,
            error: 2.5,
        };
        let expected: Vec<f32> = products(Kernels::scalar(), &query, &bits)
            .iter()
            .zip(&factors)
            .map(|(product, [add, factor, error])| add - 1.5 * factor * product - 2.5 * error)
            .collect();
        for table in Kernels::supported() {
            let found = keys(table, &query, weights, &rows);
            assert_eq!(found, expected, "{} {words} words", table.name);
        }
    }
}

#[test]
fn a_product_is_that_of_the_query_with_the_signs() {
    let mut rng = Rng(2);
    for words in [1, 2, 3, 6, 12, 16, 64] {
        let dim = words * 64;
        let rotated = rng.normals(dim);
        let query = BitQuery::new(&rotated);
        let row: Vec<u64> = (0..words).map(|_| rng.bits()).collect();
        let signed = |i: usize| {
            if row[i / 64] >> (i % 64) & 1 == 1 {
                rotated[i]
            } else {
                -rotated[i]
            }
        };
        let expected: f32 = (0..dim).map(signed).sum();
        let found = products(Kernels::scalar(), &query, &[&row])[0];
        // The loss of four bits in each component adds up like a random walk.
        assert!(
            (found - expected).abs() < 0.12 * 4.0 * (dim as f32).sqrt(),
            "{found} {expected}"
        );
    }
}

/// Errors in deviations as announced, of queries that lie `near` times along the vector.
fn errors(dim: usize, near: f32, rng: &mut Rng) -> Vec<f64> {
    let mut errors = Vec::new();
    for seed in 0..12 {
        let rotation = Rotation::new(dim, seed);
        let rotated = |x: &[f32]| {
            let mut out = x.to_vec();
            out.resize(rotation.padded(), 0.0);
            rotation.rotate(&mut out);
            out
        };
        let x = rng.normals(dim);
        let (bits, factors) = encode(&rotated(&x));
        for _ in 0..100 {
            let q: Vec<f32> = x.iter().map(|x| x * near + rng.normal()).collect();
            let exact: f64 = x.iter().zip(&q).map(|(x, q)| f64::from(x * q)).sum();
            let query = BitQuery::new(&rotated(&q));
            let estimate = factors.rescale * products(Kernels::scalar(), &query, &[&bits])[0];
            errors.push((f64::from(estimate) - exact) / f64::from(factors.error * query.norm()));
        }
    }
    errors
}

#[test]
fn estimates_have_no_bias_and_the_error_they_announce() {
    let mut rng = Rng(3);
    for dim in [64, 100, 384, 768, 1024, 4032] {
        for near in [0.0, 2.0] {
            let errors = errors(dim, near, &mut rng);
            let share = |part: f64| part / errors.len() as f64;
            let bias = share(errors.iter().sum());
            // Along the vector the steps of the query and the signs round the same components, which
            // leaves a trace: about 0.2 % of the product.
            let trace = f64::from(near) * 0.0015 * (dim as f64).sqrt();
            assert!(
                bias.abs() < 0.12 + trace,
                "{dim}: mean error of {bias} deviations"
            );
            let deviation = share(errors.iter().map(|e| e * e).sum()).sqrt();
            // Along the vector itself an estimate has no error.
            let expected = 1.0 / f64::from(1.0 + near * near).sqrt();
            let found = deviation / expected;
            assert!((0.9..1.15).contains(&found), "{dim} {near}: {deviation}");
            let beyond = share(errors.iter().filter(|e| e.abs() > 2.0).count() as f64);
            assert!(beyond < 0.07, "{dim}: {beyond} are off by two deviations");
        }
    }
}

#[test]
fn zero_constant_and_extreme_vectors_stay_finite() {
    let dim = 128;
    let mut one_hot = vec![0.0; dim];
    one_hot[5] = 1e-3;
    let vectors = [
        vec![0.0; dim],
        vec![-0.0; dim],
        vec![7.0; dim],
        vec![f32::MAX; dim],
        vec![f32::MIN; dim],
        vec![1e-45; dim],
        vec![-1e-38; dim],
        vec![f32::INFINITY; dim],
        vec![f32::NAN; dim],
        one_hot,
    ];
    for v in &vectors {
        let (bits, factors) = encode(v);
        assert!(
            factors.rescale.is_finite() && factors.error.is_finite(),
            "{factors:?} of {}",
            v[0]
        );
        for q in &vectors {
            let query = BitQuery::new(q);
            assert!(query.norm().is_finite(), "{}", q[0]);
            for table in Kernels::supported() {
                let product = products(table, &query, &[&bits])[0];
                assert!(product.is_finite(), "{} against {}: {product}", q[0], v[0]);
            }
        }
    }
}

#[test]
fn a_vector_of_zeros_has_no_length_and_no_error() {
    let (bits, factors) = encode(&[0.0; 64]);
    assert_eq!((bits, factors), (vec![u64::MAX], BitFactors::default()));
    assert_eq!(BitQuery::new(&[0.0; 64]).norm(), 0.0);
}

#[test]
fn factors_remember_the_length_of_their_vector() {
    let mut rng = Rng(4);
    for dim in [64, 128, 768, 4096] {
        for size in [1e-3, 1.0, 1e4] {
            let mut v = rng.normals(dim);
            v.iter_mut().for_each(|x| *x *= size);
            v[0] *= 20.0;
            let square: f64 = v.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            let found = f64::from(encode(&v).1.square(dim));
            assert!((found / square - 1.0).abs() < 1e-4, "{found} of {square}");
        }
        let (_, one_sign) = encode(&vec![3.0; dim]);
        assert!((one_sign.square(dim) / (9.0 * dim as f32) - 1.0).abs() < 1e-4);
    }
    assert_eq!(BitFactors::default().square(64), 0.0);
}

#[test]
#[should_panic(expected = "rows of 4 words")]
fn a_row_of_another_length_is_refused() {
    products(
        Kernels::scalar(),
        &BitQuery::new(&[1.0; 128]),
        &[&[0, 0], &[0]],
    );
}
