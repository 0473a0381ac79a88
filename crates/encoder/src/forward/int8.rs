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
/// Times that sums are taken for as wide as they were seen, and values behind GELU for as large.
const SUMS_ROOM: f64 = 1.25;
const GELU_ROOM: f64 = 1.5;

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

/// Pieces beyond the first that the channels of a product behind GELU have together: one for so many channels, in whole lines
/// of codes.
const CHANNELS_PER_PIECE: usize = 24;
const PIECES_LINE: usize = 64;

/// Weights of a product as bytes, with the steps of the values that it is given.
pub(super) struct Int8Product {
    panels: Int8Panels,
    factors: Vec<f32>,
    offsets: Vec<f32>,
}

impl Int8Product {
    /// Packs weights for values of these channels. Columns come once more for each of `again`, behind the others: so a product
    /// makes all pieces of the channels of the next.
    pub(super) fn of(
        weights: &Panels,
        channels: &[Channel],
        again: &[usize],
    ) -> Result<Self, Refusal> {
        let depth = channels.len();
        if depth > INT8_DEPTH_MAX {
            return Err(Refusal::not_ours(format!(
                "a product of it adds {depth} values up, int8 at most {INT8_DEPTH_MAX}"
            )));
        }
        let columns = (0..weights.columns()).chain(again.iter().copied());
        let panels = Int8Panels::new(depth, weights.columns() + again.len());
        let mut product = Self {
            panels: panels.ok_or_else(Refusal::no_memory)?,
            factors: channels.iter().map(|channel| channel.factor).collect(),
            offsets: channels.iter().map(|channel| channel.offset).collect(),
        };
        let mut column = Column::of(channels);
        for (to, from) in columns.enumerate() {
            product.pack(to, weights, from, &mut column)?;
        }
        Ok(product)
    }

    fn pack(
        &mut self,
        to: usize,
        weights: &Panels,
        from: usize,
        column: &mut Column<'_>,
    ) -> Result<(), Refusal> {
        let (first, scale, bias) = column.encode(weights, from);
        let bound = scale.abs() * (i32::MAX as f32) + bias.abs();
        if !bound.is_finite() || column.codes.contains(&i8::MIN) {
            return Err(Refusal::not_ours(
                "its weights are no numbers, or too large for int8",
            ));
        }
        let first = i32::try_from(first).map_err(|_| Refusal::not_ours("it is too deep"))?;
        self.panels
            .set_column(to, &column.codes, first, scale, bias);
        Ok(())
    }

    fn steps(&self) -> Steps<'_> {
        Steps {
            factors: &self.factors,
            offsets: &self.offsets,
        }
    }
}

/// A column that becomes codes. Its buffers are arrays of one kind of number, of which a processor takes several at once.
struct Column<'c> {
    channels: &'c [Channel],
    /// The size of a step of each channel.
    steps: Vec<f64>,
    means: Vec<i32>,
    /// Steps from the code of zero to that of the mean.
    distances: Vec<f64>,
    /// Weights as they are in the model, by channel without further pieces.
    weights: Vec<f32>,
    /// Weights in steps of their channels.
    stepped: Vec<f64>,
    codes: Vec<i8>,
}

/// A number of this size has no digits behind the point: whoever adds and subtracts it rounds to the nearest whole number,
/// ties to even, and its last bits are that number meanwhile.
const WHOLE: f64 = 6_755_399_441_055_744.0;

impl<'c> Column<'c> {
    fn of(channels: &'c [Channel]) -> Self {
        let distance = |channel: &Channel| f64::from(channel.mean) - f64::from(channel.zero);
        Self {
            channels,
            steps: channels.iter().map(Channel::step).collect(),
            means: channels.iter().map(|channel| channel.mean.into()).collect(),
            distances: channels.iter().map(distance).collect(),
            weights: Vec::new(),
            stepped: vec![0.0; channels.len()],
            codes: vec![0; channels.len()],
        }
    }

    /// Makes the codes of a column of weights, and answers the three numbers that make values of its sums.
    fn encode(&mut self, weights: &Panels, column: usize) -> (i64, f32, f32) {
        self.weights.clear();
        self.weights.extend(weights.column(column));
        let whole = self.weights.len();
        let steps = self.stepped.iter_mut().zip(&self.steps);
        for ((stepped, step), &weight) in steps.zip(&self.weights) {
            *stepped = f64::from(weight) * step;
        }
        for (at, channel) in self.channels.iter().enumerate().skip(whole) {
            self.stepped[at] = f64::from(self.weights[channel.source]) * self.steps[at];
        }
        let mut largest = [0.0_f64; 8];
        for some in self.stepped.chunks(8) {
            for (most, weight) in largest.iter_mut().zip(some) {
                *most = most.max(weight.abs());
            }
        }
        let largest = largest.into_iter().fold(0.0, f64::max);
        let scale = largest / WEIGHT_MAX;
        if scale > 0.0 {
            for (code, weight) in self.codes.iter_mut().zip(&self.stepped) {
                *code = (weight / scale + WHOLE).to_bits() as i8;
            }
        } else {
            // No weights but zeros have no scale.
            self.codes.fill(0);
        }
        let codes = self.codes.iter().zip(&self.means);
        let first = codes.map(|(&code, mean)| i64::from(mean * i32::from(code)));
        // The mean of a channel counts with its weight unrounded.
        let mut bias = f64::from(weights.first(column));
        for (distance, weight) in self.distances.iter().zip(&self.stepped) {
            bias += distance * weight;
        }
        (-first.sum::<i64>(), scale as f32, bias as f32)
    }
}

/// The codes of a channel, or of a piece of it.
pub(super) struct Channel {
    /// The channel, by its place among the values.
    source: usize,
    /// Steps of a code in one.
    factor: f32,
    /// Added to the steps of a value to make its code.
    offset: f32,
    /// The code of zero, which may lie beyond the codes; zero for all pieces but the first.
    zero: f32,
    /// The code of the mean.
    mean: u8,
}

impl Channel {
    /// The size of a step.
    fn step(&self) -> f64 {
        1.0 / f64::from(self.factor)
    }
}

/// The channels of further pieces, in their order.
pub(super) fn sources_of_pieces(channels: &[Channel], count: usize) -> Vec<usize> {
    channels[count..].iter().map(|piece| piece.source).collect()
}

/// The channels of values of these ranges, and then their further pieces.
///
/// A channel has steps of its own, between those that use all codes for it and those of the widest channel: the former
/// give each value the least error, but make weights of wide channels so large that all others of a column are rounded
/// to few steps. Three quarters on that way is best for real models (`spread ^ 0.75`). Channels that are narrower than
/// most are taken for as wide as the median, and all for somewhat wider than they were seen: what other texts do to them is
/// not known, and a value beyond its codes is further from the truth than rounding ever is.
///
/// Behind GELU some channels are ten times as wide as most. Those are cut into pieces: the first has the codes of the lowest
/// values, the next begins where that ends, and so on. A value above a piece has its last code there and one below its
/// first, so that the codes of all pieces add up to that of a channel with so many more steps.
pub(super) fn channels(ranges: &Ranges, given: Given) -> Vec<Channel> {
    let count = ranges.low.len();
    let low = |at: usize| match given {
        Given::Sums => f64::from(ranges.low[at]),
        Given::Gelu => GELU_MIN,
    };
    let high = |at: usize| match given {
        Given::Sums => f64::from(ranges.high[at]),
        Given::Gelu => (GELU_ROOM * f64::from(ranges.high[at])).max(GELU_MIN),
    };
    let room = match given {
        Given::Sums => SUMS_ROOM,
        Given::Gelu => 1.0,
    };
    let mut spreads: Vec<f64> = (0..count).map(|at| room * (high(at) - low(at))).collect();
    let pieces = match given {
        Given::Sums => vec![1; count],
        Given::Gelu => pieces(&spreads),
    };
    for (spread, &pieces) in spreads.iter_mut().zip(&pieces) {
        *spread /= f64::from(pieces);
    }
    let mut sorted = spreads.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted
        .get(count / 2)
        .map_or(SPREAD_MIN, |&spread| spread.max(SPREAD_MIN));
    let widest = sorted.last().map_or(median, |&spread| spread.max(median));
    let channel = |at: usize, piece: u16| {
        // Square roots, and no other powers, are the same bits on every processor.
        let spread = spreads[at].max(median);
        let spread = (spread * (spread * widest).sqrt()).sqrt();
        // Codes of zero far beyond all codes would not be exact.
        let far = (low(at).abs() + high(at).abs()) / f64::from(pieces[at]);
        let factor = (CODE_MAX / spread.max(far / FAR)) as f32;
        let of = |value: f64| value * f64::from(factor);
        let zero = match given {
            Given::Sums => CODE_MAX / 2.0 - of(low(at) + high(at)) / 2.0,
            Given::Gelu => -of(low(at)),
        };
        let zero = zero.round_ties_even();
        let offset = zero - CODE_MAX * f64::from(piece);
        let mean = of(f64::from(ranges.mean[at])) + offset;
        Channel {
            source: at,
            factor,
            offset: offset as f32,
            zero: if piece == 0 { zero as f32 } else { 0.0 },
            mean: mean.round_ties_even().clamp(0.0, CODE_MAX) as u8,
        }
    };
    let further = (0..count).flat_map(|at| (1..pieces[at]).map(move |piece| (at, piece)));
    let all = (0..count).map(|at| (at, 0)).chain(further);
    all.map(|(at, piece)| channel(at, piece)).collect()
}

/// The number of pieces of each channel: the one with the widest has another, until there are as many as may be.
fn pieces(spreads: &[f64]) -> Vec<u16> {
    let mut pieces = vec![1_u16; spreads.len()];
    let further = spreads.len().div_ceil(CHANNELS_PER_PIECE);
    for _ in 0..further.next_multiple_of(PIECES_LINE) {
        let width = |at: usize| spreads[at] / f64::from(pieces[at]);
        let widest = (0..spreads.len()).max_by(|&a, &b| width(a).total_cmp(&width(b)));
        if let Some(widest) = widest {
            pieces[widest] = pieces[widest].saturating_add(1);
        }
    }
    pieces
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

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 130;

    /// Ranges of which one is much wider than the others.
    fn ranges() -> Ranges {
        let high = |at: usize| {
            if at == 7 {
                40.0
            } else {
                1.0 + at as f32 / 100.0
            }
        };
        Ranges {
            low: vec![-0.1; COUNT],
            high: (0..COUNT).map(high).collect(),
            mean: vec![0.05; COUNT],
        }
    }

    #[test]
    fn codes_of_all_pieces_add_up_to_that_of_a_channel_with_more_steps() {
        let channels = channels(&ranges(), Given::Gelu);
        assert_eq!(channels.len(), COUNT + PIECES_LINE);
        assert!(sources_of_pieces(&channels, COUNT).contains(&7));
        for at in [0, 7, COUNT - 1] {
            let pieces = channels.iter().filter(|channel| channel.source == at);
            for value in [-0.17_f32, 0.0, 0.5, 1.2, 7.7, 39.9] {
                let reach = if at == 7 { 40.0 } else { 1.2 };
                let code = |piece: &Channel| {
                    let code = (value * piece.factor + piece.offset).round_ties_even();
                    f64::from(code.clamp(0.0, 255.0))
                };
                let codes = pieces
                    .clone()
                    .map(|piece| code(piece) - f64::from(piece.zero));
                let back = codes.sum::<f64>() * channels[at].step();
                let error = (back - f64::from(value)).abs();
                let is_within = value <= reach;
                assert!(
                    !is_within || error <= channels[at].step(),
                    "{at}: {value} is {back}"
                );
            }
        }
        let steps = [7, 0].map(|at| channels[at].step());
        assert!(
            steps[0] < 3.0 * steps[1],
            "wide channels have small steps too: {steps:?}"
        );
    }

    #[test]
    fn sums_have_one_piece_and_room_for_values_beyond_those_seen() {
        let channels = channels(&ranges(), Given::Sums);
        assert_eq!(channels.len(), COUNT);
        for (channel, high) in channels.iter().zip(ranges().high) {
            let code = 1.1 * high * channel.factor + channel.offset;
            assert!((0.0..=255.0).contains(&code), "{code}");
        }
    }
}
