//! The vector of a text by the definition of the encoder, in 64-bit floats and without any packing.

use super::{HEADS, Layer, PADDING, Spelling, WIDTH, Weights};

type Rows = Vec<Vec<f64>>;

/// The hidden states of one text.
pub fn hidden(weights: &Weights, spelling: Spelling, ids: &[i32]) -> Rows {
    let row = |table: &[f32], at: usize| -> Vec<f64> {
        table[at * WIDTH..][..WIDTH]
            .iter()
            .map(|&x| x.into())
            .collect()
    };
    let mut words = 0;
    let embedded = ids.iter().enumerate().map(|(place, &id)| {
        let place = match spelling {
            Spelling::Counted if i64::from(id) == PADDING => PADDING as usize,
            Spelling::Counted => {
                words += 1;
                PADDING as usize + words
            }
            _ => place,
        };
        let parts = [
            row(&weights.words, id as usize),
            row(&weights.kinds, 0),
            row(&weights.places, place),
        ];
        (0..WIDTH)
            .map(|at| parts.iter().map(|part| part[at]).sum())
            .collect()
    });
    let mut hidden: Rows = embedded.map(|row| norm(row, &weights.norm)).collect();
    for layer in &weights.layers {
        hidden = through(layer, &hidden, &weights.biases);
    }
    hidden
}

/// The mean over the tokens.
pub fn mean(hidden: &Rows) -> Vec<f64> {
    (0..WIDTH)
        .map(|at| hidden.iter().map(|row| row[at]).sum::<f64>() / hidden.len() as f64)
        .collect()
}

fn through(layer: &Layer, x: &Rows, biases: &[f32]) -> Rows {
    let [query, key, value] = [0, 1, 2].map(|number| product(layer, number, x));
    let size = WIDTH / HEADS;
    let mut context = vec![vec![0.0; WIDTH]; x.len()];
    for head in 0..HEADS {
        let part = head * size..(head + 1) * size;
        for (token, context) in context.iter_mut().enumerate() {
            let scores: Vec<f64> = key
                .iter()
                .enumerate()
                .map(|(other, key)| {
                    let product = part
                        .clone()
                        .map(|at| query[token][at] * key[at])
                        .sum::<f64>();
                    let row = bucket(other as i64 - token as i64);
                    let bias = biases.get(row * HEADS + head).copied().unwrap_or(0.0);
                    product / (size as f64).sqrt() + f64::from(bias)
                })
                .collect();
            let shares: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
            let sum: f64 = shares.iter().sum();
            for at in part.clone() {
                context[at] = shares
                    .iter()
                    .zip(&value)
                    .map(|(share, value)| share / sum * value[at])
                    .sum();
            }
        }
    }
    let middle = joined(&product(layer, 3, &context), x, &layer.norms[0]);
    let mut inner = product(layer, 4, &middle);
    for x in inner.iter_mut().flatten() {
        *x *= normal_distribution(*x);
    }
    joined(&product(layer, 5, &inner), &middle, &layer.norms[1])
}

/// The row of a distance among 32: those below eight have one of their own on either side.
fn bucket(distance: i64) -> usize {
    let side = if distance > 0 { 16 } else { 0 };
    let far = distance.unsigned_abs() as usize;
    // As far as the small encoders here reach.
    side + match far {
        0..8 => far,
        8..12 => 8,
        12..16 => 9,
        16..23 => 10,
        _ => 11,
    }
}

fn joined(a: &Rows, b: &Rows, weights: &(Vec<f32>, Vec<f32>)) -> Rows {
    let sums = a
        .iter()
        .zip(b)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect());
    sums.map(|row| norm(row, weights)).collect()
}

fn product(layer: &Layer, number: usize, x: &Rows) -> Rows {
    let (weight, bias) = &layer.products[number];
    let columns = bias.len();
    let of = |row: &Vec<f64>, column: usize| {
        let terms = row
            .iter()
            .enumerate()
            .map(|(at, x)| x * f64::from(weight[at * columns + column]));
        f64::from(bias[column]) + terms.sum::<f64>()
    };
    x.iter()
        .map(|row| (0..columns).map(|column| of(row, column)).collect())
        .collect()
}

fn norm(row: Vec<f64>, (weight, bias): &(Vec<f32>, Vec<f32>)) -> Vec<f64> {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    let unit = row.iter().map(|x| (x - mean) / (variance + 1e-12).sqrt());
    unit.zip(weight.iter().zip(bias))
        .map(|(x, (&weight, &bias))| x * f64::from(weight) + f64::from(bias))
        .collect()
}

/// By the series of the error function, which is enough for what the layers of these encoders hold.
pub fn normal_distribution(x: f64) -> f64 {
    let x = (x * std::f64::consts::FRAC_1_SQRT_2).clamp(-5.0, 5.0);
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    0.5 + sum / std::f64::consts::PI.sqrt()
}
