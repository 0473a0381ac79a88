//! Attention of the tokens of each text to each other.

use std::sync::Arc;

use pelorus_kernels::{Bf16Heads, Kernels, PANEL, Rows, RowsMut};

use super::bf16;
use super::position_bias::PositionBias;
use super::product::Product;
use super::scratch::{AttentionScratch, HeadScratch, ProductScratch, sized};

/// Rows of scores that are kept at once.
const ROWS: usize = 64;

/// Attention of the tokens of each text, from one product to the other.
pub(super) struct SelfAttention {
    /// Queries, keys and values beside each other.
    pub(super) qkv: Product,
    pub(super) heads: usize,
    /// The factor of scores.
    pub(super) factor: f32,
    /// Added to the scores by distance.
    pub(super) bias: Option<Arc<PositionBias>>,
    pub(super) out: Product,
}

impl SelfAttention {
    /// Writes what each row takes from its text to `out`, both `[tokens, width]`; texts have `lengths` tokens.
    pub(super) fn apply(
        &self,
        kernels: &Kernels,
        rows: &[f32],
        lengths: &[u32],
        out: &mut [f32],
        scratch: &mut AttentionScratch,
        product: &mut ProductScratch,
    ) {
        let width = self.qkv.depth();
        let heads = Bf16Heads {
            count: self.heads,
            size: width / self.heads,
            factor: self.factor,
        };
        // The kernels of bfloat16 add no bias.
        let is_for_bf16 = self.bias.is_none() && bf16::is_for(heads);
        if let (Some(qkv), Some(last), true) = (self.qkv.bf16(), self.out.bf16(), is_for_bf16) {
            let texts = (rows, lengths);
            return bf16::attention(kernels, texts, heads, [qkv, last], out, &mut product.bf16);
        }
        let qkv = sized(&mut scratch.qkv, 3 * rows.len());
        self.qkv.multiply(kernels, rows, qkv, product);
        let context = sized(&mut scratch.context, rows.len());
        let heads = Heads {
            width,
            heads: self.heads,
            factor: self.factor,
            bias: self.bias.as_deref(),
        };
        let (mut products, mut results) = (&*qkv, &mut *context);
        for &length in lengths {
            let (now, later) = products.split_at(length as usize * 3 * width);
            let (out, rest) = results.split_at_mut(length as usize * width);
            attend(kernels, heads, now, out, &mut scratch.head);
            (products, results) = (later, rest);
        }
        self.out.multiply(kernels, context, out, product);
    }
}

/// The shape of the products that attention works on, `[tokens, 3 * width]`: queries, keys and values beside each other.
#[derive(Clone, Copy)]
struct Heads<'a> {
    width: usize,
    heads: usize,
    factor: f32,
    bias: Option<&'a PositionBias>,
}

/// Attends: writes the values of a text's tokens, mixed for each of them by its scores, `[tokens, width]`.
fn attend(
    kernels: &Kernels,
    Heads {
        width,
        heads,
        factor,
        bias,
    }: Heads<'_>,
    qkv: &[f32],
    context: &mut [f32],
    scratch: &mut HeadScratch,
) {
    let (stride, size) = (3 * width, width / heads);
    let tokens = context.len() / width;
    let scores_stride = tokens.next_multiple_of(PANEL);
    for head in 0..heads {
        let first = head * size;
        scratch.keys.reshape(size, tokens);
        scratch.values.reshape(tokens, size);
        for (token, row) in qkv.chunks_exact(stride).enumerate() {
            scratch
                .keys
                .set_column(token, &row[width + first..][..size]);
            scratch
                .values
                .set_row(token, 0, &row[2 * width + first..][..size]);
        }
        for start in (0..tokens).step_by(ROWS) {
            let count = (tokens - start).min(ROWS);
            let scores = sized(&mut scratch.scores, count * scores_stride);
            let queries = Rows {
                values: &qkv[start * stride + first..],
                stride,
                count,
            };
            let into = RowsMut {
                values: scores,
                stride: scores_stride,
            };
            (kernels.multiply)(queries, &scratch.keys, into);
            let rows = scratch.scores.chunks_exact_mut(scores_stride);
            for (at, row) in rows.take(count).enumerate() {
                if let Some(bias) = bias {
                    bias.add(head, start + at, &mut row[..tokens], factor);
                }
                (kernels.softmax)(&mut row[..tokens], factor);
            }
            let shares = Rows {
                values: &scratch.scores,
                stride: scores_stride,
                count,
            };
            let into = RowsMut {
                values: &mut context[start * width + first..],
                stride: width,
            };
            (kernels.multiply)(shares, &scratch.values, into);
        }
    }
}
