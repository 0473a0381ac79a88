//! Attention in bfloat16: the loops that all tables share.

use crate::bf16_panels::{BF16_LINE, Bf16Order, Bf16Panels, Bf16Part, Bf16PartMut, Bf16Rows};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense::softmax;

/// Rows of scores that are kept at once.
const ROWS: usize = 64;

/// The shape of attention.
#[derive(Clone, Copy, Debug)]
pub struct Bf16Heads {
    /// Heads.
    pub count: usize,
    /// Values of a head: whole lines.
    pub size: usize,
    /// The factor of scores.
    pub factor: f32,
}

/// Memory for what is computed on the way, which grows to what it needs and stays so.
#[derive(Clone, Debug)]
pub struct Bf16Scratch {
    keys: Bf16Panels,
    values: Bf16Panels,
    scores: Vec<f32>,
    shares: Bf16Rows,
}

impl Bf16Scratch {
    /// No memory, for a table whose lines have an order.
    pub fn new(order: Bf16Order) -> Self {
        Self {
            keys: Bf16Panels::new(order),
            values: Bf16Panels::new(order),
            scores: Vec::new(),
            shares: Bf16Rows::new(order),
        }
    }
}

/// The products of a table.
pub(crate) trait Products {
    /// Writes products.
    fn multiply(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>);

    /// Writes products, rounded.
    fn multiply_rounded(&self, rows: Bf16Part<'_>, panels: &Bf16Panels, out: Bf16PartMut<'_>);

    /// Rounds the values of a row, to the lines of it from `lines` on.
    fn round(&self, values: &[f32], out: &mut [crate::Bf16Line]);
}

/// Attends with the products of a table. Inlined, so that the softmax has the vectors of that table.
#[inline(always)]
pub(crate) fn attend(
    qkv: &Bf16Rows,
    texts: &[u32],
    heads: Bf16Heads,
    context: &mut Bf16Rows,
    scratch: &mut Bf16Scratch,
    products: &impl Products,
) {
    assert!(
        heads.size.is_multiple_of(BF16_LINE),
        "the values of a head fill lines"
    );
    let (head_lines, width) = (heads.size / BF16_LINE, heads.count * heads.size);
    let lines = heads.count * head_lines;
    context.reshape(qkv.count(), width);
    let mut first = 0;
    for &tokens in texts {
        let tokens = tokens as usize;
        for line in (0..lines).step_by(head_lines) {
            let keys = qkv.part(first, lines + line, tokens);
            scratch.keys.set_columns(keys, head_lines);
            let values = qkv.part(first, 2 * lines + line, tokens);
            scratch.values.set_rows(values, head_lines);
            for start in (0..tokens).step_by(ROWS) {
                let count = (tokens - start).min(ROWS);
                let stride = tokens.next_multiple_of(PANEL);
                if scratch.scores.len() < count * stride {
                    scratch.scores.resize(count * stride, 0.0);
                }
                let scores = RowsMut {
                    values: &mut scratch.scores,
                    stride,
                };
                let queries = qkv.part(first + start, line, count);
                products.multiply(queries, &scratch.keys, scores);
                scratch.shares.reshape(count, tokens);
                for (row, scores) in scratch
                    .scores
                    .chunks_exact_mut(stride)
                    .take(count)
                    .enumerate()
                {
                    softmax(&mut scores[..tokens], heads.factor);
                    products.round(&scores[..tokens], scratch.shares.row_mut(row));
                }
                let out = context.part_mut(first + start, line);
                products.multiply_rounded(scratch.shares.all(), &scratch.values, out);
            }
        }
        first += tokens;
    }
}
