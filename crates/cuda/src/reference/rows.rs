//! Rows: embeddings, normalisation, bias and activation, pooling.

use super::activated;
use crate::launch::TABLES;
use crate::{Activation, Pool};

/// A normalisation.
#[derive(Clone, Copy, Debug)]
pub struct Norm<'a> {
    /// Factors of components, as many as a row has.
    pub weight: &'a [f32],
    /// Additions to components, as many as a row has.
    pub bias: &'a [f32],
    /// The addition to the variance.
    pub epsilon: f32,
}

/// A row with mean zero and variance one, times the weight, plus the bias.
pub fn normalise(row: &[f64], norm: Norm<'_>) -> Vec<f32> {
    let len = row.len() as f64;
    let mean = row.iter().sum::<f64>() / len;
    let squares: f64 = row.iter().map(|x| (x - mean).powi(2)).sum();
    let factor = 1.0 / (squares / len + f64::from(norm.epsilon)).sqrt();
    let scales = norm.weight.iter().zip(norm.bias);
    row.iter()
        .zip(scales)
        .map(|(x, (&weight, &bias))| {
            ((x - mean) * factor * f64::from(weight) + f64::from(bias)) as f32
        })
        .collect()
}

/// The sums of embeddings and these normalised, both `[tokens, width]`. Tables are `[rows, width]`, `places` has the row of
/// each token in each of them, -1 for none; a place beyond its table makes a row NaN.
pub fn embed_norm(
    tables: [&[f32]; TABLES],
    places: &[[i32; TABLES]],
    norm: Norm<'_>,
) -> (Vec<f32>, Vec<f32>) {
    let width = norm.weight.len();
    let rows = places.iter().map(|places| {
        let mut row = vec![0.0; width];
        for (table, &place) in tables.iter().zip(places).filter(|(_, place)| **place != -1) {
            let found = usize::try_from(place)
                .ok()
                .and_then(|place| table.chunks_exact(width).nth(place));
            match found {
                Some(found) => add(&mut row, found),
                None => row.fill(f64::NAN),
            }
        }
        row
    });
    sums_and_norms(rows, norm)
}

/// The sums of a product, its bias and a residual, those that there are, and these normalised, both `[rows, width]`.
pub fn add_norm(
    product: Option<&[f32]>,
    product_bias: Option<&[f32]>,
    residual: Option<&[f32]>,
    rows: usize,
    norm: Norm<'_>,
) -> (Vec<f32>, Vec<f32>) {
    let width = norm.weight.len();
    let rows = (0..rows).map(|number| {
        let mut row = vec![0.0; width];
        for matrix in [product, residual].into_iter().flatten() {
            add(&mut row, &matrix[number * width..][..width]);
        }
        if let Some(bias) = product_bias {
            add(&mut row, bias);
        }
        row
    });
    sums_and_norms(rows, norm)
}

/// The activation of values `[rows, columns]`, to which a bias `[columns]` is added.
pub fn bias_activation(
    values: &[f32],
    bias: Option<&[f32]>,
    activation: Activation,
    columns: usize,
) -> Vec<f32> {
    let bias_of = |at: usize| bias.map_or(0.0, |bias| f64::from(bias[at % columns]));
    let activate = |(at, &x)| activated(activation, f64::from(x) + bias_of(at)) as f32;
    values.iter().enumerate().map(activate).collect()
}

/// A vector for each text, `[texts, width]`, from those of their tokens.
pub fn pool(hidden: &[f32], bounds: &[u32], width: usize, pool: Pool, normalise: bool) -> Vec<f32> {
    let mut vectors = Vec::new();
    for pair in bounds.windows(2) {
        let tokens: Vec<_> = hidden[pair[0] as usize * width..pair[1] as usize * width]
            .chunks_exact(width)
            .collect();
        let chosen = match (tokens.as_slice(), pool) {
            ([first, ..], Pool::First) => vec![*first],
            ([.., last], Pool::Last) => vec![*last],
            _ => tokens,
        };
        let mut sum = vec![0.0; width];
        for token in &chosen {
            add(&mut sum, token);
        }
        let mut factor = 1.0 / chosen.len().max(1) as f64;
        let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt() * factor;
        if normalise && length != 0.0 {
            factor /= length;
        }
        vectors.extend(sum.iter().map(|x| (x * factor) as f32));
    }
    vectors
}

fn add(row: &mut [f64], values: &[f32]) {
    for (sum, &value) in row.iter_mut().zip(values) {
        *sum += f64::from(value);
    }
}

fn sums_and_norms(rows: impl Iterator<Item = Vec<f64>>, norm: Norm<'_>) -> (Vec<f32>, Vec<f32>) {
    let (mut sums, mut norms) = (Vec::new(), Vec::new());
    for row in rows {
        norms.extend(normalise(&row, norm));
        sums.extend(row.into_iter().map(|x| x as f32));
    }
    (sums, norms)
}
