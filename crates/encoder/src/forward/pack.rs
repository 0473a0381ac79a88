//! Weights from the file into the order in which they are read.

use pelorus_kernels::Panels;

use super::attention::SelfAttention;
use super::feed_forward::FeedForward;
use super::product::Product;
use super::{Layer, Norm, Table};
use crate::model::{Architecture, Index, LayerPlan, Lookup, NormPlan, ProductPlan, Weight};
use crate::{Precision, Refusal};

/// The parts of an encoder that do not borrow from its file.
pub(super) struct Packed {
    pub(super) width: usize,
    pub(super) lookups: Vec<Table>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

/// Packs the weights of a model that lie in `file`, its products for a precision.
pub(super) fn packed(
    model: &Architecture<'_>,
    file: &[u8],
    precision: Precision,
) -> Result<Packed, Refusal> {
    let packer = Packer {
        model,
        file,
        precision,
    };
    let lookups = model.lookups.iter().map(|lookup| packer.table(lookup));
    let layers = model.layers.iter().map(|layer| packer.layer(layer));
    Ok(Packed {
        width: model.width,
        lookups: lookups.collect::<Result<_, _>>()?,
        norm: packer.norm(&model.norm)?,
        layers: layers.collect::<Result<_, _>>()?,
    })
}

struct Packer<'m, 'a> {
    model: &'m Architecture<'a>,
    file: &'m [u8],
    precision: Precision,
}

impl<'a> Packer<'_, 'a> {
    fn table(&self, lookup: &Lookup) -> Result<Table, Refusal> {
        let bytes = self.floats(lookup.table)?;
        let row_bytes = self.model.width * size_of::<f32>();
        let rows = bytes.len() / row_bytes;
        if lookup.table.is_transposed
            || self.model.tensor(lookup.table).dims != [rows, self.model.width]
        {
            return Err(Refusal::not_ours(
                "a table of embeddings has another shape than its vectors",
            ));
        }
        if let Index::Fixed(row) = lookup.index {
            let row = usize::try_from(row).ok().filter(|&row| row < rows);
            let row = row.ok_or_else(|| Refusal::damaged("a table of embeddings lacks a row"))?;
            return Ok(Table::Row(
                floats(&bytes[row * row_bytes..][..row_bytes]).collect(),
            ));
        }
        // Bytes that the graph was read from lie in the file.
        let start = bytes.as_ptr().addr().checked_sub(self.file.as_ptr().addr());
        let start = start.filter(|start| self.file.get(*start..start + bytes.len()).is_some());
        let start =
            start.ok_or_else(|| Refusal::not_ours("a table of embeddings is not in its file"))?;
        Ok(Table::Rows {
            start,
            rows,
            index: lookup.index,
        })
    }

    fn layer(&self, plan: &LayerPlan) -> Result<Layer, Refusal> {
        let width = self.model.width;
        let inner = self.columns(plan.up);
        Ok(Layer {
            attention: SelfAttention {
                qkv: self.product(&[plan.query, plan.key, plan.value], width, width)?,
                heads: self.model.heads,
                factor: plan.factor,
                out: self.product(&[plan.out], width, width)?,
            },
            attention_norm: self.norm(&plan.attention_norm)?,
            feed_forward: FeedForward {
                up: self.product(&[plan.up], width, inner)?,
                down: self.product(&[plan.down], inner, width)?,
            },
            norm: self.norm(&plan.norm)?,
        })
    }

    fn columns(&self, ProductPlan { weight, .. }: ProductPlan) -> usize {
        match self.model.tensor(weight).dims[..] {
            [columns, _] if weight.is_transposed => columns,
            [_, columns] => columns,
            _ => 0,
        }
    }

    /// Products beside each other, each of `depth` rows and `columns` columns.
    fn product(
        &self,
        parts: &[ProductPlan],
        depth: usize,
        columns: usize,
    ) -> Result<Product, Refusal> {
        let mut panels = Panels::new(depth, columns * parts.len());
        let mut line = Vec::new();
        for (part, first) in parts.iter().zip((0..).step_by(columns.max(1))) {
            let ProductPlan { weight, bias } = *part;
            let bytes = self.floats(weight)?;
            let in_file = if weight.is_transposed {
                [columns, depth]
            } else {
                [depth, columns]
            };
            if self.model.tensor(weight).dims != in_file || bytes.is_empty() {
                return Err(Refusal::not_ours(
                    "the weights of a layer have another shape than its vectors",
                ));
            }
            let lines = bytes.chunks_exact(in_file[1] * size_of::<f32>());
            for (at, bytes) in lines.enumerate() {
                line.clear();
                line.extend(floats(bytes));
                if weight.is_transposed {
                    panels.set_column(first + at, &line);
                } else {
                    panels.set_row(at, first, &line);
                }
            }
            if let Some(bias) = bias {
                panels.set_first(first, &self.row(bias, columns)?);
            }
        }
        Product::of(panels, self.precision)
    }

    fn norm(&self, plan: &NormPlan) -> Result<Norm, Refusal> {
        let width = self.model.width;
        Ok(Norm {
            epsilon: plan.epsilon,
            weight: self.row(plan.weight, width)?,
            bias: self.row(plan.bias, width)?,
        })
    }

    fn row(&self, weight: Weight, count: usize) -> Result<Vec<f32>, Refusal> {
        let row: Vec<f32> = floats(self.floats(weight)?).collect();
        if row.len() == count {
            return Ok(row);
        }
        Err(Refusal::not_ours(
            "a bias has another length than its vectors",
        ))
    }

    fn floats(&self, weight: Weight) -> Result<&'a [u8], Refusal> {
        let bytes = self.model.tensor(weight).floats();
        bytes.ok_or_else(|| Refusal::not_ours("its weights are no floats"))
    }
}

/// Floats from their bytes, which may lie anywhere.
pub(super) fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
}
