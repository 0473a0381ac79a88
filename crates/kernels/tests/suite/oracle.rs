//! Every table this machine supports computes the same as the scalar table.

use std::io::Write;

use crate::rng::{Draw, Rng};
use pelorus_kernels::{
    Kernels, bf16_to_f32, f32_to_bf16, int8_row_bytes, kernels, read_int8_row, split_int8_row,
    write_int8_row,
};

/// Every table there is, of all processors.
const TABLES: [&str; 10] = [
    "scalar",
    "avx2",
    "avxvnni",
    "avx512",
    "avx512vpopcnt",
    "avx512bf16",
    "amx",
    "neon",
    "dotprod",
    "i8mm",
];

#[test]
fn the_tables_that_this_processor_cannot_run_are_named() {
    let supported = Kernels::supported();
    let runs = |name: &str| supported.iter().any(|table| table.name == name);
    assert!(supported.iter().all(|table| TABLES.contains(&table.name)));
    let untested: Vec<&str> = TABLES.into_iter().filter(|name| !runs(name)).collect();
    // The runner of tests keeps what `eprintln!` says of a test that passes to itself.
    let line = format!("\nNOT TESTED, as this processor lacks them: kernels {untested:?}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Long enough for every unrolled loop, its single steps and each length of tail.
fn lengths() -> impl Iterator<Item = usize> {
    (0..300).chain([511, 512, 513, 768, 1023, 1536, 4096])
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
fn products_with_narrow_rows_are_those_with_what_the_rows_stand_for() {
    let mut rng = Rng(4);
    for len in lengths() {
        let (query, vector) = (rng.floats(len), rng.floats(len));
        let halves: Vec<u16> = vector.iter().map(|&x| f32_to_bf16(x)).collect();
        let wide: Vec<f32> = halves.iter().map(|&x| bf16_to_f32(x)).collect();
        let mut row = vec![0; int8_row_bytes(len)];
        write_int8_row(&vector, &mut row);
        let (step, codes) = split_int8_row(&row);
        let stepped: Vec<f32> = read_int8_row(&row).collect();
        for table in Kernels::supported() {
            let expected = [&wide, &stepped].map(|x| (table.dot_f32)(&query, x).to_bits());
            let found = [
                (table.dot_bf16)(&query, &halves),
                (table.dot_int8)(&query, step, codes),
            ];
            assert_eq!(found.map(f32::to_bits), expected, "{} {len}", table.name);
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
            }
        }
    }
}

#[test]
fn int8_rows_agree_with_single_products_exactly() {
    let mut rng = Rng(5);
    for len in lengths() {
        let count = len % 11;
        let mut codes: Vec<_> = (0..=count).map(|_| rng.codes(len)).collect();
        codes[0] = [vec![-128; len], vec![127; len], codes[0].clone()][len % 3].clone();
        let (query, rows) = codes.split_last().expect("one at least");
        let rows: Vec<&[i8]> = rows.iter().map(Vec::as_slice).collect();
        let sum = query.iter().map(|&code| i32::from(code)).sum();
        for table in Kernels::supported() {
            let mut out = vec![0; count];
            (table.dot_i8_rows)(query, sum, &rows, &mut out);
            for (row, out) in rows.iter().zip(out) {
                let expected = (Kernels::scalar().dot_i8)(query, row);
                assert_eq!(out, expected, "{} {len} of {count} rows", table.name);
            }
        }
    }
}

#[test]
fn hadamard_transforms_and_reflections_agree_with_the_scalar_table() {
    let (scalar, mut rng) = (Kernels::scalar(), Rng(6));
    for len in (0..13).map(|power| 1 << power) {
        let (block, signs) = (rng.floats(len), rng.floats(len));
        let mut expected = block.clone();
        (scalar.hadamard)(&mut expected, &signs);
        for table in Kernels::supported() {
            let mut found = block.clone();
            (table.hadamard)(&mut found, &signs);
            for (found, expected) in found.iter().zip(&expected) {
                assert_near(*found, *expected, len, table.name);
            }
        }
    }
    for (parts, len) in [(3, 64), (3, 256), (4, 112), (5, 64), (5, 512)] {
        let v = rng.floats(parts * len);
        for table in Kernels::supported() {
            let mut found = v.clone();
            (table.reflect)(&mut found, parts);
            for (i, found) in found.iter().enumerate() {
                let mean = v.iter().skip(i % len).step_by(len).sum::<f32>() / parts as f32;
                assert_near(*found, v[i] - 2.0 * mean, parts, table.name);
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
    let mut block = [1.0, 2.0, 3.0, 4.0];
    (scalar.hadamard)(&mut block, &[1.0, 1.0, -1.0, 1.0]);
    assert_eq!(block, [4.0, -8.0, 2.0, 6.0]);
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
