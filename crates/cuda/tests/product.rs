//! Products of matrices, on the CPU, beside their reference.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod support;

use pelorus_cuda::{Activation, Element, Launch, Program, launch, reference};
use pelorus_random::SplitMix64;
use support::Argument::{Memory as At, Null, U32};
use support::{Emulation, Memory, check, elements, emulations, floats, step};

const ELEMENTS: [Element; 2] = [Element::F16, Element::Bf16];

/// The grids of both kernels, whatever they are chosen for.
fn launches(rows: u32, columns: u32, depth: u32) -> [Launch; 2] {
    let small = launch::multiply(1, columns, depth).expect("sizes that it takes");
    let large = launch::multiply(1000, columns, depth).expect("sizes that it takes");
    let of = |launch: Launch, tile: u32| Launch {
        grid: [rows.div_ceil(tile), launch.grid[1]],
        ..launch
    };
    assert_eq!(
        (small.kernel, large.kernel),
        ("multiply_32", "multiply_128")
    );
    [of(small, 32), of(large, 128)]
}

struct Case {
    rows: usize,
    columns: usize,
    depth: usize,
    activation: Activation,
    has_bias: bool,
}

fn multiply(
    emulation: &Emulation,
    launch: Launch,
    case: &Case,
    rows: &[u16],
    matrix: &[u16],
    bias: &[f32],
) -> Vec<u16> {
    let (rows, matrix, bias) = (Memory::of(rows), Memory::of(matrix), Memory::of(bias));
    let out = Memory::for_output::<u16>(case.rows * case.columns);
    let arguments = [
        At(&rows),
        At(&matrix),
        if case.has_bias { At(&bias) } else { Null },
        U32(case.activation as u32),
        U32(case.rows as u32),
        U32(case.columns as u32),
        U32(case.depth as u32),
        At(&out),
    ];
    emulation.run(launch, &arguments, &[&out]);
    out.values()
}

#[test]
fn products_of_all_shapes_are_those_of_the_twin() {
    let shapes = [
        (1, 8, 8),
        (5, 72, 40),
        (33, 64, 32),
        (130, 136, 104),
        (16, 200, 384),
    ];
    let activations = [
        Activation::None,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::GeluQuick,
    ];
    for element in ELEMENTS {
        for emulation in emulations(Program::Product(element)) {
            let mut random = SplitMix64(1);
            for (number, (rows, columns, depth)) in shapes.into_iter().enumerate() {
                let case = Case {
                    rows,
                    columns,
                    depth,
                    activation: activations[number % 4],
                    has_bias: number != 2,
                };
                let (left, left_bits) = elements(&mut random, element, rows * depth, 1.0);
                let (right, right_bits) = elements(&mut random, element, columns * depth, 0.2);
                let bias = floats(&mut random, columns, 1.0);
                let expected = reference::multiply(
                    &left,
                    &right,
                    case.has_bias.then_some(&bias),
                    case.activation,
                    depth,
                );
                for launch in launches(rows as u32, columns as u32, depth as u32) {
                    let received =
                        multiply(&emulation, launch, &case, &left_bits, &right_bits, &bias);
                    check(launch.kernel, element, &received, &expected, 2e-5);
                }
            }
        }
    }
}

#[test]
fn a_row_has_the_same_bits_alone_and_among_others() {
    for emulation in emulations(Program::Product(Element::F16)) {
        let mut random = SplitMix64(2);
        let (rows, columns, depth) = (70, 64, 96);
        let (_, left) = elements(&mut random, Element::F16, rows * depth, 1.0);
        let (_, right) = elements(&mut random, Element::F16, columns * depth, 1.0);
        let case = |rows| Case {
            rows,
            columns,
            depth,
            activation: Activation::None,
            has_bias: false,
        };
        let all = launches(rows as u32, columns as u32, depth as u32)
            .map(|launch| multiply(&emulation, launch, &case(rows), &left, &right, &[]));
        assert_eq!(all[0], all[1], "both kernels add up in one order");
        for row in [0, 33, 69] {
            let launch =
                launch::multiply(1, columns as u32, depth as u32).expect("sizes that it takes");
            let alone = multiply(
                &emulation,
                launch,
                &case(1),
                &left[row * depth..][..depth],
                &right,
                &[],
            );
            assert_eq!(alone, all[0][row * columns..][..columns]);
        }
    }
}

#[test]
fn sums_that_an_element_cannot_hold_become_infinite() {
    for emulation in emulations(Program::Product(Element::F16)) {
        let bits = vec![Element::F16.bits(60.0); 8 * 64];
        let case = Case {
            rows: 1,
            columns: 8,
            depth: 64,
            activation: Activation::None,
            has_bias: false,
        };
        let launch = launch::multiply(1, 8, 64).expect("sizes that it takes");
        let received = multiply(&emulation, launch, &case, &bits[..64], &bits, &[]);
        assert!(
            received
                .iter()
                .all(|&bits| Element::F16.value(bits) == f32::INFINITY)
        );
        assert!(step(Element::F16) < step(Element::Bf16));
    }
}
