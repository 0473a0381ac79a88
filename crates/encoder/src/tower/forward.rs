//! The way of some inputs through all steps of a tower, as one matrix of the tokens of all.

use pelorus_kernels::{Kernels, PANEL, Panels, Rows, RowsMut, kernels};

use super::function::Activation;
use super::plan::{Columns, Count, Make, Plan, Step};
use super::term::{Heads, Patches, Place, Row};
use crate::forward::scratch::ProductScratch;

/// Rows of scores that are kept at once.
const SCORE_ROWS: usize = 64;

/// Buffers of one thread, which grow to what its inputs need and stay so.
#[derive(Default)]
pub struct TowerScratch {
    registers: Vec<Vec<f32>>,
    /// Buffers that are free.
    free: Vec<Vec<f32>>,
    keys: Panels,
    values: Panels,
    scores: Vec<f32>,
    noughts: Vec<f32>,
    product: ProductScratch,
}

/// The inputs of a pass.
pub(super) struct Batch<'a> {
    /// Tokens of each that are computed, or noughts.
    pub(super) tokens: &'a [usize],
    /// The ids of those.
    pub(super) ids: &'a [i32],
    pub(super) pictures: &'a [f32],
}

impl Batch<'_> {
    fn rows(&self, count: Count) -> usize {
        match count {
            Count::Fixed(rows) => rows * self.tokens.len(),
            Count::Tokens => self.tokens.iter().sum(),
        }
    }

    /// The rows of each input in a matrix: the first, and how many.
    fn each(&self, count: Count) -> impl Iterator<Item = (usize, usize)> {
        let mut start = 0;
        self.tokens.iter().map(move |&tokens| {
            let rows = match count {
                Count::Fixed(rows) => rows,
                Count::Tokens => tokens,
            };
            start += rows;
            (start - rows, rows)
        })
    }
}

impl Plan {
    /// The output of each input.
    pub(super) fn run<'s>(&self, batch: &Batch<'_>, scratch: &'s mut TowerScratch) -> &'s [f32] {
        let kernels = kernels();
        scratch.registers.resize_with(self.steps.len(), Vec::new);
        for step in &self.steps {
            let mut out = scratch.free.pop().unwrap_or_default();
            out.clear();
            self.step(kernels, step, batch, scratch, &mut out);
            for &register in &step.done {
                let done = std::mem::take(&mut scratch.registers[register]);
                scratch.free.push(done);
            }
            scratch.registers[step.into] = out;
        }
        let output = std::mem::take(&mut scratch.registers[self.output]);
        for register in &mut scratch.registers {
            if !register.is_empty() {
                scratch.free.push(std::mem::take(register));
            }
        }
        scratch.registers[self.output] = output;
        &scratch.registers[self.output]
    }

    fn count(&self, register: usize) -> Count {
        self.steps[register].count
    }

    fn step(
        &self,
        kernels: &Kernels,
        step: &Step,
        batch: &Batch<'_>,
        scratch: &mut TowerScratch,
        out: &mut Vec<f32>,
    ) {
        let TowerScratch {
            registers,
            keys,
            values,
            scores,
            noughts,
            product,
            ..
        } = scratch;
        let columns = step.columns;
        let rows = batch.rows(step.count);
        match &step.make {
            Make::Patches(patches) => {
                out.reserve(rows * columns);
                let size = patches.channels * patches.picture[0] * patches.picture[1];
                for picture in batch.pictures.chunks_exact(size) {
                    unfold(patches, picture, out);
                }
            }
            Make::Lookup { values, rows } => {
                out.resize(batch.ids.len() * columns, 0.0);
                for (&id, row) in batch.ids.iter().zip(out.chunks_exact_mut(columns)) {
                    let at = usize::try_from(id).unwrap_or_default().min(rows - 1);
                    values.join(at, row, |sum, value| *sum = value);
                }
            }
            Make::Rows(same) => {
                for (_, rows) in batch.each(step.count) {
                    out.extend_from_slice(&same[..rows * columns]);
                }
            }
            Make::Product { from, weights } => {
                out.resize(rows * columns, 0.0);
                weights.multiply(kernels, &registers[*from], out, product);
            }
            Make::Sum(a, b) => {
                let (a, b) = (&registers[*a], &registers[*b]);
                out.extend(a.iter().zip(b).map(|(a, b)| a + b));
            }
            Make::SumRows(from, same) => {
                let mut rest = registers[*from].as_slice();
                for (_, rows) in batch.each(step.count) {
                    let (now, later) = rest.split_at(rows * columns);
                    out.extend(now.iter().zip(same).map(|(a, b)| a + b));
                    rest = later;
                }
            }
            Make::Scaled(from, factors) => {
                for row in registers[*from].chunks_exact(columns) {
                    out.extend(row.iter().zip(factors).map(|(x, factor)| x * factor));
                }
            }
            Make::Norm {
                from,
                epsilon,
                weight,
                bias,
            } => {
                out.extend_from_slice(&registers[*from]);
                noughts.resize(noughts.len().max(columns), 0.0);
                for row in out.chunks_exact_mut(columns) {
                    (kernels.add_norm)(row, &noughts[..columns], weight, bias, *epsilon);
                }
            }
            Make::Activation(from, activation) => {
                out.extend_from_slice(&registers[*from]);
                match activation {
                    Activation::Gelu => (kernels.gelu)(out),
                    Activation::TanhGelu => (kernels.tanh_gelu)(out),
                    Activation::QuickGelu => (kernels.quick_gelu)(out),
                }
            }
            Make::Context {
                q,
                k,
                v,
                heads,
                factor,
                is_causal,
            } => {
                out.resize(rows * columns, 0.0);
                let wide = |part: &Columns| self.steps[part.from].columns;
                let part = |part: &Columns, (start, rows): (usize, usize)| {
                    let (start, end) = (start * wide(part), (start + rows) * wide(part));
                    Part {
                        values: &registers[part.from][start..end],
                        stride: wide(part),
                        first: part.first,
                        head_stride: part.stride,
                        rows,
                    }
                };
                let of_q = batch.each(step.count);
                let of_k = batch.each(self.count(k.from));
                let of_v = batch.each(self.count(v.from));
                for ((at_q, at_k), at_v) in of_q.zip(of_k).zip(of_v) {
                    let out = &mut out[at_q.0 * columns..][..at_q.1 * columns];
                    attend(
                        kernels,
                        &Attention {
                            q: part(q, at_q),
                            k: part(k, at_k),
                            v: part(v, at_v),
                            heads: *heads,
                            factor: *factor,
                            is_causal: *is_causal,
                        },
                        out,
                        (keys, values, scores),
                    );
                }
            }
            Make::Select(from, row) => {
                let all = &registers[*from];
                let of_rows = batch.each(self.count(*from));
                let of_tokens = batch.each(Count::Tokens);
                for ((start, _), (first, tokens)) in of_rows.zip(of_tokens) {
                    let at = match row {
                        Row::At(at) => *at,
                        Row::Of(place) => place_of(*place, &batch.ids[first..first + tokens]),
                    };
                    out.extend_from_slice(&all[(start + at) * columns..][..columns]);
                }
            }
            Make::Stack(parts) => {
                for item in 0..batch.tokens.len() {
                    for &part in parts {
                        let place = batch.each(self.count(part)).nth(item);
                        let (start, rows) = place.unwrap_or_default();
                        out.extend_from_slice(
                            &registers[part][start * columns..][..rows * columns],
                        );
                    }
                }
            }
            Make::Mean(from) => {
                for (start, rows) in batch.each(self.count(*from)) {
                    let all = &registers[*from][start * columns..][..rows * columns];
                    let first = out.len();
                    out.resize(first + columns, 0.0);
                    for row in all.chunks_exact(columns) {
                        for (sum, x) in out[first..].iter_mut().zip(row) {
                            *sum += x;
                        }
                    }
                    for sum in &mut out[first..] {
                        *sum /= rows as f32;
                    }
                }
            }
            Make::Unit { from, floor } => {
                for row in registers[*from].chunks_exact(columns) {
                    let length = (kernels.dot_f32)(row, row).sqrt().max(*floor);
                    out.extend(row.iter().map(|x| x / length));
                }
            }
        }
    }
}

/// The place of a token among ids.
pub(super) fn place_of(place: Place, ids: &[i32]) -> usize {
    match place {
        Place::Largest => {
            let largest = ids.iter().max();
            ids.iter().position(|id| Some(id) == largest).unwrap_or(0)
        }
        Place::First(id) => {
            let is_it = |&other: &i32| i64::from(other) == id;
            ids.iter().position(is_it).unwrap_or(0)
        }
    }
}

/// Adds the values of each patch: channels, rows, columns.
fn unfold(patches: &Patches, picture: &[f32], out: &mut Vec<f32>) {
    let [height, width] = patches.picture;
    let [rows, across] = patches.patch;
    let [down, beside] = patches.grid();
    for y in 0..down {
        for x in 0..beside {
            for channel in 0..patches.channels {
                for row in 0..rows {
                    let start = (channel * height + y * rows + row) * width + x * across;
                    out.extend_from_slice(&picture[start..start + across]);
                }
            }
        }
    }
}

struct Part<'a> {
    values: &'a [f32],
    stride: usize,
    first: usize,
    head_stride: usize,
    rows: usize,
}

impl Part<'_> {
    fn row(&self, row: usize, head: usize, size: usize) -> &[f32] {
        let start = row * self.stride + self.first + head * self.head_stride;
        &self.values[start..start + size]
    }
}

struct Attention<'a> {
    q: Part<'a>,
    k: Part<'a>,
    v: Part<'a>,
    heads: Heads,
    factor: f32,
    is_causal: bool,
}

/// Attends: writes the rows of `v`, mixed for each row of `q`, heads beside each other.
fn attend(
    kernels: &Kernels,
    attention: &Attention<'_>,
    out: &mut [f32],
    (keys, values, scores): (&mut Panels, &mut Panels, &mut Vec<f32>),
) {
    let Attention {
        q,
        k,
        v,
        heads: Heads { count, size },
        factor,
        is_causal,
    } = attention;
    let (size, width) = (*size, count * size);
    let scores_stride = k.rows.next_multiple_of(PANEL);
    scores.resize(scores.len().max(SCORE_ROWS * scores_stride), 0.0);
    for head in 0..*count {
        keys.reshape(size, k.rows);
        values.reshape(k.rows, size);
        for row in 0..k.rows {
            keys.set_column(row, k.row(row, head, size));
            values.set_row(row, 0, v.row(row, head, size));
        }
        for start in (0..q.rows).step_by(SCORE_ROWS) {
            let rows = (q.rows - start).min(SCORE_ROWS);
            let queries = Rows {
                values: &q.values[start * q.stride + q.first + head * q.head_stride..],
                stride: q.stride,
                count: rows,
            };
            let into = RowsMut {
                values: scores,
                stride: scores_stride,
            };
            (kernels.multiply)(queries, keys, into);
            for (at, row) in scores
                .chunks_exact_mut(scores_stride)
                .take(rows)
                .enumerate()
            {
                let seen = if *is_causal { start + at + 1 } else { k.rows };
                (kernels.softmax)(&mut row[..seen], *factor);
                row[seen..k.rows].fill(0.0);
            }
            let shares = Rows {
                values: scores,
                stride: scores_stride,
                count: rows,
            };
            let into = RowsMut {
                values: &mut out[start * width + head * size..],
                stride: width,
            };
            (kernels.multiply)(shares, values, into);
        }
    }
}
