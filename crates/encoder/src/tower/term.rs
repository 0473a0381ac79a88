//! The matrices that a tower computes on its way, a row for each token.

use std::collections::HashMap;

use super::constant::Constant;
use super::function::Activation;

/// A matrix, by its place in [`Terms`].
pub(crate) type Id = usize;

/// A number that can be compared and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalar(u64);

impl Scalar {
    pub(crate) fn of(value: f64) -> Self {
        Self(value.to_bits())
    }

    pub(crate) fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// The place of one token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The place of the largest id, the first of several.
    Largest,
    /// The first that has this id, else nought.
    First(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Row {
    At(usize),
    Of(Place),
}

/// The columns of a matrix that heads of attention have: each as many as its size, `stride` after those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) of: Id,
    pub(crate) first: usize,
    pub(crate) stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Heads {
    pub(crate) count: usize,
    /// Columns of each.
    pub(crate) size: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Patches {
    pub(crate) channels: usize,
    /// Height and width of a picture, and of a patch.
    pub(crate) picture: [usize; 2],
    pub(crate) patch: [usize; 2],
}

impl Patches {
    /// Rows and columns of patches.
    pub(crate) fn grid(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.picture[axis] / self.patch[axis])
    }

    /// Values of a patch.
    pub(crate) fn values(&self) -> usize {
        self.channels * self.patch[0] * self.patch[1]
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// The values of each patch of a picture: channels, rows, columns.
    Patches(Patches),
    /// The row of a table for each id.
    Lookup(Constant),
    /// The same rows for every input.
    Rows(Constant),
    Product {
        x: Id,
        weight: Constant,
        bias: Option<Constant>,
    },
    Sum(Id, Id),
    /// Each column times a factor.
    Scaled(Id, Constant),
    Norm {
        x: Id,
        epsilon: Scalar,
        weight: Constant,
        bias: Constant,
    },
    Activation(Id, Activation),
    /// Attention: rows of `v`, mixed for each row of `q` by its products with those of `k`.
    Context {
        q: Part,
        k: Part,
        v: Part,
        heads: Heads,
        factor: Scalar,
        /// Rows see those after them not at all.
        is_causal: bool,
    },
    Select(Id, Row),
    /// The rows of one, then those of the next.
    Stack(Vec<Id>),
    Mean(Id),
    /// Rows divided by their lengths, or by `floor` where they are shorter.
    Unit {
        x: Id,
        floor: Scalar,
    },
}

impl Term {
    /// The matrices that it is made of.
    pub(crate) fn inputs(&self) -> Vec<Id> {
        match self {
            Self::Patches(_) | Self::Lookup(_) | Self::Rows(_) => vec![],
            Self::Product { x, .. }
            | Self::Scaled(x, _)
            | Self::Norm { x, .. }
            | Self::Activation(x, _)
            | Self::Select(x, _)
            | Self::Mean(x)
            | Self::Unit { x, .. } => vec![*x],
            Self::Sum(a, b) => vec![*a, *b],
            Self::Context { q, k, v, .. } => vec![q.of, k.of, v.of],
            Self::Stack(parts) => parts.clone(),
        }
    }
}

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// All matrices, equal ones once. Each comes after those that it is made of.
#[derive(Default)]
pub(crate) struct Terms {
    terms: Vec<(Term, Size)>,
    ids: HashMap<Term, Id>,
}

impl Terms {
    pub(crate) fn add(&mut self, term: Term, rows: usize, columns: usize) -> Id {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = self.terms.len();
        self.ids.insert(term.clone(), id);
        self.terms.push((term, Size { rows, columns }));
        id
    }

    pub(crate) fn get(&self, id: Id) -> &Term {
        &self.terms[id].0
    }

    pub(crate) fn size(&self, id: Id) -> Size {
        self.terms[id].1
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }
}
