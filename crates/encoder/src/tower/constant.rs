//! Tensors that do not depend on the input: weights, which stay where they lie, and small ones that are computed.

use crate::Refusal;
use crate::onnx::Tensor;
use crate::tensor::{Floats, KeptFloats};

/// Most elements of all tensors that are computed for one graph.
const MADE_MAX: usize = 1 << 23;
/// Most axes of a tensor.
pub(crate) const AXES_MAX: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Float,
    Whole,
}

/// A view of some elements of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Constant {
    pub(crate) kind: Kind,
    source: usize,
    pub(crate) dims: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    offset: usize,
}

impl Constant {
    pub(crate) fn len(&self) -> usize {
        self.dims.iter().product()
    }

    pub(crate) fn with(&self, dims: Vec<usize>, strides: Vec<usize>) -> Self {
        Self {
            dims,
            strides,
            ..self.clone()
        }
    }

    /// Those elements from `start` on, `count` of them along one axis.
    pub(crate) fn part(&self, axis: usize, start: usize, count: usize) -> Self {
        let mut part = self.clone();
        part.offset += start * self.strides[axis];
        part.dims[axis] = count;
        part
    }

    /// Brings it to a shape, as operators on two tensors do.
    pub(crate) fn broadcast(&self, shape: &[usize]) -> Option<Self> {
        let missing = shape.len().checked_sub(self.dims.len())?;
        let mut strides = vec![0; missing];
        for ((&size, &stride), &wanted) in
            self.dims.iter().zip(&self.strides).zip(&shape[missing..])
        {
            strides.push(match size {
                _ if size == wanted => stride,
                1 => 0,
                _ => return None,
            });
        }
        Some(self.with(shape.to_vec(), strides))
    }
}

enum Source<'a> {
    /// Floats of a file.
    Floats(Floats<'a>),
    Made(Vec<f64>),
}

/// The elements that all constants of a graph are views of.
#[derive(Default)]
pub(crate) struct Constants<'a> {
    sources: Vec<Source<'a>>,
    made: usize,
    /// Floats of all tensors of weights.
    pub(crate) floats: usize,
}

impl<'a> Constants<'a> {
    pub(crate) fn of(&mut self, name: &str, tensor: &Tensor<'a>) -> Result<Constant, Refusal> {
        let dims = tensor.dims.clone();
        if let Some(value) = tensor.float() {
            let made = self.make(Kind::Float, dims, vec![value.into()]);
            return made.ok_or_else(|| Refusal::not_ours("it holds too many numbers"));
        }
        if let Some(floats) = tensor.floats(name) {
            self.floats += tensor.len();
            self.sources.push(Source::Floats(floats));
            return Ok(self.view(Kind::Float, dims));
        }
        let Some(values) = tensor.integers()? else {
            return Err(Refusal::not_ours("it lists floats one by one"));
        };
        let values = values.into_iter().map(|value| value as f64).collect();
        // Booleans count as whole numbers: nothing that is done with them makes a difference.
        let made = self.make(Kind::Whole, dims, values);
        made.ok_or_else(|| Refusal::not_ours("it holds too many whole numbers"))
    }

    /// A constant of computed elements; none when they are too many.
    pub(crate) fn make(
        &mut self,
        kind: Kind,
        dims: Vec<usize>,
        values: Vec<f64>,
    ) -> Option<Constant> {
        self.made += values.len() + 1;
        if self.made > MADE_MAX || dims.len() > AXES_MAX {
            return None;
        }
        self.sources.push(Source::Made(values));
        Some(self.view(kind, dims))
    }

    pub(crate) fn fill(&mut self, kind: Kind, dims: Vec<usize>, value: f64) -> Option<Constant> {
        let one = self.make(kind, vec![], vec![value])?;
        let strides = vec![0; dims.len()];
        (dims.len() <= AXES_MAX).then(|| one.with(dims, strides))
    }

    pub(crate) fn list(&mut self, values: Vec<f64>) -> Option<Constant> {
        self.make(Kind::Whole, vec![values.len()], values)
    }

    fn view(&self, kind: Kind, dims: Vec<usize>) -> Constant {
        let strides = plain_strides(&dims);
        Constant {
            kind,
            source: self.sources.len() - 1,
            dims,
            strides,
            offset: 0,
        }
    }

    /// The element at a place of the source.
    fn at(&self, source: usize, at: usize) -> Option<f64> {
        match self.sources.get(source)? {
            Source::Floats(floats) => Some(floats.at(at)?.into()),
            Source::Made(values) => values.get(at).copied(),
        }
    }

    /// All elements in the order of the axes; none where they are too many to be looked at.
    pub(crate) fn values(&self, constant: &Constant) -> Option<Vec<f64>> {
        let count = constant
            .dims
            .iter()
            .try_fold(1_usize, |product, &size| product.checked_mul(size))?;
        if count > MADE_MAX {
            return None;
        }
        let mut places = vec![constant.offset];
        for (&size, &stride) in constant.dims.iter().zip(&constant.strides) {
            places = places
                .iter()
                .flat_map(|&place| (0..size).map(move |at| place + at * stride))
                .collect();
        }
        let values = places
            .into_iter()
            .map(|place| self.at(constant.source, place));
        values.collect()
    }

    /// A matrix as floats, row by row.
    pub(crate) fn rows(&self, matrix: &Constant) -> Option<Vec<f32>> {
        Some(
            self.values(matrix)?
                .into_iter()
                .map(|value| value as f32)
                .collect(),
        )
    }

    /// The values of a line of a matrix of weights, from its first element on.
    pub(crate) fn line(
        &self,
        matrix: &Constant,
        axis: usize,
        at: usize,
        line: &mut Vec<f32>,
    ) -> Option<()> {
        let across = 1 - axis;
        let start = matrix.offset + at * matrix.strides[axis];
        let (count, stride) = (matrix.dims[across], matrix.strides[across]);
        line.clear();
        match &self.sources[matrix.source] {
            Source::Floats(floats) => {
                for place in 0..count {
                    line.push(floats.at(start + place * stride)?);
                }
            }
            Source::Made(values) => {
                for place in 0..count {
                    line.push(*values.get(start + place * stride)? as f32);
                }
            }
        }
        Some(())
    }

    /// A copy of a table that is a whole tensor.
    pub(crate) fn kept(&self, table: &Constant) -> Option<Result<KeptFloats, Refusal>> {
        match &self.sources[table.source] {
            Source::Floats(floats)
                if floats.dims == table.dims
                    && table.offset == 0
                    && table.strides == plain_strides(&table.dims) =>
            {
                Some(floats.kept(table.dims.iter().skip(1).product()))
            }
            _ => None,
        }
    }

    /// The number that a constant of one element is.
    pub(crate) fn number(&self, constant: &Constant) -> Option<f64> {
        (constant.len() == 1).then(|| self.at(constant.source, constant.offset))?
    }

    /// The whole numbers of a list that a shape or an index is made of.
    pub(crate) fn whole(&self, constant: &Constant) -> Option<Vec<i64>> {
        if constant.kind == Kind::Float || constant.dims.len() > 1 || constant.len() > 64 {
            return None;
        }
        Some(
            self.values(constant)?
                .into_iter()
                .map(|value| value as i64)
                .collect(),
        )
    }

    /// The results of an operation on the elements of some constants.
    pub(crate) fn map(
        &mut self,
        kind: Kind,
        parts: &[&Constant],
        operation: impl Fn(&[f64]) -> f64,
    ) -> Option<Constant> {
        let mut shapes = parts.iter().map(|part| part.dims.as_slice());
        let shape = shapes.try_fold(vec![], |all, one| shape_of_both(&all, one))?;
        let parts: Vec<Vec<f64>> = parts
            .iter()
            .map(|part| self.values(&part.broadcast(&shape)?))
            .collect::<Option<_>>()?;
        let count = shape.iter().product();
        let mut at_once = vec![0.0; parts.len()];
        let values = (0..count).map(|at| {
            for (value, part) in at_once.iter_mut().zip(&parts) {
                *value = part[at];
            }
            let made = operation(&at_once);
            // Constants are floats of 32 bits, and so is what comes of them.
            if kind == Kind::Float {
                f64::from(made as f32)
            } else {
                made
            }
        });
        let values = values.collect();
        self.make(kind, shape, values)
    }

    /// The same elements, one after the other, in another shape.
    pub(crate) fn reshape(&mut self, constant: &Constant, dims: Vec<usize>) -> Option<Constant> {
        if constant.strides == plain_strides(&constant.dims) {
            let strides = plain_strides(&dims);
            return Some(constant.with(dims, strides));
        }
        let is_fill = |(&size, &stride): (&usize, &usize)| size == 1 || stride == 0;
        if constant.dims.iter().zip(&constant.strides).all(is_fill) {
            let strides = vec![0; dims.len()];
            return Some(constant.with(dims, strides));
        }
        let values = self.values(constant)?;
        self.make(constant.kind, dims, values)
    }
}

/// The steps along each axis of a tensor that lies in order.
pub(crate) fn plain_strides(dims: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; dims.len()];
    for at in (1..dims.len()).rev() {
        strides[at - 1] = strides[at] * dims[at];
    }
    strides
}

/// The shape that two shapes are brought to, where they can be.
pub(crate) fn shape_of_both(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let count = a.len().max(b.len());
    let axis = |shape: &[usize], at: usize| {
        let at = (at + shape.len()).checked_sub(count);
        at.map_or(1, |at| shape[at])
    };
    (0..count)
        .map(|at| match (axis(a, at), axis(b, at)) {
            (a, b) if a == b => Some(a),
            (1, other) | (other, 1) => Some(other),
            _ => None,
        })
        .collect()
}
