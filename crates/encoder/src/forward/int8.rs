//! Products of bytes: rows become codes by the steps of a calibration, and never by what is in a batch.

use pelorus_kernels::{Codes, INT8_DEPTH_MAX, Int8Panels, Kernels, Panels, RowsMut, Steps};

use crate::Refusal;
use crate::calibration::Ranges;

/// Largest code of a value, and of a weight.
const CODE_MAX: f64 = 255.0;
const WEIGHT_MAX: f64 = 127.0;
/// Least range of a channel: one that is always the same still has steps.
const SPREAD_MIN: f64 = 1e-6;

/// Ranges may lie so many times their own width from zero.
const FAR: f64 = 256.0;

/// The values that a product is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Sums of either sign.
    Sums,
    /// Those of GELU, of which none is below [`GELU_MIN`].
    Gelu,
}

/// The least of all `x Φ(x)`, rounded down.
const GELU_MIN: f64 = -0.17;

/// Weights of a product as bytes, with the steps of the values that it is given.
pub(super) struct Int8Product {
    panels: Int8Panels,
    factors: Vec<f32>,
    offsets: Vec<f32>,
}

impl Int8Product {
    /// Packs weights for values of these ranges.
    ///
    /// A channel has steps of its own, between those that use all codes for it and those of the widest channel: the former
    /// give each value the least error, but make weights of wide channels so large that all others of a column are rounded
    /// to few steps. Three quarters on that way is best for real models (`spread ^ 0.75`). Channels that are narrower than
    /// most are taken for as wide as the median: what other texts do to them is not known.
    pub(super) fn of(weights: &Panels, ranges: &Ranges, given: Given) -> Result<Self, Refusal> {
        let depth = weights.depth();
        if depth > INT8_DEPTH_MAX {
            return Err(Refusal::not_ours(format!(
                "a product of it adds {depth} values up, int8 at most {INT8_DEPTH_MAX}"
            )));
        }
        let channels = channels(ranges, given);
        let mut product = Self {
            panels: Int8Panels::new(depth, weights.columns()),
            factors: channels.iter().map(|channel| channel.factor).collect(),
            offsets: channels.iter().map(|channel| channel.offset).collect(),
        };
        let mut codes = vec![0; depth];
        for column in 0..weights.columns() {
            product.pack(column, weights, &channels, &mut codes)?;
        }
        Ok(product)
    }

    fn pack(
        &mut self,
        column: usize,
        weights: &Panels,
        channels: &[Channel],
        codes: &mut [i8],
    ) -> Result<(), Refusal> {
        let stepped = || {
            let values = weights.column(column).zip(channels);
            values.map(|(weight, channel)| f64::from(weight) * channel.step())
        };
        let largest = stepped().fold(0.0, |most: f64, weight| most.max(weight.abs()));
        let scale = largest / WEIGHT_MAX;
        let mut first = 0_i64;
        // The mean of a channel counts with its weight unrounded.
        let mut bias = f64::from(weights.first(column));
        for ((code, weight), channel) in codes.iter_mut().zip(stepped()).zip(channels) {
            let rounded = (weight / scale).round_ties_even();
            // No weights but zeros have no scale.
            *code = if scale > 0.0 { rounded as i8 } else { 0 };
            first -= i64::from(channel.mean) * i64::from(*code);
            bias += (f64::from(channel.mean) - f64::from(channel.offset)) * weight;
        }
        let (scale, bias) = (scale as f32, bias as f32);
        let bound = scale.abs() * (i32::MAX as f32) + bias.abs();
        if !bound.is_finite() || codes.contains(&i8::MIN) {
            return Err(Refusal::not_ours(
                "its weights are no numbers, or too large for int8",
            ));
        }
        let first = i32::try_from(first).map_err(|_| Refusal::not_ours("it is too deep"))?;
        self.panels.set_column(column, codes, first, scale, bias);
        Ok(())
    }

    fn steps(&self) -> Steps<'_> {
        Steps {
            factors: &self.factors,
            offsets: &self.offsets,
        }
    }
}

/// The codes of a channel.
struct Channel {
    /// Steps of a code in one.
    factor: f32,
    /// The code of zero, which may lie beyond the codes.
    offset: f32,
    /// The code of the mean.
    mean: u8,
}

impl Channel {
    /// The size of a step.
    fn step(&self) -> f64 {
        1.0 / f64::from(self.factor)
    }
}

fn channels(ranges: &Ranges, given: Given) -> Vec<Channel> {
    let count = ranges.low.len();
    let low = |at: usize| match given {
        Given::Sums => f64::from(ranges.low[at]),
        Given::Gelu => GELU_MIN,
    };
    let high = |at: usize| f64::from(ranges.high[at]).max(low(at));
    let spreads: Vec<f64> = (0..count).map(|at| high(at) - low(at)).collect();
    let mut sorted = spreads.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted
        .get(count / 2)
        .map_or(SPREAD_MIN, |&spread| spread.max(SPREAD_MIN));
    let widest = sorted.last().map_or(median, |&spread| spread.max(median));
    let channel = |at: usize| {
        // Square roots, and no other powers, are the same bits on every processor.
        let spread = spreads[at].max(median);
        let spread = (spread * (spread * widest).sqrt()).sqrt();
        // Codes of zero far beyond all codes would not be exact.
        let spread = spread.max((low(at).abs() + high(at).abs()) / FAR);
        let factor = (CODE_MAX / spread) as f32;
        let of = |value: f64| value * f64::from(factor);
        let offset = match given {
            Given::Sums => CODE_MAX / 2.0 - of(low(at) + high(at)) / 2.0,
            Given::Gelu => -of(low(at)),
        };
        let offset = offset.round_ties_even();
        let mean = of(f64::from(ranges.mean[at])) + offset;
        Channel {
            factor,
            offset: offset as f32,
            mean: mean.round_ties_even().clamp(0.0, CODE_MAX) as u8,
        }
    };
    (0..count).map(channel).collect()
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Buffers {
    rows: Codes,
    inner: Codes,
    /// Rows with a value that is not finite, whose codes stand for nothing.
    odd: Vec<usize>,
}

impl Buffers {
    fn encode(&mut self, kernels: &Kernels, values: &[f32], product: &Int8Product) {
        let depth = product.panels.depth();
        self.rows.reshape(values.len() / depth.max(1), depth);
        self.odd.clear();
        for (at, row) in values.chunks_exact(depth.max(1)).enumerate() {
            if !(kernels.int8.encode)(row, product.steps(), self.rows.row_mut(at)) {
                self.odd.push(at);
            }
        }
    }

    /// A row that was given something else than numbers is none: it must not look like one.
    fn spoil(&self, out: &mut [f32], columns: usize) {
        for &row in &self.odd {
            out[row * columns..][..columns].fill(f32::NAN);
        }
    }
}

/// Writes the product of each row of `values` to `out`, as [`Product::multiply`](super::product::Product::multiply) does.
pub(super) fn multiply(
    kernels: &Kernels,
    values: &[f32],
    product: &Int8Product,
    out: &mut [f32],
    buffers: &mut Buffers,
) {
    buffers.encode(kernels, values, product);
    let stride = product.panels.columns();
    let into = RowsMut {
        values: &mut *out,
        stride,
    };
    (kernels.int8.multiply)(&buffers.rows, &product.panels, into);
    buffers.spoil(out, stride);
}

/// Two products with GELU between them, as [`FeedForward::apply`](super::feed_forward::FeedForward::apply) has them. Between
/// them lie codes alone.
pub(super) fn feed_forward(
    kernels: &Kernels,
    rows: &[f32],
    [up, down]: [&Int8Product; 2],
    out: &mut [f32],
    buffers: &mut Buffers,
) {
    buffers.encode(kernels, rows, up);
    let (codes, inner) = (&buffers.rows, &mut buffers.inner);
    (kernels.int8.multiply_gelu)(codes, &up.panels, down.steps(), inner);
    let stride = down.panels.columns();
    let into = RowsMut {
        values: &mut *out,
        stride,
    };
    (kernels.int8.multiply)(inner, &down.panels, into);
    buffers.spoil(out, stride);
}
