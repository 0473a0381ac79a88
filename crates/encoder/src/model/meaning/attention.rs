//! Operators of attention, and products with weights.

use super::Reader;
use crate::model::value::{Attention, Dim, Id, Kind, Layout, ONE, Scalar, Term};
use crate::onnx::{Attribute, Node};

impl Reader<'_> {
    pub(super) fn product(&mut self, a: Id, b: Id) -> Option<Id> {
        let (left, right) = (self.values.shape(a).to_vec(), self.values.shape(b).to_vec());
        if left.len() < 2 || right.len() < 2 || left.last() != right.get(right.len() - 2) {
            return None;
        }
        if matches!(self.values.get(b).kind, Kind::Weight(_)) {
            let weight = self.weight(b, 2)?;
            let is_input = matches!(
                self.values.term(a)?,
                Term::Norm { .. }
                    | Term::Gelu(_)
                    | Term::TanhGelu(_)
                    | Term::Context {
                        layout: Layout::Joined,
                        ..
                    }
            );
            if !is_input || left.len() != 3 {
                return None;
            }
            let shape = vec![ONE, Dim::Length, right[1]];
            return Some(self.term_of(
                shape,
                Term::Product {
                    x: a,
                    weight,
                    bias: None,
                },
            ));
        }
        if left.len() != 4 || right.len() != 4 || left[..2] != right[..2] {
            return None;
        }
        let shape = vec![left[0], left[1], left[2], right[3]];
        let term = match (self.values.term(a)?, self.values.term(b)?) {
            (
                Term::Heads {
                    product: q,
                    layout: Layout::Heads,
                    factor,
                },
                Term::Heads {
                    product: k,
                    layout: Layout::Turned,
                    factor: other,
                },
            ) => Term::Scores(Attention {
                q,
                k,
                factor: Scalar::of(factor.value() * other.value()),
                bias: None,
            }),
            (
                Term::Shares(attention),
                Term::Heads {
                    product: v,
                    layout: Layout::Heads,
                    factor: plain,
                },
            ) if plain.value() == 1.0 => Term::Context {
                attention,
                v,
                layout: Layout::Heads,
            },
            _ => return None,
        };
        Some(self.term_of(shape, term))
    }

    pub(super) fn softmax(&mut self, x: Id, node: &Node<'_>) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let axis = node.number("axis", -1);
        if axis != -1 && axis + 1 != shape.len() as i64 {
            return None;
        }
        match self.values.term(x)? {
            Term::Scores(attention) if attention.factor.value() > 0.0 => {
                Some(self.term_of(shape, Term::Shares(attention)))
            }
            _ => None,
        }
    }

    pub(super) fn is_nan(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        match self.values.term(x)? {
            Term::Shares(attention) => Some(self.term_of(shape, Term::SharesAreNan(attention))),
            _ => None,
        }
    }

    /// All of attention as one operator: queries, keys and values by heads, and a mask that lets every token through.
    pub(super) fn attention(
        &mut self,
        q: Id,
        k: Id,
        v: Id,
        mask: &[Id],
        node: &Node<'_>,
    ) -> Option<Id> {
        let is_plain = ["is_causal", "q_num_heads", "kv_num_heads"]
            .iter()
            .all(|name| node.number(name, 0) == 0);
        let is_capped = match node.attribute("softcap") {
            None => false,
            Some(Attribute::Float(cap)) => *cap != 0.0,
            Some(_) => true,
        };
        let is_open = match mask {
            [] => true,
            &[mask] => self.values.fill(mask) == Some(1.0),
            _ => false,
        };
        if !is_plain || is_capped || !is_open {
            return None;
        }
        let shape = self.values.shape(q).to_vec();
        let [_, _, _, Dim::Known(size)] = shape[..] else {
            return None;
        };
        let scale = match node.attribute("scale") {
            None => 1.0 / (size as f64).sqrt(),
            Some(Attribute::Float(scale)) => f64::from(*scale),
            Some(_) => return None,
        };
        let part = |id| match self.values.term(id) {
            Some(Term::Heads {
                product,
                layout: Layout::Heads,
                factor,
            }) => Some((product, factor.value())),
            _ => None,
        };
        let ((q, of_q), (k, of_k), (v, of_v)) = (part(q)?, part(k)?, part(v)?);
        let factor = Scalar::of(scale * of_q * of_k);
        if factor.value() <= 0.0 || of_v != 1.0 {
            return None;
        }
        let attention = Attention {
            q,
            k,
            factor,
            bias: None,
        };
        Some(self.term_of(
            shape,
            Term::Context {
                attention,
                v,
                layout: Layout::Heads,
            },
        ))
    }
}
