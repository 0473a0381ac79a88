//! Biases of attention by the distance of two tokens.

use crate::Refusal;
use crate::model::{Architecture, BiasPlan};

/// A number for each head and distance, added to the scores of all layers.
pub(super) struct PositionBias {
    /// Most tokens of a text.
    reach: usize,
    /// `[heads, 2 * reach - 1]`, from the token that is farthest before on.
    values: Vec<f32>,
}

impl PositionBias {
    /// The bias of a model whose texts have so many tokens at most.
    ///
    /// # Errors
    /// [`Refusal`] when its table has not a column for each head, or holds what is no number.
    pub(super) fn of(
        model: &Architecture<'_>,
        plan: &BiasPlan,
        tokens_max: Option<usize>,
    ) -> Result<Self, Refusal> {
        let table = model.tensor(plan.table);
        let heads = model.heads;
        if table.dims.len() != 2 || table.dims[1] != heads || plan.table.is_transposed {
            return Err(Refusal::not_ours(
                "the table of its biases has not a column for each head",
            ));
        }
        let mut rows = Vec::new();
        table.for_each_line(heads, |line| rows.push(line.to_vec()))?;
        let known = plan.rows.len().div_ceil(2);
        let reach = tokens_max.map_or(known, |most| most.min(known));
        let distances = &plan.rows[known - reach..][..(2 * reach).saturating_sub(1)];
        let mut values = Vec::with_capacity(heads * distances.len());
        for head in 0..heads {
            for &row in distances {
                let row = usize::try_from(row).ok().and_then(|row| rows.get(row));
                let row =
                    row.ok_or_else(|| Refusal::damaged("the table of its biases lacks a row"))?;
                values.push(row[head]);
            }
        }
        Ok(Self { reach, values })
    }

    /// Most tokens of a text.
    pub(super) fn reach(&self) -> usize {
        self.reach
    }

    /// Adds the bias of a token for each of a text's tokens to its scores, which `factor` follows.
    pub(super) fn add(&self, head: usize, token: usize, scores: &mut [f32], factor: f32) {
        let of_head = &self.values[head * (2 * self.reach - 1)..];
        let biases = &of_head[self.reach - 1 - token..][..scores.len()];
        for (score, bias) in scores.iter_mut().zip(biases) {
            *score += bias / factor;
        }
    }
}
