//! Every table this machine supports computes what the scalar table computes.

use pelorus_kernels::{Kernels, f32_to_bf16, kernels};

/// Long enough for every unrolled loop, its single steps and each length of tail.
fn lengths() -> impl Iterator<Item = usize> {
    (0..300).chain([511, 512, 513, 768, 1023, 1536, 4096])
}

/// SplitMix64: all tests draw from it, so a failure repeats.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in -1..1, and one in eight a repeated value so that components coincide.
    fn float(&mut self) -> f32 {
        if self.next().is_multiple_of(8) {
            return 0.5;
        }
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn floats(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.float()).collect()
    }

    fn codes(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| self.next() as i8).collect()
    }
}

/// Sums of `len` terms of at most four may differ by the rounding of their order.
fn assert_near(found: f32, expected: f32, len: usize, what: &str) {
    let tolerance = 1e-6 * (len as f32 + 1.0);
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}, {len}: {found} against {expected}"
    );
}

#[test]
fn f32_kernels_agree_with_the_scalar_table() {
    let (scalar, mut rng) = (Kernels::scalar(), Rng(1));
    for len in lengths() {
        let (a, b) = (rng.floats(len), rng.floats(len));
        for table in Kernels::supported() {
            let near = |found, expected, what: &str| {
                assert_near(found, expected, len, &format!("{} {what}", table.name));
            };
            near((table.dot_f32)(&a, &b), (scalar.dot_f32)(&a, &b), "dot_f32");
            near(
                (table.l2sq_f32)(&a, &b),
                (scalar.l2sq_f32)(&a, &b),
                "l2sq_f32",
            );
            near((table.l1_f32)(&a, &b), (scalar.l1_f32)(&a, &b), "l1_f32");
            assert_eq!((table.linf_f32)(&a, &b), (scalar.linf_f32)(&a, &b));
            assert_eq!((table.hamming_f32)(&a, &b), (scalar.hamming_f32)(&a, &b));
        }
    }
}

#[test]
fn bf16_kernels_agree_with_the_scalar_table() {
    let (scalar, mut rng) = (Kernels::scalar(), Rng(2));
    for len in lengths() {
        let narrow = |v: Vec<f32>| -> Vec<u16> { v.into_iter().map(f32_to_bf16).collect() };
        let (a, b) = (narrow(rng.floats(len)), narrow(rng.floats(len)));
        for table in Kernels::supported() {
            assert_near(
                (table.dot_bf16)(&a, &b),
                (scalar.dot_bf16)(&a, &b),
                4 * len,
                table.name,
            );
            assert_near(
                (table.l2sq_bf16)(&a, &b),
                (scalar.l2sq_bf16)(&a, &b),
                4 * len,
                table.name,
            );
        }
    }
}

#[test]
fn int8_kernels_agree_with_the_scalar_table_exactly() {
    let (scalar, mut rng) = (Kernels::scalar(), Rng(3));
    for len in lengths() {
        let extremes = (vec![-128i8; len], vec![127i8; len]);
        let lowest = (vec![-128i8; len], vec![-128i8; len]);
        for (a, b) in [(rng.codes(len), rng.codes(len)), extremes, lowest] {
            for table in Kernels::supported() {
                assert_eq!(
                    (table.dot_i8)(&a, &b),
                    (scalar.dot_i8)(&a, &b),
                    "{} {len}",
                    table.name
                );
                let expected = (scalar.l2sq_i8)(&a, &b);
                assert_eq!((table.l2sq_i8)(&a, &b), expected, "{} {len}", table.name);
            }
        }
    }
}

#[test]
fn the_scalar_table_computes_the_definitions() {
    let scalar = Kernels::scalar();
    let (a, b) = ([1.0, -2.0, 3.0, 0.0], [4.0, -2.0, -1.0, 0.5]);
    assert_eq!((scalar.dot_f32)(&a, &b), 5.0);
    assert_eq!((scalar.l2sq_f32)(&a, &b), 25.25);
    assert_eq!((scalar.l1_f32)(&a, &b), 7.5);
    assert_eq!((scalar.linf_f32)(&a, &b), 4.0);
    assert_eq!((scalar.hamming_f32)(&a, &b), 3.0);
    assert_eq!(
        (scalar.dot_i8)(&[1, -128, 127], &[3, -128, 2]),
        3 + 16_384 + 254
    );
    assert_eq!((scalar.l2sq_i8)(&[1, -128], &[3, 127]), 4 + 65_025);
    let (a, b) = (a.map(f32_to_bf16), b.map(f32_to_bf16));
    assert_eq!((scalar.dot_bf16)(&a, &b), 5.0);
    assert_eq!((scalar.l2sq_bf16)(&a, &b), 25.25);
}

#[test]
fn buffers_need_no_alignment_and_the_shorter_one_counts() {
    let mut rng = Rng(4);
    let (a, b) = (rng.floats(200), rng.floats(200));
    let (codes, others) = (rng.codes(200), rng.codes(200));
    for table in Kernels::supported() {
        for start in 0..17 {
            let expected = (Kernels::scalar().dot_f32)(&a[start..190], &b[..190 - start]);
            assert_near(
                (table.dot_f32)(&a[start..190], &b),
                expected,
                190,
                table.name,
            );
            let expected = (Kernels::scalar().dot_i8)(&codes[start..190], &others[..190 - start]);
            assert_eq!((table.dot_i8)(&codes[start..190], &others), expected);
        }
    }
}

#[test]
fn the_chosen_table_is_a_supported_one() {
    assert!(
        Kernels::supported()
            .iter()
            .any(|table| table.name == kernels().name)
    );
}
