//! Operators over whole rows.

use super::value::{Along, Axis, Data, Normalising, Stage, Value};
use super::{Reader, flag};
use crate::onnx::{Attribute, Node};
use crate::tower::constant::Constant;
use crate::tower::term::{Scalar, Term};

impl Reader<'_> {
    pub(super) fn mean(&mut self, x: &Value, axes: &[&Value], node: &Node<'_>) -> Option<Value> {
        let dims = x.dims();
        let &[axis] = self.axes(axes, node, dims.len())?.as_slice() else {
            return None;
        };
        let is_kept = flag(node, "keepdims", true)?;
        match x {
            Value::Step(step) => {
                let is_last = axis + 1 == dims.len() && is_kept;
                (is_last && step.stage == Stage::Squared).then(|| step.at(Stage::Variance))
            }
            Value::Data(data) if data.axes[axis].along == Along::Rows => {
                let data = self.matrix(x)?;
                let size = self.terms.size(data.of);
                if axis + 1 == dims.len() || dims[axis] != size.rows {
                    return None;
                }
                let of = self.terms.add(Term::Mean(data.of), 1, size.columns);
                let mut axes = data.axes.clone();
                axes[axis] = Axis::ONE;
                if !is_kept {
                    axes.remove(axis);
                }
                Some(Data { of, axes, ..data }.into())
            }
            Value::Data(data) => {
                let data = self.settled(data)?;
                let is_last = axis + 1 == dims.len() && is_kept;
                (is_last && data.is_matrix(self.terms.size(data.of)))
                    .then(|| Normalising::of(data).at(Stage::Mean))
            }
            _ => None,
        }
    }

    pub(super) fn length(&mut self, x: &Value, axes: &[&Value], node: &Node<'_>) -> Option<Value> {
        let data = self.matrix(x)?;
        let dims = data.dims();
        let is_last = self.axes(axes, node, dims.len())? == [dims.len() - 1];
        (is_last && flag(node, "keepdims", true)?).then(|| Normalising::of(data).at(Stage::Length))
    }

    pub(super) fn layer_norm(
        &mut self,
        x: &Value,
        weight: &Value,
        bias: &Value,
        node: &Node<'_>,
    ) -> Option<Value> {
        let data = self.matrix(x)?;
        let axis = node.number("axis", -1);
        if axis != -1 && axis + 1 != data.axes.len() as i64 {
            return None;
        }
        let epsilon = match node.attribute("epsilon") {
            None => 1e-5_f32,
            Some(Attribute::Float(epsilon)) => *epsilon,
            Some(_) => return None,
        };
        let (weight, bias) = (weight.constant()?, bias.constant()?);
        let (weight, bias) = (
            self.row_beside(weight, &data)?,
            self.row_beside(bias, &data)?,
        );
        self.norm(&data, Scalar::of(epsilon.into()), weight, bias)
    }

    pub(super) fn norm(
        &mut self,
        data: &Data,
        epsilon: Scalar,
        weight: Constant,
        bias: Constant,
    ) -> Option<Value> {
        let size = self.terms.size(data.of);
        let term = Term::Norm {
            x: data.of,
            epsilon,
            weight,
            bias,
        };
        let of = self.terms.add(term, size.rows, size.columns);
        (epsilon.value() >= 0.0).then(|| data.with_of(of).into())
    }
}

impl Normalising {
    fn of(x: Data) -> Self {
        let dims = x.dims();
        let stage = Stage::Mean;
        Self { x, dims, stage }
    }
}
