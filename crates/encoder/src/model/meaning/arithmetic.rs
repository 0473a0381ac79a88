//! Operators on numbers: embeddings, normalisation and activation, masks and positions.

use super::fused::epsilon;
use super::{Reader, broadcast};
use crate::model::value::{Attention, Dim, Id, Kind, ONE, Scalar, Term};
use crate::onnx::Node;

/// The difference between a constant and the number that it stands for: exporters round it to a float, or to half of one.
const TOLERANCE: f64 = 1e-4;

fn is_near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= TOLERANCE * expected.abs().max(1.0)
}

impl Reader<'_> {
    /// The number everywhere in `number`, where joining it with `x` leaves the shape of `x`.
    fn number_beside(&self, number: Id, x: Id) -> Option<f64> {
        let value = self.values.fill(number)?;
        let shape = self.values.shape(x);
        (broadcast(self.values.shape(number), shape)? == shape).then_some(value)
    }

    /// An operation on what two values are everywhere, or on whole numbers.
    fn folded(
        &mut self,
        a: Id,
        b: Id,
        numbers: impl Fn(f64, f64) -> f64,
        dims: impl Fn(Dim, Dim) -> Option<Dim>,
    ) -> Option<Id> {
        let shape = broadcast(self.values.shape(a), self.values.shape(b))?;
        let is_list = |id| matches!(self.values.get(id).kind, Kind::Integers(_));
        let is_one = |id| self.values.integers(id).is_some();
        if shape.len() <= 1 && is_list(a) | is_list(b) && is_one(a) && is_one(b) {
            let (a, b) = (self.values.integers(a)?, self.values.integers(b)?);
            let count = a.len().max(b.len());
            let at =
                |list: &[Dim], at: usize| list.get(if list.len() == 1 { 0 } else { at }).copied();
            let list = (0..count)
                .map(|i| dims(at(&a, i)?, at(&b, i)?))
                .collect::<Option<_>>()?;
            return Some(self.integers_of(shape, list));
        }
        // Constants are floats of 32 bits, and so is what comes of them.
        let value = numbers(self.values.fill(a)?, self.values.fill(b)?) as f32;
        Some(self.fill_of(shape, value.into()))
    }

    pub(super) fn add(&mut self, a: Id, b: Id) -> Option<Id> {
        let known = |a, b| match (a, b) {
            (Dim::Known(a), Dim::Known(b)) => a.checked_add(b).map(Dim::Known),
            (Dim::Length, Dim::Known(0)) | (Dim::Known(0), Dim::Length) => Some(Dim::Length),
            _ => None,
        };
        if let Some(id) = self.folded(a, b, |a, b| a + b, known) {
            return Some(id);
        }
        let added = self.added(a, b).or_else(|| self.added(b, a));
        added.or_else(|| self.joined("Add", a, b))
    }

    fn added(&mut self, a: Id, b: Id) -> Option<Id> {
        let shape = self.values.shape(a).to_vec();
        if let Some(number) = self.number_beside(b, a) {
            if number == 0.0 && matches!(self.values.get(a).kind, Kind::Term(_)) {
                return Some(a);
            }
            return match self.values.get(a).kind.clone() {
                Kind::Term(Term::Variance(x)) => {
                    Some(self.term_of(shape, Term::Steady(x, Scalar::of(number))))
                }
                Kind::Term(Term::Erf(x)) if number == 1.0 => {
                    Some(self.term_of(shape, Term::ErfPlusOne(x)))
                }
                Kind::WordsUpTo { .. } if number == 0.0 => Some(a),
                Kind::WordPlaces { padding, added } => {
                    let added = added.checked_add(number as i64)?;
                    Some(self.values.add(shape, Kind::WordPlaces { padding, added }))
                }
                _ => None,
            };
        }
        if let (Some(Term::Scores(attention)), Kind::Bias { is_turned, .. }) =
            (self.values.term(a), &self.values.get(b).kind)
        {
            let fits = *is_turned && self.values.shape(b) == shape && attention.bias.is_none();
            let bias = Some(b);
            return fits
                .then(|| self.term_of(shape, Term::Scores(Attention { bias, ..attention })));
        }
        match (self.values.term(a)?, self.values.term(b)) {
            (Term::Weighted(x, epsilon, weight), None) => {
                let bias = self.row_weight(b, a)?;
                Some(self.term_of(
                    shape,
                    Term::Norm {
                        x,
                        epsilon,
                        weight,
                        bias,
                    },
                ))
            }
            (
                Term::Product {
                    x,
                    weight,
                    bias: None,
                },
                None,
            ) => {
                let bias = Some(self.row_weight(b, a)?);
                Some(self.term_of(shape, Term::Product { x, weight, bias }))
            }
            (first, Some(second)) if self.values.shape(b) == shape => {
                let is_hidden = |term| {
                    matches!(
                        term,
                        Term::Lookup { .. }
                            | Term::Sum(..)
                            | Term::Norm { .. }
                            | Term::Product { .. }
                    )
                };
                (is_hidden(first) && is_hidden(second))
                    .then(|| self.term_of(shape, Term::Sum(a, b)))
            }
            _ => None,
        }
    }

    pub(super) fn subtract(&mut self, a: Id, b: Id) -> Option<Id> {
        let known = |a, b| match (a, b) {
            (Dim::Known(a), Dim::Known(b)) => a.checked_sub(b).map(Dim::Known),
            (a, Dim::Known(0)) => Some(a),
            _ => None,
        };
        if let Some(id) = self.folded(a, b, |a, b| a - b, known) {
            return Some(id);
        }
        let shape = self.values.shape(a).to_vec();
        match self.values.term(b) {
            Some(Term::Mean(x)) if x == a => Some(self.term_of(shape, Term::Centred(x))),
            Some(_) => None,
            None => self.joined("Sub", a, b),
        }
    }

    pub(super) fn multiply(&mut self, a: Id, b: Id) -> Option<Id> {
        let known = |a, b| match (a, b) {
            (Dim::Known(a), Dim::Known(b)) => a.checked_mul(b).map(Dim::Known),
            (Dim::Length, ONE) | (ONE, Dim::Length) => Some(Dim::Length),
            _ => None,
        };
        if let Some(id) = self.folded(a, b, |a, b| a * b, known) {
            return Some(id);
        }
        let multiplied = self.multiplied(a, b).or_else(|| self.multiplied(b, a));
        multiplied.or_else(|| self.joined("Mul", a, b))
    }

    fn multiplied(&mut self, a: Id, b: Id) -> Option<Id> {
        if let Some(number) = self.number_beside(b, a) {
            return self.times(a, number);
        }
        let shape = self.values.shape(a).to_vec();
        let (kind, other) = (
            self.values.get(a).kind.clone(),
            self.values.get(b).kind.clone(),
        );
        let term = match (kind, other) {
            (Kind::WordsUpTo { padding }, Kind::IsWord { padding: same }) if padding == same => {
                return Some(
                    self.values
                        .add(shape, Kind::WordPlaces { padding, added: 0 }),
                );
            }
            (Kind::Term(Term::Centred(x)), Kind::Term(Term::Centred(same))) if x == same => {
                Term::Squared(x)
            }
            (Kind::Term(Term::Centred(x)), Kind::Term(Term::Inverse(same, epsilon)))
                if x == same =>
            {
                Term::Unit(x, epsilon)
            }
            (Kind::Term(Term::Unit(x, epsilon)), Kind::Weight(_)) => {
                Term::Weighted(x, epsilon, self.row_weight(b, a)?)
            }
            (Kind::Term(_), Kind::Term(Term::ErfPlusOne(x))) if x == a => Term::TwiceGelu(x),
            (Kind::Term(_), Kind::Term(Term::GeluShare(x))) if x == a => Term::Gelu(x),
            (Kind::Term(Term::Times { x, factor }), Kind::Term(Term::ErfPlusOne(same)))
                if x == same && factor.value() == 0.5 =>
            {
                Term::Gelu(x)
            }
            _ => return None,
        };
        Some(self.term_of(shape, term))
    }

    /// A term times a number.
    pub(super) fn times(&mut self, x: Id, number: f64) -> Option<Id> {
        if !number.is_finite() || number == 0.0 {
            return None;
        }
        let shape = self.values.shape(x).to_vec();
        let scaled = |factor: Scalar| Scalar::of(factor.value() * number);
        let term = match self.values.term(x)? {
            _ if number == 1.0 => return Some(x),
            Term::Product { .. } => Term::Times {
                x,
                factor: Scalar::of(number),
            },
            Term::Times { x, factor } => Term::Times {
                x,
                factor: scaled(factor),
            },
            Term::Heads {
                product,
                layout,
                factor,
            } => Term::Heads {
                product,
                layout,
                factor: scaled(factor),
            },
            Term::Scores(attention) if attention.bias.is_none() => Term::Scores(Attention {
                factor: scaled(attention.factor),
                ..attention
            }),
            Term::TwiceGelu(x) if number == 0.5 => Term::Gelu(x),
            Term::ErfPlusOne(x) if number == 0.5 => Term::GeluShare(x),
            _ => return None,
        };
        Some(self.term_of(shape, term))
    }

    pub(super) fn divide(&mut self, a: Id, b: Id) -> Option<Id> {
        let known = |a, b| match (a, b) {
            (Dim::Known(a), Dim::Known(b)) if b > 0 && a >= 0 => Some(Dim::Known(a / b)),
            (Dim::Length, ONE) => Some(Dim::Length),
            _ => None,
        };
        if let Some(id) = self.folded(a, b, |a, b| a / b, known) {
            return Some(id);
        }
        if let Some(quotient) = self.joined("Div", a, b) {
            return Some(quotient);
        }
        if let Some(number) = self.number_beside(b, a) {
            return if number == 0.0 {
                None
            } else {
                self.times(a, 1.0 / number)
            };
        }
        let shape = self.values.shape(b).to_vec();
        match (self.values.term(a), self.values.term(b)?) {
            (Some(Term::Centred(x)), Term::Deviation(same, epsilon)) if x == same => {
                let shape = self.values.shape(a).to_vec();
                Some(self.term_of(shape, Term::Unit(x, epsilon)))
            }
            (None, Term::Deviation(x, epsilon)) if self.number_beside(a, b) == Some(1.0) => {
                Some(self.term_of(shape, Term::Inverse(x, epsilon)))
            }
            _ => None,
        }
    }

    pub(super) fn power(&mut self, a: Id, b: Id) -> Option<Id> {
        let exponent = self.number_beside(b, a)?;
        let shape = self.values.shape(a).to_vec();
        match self.values.term(a) {
            Some(Term::Centred(x)) if exponent == 2.0 => {
                Some(self.term_of(shape, Term::Squared(x)))
            }
            Some(Term::Steady(x, epsilon)) if exponent == 0.5 => {
                Some(self.term_of(shape, Term::Deviation(x, epsilon)))
            }
            Some(_) => None,
            None => {
                let value = self.values.fill(a)?.powf(exponent) as f32;
                Some(self.fill_of(shape, value.into()))
            }
        }
    }

    pub(super) fn root(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        match self.values.term(x) {
            Some(Term::Steady(x, epsilon)) => {
                Some(self.term_of(shape, Term::Deviation(x, epsilon)))
            }
            Some(_) => None,
            None => {
                let value = self.values.fill(x)?.sqrt() as f32;
                Some(self.fill_of(shape, value.into()))
            }
        }
    }

    pub(super) fn reciprocal(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        match self.values.term(x) {
            Some(Term::Deviation(x, epsilon)) => {
                Some(self.term_of(shape, Term::Inverse(x, epsilon)))
            }
            Some(_) => None,
            None => {
                let value = (1.0 / self.values.fill(x)?) as f32;
                Some(self.fill_of(shape, value.into()))
            }
        }
    }

    pub(super) fn mean(&mut self, x: Id, axes: &[Id], node: &Node<'_>) -> Option<Id> {
        let mut shape = self.values.shape(x).to_vec();
        let last = shape.len().checked_sub(1)?;
        if self.axes(axes, node, shape.len())? != [last] || node.number("keepdims", 1) != 1 {
            return None;
        }
        shape[last] = ONE;
        let term = match self.values.term(x)? {
            Term::Squared(x) => Term::Variance(x),
            Term::Lookup { .. } | Term::Sum(..) => Term::Mean(x),
            _ => return None,
        };
        Some(self.term_of(shape, term))
    }

    /// The sum of ones along the tokens, which is their number.
    pub(super) fn sum_of_ones(&mut self, x: Id, axes: &[Id], node: &Node<'_>) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let is_of_tokens = shape == [ONE, Dim::Length] && self.axes(axes, node, 2)? == [1];
        if !is_of_tokens || self.values.fill(x)? != 1.0 || node.number("keepdims", 1) != 0 {
            return None;
        }
        Some(self.integers_of(vec![ONE], vec![Dim::Length]))
    }

    pub(super) fn layer_norm(
        &mut self,
        x: Id,
        weight: Id,
        bias: Id,
        node: &Node<'_>,
    ) -> Option<Id> {
        let axis = node.number("axis", -1);
        if axis != -1 && axis + 1 != self.values.shape(x).len() as i64 {
            return None;
        }
        self.norm(x, weight, bias, epsilon(node, 1e-5)?)
    }

    /// The normalisation of a sum of hidden states or of embeddings.
    pub(super) fn norm(&mut self, x: Id, weight: Id, bias: Id, epsilon: Scalar) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        if !matches!(self.values.term(x)?, Term::Lookup { .. } | Term::Sum(..)) {
            return None;
        }
        let (weight, bias) = (self.row_weight(weight, x)?, self.row_weight(bias, x)?);
        Some(self.term_of(
            shape,
            Term::Norm {
                x,
                epsilon,
                weight,
                bias,
            },
        ))
    }

    pub(super) fn erf(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        match self.values.term(x)? {
            Term::Times { x, factor }
                if is_near(factor.value(), std::f64::consts::FRAC_1_SQRT_2) =>
            {
                Some(self.term_of(shape, Term::Erf(x)))
            }
            _ => None,
        }
    }

    pub(super) fn gelu(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let is_product = matches!(self.values.term(x)?, Term::Product { .. });
        is_product.then(|| self.term_of(shape, Term::Gelu(x)))
    }

    pub(super) fn tanh_gelu(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let is_product = matches!(self.values.term(x)?, Term::Product { .. });
        is_product.then(|| self.term_of(shape, Term::TanhGelu(x)))
    }

    pub(super) fn not(&mut self, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        if let Kind::IsPadding { padding } = self.values.get(x).kind {
            return Some(self.values.add(shape, Kind::IsWord { padding }));
        }
        let value = self.values.fill(x)?;
        Some(self.fill_of(shape, f64::from(u8::from(value == 0.0))))
    }

    pub(super) fn equal(&mut self, a: Id, b: Id) -> Option<Id> {
        let is = |truth: bool| f64::from(u8::from(truth));
        // A number of tokens is none of the negative numbers that shapes are compared with.
        let same = |a, b| match (a, b) {
            (Dim::Known(a), Dim::Known(b)) => Some(Dim::Known(i64::from(a == b))),
            (Dim::Length, Dim::Length) => Some(ONE),
            (Dim::Length, Dim::Known(..0)) | (Dim::Known(..0), Dim::Length) => Some(Dim::Known(0)),
            _ => None,
        };
        if let Some(id) = self.folded(a, b, |a, b| is(a == b), same) {
            return Some(id);
        }
        let padding = self.number_beside(b, a)?;
        let shape = self.values.shape(a).to_vec();
        let is_id = self.values.get(a).kind == Kind::Ids && padding.fract() == 0.0;
        is_id.then(|| {
            self.values.add(
                shape,
                Kind::IsPadding {
                    padding: padding as i64,
                },
            )
        })
    }

    pub(super) fn running_sum(&mut self, x: Id, axis: Id, node: &Node<'_>) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let is_plain = node.number("exclusive", 0) == 0 && node.number("reverse", 0) == 0;
        let along = self.values.fill(axis)?;
        match self.values.get(x).kind {
            Kind::IsWord { padding } if is_plain && (along == 1.0 || along == -1.0) => {
                Some(self.values.add(shape, Kind::WordsUpTo { padding }))
            }
            _ => None,
        }
    }
}
