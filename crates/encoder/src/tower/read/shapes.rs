//! Operators that change the type or the shape of a value, and compute sizes.

use super::Reader;
use super::value::{Axis, Normalising, Scores, Stage, Value};
use crate::onnx::{Attribute, Node};
use crate::tower::constant::{AXES_MAX, Kind, shape_of_both};

/// The types of ONNX that a value may be cast to.
const FLOAT: i64 = 1;
const INT32: i64 = 6;
const INT64: i64 = 7;
const BOOL: i64 = 9;
const HALF: i64 = 10;
const DOUBLE: i64 = 11;

/// The place of an axis, which may be counted from the end.
pub(super) fn axis_of(axis: i64, count: usize) -> Option<usize> {
    let axis = if axis < 0 {
        axis + i64::try_from(count).ok()?
    } else {
        axis
    };
    usize::try_from(axis).ok().filter(|&axis| axis < count)
}

impl Reader<'_> {
    pub(super) fn cast(&mut self, x: &Value, to: i64) -> Option<Value> {
        if !matches!(to, FLOAT | INT32 | INT64 | BOOL | HALF | DOUBLE) {
            return None;
        }
        match x {
            Value::Constant(constant) => {
                let kind = if matches!(to, FLOAT | HALF | DOUBLE) {
                    Kind::Float
                } else {
                    Kind::Whole
                };
                if kind == constant.kind && to != BOOL {
                    return Some(x.clone());
                }
                let made = self.constants.map(kind, &[constant], |of| match to {
                    BOOL => f64::from(u8::from(of[0] != 0.0)),
                    FLOAT | HALF | DOUBLE => of[0],
                    _ => of[0].trunc(),
                });
                made.map(Value::Constant)
            }
            Value::Ids(_) | Value::Place(..) | Value::IdsAre(..) => {
                matches!(to, INT32 | INT64).then(|| x.clone())
            }
            Value::Scores(scores) if scores.stage == super::value::ScoreStage::AreNan => {
                (to == BOOL).then(|| x.clone())
            }
            Value::Picture(_) | Value::Data(_) | Value::Step(_) | Value::Scores(_) => {
                matches!(to, FLOAT | HALF).then(|| x.clone())
            }
        }
    }

    pub(super) fn shape(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let dims = x.dims();
        let axes = dims.len() as i64;
        let bound = |at: i64| if at < 0 { at + axes } else { at }.clamp(0, axes) as usize;
        let (start, end) = (
            bound(node.number("start", 0)),
            bound(node.number("end", axes)),
        );
        let list = dims
            .get(start..end)?
            .iter()
            .map(|&size| size as f64)
            .collect();
        self.constants.list(list).map(Value::Constant)
    }

    /// The whole numbers that a value is.
    pub(super) fn whole(&self, value: &Value) -> Option<Vec<i64>> {
        self.constants.whole(value.constant()?)
    }

    /// The axes that an attribute or, since version 13, an input names.
    pub(super) fn axes(
        &self,
        given: &[&Value],
        node: &Node<'_>,
        count: usize,
    ) -> Option<Vec<usize>> {
        let named = match (given, node.attribute("axes")) {
            ([], Some(Attribute::Numbers(list))) => list.clone(),
            (&[list], None) => self.whole(list)?,
            _ => return None,
        };
        let mut axes: Vec<usize> = named
            .into_iter()
            .map(|axis| axis_of(axis, count))
            .collect::<Option<_>>()?;
        axes.sort_unstable();
        axes.dedup();
        Some(axes)
    }

    pub(super) fn unsqueeze(
        &mut self,
        x: &Value,
        given: &[&Value],
        node: &Node<'_>,
    ) -> Option<Value> {
        let named = match (given, node.attribute("axes")) {
            ([], Some(Attribute::Numbers(list))) => list.len(),
            (&[list], None) => self.whole(list)?.len(),
            _ => return None,
        };
        let mut dims = x.dims();
        if dims.len() + named > AXES_MAX {
            return None;
        }
        for axis in self.axes(given, node, dims.len() + named)? {
            if axis > dims.len() {
                return None;
            }
            dims.insert(axis, 1);
        }
        self.reshaped(x, dims)
    }

    pub(super) fn squeeze(
        &mut self,
        x: &Value,
        given: &[&Value],
        node: &Node<'_>,
    ) -> Option<Value> {
        let mut dims = x.dims();
        if given.is_empty() && node.attribute("axes").is_none() {
            dims.retain(|&size| size != 1);
        } else {
            for axis in self.axes(given, node, dims.len())?.into_iter().rev() {
                if dims.remove(axis) != 1 {
                    return None;
                }
            }
        }
        self.reshaped(x, dims)
    }

    pub(super) fn reshape(&mut self, x: &Value, shape: &Value, node: &Node<'_>) -> Option<Value> {
        let before = x.dims();
        let mut open = None;
        let mut dims = Vec::new();
        for (at, size) in self.whole(shape)?.into_iter().enumerate() {
            dims.push(match size {
                0 if node.number("allowzero", 0) == 0 => *before.get(at)?,
                -1 if open.is_none() => {
                    open = Some(at);
                    1
                }
                _ => usize::try_from(size).ok().filter(|&size| size > 0)?,
            });
        }
        let product = |dims: &[usize]| {
            dims.iter()
                .try_fold(1_usize, |product, &size| product.checked_mul(size))
        };
        let (whole, known) = (product(&before)?, product(&dims)?);
        if let Some(open) = open {
            dims[open] = whole.checked_div(known)?;
        }
        (product(&dims)? == whole && dims.len() <= 8).then_some(())?;
        self.reshaped(x, dims)
    }

    pub(super) fn flatten(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let dims = x.dims();
        let axis = node.number("axis", 1);
        let axis = if axis < 0 {
            axis + dims.len() as i64
        } else {
            axis
        };
        let (before, after) = dims.split_at_checked(usize::try_from(axis).ok()?)?;
        let dims = vec![before.iter().product(), after.iter().product()];
        self.reshaped(x, dims)
    }

    /// The same elements, one after the other, in another shape of as many.
    pub(super) fn reshaped(&mut self, x: &Value, dims: Vec<usize>) -> Option<Value> {
        let before = x.dims();
        if before == dims {
            return Some(x.clone());
        }
        let long = |dims: &[usize]| -> Vec<usize> {
            dims.iter().copied().filter(|&size| size != 1).collect()
        };
        let is_same = long(&before) == long(&dims);
        Some(match x {
            Value::Constant(constant) => Value::Constant(self.constants.reshape(constant, dims)?),
            Value::Ids(_) if is_same => Value::Ids(dims),
            Value::IdsAre(_, id) if is_same => Value::IdsAre(dims, *id),
            Value::Place(_, place, 0) if is_same => Value::Place(dims, *place, 0),
            Value::Data(data) => {
                let axes = divided(&data.axes, &dims)?;
                data.with(axes).into()
            }
            Value::Scores(scores) if is_same => Scores {
                dims,
                ..(**scores).clone()
            }
            .into(),
            _ => return None,
        })
    }

    pub(super) fn transpose(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let dims = x.dims();
        let order: Vec<usize> = match node.attribute("perm") {
            None => (0..dims.len()).rev().collect(),
            Some(Attribute::Numbers(list)) => list
                .iter()
                .map(|&axis| usize::try_from(axis).ok())
                .collect::<Option<_>>()?,
            Some(_) => return None,
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..dims.len()) {
            return None;
        }
        match x {
            Value::Constant(constant) => {
                let turned = |of: &[usize]| order.iter().map(|&axis| of[axis]).collect();
                let (dims, strides) = (turned(&constant.dims), turned(&constant.strides));
                Some(Value::Constant(constant.with(dims, strides)))
            }
            Value::Data(data) => {
                let axes = order.iter().map(|&axis| data.axes[axis]).collect();
                Some(data.with(axes).into())
            }
            Value::Ids(_) | Value::Place(..) | Value::IdsAre(..) | Value::Scores(_) => {
                // Axes of one may go anywhere.
                let moved = order.iter().filter(|&&axis| dims[axis] != 1);
                let dims = order.iter().map(|&axis| dims[axis]).collect();
                moved.is_sorted().then_some(())?;
                if matches!(x, Value::Place(_, _, 1..)) {
                    return None;
                }
                self.reshaped(x, dims)
            }
            _ => None,
        }
    }

    pub(super) fn range(&mut self, start: &Value, end: &Value, step: &Value) -> Option<Value> {
        let of = |value: &Value| match value.constant()? {
            constant if constant.kind == Kind::Whole => self.constants.number(constant),
            _ => None,
        };
        let (start, end, step) = (of(start)?, of(end)?, of(step)?);
        let count = ((end - start) / step).ceil();
        if !(0.0..=1e6).contains(&count) {
            return None;
        }
        let values = (0..count as u32)
            .map(|at| start + f64::from(at) * step)
            .collect();
        self.constants.list(values).map(Value::Constant)
    }

    pub(super) fn constant_of_shape(&mut self, shape: &Value, node: &Node<'_>) -> Option<Value> {
        let dims = self.sizes(shape)?;
        let (kind, value) = match node.attribute("value") {
            None => (Kind::Float, 0.0),
            Some(Attribute::Tensor(tensor)) if tensor.len() == 1 => match tensor.float() {
                Some(value) => (Kind::Float, value.into()),
                None => (Kind::Whole, *tensor.integers().ok()??.first()? as f64),
            },
            Some(_) => return None,
        };
        self.constants.fill(kind, dims, value).map(Value::Constant)
    }

    pub(super) fn sizes(&self, shape: &Value) -> Option<Vec<usize>> {
        let sizes = self.whole(shape)?;
        sizes
            .into_iter()
            .map(|size| usize::try_from(size).ok())
            .collect()
    }

    pub(super) fn expand(&mut self, x: &Value, shape: &Value) -> Option<Value> {
        let before = x.dims();
        let dims = shape_of_both(&before, &self.sizes(shape)?)?;
        if dims == before {
            return Some(x.clone());
        }
        match x {
            Value::Constant(constant) => constant.broadcast(&dims).map(Value::Constant),
            Value::Step(step) if matches!(step.stage, Stage::LengthFrom(_) | Stage::Length) => {
                // The length of a row beside each of its elements.
                (dims == step.x.dims()).then(|| {
                    Normalising {
                        dims,
                        ..(**step).clone()
                    }
                    .into()
                })
            }
            _ if dims
                .iter()
                .filter(|&&size| size != 1)
                .eq(before.iter().filter(|&&size| size != 1)) =>
            {
                self.reshaped(x, dims)
            }
            _ => None,
        }
    }

    /// A change of size that changes none.
    pub(super) fn resize(&mut self, x: &Value, inputs: &[Option<Value>]) -> Option<Value> {
        let dims = x.dims();
        let is_same = match inputs {
            [_, _, None, Some(sizes)] => self.sizes(sizes)? == dims,
            [_, _, Some(scales)] => {
                let scales = self.constants.values(scales.constant()?)?;
                scales.len() == dims.len() && scales.iter().all(|&scale| scale == 1.0)
            }
            [_, _, Some(scales), Some(sizes)] => {
                scales.constant()?.len() == 0 && self.sizes(sizes)? == dims
            }
            _ => false,
        };
        is_same.then(|| x.clone())
    }
}

/// Axes that are divided or joined so that their sizes become `dims`.
fn divided(axes: &[Axis], dims: &[usize]) -> Option<Vec<Axis>> {
    let mut rest = axes.iter().copied().filter(|axis| axis.size != 1);
    let mut open: Option<Axis> = None;
    let mut found = Vec::with_capacity(dims.len());
    for &size in dims {
        if size == 1 {
            found.push(Axis::ONE);
            continue;
        }
        let mut axis = open.take().or_else(|| rest.next())?;
        while axis.size < size {
            let next = rest.next()?;
            if axis.along != next.along || axis.stride != next.stride * next.size {
                return None;
            }
            axis.size *= next.size;
            axis.stride = next.stride;
        }
        if axis.size > size {
            if !axis.size.is_multiple_of(size) {
                return None;
            }
            let inner = axis.size / size;
            open = Some(Axis {
                size: inner,
                ..axis
            });
            axis.stride *= inner;
            axis.size = size;
        }
        found.push(axis);
    }
    (open.is_none() && rest.next().is_none()).then_some(found)
}
