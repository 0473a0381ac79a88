//! Encoders ready to run: weights packed once and shared, texts as one matrix of tokens.

mod attention;
mod bf16;
mod feed_forward;
mod int8;
mod pack;
mod pass;
mod places;
mod position_bias;
pub(crate) mod product;
pub(crate) mod scratch;

use std::sync::Arc;

use attention::SelfAttention;
use feed_forward::FeedForward;
use pelorus_embed::{HiddenShape, PoolError, cls_pool, mean_pool};
use position_bias::PositionBias;
use product::Product;
pub use scratch::Scratch;

use crate::calibration::{Calibration, LayerRanges, WeightsDigest};
use crate::files::ModelFiles;
use crate::model::Index;
use crate::tensor::KeptFloats;
use crate::{Precision, Refusal};

/// Tokens that are computed at once, unless one text alone has more: what comes of them stays in the cache of a core.
const PASS_TOKENS: usize = 256;

/// A text encoder with its weights. Any number of threads may use it at once, each with a [`Scratch`] of its own.
pub struct TextEncoder {
    width: usize,
    lookups: Vec<Table>,
    norm: Norm,
    bias: Option<Arc<PositionBias>>,
    layers: Vec<Layer>,
    weights: WeightsDigest,
}

/// The way in which weights are packed.
#[derive(Clone, Copy)]
enum Packing<'a> {
    As(Precision),
    Int8(&'a Calibration),
    /// In f32, looking at the values that products are given.
    Watched,
}

/// Vectors that tokens are looked up in.
enum Table {
    /// The row of each token.
    Rows {
        values: KeptFloats,
        rows: usize,
        index: Index,
    },
    /// One row for all.
    Row(Vec<f32>),
}

struct Norm {
    epsilon: f32,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

struct Layer {
    attention: SelfAttention,
    attention_norm: Norm,
    feed_forward: FeedForward,
    norm: Norm,
}

/// Token ids, one text after the other.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The ids of all.
    pub ids: &'a [i32],
    /// Tokens of each text.
    pub lengths: &'a [u32],
}

/// The way from a vector for each token to one for the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first.
    Cls,
}

/// Texts that an encoder cannot take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UntakenTexts {
    /// The lengths are not those of the ids.
    #[error("texts must have {expected} tokens in all, received {received}")]
    Lengths {
        /// Tokens that the lengths add up to.
        expected: u64,
        /// Ids that came.
        received: usize,
    },
    /// A text has no token.
    #[error("a text must have at least one token")]
    NoTokens,
    /// A text is too long.
    #[error(
        "its graph has positions for {positions} tokens, received {received}; set tokens to what it takes"
    )]
    TooLong {
        /// Tokens that the model has positions for.
        positions: usize,
        /// Tokens of the text.
        received: usize,
    },
    /// A token is not in the vocabulary.
    #[error("its graph has embeddings for ids below {rows}, received {received}")]
    UnknownId {
        /// Ids that it has embeddings for.
        rows: usize,
        /// The id, as a vocabulary has it: none is negative.
        received: u32,
    },
    /// None of its tokens is the one that its vector is read from.
    #[error("the text lacks the token that its vector is read from")]
    NoLastToken,
    /// The encoder takes pictures.
    #[error("the tower takes pictures")]
    Pictures,
    /// Hidden states that cannot be pooled.
    #[error(transparent)]
    Pool(#[from] PoolError),
}

impl TextEncoder {
    /// Packs the weights in the files of a model for a precision.
    ///
    /// # Errors
    /// [`Refusal`] when they are damaged, or no encoder that is known here, or the precision is int8, which needs a
    /// calibration.
    pub(crate) fn of(files: &ModelFiles, precision: Precision) -> Result<Self, Refusal> {
        match precision {
            Precision::Int8 => Err(Refusal::Uncalibrated),
            Precision::F32 | Precision::Bf16 => Self::packed(files, Packing::As(precision)),
        }
    }

    /// Packs the weights in the files of a model as bytes, scaled by a calibration.
    ///
    /// # Errors
    /// [`Refusal`] as `of` has it, and when the calibration was made for other weights.
    pub(crate) fn of_int8(files: &ModelFiles, calibration: &Calibration) -> Result<Self, Refusal> {
        let encoder = Self::packed(files, Packing::Int8(calibration))?;
        calibration.check_weights(encoder.weights)?;
        Ok(encoder)
    }

    /// Packs the weights in the files of a model for a [`Calibrator`](crate::Calibrator).
    pub(crate) fn watched(files: &ModelFiles) -> Result<Self, Refusal> {
        Self::packed(files, Packing::Watched)
    }

    /// The ranges of the values that its products were given, where they are watched.
    pub(crate) fn calibration(&self) -> Result<Calibration, Refusal> {
        let mut tokens = 0;
        let mut ranges = |product: &Product| {
            let (ranges, rows) = product.seen()?;
            tokens = rows;
            (rows > 0).then_some(ranges)
        };
        let mut layer = |layer: &Layer| {
            Some(LayerRanges {
                qkv: ranges(&layer.attention.qkv)?,
                out: ranges(&layer.attention.out)?,
                up: ranges(&layer.feed_forward.up)?,
                down: ranges(&layer.feed_forward.down)?,
            })
        };
        let layers: Option<Vec<_>> = self.layers.iter().map(&mut layer).collect();
        let layers = layers.ok_or_else(|| Refusal::calibration("no text was looked at"))?;
        let calibration = Calibration::new(self.weights, tokens, layers);
        let inner = |layer: usize| self.layers[layer].feed_forward.down.depth();
        calibration.layers(self.layers.len(), self.width, inner)?;
        Ok(calibration)
    }

    fn packed(files: &ModelFiles, packing: Packing<'_>) -> Result<Self, Refusal> {
        let packed = pack::packed(&files.architecture()?, packing)?;
        let pack::Packed {
            width,
            lookups,
            norm,
            bias,
            layers,
            weights,
        } = packed;
        Ok(Self {
            width,
            lookups,
            norm,
            bias,
            layers,
            weights,
        })
    }

    /// Components of a vector.
    pub fn dimensions(&self) -> usize {
        self.width
    }

    /// Tokens that a text may have; none where nothing bounds them.
    pub fn tokens_max(&self) -> Option<usize> {
        let reach = self.bias.as_ref().map(|bias| bias.reach());
        tokens_max(&self.lookups).into_iter().chain(reach).min()
    }

    /// The vector of each text, `[texts, dimensions]`.
    ///
    /// # Errors
    /// [`UntakenTexts`] when one of them cannot be taken.
    pub fn encode(
        &self,
        texts: Texts<'_>,
        pooling: Pooling,
        scratch: &mut Scratch,
    ) -> Result<Vec<f32>, UntakenTexts> {
        self.check(texts)?;
        let mut vectors = Vec::with_capacity(texts.lengths.len() * self.width);
        let (mut ids, mut lengths) = (texts.ids, texts.lengths);
        while !lengths.is_empty() {
            let (count, tokens) = pass_of(lengths);
            let (now, later) = lengths.split_at(count);
            let (tokens, rest) = ids.split_at(tokens);
            let hidden = self.pass(tokens, now, scratch);
            self.pool(hidden, now, pooling, &mut vectors)?;
            (ids, lengths) = (rest, later);
        }
        Ok(vectors)
    }

    /// Checks one text by itself.
    ///
    /// # Errors
    /// [`UntakenTexts`] when it cannot be taken.
    pub fn check_text(&self, ids: &[i32]) -> Result<(), UntakenTexts> {
        let lengths = &[u32::try_from(ids.len()).unwrap_or(u32::MAX)];
        self.check(Texts { ids, lengths })
    }

    pub(crate) fn check(&self, texts: Texts<'_>) -> Result<(), UntakenTexts> {
        let received = texts.ids.len();
        let expected = texts.lengths.iter().map(|&length| u64::from(length)).sum();
        if expected != received as u64 {
            return Err(UntakenTexts::Lengths { expected, received });
        }
        let longest = texts.lengths.iter().copied().max().unwrap_or(0) as usize;
        if let Some(positions) = self.tokens_max().filter(|&most| longest > most) {
            return Err(UntakenTexts::TooLong {
                positions,
                received: longest,
            });
        }
        if texts.lengths.contains(&0) {
            return Err(UntakenTexts::NoTokens);
        }
        for table in &self.lookups {
            let Table::Rows {
                rows,
                index: Index::Id,
                ..
            } = *table
            else {
                continue;
            };
            let is_known = |id: i32| usize::try_from(id).is_ok_and(|id| id < rows);
            if let Some(&received) = texts.ids.iter().find(|&&id| !is_known(id)) {
                let received = received.cast_unsigned();
                return Err(UntakenTexts::UnknownId { rows, received });
            }
        }
        Ok(())
    }

    fn pool(
        &self,
        hidden: &[f32],
        lengths: &[u32],
        pooling: Pooling,
        vectors: &mut Vec<f32>,
    ) -> Result<(), UntakenTexts> {
        let mut rest = hidden;
        for &length in lengths {
            let (tokens, later) = rest.split_at(length as usize * self.width);
            let shape = HiddenShape {
                batch: 1,
                len: length as usize,
                dim: self.width,
            };
            vectors.extend(match pooling {
                Pooling::Mean => mean_pool(tokens, &vec![true; length as usize], shape)?,
                Pooling::Cls => cls_pool(tokens, shape)?,
            });
            rest = later;
        }
        Ok(())
    }
}

/// Tokens that tables have positions for; none where nothing bounds them.
fn tokens_max(lookups: &[Table]) -> Option<usize> {
    let bounds = lookups.iter().filter_map(|table| match table {
        Table::Rows {
            rows,
            index: Index::Place,
            ..
        } => Some(*rows),
        Table::Rows {
            rows,
            index: Index::PlaceAfter { padding },
            ..
        } => Some(rows.saturating_sub(usize::try_from(*padding).unwrap_or(0) + 1)),
        _ => None,
    });
    bounds.min()
}

/// The number of texts that are computed at once, the first always among them, and their tokens.
fn pass_of(lengths: &[u32]) -> (usize, usize) {
    let (mut count, mut tokens) = (0, 0);
    for &length in lengths {
        if count > 0 && tokens + length as usize > PASS_TOKENS {
            break;
        }
        count += 1;
        tokens += length as usize;
    }
    (count, tokens)
}
