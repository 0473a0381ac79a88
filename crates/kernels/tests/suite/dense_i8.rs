//! Products of codes: exact sums, and the same bits from every table.

use crate::rng::{Draw, Rng};
use pelorus_kernels::{Codes, Int8Panels, Kernels, PANEL, RowsMut, Steps};
use proptest::prelude::*;

/// A product and everything that it is made of.
struct Case {
    count: usize,
    depth: usize,
    columns: usize,
    codes: Vec<u8>,
    /// `[columns, depth]`.
    weights: Vec<i8>,
    first: Vec<i32>,
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl Case {
    fn random(seed: u64, count: usize, depth: usize, columns: usize) -> Self {
        let mut rng = Rng(seed);
        let code = |rng: &mut Rng| match rng.bits() % 8 {
            0 => 255,
            1 => 0,
            _ => rng.bits() as u8,
        };
        Self {
            count,
            depth,
            columns,
            codes: (0..count * depth).map(|_| code(&mut rng)).collect(),
            weights: (0..columns * depth)
                .map(|_| (rng.bits() as i8).max(-127))
                .collect(),
            first: (0..columns).map(|_| rng.bits() as i16 as i32).collect(),
            scale: rng.floats(columns),
            bias: rng.floats(columns),
        }
    }

    fn rows(&self) -> Codes {
        let mut codes = Codes::default();
        // Codes of earlier rows must not count.
        codes.reshape(self.count, self.depth + 70);
        for row in 0..self.count {
            codes.row_mut(row).fill(201);
        }
        codes.reshape(self.count, self.depth);
        for row in 0..self.count {
            let values = &self.codes[row * self.depth..][..self.depth];
            codes.row_mut(row).copy_from_slice(values);
        }
        codes
    }

    fn panels(&self) -> Int8Panels {
        let mut panels = Int8Panels::new(self.depth, self.columns).expect("there is memory");
        for column in 0..self.columns {
            let codes = &self.weights[column * self.depth..][..self.depth];
            let (first, scale, bias) = (self.first[column], self.scale[column], self.bias[column]);
            panels.set_column(column, codes, first, scale, bias);
        }
        panels
    }

    /// The values by their definition.
    fn values(&self) -> Vec<f32> {
        let value = |row: usize, column: usize| {
            let codes = &self.codes[row * self.depth..][..self.depth];
            let weights = &self.weights[column * self.depth..][..self.depth];
            let products = codes
                .iter()
                .zip(weights)
                .map(|(&a, &b)| i64::from(a) * i64::from(b));
            let sum = products.sum::<i64>() + i64::from(self.first[column]);
            (sum as f32).mul_add(self.scale[column], self.bias[column])
        };
        (0..self.count)
            .flat_map(|row| (0..self.columns).map(move |column| value(row, column)))
            .collect()
    }

    fn found(&self, table: &Kernels) -> Vec<f32> {
        let stride = self.columns + 3;
        let mut out = vec![f32::NAN; self.count * stride];
        let target = RowsMut {
            values: &mut out,
            stride,
        };
        (table.int8.multiply)(&self.rows(), &self.panels(), target);
        let (found, beyond): (Vec<_>, Vec<_>) = out
            .chunks(stride)
            .map(|row| row.split_at(self.columns))
            .unzip();
        assert!(beyond.concat().iter().all(|value| value.is_nan()));
        found.concat()
    }
}

#[test]
fn products_are_those_of_the_definition_in_every_table() {
    for (seed, (count, depth, columns)) in [
        (0, 5, 5),
        (1, 0, 3),
        (1, 1, 1),
        (3, 7, 31),
        (12, 64, PANEL),
        (13, 65, 33),
        (17, 63, 95),
        (33, 200, 64),
        (40, 600, 130),
    ]
    .into_iter()
    .enumerate()
    {
        let case = Case::random(seed as u64, count, depth, columns);
        let expected = bits(&case.values());
        for table in Kernels::supported() {
            let found = bits(&case.found(table));
            assert_eq!(found, expected, "{}: {count} {depth} {columns}", table.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_of_any_shape_are_those_of_the_definition(
        seed: u64, count in 0..36_usize, depth in 0..150_usize, columns in 1..70_usize,
    ) {
        let case = Case::random(seed, count, depth, columns);
        let expected = bits(&case.values());
        for table in Kernels::supported() {
            prop_assert_eq!(&bits(&case.found(table)), &expected, "{}", table.name);
        }
    }
}

#[test]
fn the_largest_sums_do_not_saturate() {
    for (code, weight) in [(255, 127), (255, -127), (0, 127)] {
        let (count, depth, columns) = (2, 1 << 16, 2);
        let case = Case {
            count,
            depth,
            columns,
            codes: vec![code; count * depth],
            weights: vec![weight; columns * depth],
            first: vec![-i32::from(code) * i32::from(weight); columns],
            scale: vec![1.0; columns],
            bias: vec![0.0; columns],
        };
        let expected = bits(&case.values());
        for table in Kernels::supported() {
            assert_eq!(bits(&case.found(table)), expected, "{}", table.name);
        }
    }
}

#[test]
fn a_code_is_the_nearest_one_and_stays_in_its_range() {
    let (factors, offsets) = (vec![2.0; 12], vec![10.0; 12]);
    let steps = Steps {
        factors: &factors,
        offsets: &offsets,
    };
    let row = [
        0.0, 0.25, 0.75, 1.2, -5.0, -6.0, -1e30, 122.5, 122.6, 1e30, -0.25, -0.0,
    ];
    for table in Kernels::supported() {
        let mut codes = [7; 12];
        assert!((table.int8.encode)(&row, steps, &mut codes));
        assert_eq!(codes, [10, 10, 12, 12, 0, 0, 0, 255, 255, 255, 10, 10]);
    }
}

#[test]
fn codes_are_the_same_in_every_table_and_numbers_that_are_none_are_told() {
    let mut rng = Rng(11);
    for len in [0, 1, 15, 16, 17, 40, 384] {
        let row: Vec<f32> = rng.floats(len).iter().map(|x| x * 3.0).collect();
        let factors: Vec<f32> = rng.floats(len).iter().map(|x| 60.0 + 20.0 * x).collect();
        let offsets: Vec<f32> = rng
            .floats(len)
            .iter()
            .map(|x| (x * 128.0).round())
            .collect();
        let steps = Steps {
            factors: &factors,
            offsets: &offsets,
        };
        let mut expected = vec![0; len];
        assert!((Kernels::scalar().int8.encode)(&row, steps, &mut expected));
        for table in Kernels::supported() {
            let mut found = vec![0; len];
            assert!((table.int8.encode)(&row, steps, &mut found));
            assert_eq!(found, expected, "{}", table.name);
            for at in [0, len / 2, len.saturating_sub(1)] {
                for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                    let mut row = row.clone();
                    let Some(value) = row.get_mut(at) else {
                        continue;
                    };
                    *value = odd;
                    assert!(
                        !(table.int8.encode)(&row, steps, &mut found),
                        "{odd} at {at}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_product_with_activation_is_the_three_steps_one_after_the_other() {
    for (count, depth, columns) in [(1, 3, 5), (14, 65, 70), (33, 64, 64)] {
        let mut case = Case::random(count as u64, count, depth, columns);
        // Values of some units, as those of layers are.
        for scale in &mut case.scale {
            *scale /= 5000.0;
        }
        let mut rng = Rng(12);
        let factors: Vec<f32> = rng
            .floats(columns)
            .iter()
            .map(|x| 50.0 + 20.0 * x)
            .collect();
        let offsets = vec![9.0; columns];
        let steps = Steps {
            factors: &factors,
            offsets: &offsets,
        };
        let scalar = Kernels::scalar();
        let mut values = case.values();
        (scalar.gelu)(&mut values);
        for table in Kernels::supported() {
            let mut found = Codes::default();
            (table.int8.multiply_gelu)(&case.rows(), &case.panels(), steps, &mut found);
            assert_eq!((found.count(), found.depth()), (count, columns));
            for (row, values) in values.chunks(columns).enumerate() {
                let mut expected = vec![0; columns];
                (scalar.int8.encode)(values, steps, &mut expected);
                assert_eq!(found.row(row), expected, "{}", table.name);
            }
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let panels = Int8Panels::new(4, 8).expect("there is memory");
    for table in Kernels::supported() {
        for (depth, count, room) in [(3, 1, 8), (5, 1, 8), (4, 2, 15)] {
            let found = std::panic::catch_unwind(|| {
                let mut codes = Codes::default();
                codes.reshape(count, depth);
                let mut out = vec![0.0; room];
                let target = RowsMut {
                    values: &mut out,
                    stride: 8,
                };
                (table.int8.multiply)(&codes, &panels, target);
            });
            assert!(found.is_err());
        }
    }
    assert!(std::panic::catch_unwind(|| Int8Panels::new((1 << 16) + 1, 1)).is_err());
    let least = || {
        let mut panels = Int8Panels::new(2, 1).expect("there is memory");
        panels.set_column(0, &[0, -128], 0, 1.0, 0.0);
    };
    assert!(std::panic::catch_unwind(least).is_err());
}

#[test]
fn matrices_that_memory_has_no_room_for_are_none() {
    for columns in [usize::MAX, 1 << 50] {
        assert!(Int8Panels::new(1 << 16, columns).is_none(), "{columns}");
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
