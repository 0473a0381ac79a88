//! The meanings that the values of a graph have.

use std::collections::HashMap;

use crate::Refusal;
use crate::onnx::Tensor;
use crate::tensor::Floats;

/// A value, by its place in [`Values`].
pub(crate) type Id = usize;

/// The size of an axis, or an element of a shape that is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dim {
    Known(i64),
    /// The tokens of the text.
    Length,
}

pub(crate) const ONE: Dim = Dim::Known(1);

/// A tensor of weights, by its place in [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Weight {
    pub(crate) tensor: usize,
    /// Its two axes change places.
    pub(crate) is_transposed: bool,
}

/// The row of a table that each token takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Index {
    /// Its id.
    Id,
    /// Its place, from nought on.
    Place,
    /// Its place among the tokens that are no padding, after the row of padding; padding has that row itself.
    PlaceAfter { padding: i64 },
    /// The same for all.
    Fixed(i64),
}

/// The axes of a product that is divided among heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// `[1, tokens, heads, size]`
    Split,
    /// `[1, heads, tokens, size]`
    Heads,
    /// `[1, heads, size, tokens]`
    Turned,
    /// `[1, tokens, heads * size]`
    Joined,
    /// `[heads, tokens, size]`
    Flat,
    /// `[heads, size, tokens]`
    FlatTurned,
}

/// A float that can be compared and hashed.
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

/// The meaning of a value that depends on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Lookup {
        table: Weight,
        index: Index,
    },
    Sum(Id, Id),
    /// The parts of a normalisation of `x`, in their order; `Unit` has mean nought and variance one.
    Mean(Id),
    Centred(Id),
    Squared(Id),
    Variance(Id),
    Steady(Id, Scalar),
    Deviation(Id, Scalar),
    Inverse(Id, Scalar),
    Unit(Id, Scalar),
    Weighted(Id, Scalar, Weight),
    Norm {
        x: Id,
        epsilon: Scalar,
        weight: Weight,
        bias: Weight,
    },
    Product {
        x: Id,
        weight: Weight,
        bias: Option<Weight>,
    },
    /// `factor x`
    Times {
        x: Id,
        factor: Scalar,
    },
    /// The error function of `x / √2`, and the steps from there to `x Φ(x)`.
    Erf(Id),
    ErfPlusOne(Id),
    TwiceGelu(Id),
    /// `Φ(x)`
    GeluShare(Id),
    Gelu(Id),
    /// `x Φ(x)` by the hyperbolic tangent.
    TanhGelu(Id),
    Heads {
        product: Id,
        layout: Layout,
        factor: Scalar,
    },
    /// Products of queries and keys, and the steps from there.
    Scores(Attention),
    Shares(Attention),
    SharesAreNan(Attention),
    Context {
        attention: Attention,
        v: Id,
        layout: Layout,
    },
}

/// The scores of attention: `factor q k`, where queries and keys are products divided among heads, and a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Attention {
    pub(crate) q: Id,
    pub(crate) k: Id,
    pub(crate) factor: Scalar,
    /// A value of [`Kind::Bias`].
    pub(crate) bias: Option<Id>,
}

/// Most tokens of a text whose attention has a bias by distance.
pub(crate) const REACH: usize = 2048;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The ids of the tokens, `[1, tokens]`.
    Ids,
    /// Nought, one, two and so on along an axis, the last or `before` axes before it.
    Places {
        before: usize,
    },
    /// Whole numbers that nothing is known of: what they choose from is the same everywhere.
    Numbers,
    /// A number for each pair of tokens by the distance from the one of the last axis but one to that of the last, from
    /// `1 - REACH` on.
    ByDistance {
        values: Vec<Scalar>,
        is_float: bool,
    },
    /// The row of a table for each pair of tokens, by distance as above: `[tokens, tokens, heads]`, or `[heads, tokens,
    /// tokens]` with any axes of one before it.
    Bias {
        table: Weight,
        rows: Vec<i64>,
        is_turned: bool,
    },
    /// One where an id is that of padding, else nought; the opposite; its sums up to each token; and these times it.
    IsPadding {
        padding: i64,
    },
    IsWord {
        padding: i64,
    },
    WordsUpTo {
        padding: i64,
    },
    WordPlaces {
        padding: i64,
        added: i64,
    },
    /// One number everywhere.
    Fill(Scalar),
    /// Whole numbers that shapes are made of: one, or a list.
    Integers(Vec<Dim>),
    Weight(Weight),
    Term(Term),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value {
    pub(crate) shape: Vec<Dim>,
    pub(crate) kind: Kind,
}

/// All values, equal ones once.
#[derive(Default)]
pub(crate) struct Values<'a> {
    values: Vec<Value>,
    ids: HashMap<Value, Id>,
    /// Those that have a number for each distance.
    tables: usize,
    pub(crate) tensors: Vec<Floats<'a>>,
}

impl<'a> Values<'a> {
    pub(crate) fn add(&mut self, shape: Vec<Dim>, kind: Kind) -> Id {
        let value = Value { shape, kind };
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.len();
        if matches!(value.kind, Kind::ByDistance { .. } | Kind::Bias { .. }) {
            self.tables += 1;
        }
        self.ids.insert(value.clone(), id);
        self.values.push(value);
        id
    }

    /// Refuses what no encoder has and a short file can ask for without end.
    pub(crate) fn check_bounds(&self, id: Id) -> Result<(), Refusal> {
        let axes = self.values[id].shape.len();
        if axes > AXES_MAX {
            return Err(Refusal::not_ours(format!("a value of {axes} axes")));
        }
        if self.tables > TABLES_MAX {
            return Err(Refusal::not_ours("too many numbers by distance"));
        }
        Ok(())
    }

    pub(crate) fn get(&self, id: Id) -> &Value {
        &self.values[id]
    }

    pub(crate) fn shape(&self, id: Id) -> &[Dim] {
        &self.values[id].shape
    }

    pub(crate) fn term(&self, id: Id) -> Option<Term> {
        match self.values[id].kind {
            Kind::Term(term) => Some(term),
            _ => None,
        }
    }

    /// The number that a value has everywhere, where it has one.
    pub(crate) fn fill(&self, id: Id) -> Option<f64> {
        match &self.values[id].kind {
            Kind::Fill(number) => Some(number.value()),
            Kind::Integers(list) => match list.as_slice() {
                [Dim::Known(number)] => Some(*number as f64),
                _ => None,
            },
            _ => None,
        }
    }

    /// The list of whole numbers that a value is.
    pub(crate) fn integers(&self, id: Id) -> Option<Vec<Dim>> {
        let Value { shape, kind } = &self.values[id];
        match (kind, shape.as_slice()) {
            (Kind::Integers(list), _) => Some(list.clone()),
            (Kind::Fill(number), []) => whole(number.value()).map(|one| vec![one]),
            (Kind::Fill(number), [Dim::Known(count @ 0..=LIST_MAX)]) => {
                whole(number.value()).map(|one| vec![one; *count as usize])
            }
            _ => None,
        }
    }

    /// One of three equal parts that lie beside each other along the last axis of a tensor of weights.
    pub(crate) fn third(&mut self, weight: Weight, number: usize) -> Weight {
        let part = self.tensors[weight.tensor].third(number);
        self.tensors.push(part);
        Weight {
            tensor: self.tensors.len() - 1,
            is_transposed: false,
        }
    }

    /// The heads that all attention is divided among.
    pub(crate) fn heads(&self) -> Result<usize, Refusal> {
        let mut heads =
            self.values
                .iter()
                .filter_map(|Value { shape, kind }| match (kind, shape.as_slice()) {
                    (
                        Kind::Term(Term::Heads {
                            layout: Layout::Split,
                            ..
                        }),
                        &[_, _, Dim::Known(heads), _],
                    ) => Some(heads),
                    _ => None,
                });
        let first = heads.next().unwrap_or(1);
        match usize::try_from(first) {
            Ok(first @ 1..) if heads.all(|other| other as usize == first) => Ok(first),
            _ => Err(Refusal::not_ours(
                "its layers have different numbers of heads",
            )),
        }
    }

    /// The meaning of a constant of that name.
    pub(crate) fn constant(&mut self, name: &str, tensor: &Tensor<'a>) -> Result<Id, Refusal> {
        let shape: Vec<Dim> = tensor
            .dims
            .iter()
            .map(|&dim| Dim::Known(dim as i64))
            .collect();
        if let Some(value) = tensor.float() {
            return Ok(self.add(shape, Kind::Fill(Scalar::of(value.into()))));
        }
        if let Some(floats) = tensor.floats(name) {
            let weight = Weight {
                tensor: self.tensors.len(),
                is_transposed: false,
            };
            self.tensors.push(floats);
            return Ok(self.add(shape, Kind::Weight(weight)));
        }
        if tensor.len() > INTEGERS_MAX {
            return Err(Refusal::not_ours(
                "it holds more whole numbers than positions",
            ));
        }
        let Some(list) = tensor.integers()? else {
            return Err(Refusal::not_ours("it lists floats one by one"));
        };
        let kind = match list.as_slice() {
            _ if shape.len() <= 1 && list.len() <= LIST_MAX as usize => {
                Kind::Integers(list.iter().map(|&number| Dim::Known(number)).collect())
            }
            [first, rest @ ..] if rest.iter().all(|number| number == first) => {
                Kind::Fill(Scalar::of(*first as f64))
            }
            _ if list.iter().zip(0..).all(|(&number, place)| number == place)
                && shape.last() == Some(&Dim::Known(list.len() as i64)) =>
            {
                Kind::Places { before: 0 }
            }
            _ => return Err(Refusal::not_ours("it holds whole numbers of no known use")),
        };
        Ok(self.add(shape, kind))
    }
}

/// Most whole numbers of a constant.
const INTEGERS_MAX: usize = 1 << 20;
/// Longest list that a shape is made of.
pub(crate) const LIST_MAX: i64 = 64;
/// Most axes of a value.
pub(crate) const AXES_MAX: usize = 8;
/// Most values that have a number for each distance: ten times those of MPNet. Each has thousands.
const TABLES_MAX: usize = 256;

fn whole(number: f64) -> Option<Dim> {
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(Dim::Known(number as i64))
}
