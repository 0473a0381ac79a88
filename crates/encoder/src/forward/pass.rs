//! The way of some texts through all layers.

use pelorus_kernels::{Kernels, kernels};

use super::scratch::{Scratch, sized};
use super::{Layer, Norm, Table, TextEncoder};
use crate::model::Index;

impl TextEncoder {
    /// A vector for each token, `[tokens, width]`. Texts must have been checked.
    pub(super) fn pass<'s>(
        &self,
        ids: &[i32],
        lengths: &[u32],
        scratch: &'s mut Scratch,
    ) -> &'s [f32] {
        let kernels = kernels();
        let values = ids.len() * self.width;
        sized(&mut scratch.hidden, values);
        self.embed(kernels, ids, lengths, scratch);
        for layer in &self.layers {
            self.layer(kernels, layer, lengths, ids.len(), scratch);
        }
        &scratch.hidden[..values]
    }

    /// The sum of what the tables have for each token, normalised.
    fn embed(&self, kernels: &Kernels, ids: &[i32], lengths: &[u32], scratch: &mut Scratch) {
        let width = self.width;
        let residual = sized(&mut scratch.middle, width);
        let Some((last, first)) = self.lookups.split_last() else {
            return;
        };
        let mut tokens = ids.iter().zip(scratch.hidden.chunks_exact_mut(width));
        for &length in lengths {
            let mut words = 0;
            for (place, (&id, row)) in tokens.by_ref().take(length as usize).enumerate() {
                let token = Token {
                    id,
                    place,
                    words: &mut words,
                };
                let at = token.rows(&self.lookups);
                row.fill(0.0);
                for (table, at) in first.iter().zip(&at) {
                    Self::look_up(table, *at, row, |sum, value| *sum += value);
                }
                let at = at.get(first.len()).copied().unwrap_or_default();
                Self::look_up(last, at, residual, |sum, value| *sum = value);
                let Norm {
                    epsilon,
                    weight,
                    bias,
                } = &self.norm;
                (kernels.add_norm)(row, residual, weight, bias, *epsilon);
            }
        }
    }

    fn look_up(table: &Table, at: usize, row: &mut [f32], join: impl Fn(&mut f32, f32)) {
        match table {
            Table::Row(values) => {
                for (sum, &value) in row.iter_mut().zip(values) {
                    join(sum, value);
                }
            }
            Table::Rows { values, .. } => values.join(at, row, join),
        }
    }

    fn layer(
        &self,
        kernels: &Kernels,
        layer: &Layer,
        lengths: &[u32],
        tokens: usize,
        scratch: &mut Scratch,
    ) {
        let width = self.width;
        let add_norm = |rows: &mut [f32], residual: &[f32], norm: &Norm| {
            for (row, residual) in rows
                .chunks_exact_mut(width)
                .zip(residual.chunks_exact(width))
            {
                (kernels.add_norm)(row, residual, &norm.weight, &norm.bias, norm.epsilon);
            }
        };
        let hidden = sized(&mut scratch.hidden, tokens * width);
        let middle = sized(&mut scratch.middle, tokens * width);
        let (attention, product) = (&mut scratch.attention, &mut scratch.product);
        layer
            .attention
            .apply(kernels, hidden, lengths, middle, attention, product);
        add_norm(middle, hidden, &layer.attention_norm);
        let inner = &mut scratch.inner;
        layer
            .feed_forward
            .apply(kernels, middle, hidden, inner, product);
        add_norm(hidden, middle, &layer.norm);
    }
}

/// A token of a text.
pub(super) struct Token<'a> {
    pub(super) id: i32,
    pub(super) place: usize,
    /// Tokens of the text so far that are no padding.
    pub(super) words: &'a mut usize,
}

impl Token<'_> {
    /// Its row in each of four tables at most.
    pub(super) fn rows(self, tables: &[Table]) -> [usize; 4] {
        let mut rows = [0; 4];
        for (row, table) in rows.iter_mut().zip(tables) {
            let Table::Rows { index, .. } = table else {
                continue;
            };
            *row = match *index {
                Index::Id => usize::try_from(self.id).unwrap_or_default(),
                Index::Place => self.place,
                Index::PlaceAfter { padding } if i64::from(self.id) == padding => {
                    usize::try_from(padding).unwrap_or_default()
                }
                Index::PlaceAfter { padding } => {
                    *self.words += 1;
                    usize::try_from(padding).unwrap_or_default() + *self.words
                }
                Index::Fixed(_) => 0,
            };
        }
        rows
    }
}
