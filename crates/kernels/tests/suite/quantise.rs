//! Quantisers: every table writes the codes the scalar one writes.

use std::iter::repeat_with;

use crate::rng::{Draw, Rng};
use pelorus_kernels::Kernels;

/// Vectors of `len` components: of numbers near each other, of all magnitudes, of ties between two
/// codes, of what is hardly a number or none.
fn vectors(len: usize, rng: &mut Rng) -> [Vec<f32>; 4] {
    let special = [
        0.0,
        -0.0,
        1e-45,
        -1e-38,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        -f32::NAN,
    ];
    let number = |rng: &mut Rng| f32::from_bits(rng.bits() as u32);
    let finite = |rng: &mut Rng| Some(number(rng)).filter(|x| x.is_finite()).unwrap_or(0.0);
    [
        rng.floats(len),
        repeat_with(|| finite(rng)).take(len).collect(),
        repeat_with(|| (rng.bits() % 41) as f32 / 2.0 - 10.0)
            .take(len)
            .collect(),
        repeat_with(|| match rng.bits() as usize % 16 {
            i if i < special.len() => special[i],
            10 => number(rng),
            _ => rng.float(),
        })
        .take(len)
        .collect(),
    ]
}

/// Bits of each, but for NaN.
fn bits(v: &[f32]) -> Vec<u32> {
    let canonical = |x: &f32| if x.is_nan() { f32::NAN } else { *x };
    v.iter().map(|x| canonical(x).to_bits()).collect()
}

#[test]
fn residuals_and_the_largest_of_them_agree_exactly() {
    let mut rng = Rng(21);
    for len in (0..200).chain([384, 768, 1000, 4095]) {
        let centre = rng.floats(len);
        for (kind, x) in vectors(len, &mut rng).into_iter().enumerate() {
            for factor in [1.0, 0.3, 0.0] {
                let residual = |table: &Kernels| {
                    let mut out = vec![7.0; len];
                    let (largest, square) = (table.residual)(&x, factor, &centre, &mut out);
                    (largest, bits(&out), square)
                };
                let (largest, expected, square) = residual(Kernels::scalar());
                for table in Kernels::supported() {
                    let found = residual(table);
                    let what = format!("{} {len} kind {kind}", table.name);
                    assert_eq!((found.0, found.1), (largest, expected.clone()), "{what}");
                    if kind == 0 {
                        assert!((found.2 - square).abs() <= 1e-5 * len as f32, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn int8_codes_and_their_sums_agree_exactly() {
    let mut rng = Rng(22);
    for len in (0..200).chain([384, 768, 1000, 4095]) {
        for (kind, v) in vectors(len, &mut rng).into_iter().enumerate() {
            for steps in [1.0, 127.0, 1e-36, 1e30] {
                let mut expected = vec![99; len];
                let sum = (Kernels::scalar().encode_i8)(&v, steps, &mut expected);
                assert_eq!(sum, expected.iter().map(|&code| i32::from(code)).sum());
                for table in Kernels::supported() {
                    let mut codes = vec![99; len];
                    let found = (table.encode_i8)(&v, steps, &mut codes);
                    let what = format!("{} {len} kind {kind} times {steps}", table.name);
                    assert_eq!((found, codes), (sum, expected.clone()), "{what}");
                }
            }
        }
    }
}

#[test]
fn four_bit_codes_and_their_planes_agree_exactly() {
    let mut rng = Rng(23);
    for words in [0, 1, 2, 3, 6, 12, 64] {
        let len = 64 * words;
        for (kind, v) in vectors(len, &mut rng).into_iter().enumerate() {
            for scale in [1.0, 7.5, 0.0, 1e-36, 1e30] {
                let encode = |table: &Kernels| {
                    let (mut codes, mut planes) = (vec![99; len], vec![99; 4 * words]);
                    let (sum, product) = (table.encode_i4)(&v, scale, &mut codes, &mut planes);
                    (sum, codes, planes, product)
                };
                let (sum, codes, planes, product) = encode(Kernels::scalar());
                for (i, &code) in codes.iter().enumerate() {
                    for j in 0..4 {
                        let bit = planes[j * words + i / 64] >> (i % 64) & 1;
                        assert_eq!(u64::from(code.cast_unsigned() >> j & 1), bit);
                    }
                }
                for table in Kernels::supported() {
                    let found = encode(table);
                    let what = format!("{} {words} words kind {kind} times {scale}", table.name);
                    let same = (sum, codes.clone(), planes.clone());
                    assert_eq!((found.0, found.1, found.2), same, "{what}");
                    if kind == 0 || kind == 2 {
                        let slack = 1e-5 * (1.0 + product.abs());
                        let off = (found.3 - product).abs();
                        assert!(off <= slack, "{what}: {} {product}", found.3);
                    }
                }
            }
        }
    }
}

#[test]
fn codes_are_clipped_rounded_to_even_and_defined_for_what_is_no_number() {
    let v: Vec<f32> = [0.5, 1.5, -2.5, 6.5, 7.5, -8.5, 1e9, -1e9]
        .into_iter()
        .chain([f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0])
        .chain([0.0; 52])
        .collect();
    let mut codes = [99; 64];
    for table in Kernels::supported() {
        let sum = (table.encode_i8)(&v, 1.0, &mut codes);
        assert_eq!(codes[..6], [0, 2, -2, 6, 8, -8], "{}", table.name);
        assert_eq!(codes[6..12], [127, -127, 127, -127, 0, 0], "{}", table.name);
        assert_eq!(sum, 6, "{}", table.name);
        let (sum, _) = (table.encode_i4)(&v, 1.0, &mut codes, &mut [0; 4]);
        assert_eq!(codes[..6], [0, 2, -2, 6, 7, -8], "{}", table.name);
        assert_eq!(codes[6..12], [7, -8, 7, -8, -8, 0], "{}", table.name);
        assert_eq!(sum, -5, "{}", table.name);
    }
}

#[test]
fn buffers_that_differ_in_length_are_refused() {
    for table in Kernels::supported() {
        let refused = |call: &dyn Fn()| {
            let call = std::panic::AssertUnwindSafe(call);
            assert!(std::panic::catch_unwind(call).is_err(), "{}", table.name);
        };
        refused(&|| _ = (table.residual)(&[0.0; 3], 1.0, &[0.0; 2], &mut [0.0; 3]));
        refused(&|| _ = (table.residual)(&[0.0; 3], 1.0, &[0.0; 3], &mut [0.0; 4]));
        refused(&|| _ = (table.encode_i8)(&[0.0; 3], 1.0, &mut [0; 2]));
        refused(&|| _ = (table.encode_i4)(&[0.0; 64], 1.0, &mut [0; 64], &mut [0; 3]));
        refused(&|| _ = (table.encode_i4)(&[0.0; 32], 1.0, &mut [0; 32], &mut [0; 2]));
    }
}
