//! Products of bfloat16: exact values, and the same bits from every table.

use crate::rng::{Draw, Rng};
use pelorus_kernels::{
    BF16_LINE, Bf16Finish, Bf16Heads, Bf16Panels, Bf16Rows, Bf16Scratch, Kernels, PANEL, Panels,
    RowsMut, bf16_to_f32, f32_to_bf16,
};

/// Rows and a matrix with the values that sums begin at.
struct Factors {
    count: usize,
    depth: usize,
    columns: usize,
    rows: Vec<f32>,
    matrix: Vec<f32>,
    first: Vec<f32>,
}

impl Factors {
    fn drawn(rng: &mut Rng, count: usize, depth: usize, columns: usize) -> Self {
        Self {
            count,
            depth,
            columns,
            rows: rng.floats(count * depth),
            matrix: rng.floats(depth * columns),
            first: rng.floats(columns),
        }
    }

    fn panels(&self, table: &Kernels) -> Bf16Panels {
        let mut panels = Panels::new(self.depth, self.columns).expect("there is memory");
        panels.set_first(0, &self.first);
        for (row, values) in self.matrix.chunks_exact(self.columns).enumerate() {
            panels.set_row(row, 0, values);
        }
        Bf16Panels::of(&panels, table.bf16.order).expect("there is memory")
    }

    fn rounded(&self, table: &Kernels) -> Bf16Rows {
        let mut rows = Bf16Rows::new(table.bf16.order);
        rows.reshape(self.count, self.depth);
        for row in 0..self.count {
            let values = &self.rows[row * self.depth..][..self.depth];
            (table.bf16.round)(values, rows.row_mut(row));
        }
        rows
    }

    /// The product of some rows.
    fn product(&self, table: &Kernels, row: usize, count: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; count * self.columns];
        let target = RowsMut {
            values: &mut out,
            stride: self.columns,
        };
        let rows = self.rounded(table);
        (table.bf16.multiply)(rows.part(row, 0, count), &self.panels(table), target);
        out
    }
}

#[test]
fn products_are_those_of_rounded_values_and_have_the_same_bits_in_every_table() {
    let mut rng = Rng(1);
    for (count, depth, columns) in [
        (0, 5, 5),
        (1, 0, 3),
        (1, 1, 1),
        (3, 7, 31),
        (12, BF16_LINE, PANEL),
        (13, 33, 33),
        (16, 64, 16),
        (17, 64, 64),
        (31, 100, 95),
        (33, 384, 130),
        (70, 64, 96),
    ] {
        let factors = Factors::drawn(&mut rng, count, depth, columns);
        let expected = factors.product(Kernels::scalar(), 0, count);
        let rounded = |value: f32| f64::from(bf16_to_f32(f32_to_bf16(value)));
        for (at, &found) in expected.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let terms = (0..depth).map(|k| {
                rounded(factors.rows[row * depth + k])
                    * rounded(factors.matrix[k * columns + column])
            });
            let exact = f64::from(factors.first[column]) + terms.sum::<f64>();
            assert!((f64::from(found) - exact).abs() <= 1e-6 * (depth as f64 + 1.0));
        }
        for table in Kernels::supported() {
            let found = factors.product(table, 0, count);
            assert_eq!(bits(&found), bits(&expected), "{}", table.name);
        }
    }
}

#[test]
fn sums_of_very_different_terms_have_the_same_bits_in_every_table() {
    let mut rng = Rng(2);
    let mut factors = Factors::drawn(&mut rng, 20, 96, 40);
    for (at, value) in factors.rows.iter_mut().enumerate() {
        *value *= 10_f32.powi((at * 7 % 23) as i32 - 11);
    }
    for (at, value) in factors.matrix.iter_mut().enumerate() {
        *value *= 10_f32.powi((at * 5 % 19) as i32 - 9);
    }
    let expected = factors.product(Kernels::scalar(), 0, 20);
    for table in Kernels::supported() {
        let found = factors.product(table, 0, 20);
        assert_eq!(bits(&found), bits(&expected), "{}", table.name);
    }
}

#[test]
fn a_row_has_the_same_bits_whatever_rows_are_beside_it() {
    let mut rng = Rng(3);
    let (most, columns) = (70, 50);
    let factors = Factors::drawn(&mut rng, most, 77, columns);
    for table in Kernels::supported() {
        let alone: Vec<f32> = (0..most)
            .flat_map(|row| factors.product(table, row, 1))
            .collect();
        for count in (1..=most).step_by(3) {
            let head = factors.product(table, 0, count);
            assert_eq!(bits(&head), bits(&alone[..count * columns]));
            let tail = factors.product(table, most - count, count);
            assert_eq!(bits(&tail), bits(&alone[(most - count) * columns..]));
        }
    }
}

#[test]
fn a_part_of_each_row_is_multiplied_where_a_line_begins() {
    let mut rng = Rng(4);
    let factors = Factors::drawn(&mut rng, 9, BF16_LINE, 40);
    let before = rng.floats(9 * BF16_LINE);
    for table in Kernels::supported() {
        let mut rows = Bf16Rows::new(table.bf16.order);
        rows.reshape(9, 2 * BF16_LINE);
        for row in 0..9 {
            let part = row * BF16_LINE..(row + 1) * BF16_LINE;
            let values = [&before[part.clone()], &factors.rows[part]].concat();
            (table.bf16.round)(&values, rows.row_mut(row));
        }
        let mut out = vec![0.0; 9 * 40];
        let target = RowsMut {
            values: &mut out,
            stride: 40,
        };
        (table.bf16.multiply)(rows.part(0, 1, 9), &factors.panels(table), target);
        assert_eq!(bits(&out), bits(&factors.product(table, 0, 9)));
    }
}

#[test]
fn values_round_as_numbers_of_that_width_do() {
    let mut values = vec![
        0.0,
        -0.0,
        1.0,
        f32::from_bits(0x3f80_8000),
        f32::from_bits(0x3f81_8000),
        f32::from_bits(0xbf80_8001),
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::from_bits(0xffff_ffff),
        f32::from_bits(0x7f80_0001),
        f32::MIN_POSITIVE,
    ];
    let mut rng = Rng(5);
    values.extend(rng.floats(40));
    // The product with one at each place gives the values back.
    let len = values.len();
    let mut factors = Factors::drawn(&mut rng, 1, len, len);
    factors.first.fill(0.0);
    factors.matrix.fill(0.0);
    for at in 0..len {
        factors.matrix[at * len + at] = 1.0;
    }
    for table in Kernels::supported() {
        for (at, &value) in values.iter().enumerate() {
            factors.rows.fill(0.0);
            factors.rows[at] = value;
            let found = factors.product(table, 0, 1)[at];
            let expected = bf16_to_f32(f32_to_bf16(value));
            assert!(
                found == expected || found.is_nan() && expected.is_nan(),
                "{value}: {found}, not {expected}, by {}",
                table.name
            );
        }
        factors.rows.fill(0.0);
        factors.rows[0] = f32::MIN_POSITIVE / 2.0;
        assert_eq!(factors.product(table, 0, 1)[0], 0.0, "{}", table.name);
    }
}

/// The values of rounded rows, by a product with one at each place.
fn values(table: &Kernels, rows: &Bf16Rows, len: usize) -> Vec<f32> {
    let mut matrix = Panels::new(len, len).expect("there is memory");
    for row in 0..len {
        let line: Vec<f32> = (0..len).map(|at| f32::from(u8::from(at == row))).collect();
        matrix.set_row(row, 0, &line);
    }
    let mut out = vec![0.0; rows.count() * len];
    let target = RowsMut {
        values: &mut out,
        stride: len,
    };
    let panels = Bf16Panels::of(&matrix, table.bf16.order).expect("there is memory");
    (table.bf16.multiply)(rows.all(), &panels, target);
    out
}

#[test]
fn products_are_finished_and_rounded_alike_in_every_table() {
    let mut rng = Rng(6);
    let sizes = [(1, 32, 32), (5, 40, 33), (35, 64, 100)];
    // A value far below zero becomes zero, and one far above it stays.
    for ((count, depth, columns), scale) in sizes.into_iter().zip([3.0, 3.0, 1e8]) {
        let mut factors = Factors::drawn(&mut rng, count, depth, columns);
        factors.rows.iter_mut().for_each(|value| *value *= scale);
        let plain = factors.product(Kernels::scalar(), 0, count);
        for table in Kernels::supported() {
            let (rows, panels) = (factors.rounded(table), factors.panels(table));
            for finish in [Bf16Finish::Plain, Bf16Finish::Gelu] {
                let mut out = Bf16Rows::new(table.bf16.order);
                (table.bf16.multiply_rounded)(rows.all(), &panels, finish, &mut out);
                let mut same = Bf16Rows::new(Kernels::scalar().bf16.order);
                let scalar = Kernels::scalar();
                (scalar.bf16.multiply_rounded)(
                    factors.rounded(scalar).all(),
                    &factors.panels(scalar),
                    finish,
                    &mut same,
                );
                let found = values(table, &out, columns);
                assert_eq!(
                    bits(&found),
                    bits(&values(scalar, &same, columns)),
                    "{}",
                    table.name
                );
                for (&found, &plain) in found.iter().zip(&plain) {
                    let mut expected = [plain];
                    if finish == Bf16Finish::Gelu {
                        (scalar.gelu)(&mut expected);
                    }
                    let [expected] = expected;
                    // A number of eight bits is half a unit of the last place away at most.
                    let most = expected.abs() / 256.0 + 2e-4;
                    assert!((found - expected).abs() <= most, "{plain}: {found}");
                }
            }
        }
    }
}

#[test]
fn attention_mixes_values_by_the_softmax_of_scores_and_has_the_same_bits_in_every_table() {
    let mut rng = Rng(7);
    for (count, size) in [(1, 32), (3, 32), (2, 64)] {
        let heads = Bf16Heads {
            count,
            size,
            factor: 0.3,
        };
        let (width, texts) = (count * size, [1, 5, 16, 17, 40, 70]);
        let tokens: u32 = texts.iter().sum();
        let rows = tokens as usize;
        let drawn = rng.floats(rows * 3 * width);
        let attended = |table: &Kernels, texts: &[u32], first: usize, rows: usize| {
            let mut qkv = Bf16Rows::new(table.bf16.order);
            qkv.reshape(rows, 3 * width);
            for row in 0..rows {
                let values = &drawn[(first + row) * 3 * width..][..3 * width];
                (table.bf16.round)(values, qkv.row_mut(row));
            }
            let mut context = Bf16Rows::new(table.bf16.order);
            let mut scratch = Bf16Scratch::new(table.bf16.order);
            (table.bf16.attend)(&qkv, texts, heads, &mut context, &mut scratch);
            values(table, &context, width)
        };
        let expected = attended(Kernels::scalar(), &texts, 0, rows);
        for table in Kernels::supported() {
            let found = attended(table, &texts, 0, rows);
            assert_eq!(bits(&found), bits(&expected), "{}", table.name);
            let mut first = 0;
            for length in texts {
                let alone = attended(table, &[length], first, length as usize);
                let beside = &expected[first * width..][..alone.len()];
                assert_eq!(bits(&alone), bits(beside), "{} alone", table.name);
                first += length as usize;
            }
        }
        let at = |row: usize, part: usize, head: usize| {
            let start = (row * 3 + part) * width + head * size;
            drawn[start..start + size]
                .iter()
                .map(|&value| f64::from(bf16_to_f32(f32_to_bf16(value))))
        };
        let mut first = 0;
        for length in texts.map(|length| length as usize) {
            for (row, head) in
                (first..first + length).flat_map(|row| (0..count).map(move |head| (row, head)))
            {
                let shares: Vec<f64> = (first..first + length)
                    .map(|key| {
                        at(row, 0, head)
                            .zip(at(key, 1, head))
                            .map(|(q, k)| q * k)
                            .sum::<f64>()
                    })
                    .map(|score| (score * 0.3).exp())
                    .collect();
                let sum: f64 = shares.iter().sum();
                for (place, &found) in expected[row * width + head * size..][..size]
                    .iter()
                    .enumerate()
                {
                    let mixed = shares.iter().enumerate().map(|(key, share)| {
                        share / sum * at(first + key, 2, head).nth(place).unwrap_or_default()
                    });
                    let exact: f64 = mixed.sum();
                    assert!(
                        (f64::from(found) - exact).abs() <= 8e-3,
                        "{found}, not {exact}"
                    );
                }
            }
            first += length;
        }
    }
}

#[test]
fn rows_beyond_a_buffer_or_of_another_order_are_refused() {
    let fails = |multiply: &dyn Fn()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(multiply));
        assert!(caught.is_err());
    };
    for table in Kernels::supported() {
        let mut rows = Bf16Rows::new(table.bf16.order);
        rows.reshape(2, 40);
        let multiply = |rows: &Bf16Rows, row, count, depth, room| {
            let mut panels = Bf16Panels::new(table.bf16.order);
            panels.reshape(depth, 8);
            let target = RowsMut {
                values: &mut vec![0.0; room],
                stride: 8,
            };
            (table.bf16.multiply)(rows.part(row, 0, count), &panels, target);
        };
        multiply(&rows, 0, 2, 40, 16);
        fails(&|| multiply(&rows, 0, 2, 40, 15));
        fails(&|| multiply(&rows, 0, 40, 40, 1000));
        fails(&|| multiply(&rows, 3, 16, 40, 1000));
        fails(&|| multiply(&rows, 0, 2, 100, 16));
        for other in Kernels::supported() {
            let mut rows = Bf16Rows::new(other.bf16.order);
            rows.reshape(2, 40);
            if other.bf16.order != table.bf16.order {
                fails(&|| multiply(&rows, 0, 2, 40, 16));
            }
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
