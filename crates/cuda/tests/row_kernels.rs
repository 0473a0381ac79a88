//! Kernels that work row by row, on the CPU, beside their references.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod support;

use pelorus_cuda::launch::{self, TABLES};
use pelorus_cuda::reference::{self, Norm};
use pelorus_cuda::{Activation, Element, Pool, Program};
use pelorus_random::SplitMix64;
use support::Argument::{F32, Memory as At, Null, U32, U64};
use support::{Memory, check, elements, emulations, floats};

const ELEMENTS: [Element; 2] = [Element::F16, Element::Bf16];
/// A part of a chunk for each lane, all lanes, more than the registers of the narrow kind, the widest.
const WIDTHS: [usize; 6] = [8, 384, 768, 1024, 1032, 2048];
const EPSILON: f32 = 1e-12;

#[test]
fn embeddings_are_added_up_and_normalised() {
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(1);
            for width in WIDTHS {
                let tokens = 1 + random.below(9);
                let rows = [50, 17, 1];
                let tables = rows.map(|rows| elements(&mut random, element, rows * width, 1.0));
                let mut places: Vec<[i32; TABLES]> = (0..tokens)
                    .map(|_| {
                        let [a, b, c] = rows.map(|rows| random.below(rows) as i32);
                        [a, b, c, -1]
                    })
                    .collect();
                places[0][1] = -1;
                let (weight, bias) = (
                    floats(&mut random, width, 1.0),
                    floats(&mut random, width, 0.1),
                );
                let norm = Norm {
                    weight: &weight,
                    bias: &bias,
                    epsilon: EPSILON,
                };
                let values = [&tables[0].0[..], &tables[1].0, &tables[2].0, &[]];
                let (expected_sums, expected) = reference::embed_norm(values, &places, norm);

                let memories = tables.map(|(_, bits)| Memory::of(&bits));
                let places = Memory::of(places.as_flattened());
                let (weight, bias) = (Memory::of(&weight), Memory::of(&bias));
                let sums = Memory::for_output::<u16>(tokens * width);
                let out = Memory::for_output::<u16>(tokens * width);
                let mut arguments = Vec::new();
                for (memory, rows) in memories.iter().zip(rows) {
                    arguments.extend([At(memory), U32(rows as u32)]);
                }
                arguments.extend([
                    Null,
                    U32(0),
                    At(&places),
                    At(&weight),
                    At(&bias),
                    F32(EPSILON),
                ]);
                arguments.extend([U32(tokens as u32), U32(width as u32), At(&sums), At(&out)]);
                let launch =
                    launch::embed_norm(tokens as u32, width as u32).expect("a width that it takes");
                emulation.run(launch, &arguments, &[&sums, &out]);
                check("sums", element, &sums.values(), &expected_sums, 1e-5);
                check("embeddings", element, &out.values(), &expected, 1e-5);
            }
        }
    }
}

#[test]
fn a_token_that_no_table_has_is_no_number() {
    for emulation in emulations(Program::Encoder(Element::F16)) {
        let width = 16;
        let table = Memory::of(&vec![0x3c00_u16; 3 * width]);
        let places = Memory::of(&[
            2, -1, -1, -1, 3, -1, -1, -1, -2, 0, -1, -1, 0, 0, -1, -1, -1, -1, -1, 1,
        ]);
        let weight = Memory::of(&vec![1.0_f32; width]);
        let out = Memory::for_output::<u16>(5 * width);
        let arguments = [
            [
                At(&table),
                U32(3),
                At(&table),
                U32(1),
                Null,
                U32(0),
                Null,
                U32(0),
            ]
            .as_slice(),
            &[
                At(&places),
                At(&weight),
                At(&weight),
                F32(1.0),
                U32(5),
                U32(16),
                At(&out),
                Null,
            ],
        ]
        .concat();
        let launch = launch::embed_norm(5, 16).expect("a width that it takes");
        emulation.run(launch, &arguments, &[&out]);
        let rows: Vec<f32> = out
            .values::<u16>()
            .into_iter()
            .map(|bits| Element::F16.value(bits))
            .collect();
        let firsts: Vec<f32> = rows.chunks(width).map(|row| row[0]).collect();
        assert_eq!((firsts[0], firsts[3]), (1.0, 2.0));
        assert!(
            [1, 2, 4]
                .iter()
                .all(|&row| rows[row * width..][..width].iter().all(|x| x.is_nan()))
        );
    }
}

#[test]
fn products_biases_and_residuals_are_added_up_and_normalised() {
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(2);
            for (case, width) in WIDTHS.into_iter().enumerate() {
                let rows = 1 + random.below(9);
                // A mean far from zero beside the variance, which a sum of squares would lose.
                let (product, product_bits) = elements(&mut random, element, rows * width, 3.0);
                let (residual, residual_bits) = elements(&mut random, element, rows * width, 1.0);
                let product_bias: Vec<f32> = floats(&mut random, width, 1.0)
                    .iter()
                    .map(|x| x + 50.0)
                    .collect();
                let (weight, bias) = (
                    floats(&mut random, width, 1.0),
                    floats(&mut random, width, 0.1),
                );
                let norm = Norm {
                    weight: &weight,
                    bias: &bias,
                    epsilon: EPSILON,
                };
                let [has_product, has_bias, has_residual] = [
                    [true, true, true],
                    [true, true, false],
                    [false, false, true],
                    [true, false, true],
                ][case % 4];
                let (expected_sums, expected) = reference::add_norm(
                    has_product.then_some(&product),
                    has_bias.then_some(&product_bias),
                    has_residual.then_some(&residual),
                    rows,
                    norm,
                );

                let (product, residual) = (Memory::of(&product_bits), Memory::of(&residual_bits));
                let (product_bias, weight, bias) = (
                    Memory::of(&product_bias),
                    Memory::of(&weight),
                    Memory::of(&bias),
                );
                let out = Memory::for_output::<u16>(rows * width);
                let argument = |is_there: bool, memory| if is_there { At(memory) } else { Null };
                let arguments = |sums, out| {
                    [
                        argument(has_product, &product),
                        argument(has_bias, &product_bias),
                        argument(has_residual, &residual),
                        At(&weight),
                        At(&bias),
                        F32(EPSILON),
                        U32(rows as u32),
                        U32(width as u32),
                        sums,
                        out,
                    ]
                };
                let launch =
                    launch::add_norm(rows as u32, width as u32).expect("a width that it takes");
                emulation.run(launch, &arguments(Null, At(&out)), &[&out]);
                check("norms", element, &out.values(), &expected, 2e-5);

                // Sums may take the place of the residual, as layers that normalise first have it.
                emulation.run(launch, &arguments(At(&residual), Null), &[&residual]);
                check("sums", element, &residual.values(), &expected_sums, 1e-5);
            }
        }
    }
}

#[test]
fn biases_are_added_and_activations_applied() {
    let activations = [
        Activation::None,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::GeluQuick,
    ];
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(3);
            for (rows, columns) in [(1, 8), (3, 1536), (41, 1032), (2, 3072)] {
                for activation in activations {
                    let (values, bits) = elements(&mut random, element, rows * columns, 3.0);
                    let bias = floats(&mut random, columns, 1.0);
                    let has_bias = rows != 3;
                    let expected = reference::bias_activation(
                        &values,
                        has_bias.then_some(&bias),
                        activation,
                        columns,
                    );
                    let (values, bias) = (Memory::of(&bits), Memory::of(&bias));
                    let bias = if has_bias { At(&bias) } else { Null };
                    let arguments = [
                        At(&values),
                        bias,
                        U32(activation as u32),
                        U32(rows as u32),
                        U32(columns as u32),
                    ];
                    let launch = launch::bias_activation(rows as u32, columns as u32)
                        .expect("columns that it takes");
                    emulation.run(launch, &arguments, &[&values]);
                    check("activations", element, &values.values(), &expected, 2e-6);
                }
            }
        }
    }
}

#[test]
fn texts_of_all_lengths_are_pooled() {
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(4);
            for width in WIDTHS {
                let lengths = [1, 0, 33, 2, 512, 7];
                let bounds: Vec<u32> = std::iter::once(0)
                    .chain(lengths.iter().scan(0, |sum, length| {
                        *sum += length;
                        Some(*sum)
                    }))
                    .collect();
                let tokens = lengths.iter().sum::<u32>() as usize;
                let (hidden, bits) = elements(&mut random, element, tokens * width, 1.0);
                let (memory, places) = (Memory::of(&bits), Memory::of(&bounds));
                for (pool, normalise) in [
                    (Pool::Mean, true),
                    (Pool::Mean, false),
                    (Pool::First, true),
                    (Pool::Last, false),
                ] {
                    let expected = reference::pool(&hidden, &bounds, width, pool, normalise);
                    let out = Memory::for_output::<f32>(expected.len());
                    let arguments = [
                        At(&memory),
                        At(&places),
                        U32(width as u32),
                        U32(pool as u32),
                        U32(normalise.into()),
                        At(&out),
                    ];
                    let launch = launch::pool(lengths.len() as u32, width as u32)
                        .expect("a width that it takes");
                    emulation.run(launch, &arguments, &[&out]);
                    for (received, expected) in out.values::<f32>().iter().zip(&expected) {
                        assert!(
                            (received - expected).abs() <= 2e-6 * expected.abs().max(1.0),
                            "{pool:?} {width}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn vectors_with_a_value_that_is_no_number_are_none() {
    for emulation in emulations(Program::Encoder(Element::F16)) {
        for bad in [f32::NAN, f32::INFINITY] {
            let mut bits = vec![Element::F16.bits(0.5); 3 * 16];
            bits[20] = Element::F16.bits(bad);
            let (hidden, bounds) = (Memory::of(&bits), Memory::of(&[0_u32, 3]));
            let out = Memory::for_output::<f32>(16);
            let arguments = [
                At(&hidden),
                At(&bounds),
                U32(16),
                U32(Pool::Mean as u32),
                U32(1),
                At(&out),
            ];
            emulation.run(
                launch::pool(1, 16).expect("a width that it takes"),
                &arguments,
                &[&out],
            );
            assert!(out.values::<f32>().iter().all(|x| x.is_nan()));
        }
    }
}

#[test]
fn floats_become_the_nearest_elements() {
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(5);
            let mut values = floats(&mut random, 4001, 1.0);
            for value in &mut values {
                *value *= 2.0_f32.powi(random.below(60) as i32 - 35);
            }
            let ends = [
                0.0,
                -0.0,
                65504.0,
                65519.9,
                65520.0,
                -7e4,
                5.9e-8,
                2.9e-8,
                1e-9,
                f32::INFINITY,
            ];
            values.splice(0..ends.len(), ends);
            for count in [0, 1, 7, 8, 9, 4001] {
                let memory = Memory::of(&values[..count]);
                let out = Memory::for_output::<u16>(count);
                let arguments = [At(&memory), U64(count as u64), At(&out)];
                emulation.run(launch::convert(count as u64), &arguments, &[&out]);
                let expected: Vec<u16> = values[..count].iter().map(|&x| element.bits(x)).collect();
                assert_eq!(out.values::<u16>(), expected);
            }
            for (rows, columns) in [(1, 1), (33, 31), (64, 40), (7, 100)] {
                let memory = Memory::of(&values[..rows * columns]);
                let out = Memory::for_output::<u16>(rows * columns);
                let arguments = [At(&memory), U32(rows as u32), U32(columns as u32), At(&out)];
                let launch = launch::convert_transposed(rows as u32, columns as u32)
                    .expect("rows that it takes");
                emulation.run(launch, &arguments, &[&out]);
                let received: Vec<u16> = out.values();
                for (at, &bits) in received.iter().enumerate() {
                    let (column, row) = (at / rows, at % rows);
                    assert_eq!(
                        bits,
                        element.bits(values[row * columns + column]),
                        "{rows} x {columns}"
                    );
                }
            }
        }
    }
}
