//! A model as a device takes it.

use std::borrow::Cow;

use pelorus_cuda::Activation as DeviceActivation;
use pelorus_cuda::encoder::{Floats, Layer, Matrix, Model, Norm, Weighted};

use crate::Refusal;
use crate::bytes::make_room;
use crate::model::{Activation, Architecture, Index, Lookup, NormPlan, ProductPlan, Weight};

/// The model in its files, whose shapes were checked when it was packed for the processor.
pub(super) fn of<'a>(model: &Architecture<'a>) -> Result<Model<'a>, Refusal> {
    if model.bias.is_some() {
        return Err(Refusal::not_ours(
            "its attention goes by distance, which devices do not compute yet",
        ));
    }
    let reader = Reader { model };
    let inner = model
        .layers
        .first()
        .map_or(model.width, |layer| reader.columns(layer.up));
    let layers = model.layers.iter().map(|layer| {
        if reader.columns(layer.up) != inner {
            return Err(Refusal::not_ours(
                "its layers have products of different sizes",
            ));
        }
        Ok(Layer {
            qkv: [
                reader.product(layer.query)?,
                reader.product(layer.key)?,
                reader.product(layer.value)?,
            ],
            factor: layer.factor,
            out: reader.product(layer.out)?,
            attention_norm: reader.norm(&layer.attention_norm)?,
            up: reader.product(layer.up)?,
            activation: match layer.activation {
                Activation::Gelu => DeviceActivation::Gelu,
                Activation::TanhGelu => DeviceActivation::GeluTanh,
            },
            down: reader.product(layer.down)?,
            norm: reader.norm(&layer.norm)?,
        })
    });
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    Ok(Model {
        width: size(model.width),
        heads: size(model.heads),
        inner: size(inner),
        tables: model
            .lookups
            .iter()
            .map(|lookup| reader.table(lookup))
            .collect::<Result<_, _>>()?,
        norm: reader.norm(&model.norm)?,
        layers: layers.collect::<Result<_, _>>()?,
    })
}

struct Reader<'m, 'a> {
    model: &'m Architecture<'a>,
}

impl<'a> Reader<'_, 'a> {
    fn table(&self, lookup: &Lookup) -> Result<Floats<'a>, Refusal> {
        let values = self.values(lookup.table)?;
        let Index::Fixed(row) = lookup.index else {
            return Ok(values);
        };
        let bytes = self.model.width * size_of::<f32>();
        let start = usize::try_from(row)
            .ok()
            .and_then(|row| row.checked_mul(bytes));
        let only = start.and_then(|start| values.0.get(start..)?.get(..bytes));
        let only = only.ok_or_else(|| Refusal::damaged("a table of embeddings lacks a row"))?;
        Ok(Floats(Cow::Owned(only.to_vec())))
    }

    fn product(&self, plan: ProductPlan) -> Result<Weighted<'a>, Refusal> {
        Ok(Weighted {
            matrix: Matrix {
                values: self.values(plan.weight)?,
                is_transposed: plan.weight.is_transposed,
            },
            bias: plan.bias.map(|bias| self.row(bias)).transpose()?,
        })
    }

    fn columns(&self, ProductPlan { weight, .. }: ProductPlan) -> usize {
        match self.model.tensor(weight).dims[..] {
            [columns, _] if weight.is_transposed => columns,
            [_, columns] => columns,
            _ => 0,
        }
    }

    fn norm(&self, plan: &NormPlan) -> Result<Norm, Refusal> {
        Ok(Norm {
            epsilon: plan.epsilon,
            weight: self.row(plan.weight)?,
            bias: self.row(plan.bias)?,
        })
    }

    fn row(&self, weight: Weight) -> Result<Vec<f32>, Refusal> {
        let tensor = self.model.tensor(weight);
        let mut row = Vec::new();
        let len = tensor.dims.iter().product();
        tensor.for_each_line(len, |line| row.extend_from_slice(line))?;
        Ok(row)
    }

    /// Floats of 32 bits: where they lie, or made of shorter ones.
    fn values(&self, weight: Weight) -> Result<Floats<'a>, Refusal> {
        let tensor = self.model.tensor(weight);
        if let Some(bytes) = tensor.f32_bytes() {
            return Ok(Floats(bytes.read()?));
        }
        let mut bytes = Vec::new();
        make_room(&mut bytes, tensor.bytes.len().saturating_mul(2))?;
        let len = tensor.dims.last().copied().unwrap_or(1);
        tensor.for_each_line(len, |line| {
            bytes.extend(line.iter().flat_map(|value| value.to_le_bytes()));
        })?;
        Ok(Floats(Cow::Owned(bytes)))
    }
}
