//! Operators of the domain `com.microsoft`, which ONNX Runtime's optimisers put in the place of several of ONNX.

use super::Reader;
use crate::model::value::{Attention, Dim, Id, Kind, Layout, ONE, Scalar, Term};
use crate::onnx::{Attribute, Node};

/// Operators that are known, in uses that may not be.
pub(super) const KNOWN: [&str; 7] = [
    "Attention",
    "BiasGelu",
    "EmbedLayerNormalization",
    "FastGelu",
    "FusedMatMul",
    "Gelu",
    "SkipLayerNormalization",
];

/// Epsilon of the normalisations where a node names none.
const EPSILON: f32 = 1e-12;

impl Reader<'_> {
    /// The outputs of an operator, as far as they are known; none where it is used as no known encoder does.
    pub(super) fn fused(
        &mut self,
        node: &Node<'_>,
        inputs: &[Option<Id>],
    ) -> Option<Vec<Option<Id>>> {
        let one = |id: Id| vec![Some(id)];
        match (node.operator, inputs) {
            ("Gelu", &[Some(x)]) => self.gelu(x).map(one),
            ("BiasGelu", &[Some(x), Some(bias)]) => {
                let x = self.add(x, bias)?;
                self.gelu(x).map(one)
            }
            ("FastGelu", &[Some(x), ref bias @ ..]) => {
                let x = match *bias {
                    [] | [None] => x,
                    [Some(bias)] => self.add(x, bias)?,
                    _ => return None,
                };
                self.tanh_gelu(x).map(one)
            }
            ("FusedMatMul", &[Some(a), Some(b)]) => self.fused_product(a, b, node).map(one),
            (
                "SkipLayerNormalization",
                &[Some(x), Some(skip), Some(weight), Some(bias), ref more @ ..],
            ) => {
                let x = match *more {
                    [] | [None] => self.add(x, skip)?,
                    // It belongs to the product, which may be either of the two.
                    [Some(of_product)] => match self.add(x, of_product) {
                        Some(x) => self.add(x, skip)?,
                        None => {
                            let skip = self.add(skip, of_product)?;
                            self.add(x, skip)?
                        }
                    },
                    _ => return None,
                };
                let epsilon = epsilon(node, EPSILON)?;
                self.norm(x, weight, bias, epsilon).map(one)
            }
            ("EmbedLayerNormalization", inputs) => self.embeddings(inputs, node),
            ("Attention", &[Some(x), Some(weight), ref more @ ..]) => {
                self.whole_attention(x, weight, more, node).map(one)
            }
            _ => None,
        }
    }

    fn fused_product(&mut self, a: Id, b: Id, node: &Node<'_>) -> Option<Id> {
        let is_plain = ["transA", "transBatchA", "transBatchB"]
            .iter()
            .all(|name| node.number(name, 0) == 0);
        let b = match node.number("transB", 0) {
            0 => b,
            1 => {
                let axes = self.values.shape(b).len();
                let mut order: Vec<usize> = (0..axes).collect();
                order.swap(axes.checked_sub(2)?, axes - 1);
                self.permuted(b, &order)?
            }
            _ => return None,
        };
        let factor = match node.attribute("alpha") {
            None => 1.0,
            Some(Attribute::Float(factor)) => f64::from(*factor),
            Some(_) => return None,
        };
        let product = self.product(a, b)?;
        is_plain.then(|| self.times(product, factor))?
    }

    /// Embeddings of tokens, summed and normalised, and the number of tokens that the mask lets through.
    fn embeddings(&mut self, inputs: &[Option<Id>], node: &Node<'_>) -> Option<Vec<Option<Id>>> {
        let (&[ids, kinds, words, places, kind_table, weight, bias], more) =
            inputs.split_first_chunk::<7>()?;
        let (mask, positions) = match *more {
            [] => (None, None),
            [mask] => (mask, None),
            [mask, positions] => (mask, positions),
            _ => return None,
        };
        let words = self.gather(words?, ids?, 0)?;
        let positions = positions.unwrap_or_else(|| {
            let shape = vec![ONE, Dim::Length];
            self.values.add(shape, Kind::Places { before: 0 })
        });
        let places = self.gather(places?, positions, 0)?;
        let mut sum = self.add(words, places)?;
        sum = match (kinds, kind_table) {
            (Some(kinds), Some(table)) => {
                let kinds = self.gather(table, kinds, 0)?;
                self.add(sum, kinds)?
            }
            (None, None) => sum,
            _ => return None,
        };
        let norm = self.norm(sum, weight?, bias?, epsilon(node, EPSILON)?)?;
        // Without a mask it is nought, which would let none through.
        let is_counted = mask.is_some_and(|mask| self.values.fill(mask) == Some(1.0));
        let count = is_counted.then(|| self.integers_of(vec![ONE], vec![Dim::Length]));
        Some(vec![Some(norm), count])
    }

    /// Attention from what a layer is given: the products to queries, keys and values lie beside each other.
    fn whole_attention(
        &mut self,
        x: Id,
        weights: Id,
        more: &[Option<Id>],
        node: &Node<'_>,
    ) -> Option<Id> {
        let [bias, mask, past, scores, past_length] =
            std::array::from_fn(|at| more.get(at).copied().flatten());
        let is_plain = ["unidirectional", "do_rotary", "past_present_share_buffer"]
            .iter()
            .all(|name| node.number(name, 0) == 0);
        let has_past = past.is_some() || past_length.is_some();
        if !is_plain || has_past || node.attribute("qkv_hidden_sizes").is_some() {
            return None;
        }
        if !mask.is_none_or(|mask| self.lets_all_through(mask)) {
            return None;
        }
        let scores = match scores {
            // A mask that is added.
            Some(scores) if self.values.fill(scores) == Some(0.0) => None,
            Some(scores) => Some(scores),
            None => None,
        };
        let &[given, Dim::Known(all)] = self.values.shape(weights) else {
            return None;
        };
        let heads = node.number("num_heads", 0);
        let width = all / 3;
        if heads <= 0 || width * 3 != all || width % heads != 0 {
            return None;
        }
        let weights = self.weight(weights, 2)?;
        let is_given = matches!(self.values.term(x)?, Term::Norm { .. })
            && self.values.shape(x).last() == Some(&given);
        if weights.is_transposed || !is_given {
            return None;
        }
        let bias = match bias {
            Some(bias) if self.values.shape(bias) == [Dim::Known(all)] => {
                Some(self.weight(bias, 1)?)
            }
            Some(_) => return None,
            None => None,
        };
        let size = width / heads;
        let [q, k, v] = [0, 1, 2].map(|number| {
            let product = Term::Product {
                x,
                weight: self.values.third(weights, number),
                bias: bias.map(|bias| self.values.third(bias, number)),
            };
            let product = self.term_of(vec![ONE, Dim::Length, Dim::Known(width)], product);
            let split = Term::Heads {
                product,
                layout: Layout::Split,
                factor: Scalar::of(1.0),
            };
            let shape = vec![ONE, Dim::Length, Dim::Known(heads), Dim::Known(size)];
            self.term_of(shape, split);
            product
        });
        let factor = match node.attribute("scale") {
            None => 1.0 / (size as f64).sqrt(),
            // Nought stands for none.
            Some(Attribute::Float(0.0)) => 1.0 / (size as f64).sqrt(),
            Some(Attribute::Float(scale)) => f64::from(*scale),
            Some(_) => return None,
        };
        let fits = scores.is_none_or(|scores| {
            let shape = [ONE, Dim::Known(heads), Dim::Length, Dim::Length];
            let is_bias = matches!(
                self.values.get(scores).kind,
                Kind::Bias {
                    is_turned: true,
                    ..
                }
            );
            is_bias && self.values.shape(scores) == shape
        });
        if !fits || factor <= 0.0 {
            return None;
        }
        let attention = Attention {
            q,
            k,
            factor: Scalar::of(factor),
            bias: scores,
        };
        let layout = Layout::Joined;
        let shape = vec![ONE, Dim::Length, Dim::Known(width)];
        Some(self.term_of(
            shape,
            Term::Context {
                attention,
                v,
                layout,
            },
        ))
    }

    /// Tells whether a mask lets every token through: by ones, or by the number of tokens.
    fn lets_all_through(&self, mask: Id) -> bool {
        let shape = self.values.shape(mask);
        match shape {
            [ONE] => self.values.integers(mask).as_deref() == Some(&[Dim::Length]),
            [ONE, .., Dim::Length] => self.values.fill(mask) == Some(1.0),
            _ => false,
        }
    }
}

/// The epsilon that a node names.
pub(super) fn epsilon(node: &Node<'_>, default: f32) -> Option<Scalar> {
    let epsilon = match node.attribute("epsilon") {
        None => default,
        Some(Attribute::Float(epsilon)) => *epsilon,
        Some(_) => return None,
    };
    Some(Scalar::of(epsilon.into()))
}
