//! The meanings that the values of a graph have for one input.

use std::rc::Rc;

use crate::tower::constant::Constant;
use crate::tower::function::Function;
use crate::tower::term::{Heads, Id, Part, Place, Scalar, Size};

#[derive(Clone, Debug)]
pub(super) enum Value {
    Constant(Constant),
    /// The ids of the tokens, `[1, tokens]`.
    Ids(Vec<usize>),
    /// One where an id is this one, else nought.
    IdsAre(Vec<usize>, i64),
    /// The place of a token, after so many noughts along the last axis.
    Place(Vec<usize>, Place, usize),
    /// The picture, `[1, channels, height, width]`.
    Picture(Vec<usize>),
    Data(Rc<Data>),
    Step(Rc<Normalising>),
    Scores(Rc<Scores>),
}

/// The axes of a value that shows a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    Rows,
    Columns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) along: Along,
    pub(super) size: usize,
    pub(super) stride: usize,
}

impl Axis {
    /// An axis of one.
    pub(super) const ONE: Self = Self {
        along: Along::Rows,
        size: 1,
        stride: 1,
    };

    pub(super) fn rows(size: usize) -> Self {
        let along = Along::Rows;
        Self {
            size,
            along,
            stride: 1,
        }
        .plain()
    }

    pub(super) fn columns(size: usize, stride: usize) -> Self {
        let along = Along::Columns;
        Self {
            size,
            along,
            stride,
        }
        .plain()
    }

    /// Axes of one are all the same.
    fn plain(self) -> Self {
        if self.size == 1 { Self::ONE } else { self }
    }
}

/// A matrix, or a part of its columns, with its rows and columns along some axes, and a function of each element.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) of: Id,
    pub(super) first: usize,
    pub(super) axes: Vec<Axis>,
    pub(super) function: Function,
}

impl Data {
    pub(super) fn new(of: Id, axes: Vec<Axis>) -> Self {
        Self {
            of,
            first: 0,
            axes,
            function: Function::given(),
        }
    }

    pub(super) fn dims(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.size).collect()
    }

    pub(super) fn with(&self, axes: Vec<Axis>) -> Self {
        Self {
            axes,
            ..self.clone()
        }
    }

    /// Tells whether both show the same elements in the same places.
    pub(super) fn is_view_of(&self, other: &Self) -> bool {
        (self.of, self.first) == (other.of, other.first) && self.axes == other.axes
    }

    /// Tells whether it is a whole matrix of that size, rows before columns.
    pub(super) fn is_matrix(&self, size: Size) -> bool {
        self.first == 0
            && self.columns_last(size)
            && self.axes[..self.axes.len() - 1]
                .iter()
                .filter(|axis| axis.size > 1)
                .eq([Axis::rows(size.rows)].iter().filter(|axis| axis.size > 1))
    }

    /// Tells whether its last axis has all columns.
    pub(super) fn columns_last(&self, size: Size) -> bool {
        self.first == 0 && self.axes.last() == Some(&Axis::columns(size.columns, 1))
    }
}

/// A step on the way to a normalised row.
#[derive(Clone, Debug)]
pub(super) struct Normalising {
    pub(super) x: Data,
    pub(super) dims: Vec<usize>,
    pub(super) stage: Stage,
}

/// The steps in their order: `Unit` has mean nought and variance one; a length is that of the row itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    Mean,
    Centred,
    Squared,
    Variance,
    Steady(Scalar),
    Deviation(Scalar),
    Inverse(Scalar),
    Unit(Scalar),
    Weighted(Scalar, Constant),
    Length,
    LengthFrom(Scalar),
}

/// The scores of attention: for each head a row for each of `q`, a column for each of `k`.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    pub(super) q: Part,
    pub(super) k: Part,
    pub(super) heads: Heads,
    pub(super) factor: f64,
    pub(super) is_causal: bool,
    pub(super) dims: Vec<usize>,
    pub(super) stage: ScoreStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScoreStage {
    Scores,
    Shares,
    AreNan,
}

impl Value {
    pub(super) fn dims(&self) -> Vec<usize> {
        match self {
            Self::Constant(constant) => constant.dims.clone(),
            Self::Ids(dims)
            | Self::IdsAre(dims, _)
            | Self::Place(dims, ..)
            | Self::Picture(dims) => dims.clone(),
            Self::Data(data) => data.dims(),
            Self::Step(step) => step.dims.clone(),
            Self::Scores(scores) => scores.dims.clone(),
        }
    }

    pub(super) fn data(&self) -> Option<&Data> {
        match self {
            Self::Data(data) => Some(data),
            _ => None,
        }
    }

    pub(super) fn constant(&self) -> Option<&Constant> {
        match self {
            Self::Constant(constant) => Some(constant),
            _ => None,
        }
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self::Data(Rc::new(data))
    }
}

impl From<Scores> for Value {
    fn from(scores: Scores) -> Self {
        Self::Scores(Rc::new(scores))
    }
}

impl From<Normalising> for Value {
    fn from(step: Normalising) -> Self {
        Self::Step(Rc::new(step))
    }
}
