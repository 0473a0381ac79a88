//! Weights from the file into the order in which they are read.

use std::sync::Arc;

use pelorus_kernels::{Columns, Panels};

use super::attention::SelfAttention;
use super::feed_forward::FeedForward;
use super::int8::Given;
use super::position_bias::PositionBias;
use super::product::Product;
use super::{Layer, Norm, Packing, Table, tokens_max};
use crate::bytes::make_room;
use crate::calibration::{LayerRanges, Ranges, WeightsDigest, WeightsHasher};
use crate::model::{Architecture, Index, LayerPlan, Lookup, NormPlan, ProductPlan, Weight};
use crate::tensor::{Block, Floats, KeptFloats, sized};
use crate::{Precision, Refusal, parallel};

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
    let packer = Packer { model };
    let (mut tables, mut parts) = (Vec::new(), Vec::new());
    for lookup in &model.lookups {
        let (tensor, kept) = packer.table(lookup)?;
        parts.extend((0..kept.blocks_of(tensor)).map(|block| Part::Block(tables.len(), block)));
        tables.push((tensor, kept));
    }
    for (layer, packings) in model.layers.iter().zip(packer.packings(packing)?) {
        parts.extend(packer.products(layer, packings).map(Part::Product));
    }
    let is_hashed = !matches!(packing, Packing::As(_));
    let made = parallel::each(&parts, |part, scratch: &mut Vec<f32>| match part {
        Part::Block(table, block) => {
            let (tensor, kept) = &tables[*table];
            Ok(Made::Block(*table, kept.block(tensor, *block)?))
        }
        Part::Product(job) => packer.product(job, is_hashed, scratch).map(Made::Product),
    })?;
    let (mut products, mut hasher) = (Vec::new(), WeightsHasher::default());
    for made in made {
        match made {
            Made::Block(table, block) => tables[table].1.blocks.push(block),
            Made::Product((product, weights)) => {
                hasher.add_later(&weights);
                products.push(product);
            }
        }
    }
    let tables = tables.into_iter().map(|(_, kept)| kept);
    let lookups = model.lookups.iter().zip(tables);
    let lookups = lookups.map(|(lookup, kept)| packer.lookup(lookup, kept));
    let lookups = lookups.collect::<Result<Vec<_>, _>>()?;
    let bias = match &model.bias {
        Some(plan) => Some(Arc::new(PositionBias::of(
            model,
            plan,
            tokens_max(&lookups),
        )?)),
        None => None,
    };
    let mut products = products.into_iter();
    let layers = model.layers.iter().map(|layer| {
        let mut next = || {
            let next = products.next();
            next.ok_or_else(|| Refusal::not_ours("a layer lacks a product"))
        };
        Ok(Layer {
            attention: SelfAttention {
                qkv: next()?,
                heads: model.heads,
                factor: layer.factor,
                bias: bias.clone(),
                out: next()?,
            },
            attention_norm: packer.norm(&layer.attention_norm)?,
            feed_forward: FeedForward {
                up: next()?,
                activation: layer.activation,
                down: next()?,
            },
            norm: packer.norm(&layer.norm)?,
        })
    });
    Ok(Packed {
        width: model.width,
        layers: layers.collect::<Result<_, Refusal>>()?,
        lookups,
        norm: packer.norm(&model.norm)?,
        bias,
        weights: hasher.finish(),
    })
}

/// A part of the weights that one thread reads.
enum Part<'a> {
    /// A block of a table.
    Block(usize, usize),
    Product(ProductJob<'a>),
}

enum Made {
    Block(usize, Block),
    /// With the digest of its weights in the file.
    Product((Product, WeightsHasher)),
}

/// Products beside each other, each of `depth` rows and `columns` columns.
struct ProductJob<'a> {
    parts: Vec<ProductPlan>,
    depth: usize,
    columns: usize,
    packing: ProductPacking<'a>,
}

/// The way in which one product is packed.
#[derive(Clone, Copy)]
enum ProductPacking<'a> {
    As(Precision),
    /// For values of these ranges. Where GELU and another product follow, that one is given values of the last ranges.
    Int8(&'a Ranges, Given, Option<&'a Ranges>),
    Watched,
}

impl ProductPacking<'_> {
    /// The numbers that weights are kept in.
    fn precision(&self) -> Precision {
        match self {
            Self::As(precision) => *precision,
            Self::Int8(..) => Precision::Int8,
            Self::Watched => Precision::F32,
        }
    }
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
}

impl<'a> Packer<'_, 'a> {
    /// The tensor of a table, and what will have its rows.
    fn table(&self, lookup: &Lookup) -> Result<(&Floats<'a>, KeptFloats), Refusal> {
        let (table, width) = (self.model.tensor(lookup.table), self.model.width);
        match table.dims[..] {
            [_, columns] if columns == width && !lookup.table.is_transposed => {
                Ok((table, KeptFloats::new(table.form, width)))
            }
            _ => Err(Refusal::not_ours(
                "a table of embeddings has another shape than its vectors",
            )),
        }
    }

    fn lookup(&self, lookup: &Lookup, values: KeptFloats) -> Result<Table, Refusal> {
        let rows = self.model.tensor(lookup.table).dims[0];
        if let Index::Fixed(row) = lookup.index {
            let row = usize::try_from(row).ok().filter(|&row| row < rows);
            let row = row.ok_or_else(|| Refusal::damaged("a table of embeddings lacks a row"))?;
            let mut only = vec![0.0; self.model.width];
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

    /// The products of a layer, in the order in which they are used.
    fn products<'c>(
        &self,
        plan: &LayerPlan,
        packings: LayerPacking<'c>,
    ) -> impl Iterator<Item = ProductJob<'c>> + use<'c> {
        let width = self.model.width;
        let inner = self.columns(plan.up);
        let job = |parts: &[ProductPlan], depth, columns, packing| ProductJob {
            parts: parts.to_vec(),
            depth,
            columns,
            packing,
        };
        let qkv = [plan.query, plan.key, plan.value];
        [
            job(&qkv, width, width, packings.qkv),
            job(&[plan.out], width, width, packings.out),
            job(&[plan.up], width, inner, packings.up),
            job(&[plan.down], inner, width, packings.down),
        ]
        .into_iter()
    }

    fn columns(&self, ProductPlan { weight, .. }: ProductPlan) -> usize {
        match self.model.tensor(weight).dims[..] {
            [columns, _] if weight.is_transposed => columns,
            [_, columns] => columns,
            _ => 0,
        }
    }

    fn product(
        &self,
        job: &ProductJob<'_>,
        is_hashed: bool,
        values: &mut Vec<f32>,
    ) -> Result<(Product, WeightsHasher), Refusal> {
        let ProductJob {
            parts,
            depth,
            columns,
            packing,
        } = job;
        let (depth, columns) = (*depth, *columns);
        let mut hasher = WeightsHasher::default();
        for ProductPlan { weight, .. } in parts {
            let tensor = self.model.tensor(*weight);
            let in_file = if weight.is_transposed {
                [columns, depth]
            } else {
                [depth, columns]
            };
            if tensor.dims != in_file || tensor.bytes.len() == 0 {
                return Err(Refusal::not_ours(
                    "the weights of a layer have another shape than its vectors",
                ));
            }
        }
        let of_part = depth.saturating_mul(columns);
        sized(values, of_part.saturating_mul(parts.len()))?;
        let mut firsts = Vec::new();
        let into = values.chunks_exact_mut(of_part.max(1));
        for (ProductPlan { weight, bias }, values) in parts.iter().zip(into) {
            let tensor = self.model.tensor(*weight);
            tensor.read_into(values, packing.precision(), &mut |bytes| {
                if is_hashed {
                    hasher.add(bytes);
                }
            })?;
            firsts.push(bias.map(|bias| self.row(bias, columns)).transpose()?);
        }
        let of_parts = values.chunks_exact(of_part.max(1));
        let beside: Vec<_> = parts
            .iter()
            .zip(of_parts)
            .zip(&firsts)
            .map(|((part, values), first)| Columns {
                values,
                count: columns,
                is_turned: part.weight.is_transposed,
                first: first.as_deref(),
            })
            .collect();
        let panels = Panels::of(depth, &beside).ok_or_else(Refusal::no_memory)?;
        let product = match *packing {
            ProductPacking::As(precision) => Product::of(panels, precision),
            ProductPacking::Int8(ranges, given, next) => {
                Product::of_int8(&panels, ranges, given, next)
            }
            ProductPacking::Watched => Ok(Product::watched(panels)),
        };
        Ok((product?, hasher))
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
        let mut row = Vec::new();
        make_room(&mut row, count)?;
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
