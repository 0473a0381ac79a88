//! The product of rows with a matrix.

use super::activated;
use crate::Activation;

/// Rows `[rows, depth]` times a matrix `[columns, depth]`, a bias added and an activation applied: `[rows, columns]`.
pub fn multiply(
    rows: &[f32],
    matrix: &[f32],
    bias: Option<&[f32]>,
    activation: Activation,
    depth: usize,
) -> Vec<f32> {
    let mut out = Vec::new();
    for row in rows.chunks_exact(depth) {
        for (column, weights) in matrix.chunks_exact(depth).enumerate() {
            let pairs = row.iter().zip(weights);
            let product: f64 = pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            let bias = bias.map_or(0.0, |bias| f64::from(bias[column]));
            out.push(activated(activation, product + bias) as f32);
        }
    }
    out
}
