//! Weights from the file into the order in which they are read.

use std::cell::RefCell;
use std::sync::Arc;

use pelorus_kernels::Panels;

use super::attention::SelfAttention;
use super::feed_forward::FeedForward;
use super::int8::Given;
use super::position_bias::PositionBias;
use super::product::Product;
use super::{Layer, Norm, Packing, Table, tokens_max};
use crate::calibration::{LayerRanges, Ranges, WeightsDigest, WeightsHasher};
use crate::model::{Architecture, Index, LayerPlan, Lookup, NormPlan, ProductPlan, Weight};
use crate::{Precision, Refusal};

/// The parts of an encoder.
pub(super) struct Packed {
    pub(super) width: usize,
    pub(super) lookups: Vec<Table>,
    pub(super) norm: Norm,
    pub(super) bias: Option<Arc<PositionBias>>,
    pub(super) layers: Vec<Layer>,
    pub(super) weights: WeightsDigest,
}

/// Packs the weights of a model, its products in one of the ways. Nothing of its files is used later: whoever writes over them
/// changes no vector.
pub(super) fn packed(model: &Architecture<'_>, packing: Packing<'_>) -> Result<Packed, Refusal> {
    let mut packer = Packer {
        model,
        weights: (!matches!(packing, Packing::As(_))).then(RefCell::default),
        bias: None,
    };
    let lookups = model.lookups.iter().map(|lookup| packer.table(lookup));
    let lookups = lookups.collect::<Result<Vec<_>, _>>()?;
    if let Some(plan) = &model.bias {
        let bias = PositionBias::of(model, plan, tokens_max(&lookups))?;
        packer.bias = Some(Arc::new(bias));
    }
    let layers = model.layers.iter().zip(packer.packings(packing)?);
    let layers = layers.map(|(layer, packings)| packer.layer(layer, packings));
    Ok(Packed {
        width: model.width,
        bias: packer.bias.clone(),
        lookups,
        norm: packer.norm(&model.norm)?,
        layers: layers.collect::<Result<_, _>>()?,
        weights: packer
            .weights
            .map(RefCell::into_inner)
            .unwrap_or_default()
            .finish(),
    })
}

/// The way in which one product is packed.
#[derive(Clone, Copy)]
enum ProductPacking<'a> {
    As(Precision),
    /// For values of these ranges. Where GELU and another product follow, that one is given values of the last ranges.
    Int8(&'a Ranges, Given, Option<&'a Ranges>),
    Watched,
}

/// The way in which each product of a layer is packed.
#[derive(Clone, Copy)]
struct LayerPacking<'a> {
    qkv: ProductPacking<'a>,
    out: ProductPacking<'a>,
    up: ProductPacking<'a>,
    down: ProductPacking<'a>,
}

impl<'a> LayerPacking<'a> {
    fn all(one: ProductPacking<'a>) -> Self {
        Self {
            qkv: one,
            out: one,
            up: one,
            down: one,
        }
    }

    fn int8(ranges: &'a LayerRanges) -> Self {
        Self {
            qkv: ProductPacking::Int8(&ranges.qkv, Given::Sums, None),
            out: ProductPacking::Int8(&ranges.out, Given::Sums, None),
            up: ProductPacking::Int8(&ranges.up, Given::Sums, Some(&ranges.down)),
            down: ProductPacking::Int8(&ranges.down, Given::Gelu, None),
        }
    }
}

struct Packer<'m, 'a> {
    model: &'m Architecture<'a>,
    /// The digest of the weights so far, where a calibration has to do with them.
    weights: Option<RefCell<WeightsHasher>>,
    bias: Option<Arc<PositionBias>>,
}

impl Packer<'_, '_> {
    fn table(&self, lookup: &Lookup) -> Result<Table, Refusal> {
        let (table, width) = (self.model.tensor(lookup.table), self.model.width);
        let rows = match table.dims[..] {
            [rows, columns] if columns == width && !lookup.table.is_transposed => rows,
            _ => {
                return Err(Refusal::not_ours(
                    "a table of embeddings has another shape than its vectors",
                ));
            }
        };
        let values = table.kept()?;
        if let Index::Fixed(row) = lookup.index {
            let row = usize::try_from(row).ok().filter(|&row| row < rows);
            let row = row.ok_or_else(|| Refusal::damaged("a table of embeddings lacks a row"))?;
            let mut only = vec![0.0; width];
            values.join(row, &mut only, |only, value| *only = value);
            return Ok(Table::Row(only));
        }
        Ok(Table::Rows {
            values,
            rows,
            index: lookup.index,
        })
    }

    /// The ways of the products of each layer.
    fn packings<'c>(&self, packing: Packing<'c>) -> Result<Vec<LayerPacking<'c>>, Refusal> {
        let layers = &self.model.layers;
        Ok(match packing {
            Packing::As(precision) => {
                vec![LayerPacking::all(ProductPacking::As(precision)); layers.len()]
            }
            Packing::Watched => vec![LayerPacking::all(ProductPacking::Watched); layers.len()],
            Packing::Int8(calibration) => {
                let inner = |layer: usize| self.columns(layers[layer].up);
                let ranges = calibration.layers(layers.len(), self.model.width, inner)?;
                ranges.iter().map(LayerPacking::int8).collect()
            }
        })
    }

    fn layer(&self, plan: &LayerPlan, packings: LayerPacking<'_>) -> Result<Layer, Refusal> {
        let width = self.model.width;
        let inner = self.columns(plan.up);
        Ok(Layer {
            attention: SelfAttention {
                qkv: self.product(
                    &[plan.query, plan.key, plan.value],
                    width,
                    width,
                    packings.qkv,
                )?,
                heads: self.model.heads,
                factor: plan.factor,
                bias: self.bias.clone(),
                out: self.product(&[plan.out], width, width, packings.out)?,
            },
            attention_norm: self.norm(&plan.attention_norm)?,
            feed_forward: FeedForward {
                up: self.product(&[plan.up], width, inner, packings.up)?,
                down: self.product(&[plan.down], inner, width, packings.down)?,
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
        packing: ProductPacking<'_>,
    ) -> Result<Product, Refusal> {
        let mut panels = Panels::new(depth, columns * parts.len());
        for (part, first) in parts.iter().zip((0..).step_by(columns.max(1))) {
            let ProductPlan { weight, bias } = *part;
            let tensor = self.model.tensor(weight);
            let in_file = if weight.is_transposed {
                [columns, depth]
            } else {
                [depth, columns]
            };
            if tensor.dims != in_file || tensor.bytes.is_empty() {
                return Err(Refusal::not_ours(
                    "the weights of a layer have another shape than its vectors",
                ));
            }
            if let Some(weights) = &self.weights {
                weights.borrow_mut().add(tensor.bytes);
            }
            let mut at = 0;
            tensor.for_each_line(in_file[1], |line| {
                if weight.is_transposed {
                    panels.set_column(first + at, line);
                } else {
                    panels.set_row(at, first, line);
                }
                at += 1;
            })?;
            if let Some(bias) = bias {
                panels.set_first(first, &self.row(bias, columns)?);
            }
        }
        match packing {
            ProductPacking::As(precision) => Product::of(panels, precision),
            ProductPacking::Int8(ranges, given, next) => {
                Product::of_int8(&panels, ranges, given, next)
            }
            ProductPacking::Watched => Ok(Product::watched(panels)),
        }
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
        let mut row = Vec::with_capacity(count);
        let tensor = self.model.tensor(weight);
        if tensor.dims == [count] {
            tensor.for_each_line(count, |line| row.extend_from_slice(line))?;
        }
        if row.len() == count {
            return Ok(row);
        }
        Err(Refusal::not_ours(
            "a bias has another length than its vectors",
        ))
    }
}
