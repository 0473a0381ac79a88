//! The layers of an encoder, read from the meaning of its output.

use super::meaning;
use super::value::{Attention, Dim, Id, Index, Kind, Layout, Term, Values, Weight};
use crate::Refusal;
use crate::onnx::Graph;
use crate::tensor::Floats;

/// Most layers, and most components of a vector: four times those of the largest encoders of texts.
pub(crate) const LAYERS_MAX: usize = 192;
pub(crate) const WIDTH_MAX: usize = 1 << 14;
/// Most tables that an embedding is the sum of.
const LOOKUPS_MAX: usize = 4;

/// A text encoder: embeddings, a normalisation, layers of attention and of two products. Names weights, holds none.
pub(crate) struct Architecture<'a> {
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// Put together in this order.
    pub(crate) lookups: Vec<Lookup>,
    /// Added to the scores of every layer.
    pub(crate) bias: Option<BiasPlan>,
    pub(crate) norm: NormPlan,
    pub(crate) layers: Vec<LayerPlan>,
    pub(crate) tensors: Vec<Floats<'a>>,
}

/// A bias of scores by the distance of two tokens.
pub(crate) struct BiasPlan {
    /// `[rows, heads]`
    pub(crate) table: Weight,
    /// The row for each distance from a token to another, from `1 - reach` to `reach - 1`.
    pub(crate) rows: Vec<i64>,
}

#[derive(Clone, Copy)]
pub(crate) struct Lookup {
    pub(crate) table: Weight,
    pub(crate) index: Index,
}

#[derive(Clone, Copy)]
pub(crate) struct NormPlan {
    pub(crate) epsilon: f32,
    pub(crate) weight: Weight,
    pub(crate) bias: Weight,
}

#[derive(Clone, Copy)]
pub(crate) struct ProductPlan {
    pub(crate) weight: Weight,
    pub(crate) bias: Option<Weight>,
}

/// The function between the two products of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// `x Φ(x)`
    Gelu,
    /// The same by the hyperbolic tangent.
    TanhGelu,
}

pub(crate) struct LayerPlan {
    pub(crate) query: ProductPlan,
    pub(crate) key: ProductPlan,
    pub(crate) value: ProductPlan,
    /// The factor of scores.
    pub(crate) factor: f32,
    pub(crate) out: ProductPlan,
    pub(crate) attention_norm: NormPlan,
    pub(crate) up: ProductPlan,
    pub(crate) activation: Activation,
    pub(crate) down: ProductPlan,
    pub(crate) norm: NormPlan,
}

impl<'a> Architecture<'a> {
    /// A tensor of weights with the size of its axes, those of a transposed one in the order of the file.
    pub(crate) fn tensor(&self, weight: Weight) -> &Floats<'a> {
        &self.tensors[weight.tensor]
    }

    /// Floats of all weights, each counted as often as it is used.
    pub(crate) fn floats(&self) -> usize {
        let tables = self.lookups.iter().map(|lookup| lookup.table);
        let of_layers = self.layers.iter().flat_map(|layer| {
            let all = [
                layer.query,
                layer.key,
                layer.value,
                layer.out,
                layer.up,
                layer.down,
            ];
            all.map(|product| product.weight)
        });
        let sizes = tables.chain(of_layers).map(|weight| {
            let dims = self.tensor(weight).dims.iter();
            dims.fold(1_usize, |product, &dim| product.saturating_mul(dim))
        });
        sizes.fold(0, usize::saturating_add)
    }
}

/// The architecture of a graph.
pub(crate) fn architecture<'a>(graph: &Graph<'a>) -> Result<Architecture<'a>, Refusal> {
    let meaning = meaning::of(graph)?;
    let reader = Reader {
        values: &meaning.values,
    };
    let mut layers = Vec::new();
    let mut biases = Vec::new();
    let mut at = meaning.output;
    let (norm, lookups) = loop {
        let (norm, x) = reader.norm(at)?;
        if let Some(lookups) = reader.lookups(x) {
            break (norm, lookups);
        }
        let (layer, bias, before) = reader.layer(norm, x)?;
        layers.push(layer);
        biases.push(bias);
        if layers.len() > LAYERS_MAX {
            return Err(Refusal::not_ours(format!(
                "it has more than {LAYERS_MAX} layers"
            )));
        }
        at = before;
    };
    if !lookups.iter().any(|lookup| lookup.index == Index::Id) {
        return Err(Refusal::not_ours("it does not look its ids up"));
    }
    layers.reverse();
    let bias = biases.first().copied().flatten();
    if biases.iter().any(|&other| other != bias) {
        return Err(Refusal::not_ours("its layers have different biases"));
    }
    let bias = bias.and_then(|id| reader.bias(id));
    let (width, heads) = reader.width_and_heads(meaning.output)?;
    let tensors = meaning.values.tensors;
    Ok(Architecture {
        width,
        heads,
        lookups,
        bias,
        norm,
        layers,
        tensors,
    })
}

struct Reader<'v, 'a> {
    values: &'v Values<'a>,
}

impl Reader<'_, '_> {
    fn norm(&self, at: Id) -> Result<(NormPlan, Id), Refusal> {
        match self.values.term(at) {
            Some(Term::Norm {
                x,
                epsilon,
                weight,
                bias,
            }) => {
                let epsilon = epsilon.value() as f32;
                Ok((
                    NormPlan {
                        epsilon,
                        weight,
                        bias,
                    },
                    x,
                ))
            }
            _ => Err(Refusal::not_ours(
                "a layer of it does not end in a normalisation",
            )),
        }
    }

    /// The embeddings that a sum is made of; none where something else is among them.
    fn lookups(&self, at: Id) -> Option<Vec<Lookup>> {
        let (mut found, mut left) = (Vec::new(), vec![at]);
        while let Some(at) = left.pop() {
            match self.values.term(at)? {
                Term::Lookup { table, index } => found.push(Lookup { table, index }),
                Term::Sum(a, b) => left.extend([b, a]),
                _ => return None,
            }
            if found.len() + left.len() > LOOKUPS_MAX {
                return None;
            }
        }
        Some(found)
    }

    fn bias(&self, id: Id) -> Option<BiasPlan> {
        match &self.values.get(id).kind {
            Kind::Bias { table, rows, .. } => Some(BiasPlan {
                table: *table,
                rows: rows.clone(),
            }),
            _ => None,
        }
    }

    /// The layer whose last normalisation is of `x`, the bias of its scores, and what it was given.
    fn layer(&self, norm: NormPlan, x: Id) -> Result<(LayerPlan, Option<Id>, Id), Refusal> {
        let wrong = |what: &str| Refusal::not_ours(format!("a layer of it has {what}"));
        let (down, x, beside) = self.residual(x).ok_or_else(|| wrong("no second product"))?;
        let (activation, x) = match self.values.term(x) {
            Some(Term::Gelu(x)) => (Activation::Gelu, x),
            Some(Term::TanhGelu(x)) => (Activation::TanhGelu, x),
            _ => return Err(wrong("another activation than the Gaussian one")),
        };
        let (up, middle) = self.product(x).ok_or_else(|| wrong("no first product"))?;
        if middle != beside {
            return Err(wrong("another residual than what its products are given"));
        }
        let (attention_norm, x) = self.norm(middle)?;
        let (out, x, before) = self
            .residual(x)
            .ok_or_else(|| wrong("no product after its attention"))?;
        let Some(Term::Context {
            attention,
            v,
            layout: Layout::Joined,
        }) = self.values.term(x)
        else {
            return Err(wrong("no attention"));
        };
        let Attention { q, k, factor, bias } = attention;
        let parts = [q, k, v].map(|id| self.product(id));
        let [Some((query, a)), Some((key, b)), Some((value, c))] = parts else {
            return Err(wrong("attention to something else than products"));
        };
        if [a, b, c] != [before; 3] {
            return Err(wrong("attention to something else than what it is given"));
        }
        let factor = factor.value() as f32;
        let layer = LayerPlan {
            query,
            key,
            value,
            factor,
            out,
            attention_norm,
            up,
            activation,
            down,
            norm,
        };
        Ok((layer, bias, before))
    }

    fn product(&self, at: Id) -> Option<(ProductPlan, Id)> {
        match self.values.term(at)? {
            Term::Product { x, weight, bias } => Some((ProductPlan { weight, bias }, x)),
            _ => None,
        }
    }

    /// A product, what it is of, and what is added to it.
    fn residual(&self, at: Id) -> Option<(ProductPlan, Id, Id)> {
        let Some(Term::Sum(a, b)) = self.values.term(at) else {
            return None;
        };
        let of = |product, beside| self.product(product).map(|(plan, x)| (plan, x, beside));
        of(a, b).or_else(|| of(b, a))
    }

    fn width_and_heads(&self, output: Id) -> Result<(usize, usize), Refusal> {
        let [_, _, Dim::Known(width)] = self.values.shape(output)[..] else {
            return Err(Refusal::not_ours(
                "its output has not one vector for each token",
            ));
        };
        let width = usize::try_from(width).unwrap_or_default();
        let heads = self.values.heads()?;
        if width == 0 || width > WIDTH_MAX || !width.is_multiple_of(heads) {
            return Err(Refusal::not_ours(format!(
                "its vectors have {width} components"
            )));
        }
        Ok((width, heads))
    }
}
