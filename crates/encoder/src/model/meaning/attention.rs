//! Operators of attention, and products with weights.

use super::Reader;
use crate::model::value::{Dim, Id, Kind, Layout, ONE, Scalar, Term};
use crate::onnx::Node;

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
            ) => Term::Scores {
                q,
                k,
                factor: Scalar::of(factor.value() * other.value()),
            },
            (
                Term::Shares { q, k, factor },
                Term::Heads {
                    product: v,
                    layout: Layout::Heads,
                    factor: plain,
                },
            ) if plain.value() == 1.0 => Term::Context {
                q,
                k,
                v,
                factor,
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
            Term::Scores { q, k, factor } if factor.value() > 0.0 => {
                Some(self.term_of(shape, Term::Shares { q, k, factor }))
            }
            _ => None,
        }
    }

    pub(super) fn is_nan(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        match self.values.term(x)? {
            Term::Shares { q, k, factor } => {
                Some(self.term_of(shape, Term::SharesAreNan { q, k, factor }))
            }
            _ => None,
        }
    }
}
