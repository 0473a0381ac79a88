//! The layers of a transformer, in plain Rust. The other tables compile the same loops for wider vectors: lanes and their
//! order are written out and every product that is added is fused, so that all of them agree bit for bit.

use crate::panels::{self, PANEL, Panels, Rows, RowsMut};

/// Partial results of a sum.
const LANES: usize = 16;

/// The product of rows with a packed matrix.
#[inline(always)]
pub(crate) fn multiply(rows: Rows<'_>, panels: &Panels, out: RowsMut<'_>) {
    panels::check(rows, panels, &out);
    let depth = panels.depth();
    for (number, (panel, columns)) in panels.iter().enumerate() {
        for row in 0..rows.count {
            let values = &rows.values[row * rows.stride..][..depth];
            let mut sums = [0.0_f32; PANEL];
            sums.copy_from_slice(&panel[0].0);
            for (at, &value) in values.iter().enumerate() {
                let line = &panel[at + 1].0;
                for lane in 0..PANEL {
                    sums[lane] = value.mul_add(line[lane], sums[lane]);
                }
            }
            out.values[row * out.stride + number * PANEL..][..columns]
                .copy_from_slice(&sums[..columns]);
        }
    }
}

/// `x Φ(x)`, with the error function itself and not the hyperbolic tangent.
#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for value in values.iter_mut() {
        let half = 0.5 * *value;
        *value = half.mul_add(erf(*value * std::f32::consts::FRAC_1_SQRT_2), half);
    }
}

/// `√(8/π)`
const TWICE_ROOT: f32 = std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::SQRT_2;

/// `x Φ(x)` by the hyperbolic tangent: `x sigmoid(√(8/π) (x + 0.044715 x³))`, which is the same.
#[inline(always)]
pub(crate) fn tanh_gelu(values: &mut [f32]) {
    for value in values.iter_mut() {
        let x = *value;
        let inner = (x * x).mul_add(0.044_715 * TWICE_ROOT, TWICE_ROOT);
        *value = x * sigmoid(x * inner);
    }
}

/// `x sigmoid(1.702 x)`.
#[inline(always)]
pub(crate) fn quick_gelu(values: &mut [f32]) {
    for value in values.iter_mut() {
        *value *= sigmoid(1.702 * *value);
    }
}

/// `1 / (1 + e^-x)`, by the exponential of what is not above zero; NaN of NaN.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    let above = if x < 0.0 { small } else { 1.0 };
    above / (1.0 + small)
}

/// The error function by a quotient of polynomials, within some units of the last place; NaN of NaN.
#[inline(always)]
fn erf(x: f32) -> f32 {
    // Beyond it is one, as closely as a float tells; the quotient there is one but for a unit of the last place.
    let bounded = x.clamp(-4.0, 4.0);
    let square = bounded * bounded;
    let mut above = -2.726_142_3e-10_f32;
    above = above.mul_add(square, 2.770_681_5e-8);
    above = above.mul_add(square, -2.101_024e-6);
    above = above.mul_add(square, -5.692_506_5e-5);
    above = above.mul_add(square, -7.349_906_4e-4);
    above = above.mul_add(square, -2.954_6e-3);
    above = above.mul_add(square, -1.609_603_3e-2);
    let mut below = -1.456_607_2e-5_f32;
    below = below.mul_add(square, -2.133_740_5e-4);
    below = below.mul_add(square, -1.682_827e-3);
    below = below.mul_add(square, -7.373_329e-3);
    below = below.mul_add(square, -1.426_473_9e-2);
    let quotient = bounded * above / below;
    match x {
        ..=-4.0 => -1.0,
        4.0.. => 1.0,
        _ => quotient,
    }
}

/// Two in the power of what is in its lowest bits, less the bias of an exponent: a float so large has steps of one.
const EXPONENT: f32 = 12_582_912.0 + 127.0;

/// `e^x` of what is not above zero; below -87, where floats end, as of -87. NaN of NaN.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 0.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, EXPONENT);
    let power = shifted - EXPONENT;
    // The logarithm of two in two parts, of which the first times a power is exact.
    let rest = power.mul_add(-0.693_359_4, x);
    let rest = power.mul_add(2.121_944_4e-4, rest);
    let mut sum = 1.987_569_1e-4_f32;
    sum = sum.mul_add(rest, 1.398_2e-3);
    sum = sum.mul_add(rest, 8.333_452e-3);
    sum = sum.mul_add(rest, 4.166_579_6e-2);
    sum = sum.mul_add(rest, 1.666_666_5e-1);
    sum = sum.mul_add(rest, 0.5);
    sum = sum.mul_add(rest * rest, rest);
    (sum + 1.0) * f32::from_bits(shifted.to_bits() << 23)
}

/// Turns a row into `e^(scale x)`, divided by their sum.
#[inline(always)]
pub(crate) fn softmax(row: &mut [f32], scale: f32) {
    let most = most(row);
    let (parts, rest) = row.as_chunks_mut::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for part in parts.iter_mut() {
        for lane in 0..LANES {
            part[lane] = exp((part[lane] - most) * scale);
            sums[lane] += part[lane];
        }
    }
    for (lane, value) in rest.iter_mut().enumerate() {
        *value = exp((*value - most) * scale);
        sums[lane] += *value;
    }
    let factor = 1.0 / sum(sums);
    for value in row.iter_mut() {
        *value *= factor;
    }
}

/// The largest of a row. A NaN may go unseen, but not by its exponential.
#[inline(always)]
fn most(row: &[f32]) -> f32 {
    let (parts, rest) = row.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for part in parts {
        for lane in 0..LANES {
            if part[lane] > lanes[lane] {
                lanes[lane] = part[lane];
            }
        }
    }
    let mut most = f32::NEG_INFINITY;
    for &value in lanes.iter().chain(rest) {
        if value > most {
            most = value;
        }
    }
    most
}

/// Adds `residual` to a row and normalises the sum: mean zero, variance one, times `weight`, plus `bias`.
#[inline(always)]
pub(crate) fn add_norm(
    row: &mut [f32],
    residual: &[f32],
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    let len = row.len();
    assert!(
        residual.len() == len && weight.len() == len && bias.len() == len,
        "a row, its residual, its weight and its bias have one length"
    );
    let (parts, rest) = row.as_chunks_mut::<LANES>();
    let (added, rest_added) = residual.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (part, added) in parts.iter_mut().zip(added) {
        for lane in 0..LANES {
            part[lane] += added[lane];
            sums[lane] += part[lane];
        }
    }
    for (lane, (value, added)) in rest.iter_mut().zip(rest_added).enumerate() {
        *value += added;
        sums[lane] += *value;
    }
    let mean = sum(sums) / len as f32;
    let mut squares = [0.0_f32; LANES];
    for part in parts.iter_mut() {
        for lane in 0..LANES {
            part[lane] -= mean;
            squares[lane] = part[lane].mul_add(part[lane], squares[lane]);
        }
    }
    for (lane, value) in rest.iter_mut().enumerate() {
        *value -= mean;
        squares[lane] = value.mul_add(*value, squares[lane]);
    }
    let factor = 1.0 / (sum(squares) / len as f32 + epsilon).sqrt();
    for at in 0..len {
        row[at] = (row[at] * factor).mul_add(weight[at], bias[at]);
    }
}

/// The lanes added up, halves first.
#[inline(always)]
fn sum(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}
