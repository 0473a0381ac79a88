//! An encoder of chance, and its vectors by plain loops in f64.

use std::borrow::Cow;

use pelorus_cuda::encoder::{Floats, Layer, Matrix, Model, Norm, Texts, Weighted};
use pelorus_cuda::{Activation, Pool};
use pelorus_random::SplitMix64;

const VOCABULARY: usize = 50;
const POSITIONS: usize = 256;
const EPSILON: f32 = 1e-12;

/// A matrix with its bias.
struct Product {
    /// `[depth, columns]`
    values: Vec<f32>,
    /// As it is handed over.
    bytes: Vec<u8>,
    is_transposed: bool,
    bias: Option<Vec<f32>>,
    columns: usize,
}

struct LayerWeights {
    qkv: [Product; 3],
    out: Product,
    attention_norm: Norm,
    up: Product,
    down: Product,
    norm: Norm,
}

pub struct Weights {
    width: usize,
    heads: usize,
    inner: usize,
    /// Tables of ids, of positions, and one row for all.
    tables: [(Vec<f32>, Vec<u8>); 3],
    norm: Norm,
    layers: Vec<LayerWeights>,
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn floats(random: &mut SplitMix64, count: usize, scale: f32) -> Vec<f32> {
    (0..count)
        .map(|_| (random.unit() * 2.0 - 1.0) * scale)
        .collect()
}

impl Product {
    fn new(random: &mut SplitMix64, depth: usize, columns: usize, has_bias: bool) -> Self {
        let values = floats(random, depth * columns, 2.0 / (depth as f32).sqrt());
        let is_transposed = random.below(2) == 1;
        let bytes = if is_transposed {
            let turned = (0..columns).flat_map(|column| (0..depth).map(move |row| (row, column)));
            let turned = turned.map(|(row, column)| values[row * columns + column]);
            bytes(&turned.collect::<Vec<_>>())
        } else {
            bytes(&values)
        };
        Self {
            values,
            bytes,
            is_transposed,
            bias: has_bias.then(|| floats(random, columns, 0.5)),
            columns,
        }
    }

    fn weighted(&self) -> Weighted<'_> {
        Weighted {
            matrix: Matrix {
                values: Floats(Cow::Borrowed(&self.bytes)),
                is_transposed: self.is_transposed,
            },
            bias: self.bias.clone(),
        }
    }

    fn of(&self, row: &[f64]) -> Vec<f64> {
        let bias = |column: usize| {
            self.bias
                .as_ref()
                .map_or(0.0, |bias| f64::from(bias[column]))
        };
        let column = |column: usize| {
            let terms = row.iter().enumerate();
            let terms = terms.map(|(at, x)| x * f64::from(self.values[at * self.columns + column]));
            bias(column) + terms.sum::<f64>()
        };
        (0..self.columns).map(column).collect()
    }
}

fn norm(random: &mut SplitMix64, width: usize) -> Norm {
    Norm {
        epsilon: EPSILON,
        weight: floats(random, width, 0.3).iter().map(|x| 1.0 + x).collect(),
        bias: floats(random, width, 0.2),
    }
}

fn normalised(norm: &Norm, row: &[f64]) -> Vec<f64> {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    let factor = 1.0 / (variance + f64::from(norm.epsilon)).sqrt();
    let parts = row.iter().zip(&norm.weight).zip(&norm.bias);
    parts
        .map(|((x, &weight), &bias)| (x - mean) * factor * f64::from(weight) + f64::from(bias))
        .collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `x Φ(x)`, the error function by its series: exact to 1e-12 for all that comes here.
fn gelu(x: f64) -> f64 {
    let z = (x / std::f64::consts::SQRT_2).clamp(-6.0, 6.0);
    let (mut term, mut series, mut n) = (z, z, 0.0);
    while f64::abs(term) > 1e-17 * f64::abs(series) {
        n += 1.0;
        term *= -z * z / n;
        series += term / (2.0 * n + 1.0);
        if n > 400.0 {
            break;
        }
    }
    x * 0.5 * (1.0 + 2.0 / std::f64::consts::PI.sqrt() * series)
}

impl Weights {
    pub fn new(width: usize, heads: usize, inner: usize, layers: usize) -> Self {
        let mut random = SplitMix64(0x5eed);
        let random = &mut random;
        let tables = [VOCABULARY, POSITIONS, 1].map(|rows| {
            let values = floats(random, rows * width, 1.0);
            let bytes = bytes(&values);
            (values, bytes)
        });
        let layers = (0..layers).map(|_| LayerWeights {
            qkv: [true, false, true].map(|has_bias| Product::new(random, width, width, has_bias)),
            out: Product::new(random, width, width, true),
            attention_norm: norm(random, width),
            up: Product::new(random, width, inner, true),
            down: Product::new(random, inner, width, false),
            norm: norm(random, width),
        });
        let layers = layers.collect();
        Self {
            width,
            heads,
            inner,
            tables,
            norm: norm(random, width),
            layers,
        }
    }

    fn factor(&self) -> f32 {
        1.0 / ((self.width / self.heads) as f32).sqrt()
    }

    pub fn model(&self) -> Model<'_> {
        let layers = self.layers.iter().map(|layer| Layer {
            qkv: [0, 1, 2].map(|part: usize| layer.qkv[part].weighted()),
            factor: self.factor(),
            out: layer.out.weighted(),
            attention_norm: layer.attention_norm.clone(),
            up: layer.up.weighted(),
            activation: Activation::Gelu,
            down: layer.down.weighted(),
            norm: layer.norm.clone(),
        });
        Model {
            width: self.width as u32,
            heads: self.heads as u32,
            inner: self.inner as u32,
            tables: self
                .tables
                .iter()
                .map(|(_, bytes)| Floats(Cow::Borrowed(bytes)))
                .collect(),
            norm: self.norm.clone(),
            layers: layers.collect(),
        }
    }

    /// The vector of each text.
    pub fn vectors(&self, tokens: &Tokens, pool: Pool) -> Vec<Vec<f64>> {
        let mut at = 0;
        let texts = tokens.lengths.iter().map(|&length| {
            let places = &tokens.places[at * 4..(at + length as usize) * 4];
            at += length as usize;
            self.vector(places, pool)
        });
        texts.collect()
    }

    fn vector(&self, places: &[i32], pool: Pool) -> Vec<f64> {
        let mut rows: Vec<Vec<f64>> = places
            .as_chunks::<4>()
            .0
            .iter()
            .map(|places| {
                let mut row = vec![0.0; self.width];
                for ((table, _), &place) in self.tables.iter().zip(places) {
                    let values = &table[place as usize * self.width..][..self.width];
                    row = sum(
                        &row,
                        &values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(),
                    );
                }
                normalised(&self.norm, &row)
            })
            .collect();
        for layer in &self.layers {
            let context = self.attend(layer, &rows);
            rows = rows
                .iter()
                .zip(&context)
                .map(|(row, context)| {
                    let product = layer.out.of(context);
                    let middle = normalised(&layer.attention_norm, &sum(row, &product));
                    let between: Vec<f64> = layer.up.of(&middle).into_iter().map(gelu).collect();
                    normalised(&layer.norm, &sum(&middle, &layer.down.of(&between)))
                })
                .collect();
        }
        match pool {
            Pool::Mean => {
                let count = rows.len() as f64;
                let total = rows
                    .iter()
                    .fold(vec![0.0; self.width], |total, row| sum(&total, row));
                total.into_iter().map(|x| x / count).collect()
            }
            Pool::First => rows.swap_remove(0),
            Pool::Last => rows.pop().expect("a token"),
        }
    }

    fn attend(&self, layer: &LayerWeights, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let [q, k, v] = [0, 1, 2].map(|part: usize| {
            rows.iter()
                .map(|row| layer.qkv[part].of(row))
                .collect::<Vec<_>>()
        });
        let size = self.width / self.heads;
        let query = |query: &Vec<f64>| {
            let mut context = Vec::with_capacity(self.width);
            for head in 0..self.heads {
                let part = head * size..(head + 1) * size;
                let dot = |key: &Vec<f64>| -> f64 {
                    let terms = query[part.clone()].iter().zip(&key[part.clone()]);
                    terms.map(|(a, b)| a * b).sum()
                };
                let scores: Vec<f64> = k
                    .iter()
                    .map(|key| dot(key) * f64::from(self.factor()))
                    .collect();
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
                let total: f64 = shares.iter().sum();
                context.extend(part.clone().map(|at| {
                    shares
                        .iter()
                        .zip(&v)
                        .map(|(share, value)| share * value[at])
                        .sum::<f64>()
                        / total
                }));
            }
            context
        };
        q.iter().map(query).collect()
    }
}

/// Tokens of chance.
pub struct Tokens {
    pub places: Vec<i32>,
    pub lengths: Vec<u32>,
}

impl Tokens {
    pub fn new(_: &Weights, lengths: &[u32]) -> Self {
        let mut random = SplitMix64(7);
        let mut places = Vec::new();
        for &length in lengths {
            for place in 0..length {
                places.extend([random.below(VOCABULARY) as i32, place as i32, 0, -1]);
            }
        }
        Self {
            places,
            lengths: lengths.to_vec(),
        }
    }

    pub fn texts(&self) -> Texts<'_> {
        Texts {
            places: &self.places,
            lengths: &self.lengths,
        }
    }
}
