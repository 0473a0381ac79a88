//! The layers of a transformer: exact values, and the same bits from every table.

use crate::rng::{Draw, Rng};
use pelorus_kernels::{Columns, Kernels, PANEL, Panels, Rows, RowsMut};

fn packed(matrix: &[f32], first: &[f32], depth: usize, columns: usize) -> Panels {
    let mut panels = Panels::new(depth, columns).expect("there is memory");
    panels.set_first(0, first);
    for (row, values) in matrix.chunks_exact(columns.max(1)).enumerate() {
        panels.set_row(row, 0, values);
    }
    panels
}

fn product(table: &Kernels, rows: Rows<'_>, panels: &Panels) -> Vec<f32> {
    let columns = panels.columns();
    let mut out = vec![f32::NAN; rows.count * columns];
    let target = RowsMut {
        values: &mut out,
        stride: columns,
    };
    (table.multiply)(rows, panels, target);
    out
}

#[test]
fn products_are_those_of_the_definition_and_have_the_same_bits_in_every_table() {
    let mut rng = Rng(1);
    for (count, depth, columns) in [
        (0, 5, 5),
        (1, 0, 3),
        (1, 1, 1),
        (3, 7, 31),
        (12, 32, PANEL),
        (13, 33, 33),
        (24, 8, 95),
        (25, 100, 64),
        (40, 64, 130),
    ] {
        let stride = depth + 3;
        let (values, matrix) = (rng.floats(count * stride), rng.floats(depth * columns));
        let first = rng.floats(columns);
        let panels = packed(&matrix, &first, depth, columns);
        let rows = Rows {
            values: &values,
            stride,
            count,
        };
        let expected = product(Kernels::scalar(), rows, &panels);
        for (at, &found) in expected.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let terms = (0..depth).map(|k| {
                f64::from(values[row * stride + k]) * f64::from(matrix[k * columns + column])
            });
            let exact = f64::from(first[column]) + terms.sum::<f64>();
            assert!((f64::from(found) - exact).abs() <= 1e-6 * (depth as f64 + 1.0));
        }
        for table in Kernels::supported() {
            assert_eq!(bits(&product(table, rows, &panels)), bits(&expected));
        }
    }
}

#[test]
fn a_row_has_the_same_bits_whatever_rows_are_beside_it() {
    let mut rng = Rng(2);
    let (depth, columns, most) = (77, 50, 40);
    let (values, matrix) = (rng.floats(most * depth), rng.floats(depth * columns));
    let panels = packed(&matrix, &rng.floats(columns), depth, columns);
    for table in Kernels::supported() {
        let of = |first: usize, count| {
            let values = &values[first * depth..];
            let stride = depth;
            product(
                table,
                Rows {
                    values,
                    stride,
                    count,
                },
                &panels,
            )
        };
        let alone: Vec<f32> = (0..most).flat_map(|row| of(row, 1)).collect();
        for count in 1..=most {
            assert_eq!(bits(&of(0, count)), bits(&alone[..count * columns]));
            let tail = (most - count) * columns;
            assert_eq!(bits(&of(most - count, count)), bits(&alone[tail..]));
        }
    }
}

#[test]
fn a_matrix_packed_by_columns_is_the_one_packed_by_rows() {
    let mut rng = Rng(3);
    let (depth, columns) = (9, 70);
    let matrix = rng.floats(depth * columns);
    let by_rows = packed(&matrix, &vec![0.0; columns], depth, columns);
    let mut by_columns = Panels::new(3, 100).expect("there is memory");
    by_columns.reshape(depth, columns);
    for column in 0..columns {
        let values: Vec<f32> = (0..depth)
            .map(|row| matrix[row * columns + column])
            .collect();
        by_columns.set_column(column, &values);
    }
    let rows = Rows {
        values: &rng.floats(depth),
        stride: depth,
        count: 1,
    };
    assert_eq!(
        bits(&product(Kernels::scalar(), rows, &by_rows)),
        bits(&product(Kernels::scalar(), rows, &by_columns)),
    );
}

#[test]
fn matrices_that_memory_has_no_room_for_are_none() {
    for (depth, columns) in [
        (usize::MAX, 1),
        (1, usize::MAX),
        (1 << 40, 1 << 10),
        (1 << 30, 1 << 40),
    ] {
        assert!(Panels::new(depth, columns).is_none(), "{depth} x {columns}");
    }
}

#[test]
fn rows_beyond_a_buffer_are_refused() {
    let panels = Panels::new(4, 8).expect("there is memory");
    for (rows, room) in [(7, 16), (8, 15)] {
        let found = std::panic::catch_unwind(|| {
            let (values, mut out) = (vec![0.0; rows], vec![0.0; room]);
            let rows = Rows {
                values: &values,
                stride: 4,
                count: 2,
            };
            let out = RowsMut {
                values: &mut out,
                stride: 8,
            };
            for table in Kernels::supported() {
                (table.multiply)(
                    rows,
                    &panels,
                    RowsMut {
                        values: out.values,
                        stride: 8,
                    },
                );
            }
        });
        assert!(found.is_err());
    }
}

#[test]
fn gelu_is_the_normal_distribution_times_its_argument() {
    let arguments: Vec<f32> = (-2000..=2000).map(|at| at as f32 / 200.0).collect();
    let mut found = arguments.clone();
    (Kernels::scalar().gelu)(&mut found);
    for (&x, &found) in arguments.iter().zip(&found) {
        let x = f64::from(x);
        let expected = 0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2));
        let difference = (f64::from(found) - expected).abs();
        assert!(
            difference <= 4e-7 * (1.0 + x.abs()),
            "{x}: {found} against {expected}"
        );
    }
    for table in Kernels::supported() {
        let mut same = arguments.clone();
        (table.gelu)(&mut same);
        assert_eq!(bits(&same), bits(&found_by_scalar(&arguments)));
    }
}

#[test]
fn gelu_of_what_is_far_below_zero_is_zero_and_far_above_it_the_argument() {
    let far = [20.0, 50.0, 1e8, 1e30];
    for table in Kernels::supported() {
        let (mut below, mut above) = (far.map(|x: f32| -x), far);
        (table.gelu)(&mut below);
        (table.gelu)(&mut above);
        assert_eq!(below, [0.0; 4], "{}", table.name);
        assert_eq!(above, far, "{}", table.name);
    }
}

#[test]
fn gelu_by_the_tangent_and_the_quick_one_are_those_of_their_definitions() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let by_tangent = |x: f64| {
        let root = (2.0 / std::f64::consts::PI).sqrt();
        0.5 * x * (1.0 + (root * (x + 0.044_715 * x.powi(3))).tanh())
    };
    let near = (-2000..=2000).map(|at| at as f32 / 200.0);
    let arguments: Vec<f32> = near.chain([-1e30, -300.0, 300.0, 1e12]).collect();
    for table in Kernels::supported() {
        let (mut tangent, mut quick) = (arguments.clone(), arguments.clone());
        (table.tanh_gelu)(&mut tangent);
        (table.quick_gelu)(&mut quick);
        for ((&x, &tangent), &quick) in arguments.iter().zip(&tangent).zip(&quick) {
            let x = f64::from(x);
            for (found, expected) in [(tangent, by_tangent(x)), (quick, x * sigmoid(1.702 * x))] {
                assert!(
                    (f64::from(found) - expected).abs() <= 4e-7 * (1.0 + x.abs()),
                    "{x}: {found} against {expected}"
                );
            }
        }
        let (mut same_tangent, mut same_quick) = (arguments.clone(), arguments.clone());
        (Kernels::scalar().tanh_gelu)(&mut same_tangent);
        (Kernels::scalar().quick_gelu)(&mut same_quick);
        assert_eq!(bits(&tangent), bits(&same_tangent));
        assert_eq!(bits(&quick), bits(&same_quick));
    }
}

fn found_by_scalar(arguments: &[f32]) -> Vec<f32> {
    let mut found = arguments.to_vec();
    (Kernels::scalar().gelu)(&mut found);
    found
}

/// The error function, by its series below 3 and by its continued fraction from there on.
fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    let value = if magnitude < 3.0 {
        let (mut term, mut sum) = (magnitude, magnitude);
        for n in 1..100 {
            term *= -magnitude * magnitude / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    } else {
        let mut fraction = magnitude;
        for n in (1..60).rev() {
            fraction = magnitude + f64::from(n) / 2.0 / fraction;
        }
        1.0 - (-magnitude * magnitude).exp() / (fraction * std::f64::consts::PI.sqrt())
    };
    value.copysign(x)
}

#[test]
fn softmax_is_the_share_of_each_exponential() {
    let mut rng = Rng(4);
    for len in [1, 2, 15, 16, 17, 40, 129] {
        let row: Vec<f32> = rng.floats(len).iter().map(|x| x * 60.0).collect();
        let scale = 0.7_f32;
        let most = row.iter().copied().fold(f32::MIN, f32::max);
        let terms: Vec<f64> = row
            .iter()
            .map(|x| (f64::from(x - most) * f64::from(scale)).exp())
            .collect();
        let sum: f64 = terms.iter().sum();
        let mut expected = row.clone();
        (Kernels::scalar().softmax)(&mut expected, scale);
        for (&found, term) in expected.iter().zip(&terms) {
            let exact = term / sum;
            assert!((f64::from(found) - exact).abs() <= 1e-5 * exact + 1e-36);
        }
        for table in Kernels::supported() {
            let mut found = row.clone();
            (table.softmax)(&mut found, scale);
            assert_eq!(bits(&found), bits(&expected));
        }
    }
}

#[test]
fn a_normalised_row_has_mean_zero_and_variance_one_before_weight_and_bias() {
    let mut rng = Rng(5);
    for len in [1, 3, 16, 31, 48, 384] {
        let (row, residual) = (rng.floats(len), rng.floats(len));
        let (weight, bias) = (rng.floats(len), rng.floats(len));
        let sums: Vec<f64> = row
            .iter()
            .zip(&residual)
            .map(|(a, b)| f64::from(*a) + f64::from(*b))
            .collect();
        let mean = sums.iter().sum::<f64>() / len as f64;
        let variance = sums.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / len as f64;
        let mut expected = row.clone();
        (Kernels::scalar().add_norm)(&mut expected, &residual, &weight, &bias, 1e-5);
        for (at, &found) in expected.iter().enumerate() {
            let unit = (sums[at] - mean) / (variance + 1e-5).sqrt();
            let exact = unit * f64::from(weight[at]) + f64::from(bias[at]);
            assert!((f64::from(found) - exact).abs() <= 1e-4);
        }
        for table in Kernels::supported() {
            let mut found = row.clone();
            (table.add_norm)(&mut found, &residual, &weight, &bias, 1e-5);
            assert_eq!(bits(&found), bits(&expected));
        }
    }
}

#[test]
fn a_value_that_is_no_number_stays_so() {
    for table in Kernels::supported() {
        let mut values = vec![f32::NAN; 20];
        for activation in [table.gelu, table.tanh_gelu, table.quick_gelu] {
            activation(&mut values);
            assert!(values.iter().all(|value| value.is_nan()));
        }
        for at in [0, 19] {
            let mut row = vec![1.0; 20];
            row[at] = f32::NAN;
            (table.softmax)(&mut row, 1.0);
            assert!(row.iter().all(|value| value.is_nan()));
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn columns_beside_each_other_are_those_that_are_set_one_by_one() {
    let mut rng = Rng(5);
    for depth in [0, 1, 15, 16, 17, 40] {
        for counts in [vec![1], vec![PANEL], vec![PANEL - 1, 2, 70], vec![5, 0, 40]] {
            let columns = counts.iter().sum();
            let mut one_by_one = Panels::new(depth, columns).expect("there is memory");
            let parts: Vec<_> = counts
                .iter()
                .enumerate()
                .map(|(at, &count)| {
                    let values: Vec<f32> = (0..depth * count).map(|_| rng.unit()).collect();
                    let first: Vec<f32> = (0..count).map(|_| rng.unit()).collect();
                    (values, first, count, at % 2 == 1)
                })
                .collect();
            let mut before = 0;
            for (values, first, count, is_turned) in &parts {
                for column in 0..*count {
                    let of_row = |row| match is_turned {
                        true => values[column * depth + row],
                        false => values[row * count + column],
                    };
                    let column_values: Vec<f32> = (0..depth).map(of_row).collect();
                    one_by_one.set_column(before + column, &column_values);
                }
                one_by_one.set_first(before, first);
                before += count;
            }
            let parts: Vec<_> = parts
                .iter()
                .map(|(values, first, count, is_turned)| Columns {
                    values,
                    count: *count,
                    is_turned: *is_turned,
                    first: Some(first),
                })
                .collect();
            let beside = Panels::of(depth, &parts).expect("there is memory");
            assert_eq!((beside.depth(), beside.columns()), (depth, columns));
            for column in 0..columns {
                assert_eq!(beside.first(column), one_by_one.first(column));
                assert!(beside.column(column).eq(one_by_one.column(column)));
            }
        }
    }
}
