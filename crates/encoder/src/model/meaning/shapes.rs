//! Operators that change shapes, and those that compute them.

use super::{Reader, broadcast};
use crate::model::value::{AXES_MAX, Dim, Id, Kind, LIST_MAX, Layout, ONE, Scalar, Term};
use crate::onnx::{Attribute, Node};

/// The types of ONNX that a value may be cast to.
const FLOAT: i64 = 1;
const FLOAT16: i64 = 10;
const BFLOAT16: i64 = 16;
const INT32: i64 = 6;
const INT64: i64 = 7;
const BOOL: i64 = 9;

impl Reader<'_> {
    pub(super) fn cast(&mut self, x: Id, to: i64) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        // Everything is computed in 32 bits: halves lose nothing by it.
        let to = if matches!(to, FLOAT16 | BFLOAT16) {
            FLOAT
        } else {
            to
        };
        if !matches!(to, FLOAT | INT32 | INT64 | BOOL) {
            return None;
        }
        match self.values.get(x).kind.clone() {
            Kind::Fill(number) => {
                let value = number.value();
                Some(match to {
                    FLOAT => self.fill_of(shape, f64::from(value as f32)),
                    BOOL => self.fill_of(shape, f64::from(u8::from(value != 0.0))),
                    _ if value.is_finite() && value.abs() < 2e9 => {
                        self.fill_of(shape, value.trunc())
                    }
                    _ => return None,
                })
            }
            Kind::Integers(list) => match (to, list.as_slice()) {
                (INT32 | INT64, _) => Some(x),
                (FLOAT, [Dim::Known(number)]) => Some(self.fill_of(shape, *number as f64)),
                _ => None,
            },
            Kind::Ids | Kind::Places { .. } | Kind::Numbers | Kind::WordPlaces { .. } => {
                matches!(to, INT32 | INT64).then_some(x)
            }
            Kind::ByDistance { values, .. } => {
                let is_float = to == FLOAT;
                let cast = |value: f64| match to {
                    FLOAT => f64::from(value as f32),
                    BOOL => f64::from(u8::from(value != 0.0)),
                    _ => (value as i64) as f64,
                };
                let values = values.iter().map(|value| Scalar::of(cast(value.value())));
                let values = values.collect();
                Some(
                    self.values
                        .add(shape, Kind::ByDistance { values, is_float }),
                )
            }
            Kind::Bias { .. } => (to == FLOAT).then_some(x),
            Kind::IsPadding { .. } | Kind::IsWord { .. } | Kind::WordsUpTo { .. } => {
                matches!(to, INT32 | INT64).then_some(x)
            }
            Kind::Weight(_) => (to == FLOAT).then_some(x),
            // A condition stays one.
            Kind::Term(Term::SharesAreNan(_)) => (to == BOOL).then_some(x),
            Kind::Term(_) => (to == FLOAT).then_some(x),
        }
    }

    pub(super) fn shape(&mut self, x: Id, node: &Node<'_>) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let axes = shape.len() as i64;
        let bound = |at: i64| if at < 0 { at + axes } else { at }.clamp(0, axes) as usize;
        let (start, end) = (
            bound(node.number("start", 0)),
            bound(node.number("end", axes)),
        );
        let list = shape.get(start..end)?.to_vec();
        Some(self.integers_of(vec![Dim::Known(list.len() as i64)], list))
    }

    /// The axes that an attribute or, since version 13, an input names.
    pub(super) fn axes(&self, given: &[Id], node: &Node<'_>, axes: usize) -> Option<Vec<usize>> {
        let named: Vec<i64> = match (given, node.attribute("axes")) {
            ([], Some(Attribute::Numbers(list))) => list.clone(),
            (&[list], None) => self.known(list)?,
            _ => return None,
        };
        let count = i64::try_from(axes).ok()?;
        let place = |axis: i64| usize::try_from(if axis < 0 { axis + count } else { axis }).ok();
        let found: Vec<usize> = named.into_iter().map(place).collect::<Option<_>>()?;
        found.iter().all(|&axis| axis < axes).then_some(found)
    }

    /// A list of whole numbers that are known.
    pub(super) fn known(&self, list: Id) -> Option<Vec<i64>> {
        let known = |dim| match dim {
            Dim::Known(number) => Some(number),
            Dim::Length => None,
        };
        self.values.integers(list)?.into_iter().map(known).collect()
    }

    pub(super) fn unsqueeze(&mut self, x: Id, given: &[Id], node: &Node<'_>) -> Option<Id> {
        let mut shape = self.values.shape(x).to_vec();
        let named = match (given, node.attribute("axes")) {
            ([], Some(Attribute::Numbers(list))) => list.len(),
            (&[list], None) => self.known(list)?.len(),
            _ => return None,
        };
        if shape.len() + named > AXES_MAX {
            return None;
        }
        let mut axes = self.axes(given, node, shape.len() + named)?;
        axes.sort_unstable();
        for axis in axes {
            if axis > shape.len() {
                return None;
            }
            shape.insert(axis, ONE);
        }
        self.reshaped(x, shape)
    }

    pub(super) fn squeeze(&mut self, x: Id, given: &[Id], node: &Node<'_>) -> Option<Id> {
        let mut shape = self.values.shape(x).to_vec();
        if given.is_empty() && node.attribute("axes").is_none() {
            // A text may have one token: nobody knows whether that axis goes.
            if shape.contains(&Dim::Length) {
                return None;
            }
            shape.retain(|&dim| dim != ONE);
            return self.reshaped(x, shape);
        }
        let mut axes = self.axes(given, node, shape.len())?;
        axes.sort_unstable();
        for axis in axes.into_iter().rev() {
            if shape.remove(axis) != ONE {
                return None;
            }
        }
        self.reshaped(x, shape)
    }

    /// The same values in a shape that has axes of one more or less.
    fn reshaped(&mut self, x: Id, shape: Vec<Dim>) -> Option<Id> {
        let kind = self.values.get(x).kind.clone();
        match kind {
            Kind::Integers(_) if shape.len() > 1 => {
                let value = self.values.fill(x)?;
                Some(self.fill_of(shape, value))
            }
            Kind::Integers(_) | Kind::Fill(_) => Some(self.values.add(shape, kind)),
            Kind::Numbers => Some(self.values.add(shape, kind)),
            Kind::Places { .. } => self.places_in(x, shape),
            Kind::Bias {
                is_turned: true, ..
            } if shape.ends_with(&self.values.shape(x)[self.values.shape(x).len() - 3..]) => {
                Some(self.values.add(shape, kind))
            }
            _ if shape == self.values.shape(x) => Some(x),
            _ => None,
        }
    }

    pub(super) fn concat(&mut self, parts: &[Id], node: &Node<'_>) -> Option<Id> {
        if let Some(numbers) = self.concat_numbers(parts, node) {
            return Some(numbers);
        }
        let mut list = Vec::new();
        for &part in parts {
            if self.values.shape(part).len() != 1 {
                return None;
            }
            list.extend(self.values.integers(part)?);
            if list.len() > LIST_MAX as usize {
                return None;
            }
        }
        Some(self.integers_of(vec![Dim::Known(list.len() as i64)], list))
    }

    pub(super) fn slice(&mut self, x: Id, bounds: &[Id]) -> Option<Id> {
        let (&[start, end], rest) = bounds.split_first_chunk::<2>()?;
        let [start] = self.known(start)?[..] else {
            return None;
        };
        let [end] = self.values.integers(end)?[..] else {
            return None;
        };
        let axis = match rest {
            [] => 0,
            &[axes] | &[axes, _] => {
                let [axis] = self.known(axes)?[..] else {
                    return None;
                };
                axis
            }
            _ => return None,
        };
        if let &[_, steps] = rest
            && self.known(steps)? != [1]
        {
            return None;
        }
        let shape = self.values.shape(x).to_vec();
        let axis = usize::try_from(if axis < 0 {
            axis + shape.len() as i64
        } else {
            axis
        })
        .ok()?;
        let size = *shape.get(axis)?;
        if let (Some(list), Dim::Known(end)) = (self.values.integers(x), end) {
            let count = list.len() as i64;
            let bound = |at: i64| if at < 0 { at + count } else { at }.clamp(0, count) as usize;
            let part = list.get(bound(start)..bound(end))?.to_vec();
            return Some(self.integers_of(vec![Dim::Known(part.len() as i64)], part));
        }
        if start != 0 {
            return None;
        }
        let kept = match (size, end) {
            // Everything.
            (size, Dim::Known(i64::MAX)) => size,
            (Dim::Length, Dim::Length) => Dim::Length,
            (Dim::Known(size), Dim::Known(end)) if end >= size => Dim::Known(size),
            // As many as there are tokens: a text is never longer than the tables of its model.
            (Dim::Known(_), Dim::Length) => Dim::Length,
            _ => return None,
        };
        let mut cut = shape.clone();
        cut[axis] = kept;
        match self.values.get(x).kind.clone() {
            _ if cut == shape => Some(x),
            kind @ Kind::Fill(_) => Some(self.values.add(cut, kind)),
            kind @ Kind::Places { before: 0 } if axis + 1 == shape.len() => {
                Some(self.values.add(cut, kind))
            }
            _ => None,
        }
    }

    pub(super) fn range(&mut self, start: Id, end: Id, step: Id) -> Option<Id> {
        let of = |id| self.values.integers(id);
        if of(start)? != [Dim::Known(0)] || of(step)? != [Dim::Known(1)] {
            return None;
        }
        match of(end)?[..] {
            [Dim::Length] => {
                let places = Kind::Places { before: 0 };
                Some(self.values.add(vec![Dim::Length], places))
            }
            [ONE] => Some(self.fill_of(vec![ONE], 0.0)),
            _ => None,
        }
    }

    pub(super) fn constant_of_shape(&mut self, shape: Id, node: &Node<'_>) -> Option<Id> {
        let shape = self.values.integers(shape)?;
        let value = match node.attribute("value") {
            None => 0.0,
            Some(Attribute::Tensor(tensor)) if tensor.len() == 1 => match tensor.float() {
                Some(value) => value.into(),
                None => *tensor.integers().ok()??.first()? as f64,
            },
            Some(_) => return None,
        };
        Some(self.fill_of(shape, value))
    }

    pub(super) fn expand(&mut self, x: Id, shape: Id) -> Option<Id> {
        let wanted = self.values.integers(shape)?;
        let before = self.values.shape(x).to_vec();
        let shape = broadcast(&before, &wanted)?;
        if shape == before {
            return Some(x);
        }
        match self.values.get(x).kind.clone() {
            kind @ (Kind::Fill(_) | Kind::Numbers) => Some(self.values.add(shape, kind)),
            Kind::Places { .. } => self.places_in(x, shape),
            Kind::Integers(_) => self.values.fill(x).map(|value| self.fill_of(shape, value)),
            _ => None,
        }
    }

    /// Tells whether noughts in the shape of a reshape, where there are any, stand for the sizes before.
    pub(super) fn keeps_no_nought(&self, shape: Id, node: &Node<'_>) -> bool {
        node.number("allowzero", 0) == 0
            || self
                .values
                .integers(shape)
                .is_some_and(|list| !list.contains(&Dim::Known(0)))
    }

    /// A matrix of what is the same everywhere.
    pub(super) fn flatten(&mut self, x: Id, node: &Node<'_>) -> Option<Id> {
        let value = self.values.fill(x)?;
        let shape = self.values.shape(x).to_vec();
        let axis = usize::try_from(node.number("axis", 1)).ok()?;
        let (rows, columns) = shape.split_at_checked(axis)?;
        let size = |dims: &[Dim]| {
            let other = dims.iter().filter(|&&dim| dim != ONE).collect::<Vec<_>>();
            match other[..] {
                [] => Some(ONE),
                [&only] => Some(only),
                _ => None,
            }
        };
        let shape = vec![size(rows)?, size(columns)?];
        Some(self.fill_of(shape, value))
    }

    /// The shape that a reshape asks for, with its nought and its one unknown number worked out.
    fn asked(&self, x: Id, shape: Id) -> Option<Vec<Dim>> {
        let before = self.values.shape(x);
        let mut asked = self.values.integers(shape)?;
        for (at, dim) in asked.iter_mut().enumerate() {
            if *dim == Dim::Known(0) {
                *dim = *before.get(at)?;
            }
        }
        let size = |shape: &[Dim]| {
            shape
                .iter()
                .try_fold((1_i64, 0_usize), |(known, lengths), dim| match dim {
                    Dim::Known(number) => Some((known.checked_mul(*number)?, lengths)),
                    Dim::Length => Some((known, lengths + 1)),
                })
        };
        let whole = size(before)?;
        if let Some(open) = asked.iter().position(|dim| *dim == Dim::Known(-1)) {
            asked[open] = ONE;
            let (known, lengths) = size(&asked)?;
            if known == 0 || whole.0 % known != 0 {
                return None;
            }
            asked[open] = match whole.1.checked_sub(lengths)? {
                0 => Dim::Known(whole.0 / known),
                1 if whole.0 == known => Dim::Length,
                _ => return None,
            };
        }
        let is_sound = asked.iter().all(|dim| !matches!(dim, Dim::Known(..=0)));
        (is_sound && size(&asked)? == whole).then_some(asked)
    }

    pub(super) fn reshape(&mut self, x: Id, shape: Id) -> Option<Id> {
        if let (Some(list), [ONE | Dim::Known(-1)]) = (
            self.values.integers(x),
            self.values.integers(shape)?.as_slice(),
        ) {
            let shape = vec![Dim::Known(list.len() as i64)];
            return Some(self.integers_of(shape, list));
        }
        let asked = self.asked(x, shape)?;
        let before = self.values.shape(x).to_vec();
        if asked == before {
            return Some(x);
        }
        match self.values.get(x).kind.clone() {
            kind @ (Kind::Fill(_) | Kind::Numbers) => Some(self.values.add(asked, kind)),
            Kind::Places { .. } => self.places_in(x, asked),
            Kind::Term(term) => self.divided(x, term, &before, asked),
            _ => None,
        }
    }

    /// A product divided among heads, or what heads made joined again.
    fn divided(&mut self, x: Id, term: Term, before: &[Dim], asked: Vec<Dim>) -> Option<Id> {
        match (term, before, asked.as_slice()) {
            (Term::Product { .. }, [ONE, Dim::Length, _], [ONE, Dim::Length, _, _]) => {
                let (product, layout) = (x, Layout::Split);
                let factor = Scalar::of(1.0);
                Some(self.term_of(
                    asked,
                    Term::Heads {
                        product,
                        layout,
                        factor,
                    },
                ))
            }
            (Term::Times { x, factor }, [ONE, Dim::Length, _], [ONE, Dim::Length, _, _])
                if matches!(self.values.term(x), Some(Term::Product { .. })) =>
            {
                let (product, layout) = (x, Layout::Split);
                Some(self.term_of(
                    asked,
                    Term::Heads {
                        product,
                        layout,
                        factor,
                    },
                ))
            }
            (
                Term::Heads {
                    product,
                    layout,
                    factor,
                },
                _,
                _,
            ) => {
                let layout = match (layout, before, asked.as_slice()) {
                    (Layout::Heads, [ONE, rest @ ..], asked) if rest == asked => Layout::Flat,
                    (Layout::FlatTurned, before, [ONE, rest @ ..]) if rest == before => {
                        Layout::Turned
                    }
                    _ => return None,
                };
                Some(self.term_of(
                    asked,
                    Term::Heads {
                        product,
                        layout,
                        factor,
                    },
                ))
            }
            (
                Term::Context {
                    attention,
                    v,
                    layout: Layout::Split,
                },
                [ONE, Dim::Length, ..],
                [ONE, Dim::Length, _],
            ) => {
                let layout = Layout::Joined;
                Some(self.term_of(
                    asked,
                    Term::Context {
                        attention,
                        v,
                        layout,
                    },
                ))
            }
            _ => None,
        }
    }

    pub(super) fn transpose(&mut self, x: Id, node: &Node<'_>) -> Option<Id> {
        let before = self.values.shape(x).to_vec();
        let order: Vec<usize> = match node.attribute("perm") {
            None => (0..before.len()).rev().collect(),
            Some(Attribute::Numbers(list)) => list
                .iter()
                .map(|&axis| usize::try_from(axis).ok())
                .collect::<Option<_>>()?,
            Some(_) => return None,
        };
        self.permuted(x, &order)
    }

    /// A value whose axes change places.
    pub(super) fn permuted(&mut self, x: Id, order: &[usize]) -> Option<Id> {
        let before = self.values.shape(x).to_vec();
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..before.len()) {
            return None;
        }
        let shape: Vec<Dim> = order.iter().map(|&axis| before[axis]).collect();
        let turned = |layout, order: &[usize]| match (layout, order) {
            (layout, [0, 1, 2, 3]) => Some(layout),
            (Layout::Split, [0, 2, 1, 3]) => Some(Layout::Heads),
            (Layout::Heads, [0, 2, 1, 3]) => Some(Layout::Split),
            (Layout::Split, [0, 2, 3, 1]) | (Layout::Heads, [0, 1, 3, 2]) => Some(Layout::Turned),
            (Layout::Turned, [0, 1, 3, 2]) => Some(Layout::Heads),
            (Layout::Flat, [0, 2, 1]) => Some(Layout::FlatTurned),
            _ => None,
        };
        match self.values.get(x).kind.clone() {
            kind @ Kind::Fill(_) => Some(self.values.add(shape, kind)),
            Kind::Bias {
                table,
                rows,
                is_turned: false,
            } if order == [2, 0, 1] => {
                let is_turned = true;
                let bias = Kind::Bias {
                    table,
                    rows,
                    is_turned,
                };
                Some(self.values.add(shape, bias))
            }
            Kind::Weight(mut weight) if order == [1, 0] => {
                weight.is_transposed = !weight.is_transposed;
                Some(self.values.add(shape, Kind::Weight(weight)))
            }
            Kind::Term(Term::Heads {
                product,
                layout,
                factor,
            }) => {
                let layout = turned(layout, order)?;
                Some(self.term_of(
                    shape,
                    Term::Heads {
                        product,
                        layout,
                        factor,
                    },
                ))
            }
            Kind::Term(Term::Context {
                attention,
                v,
                layout,
            }) => {
                let layout = turned(layout, order)?;
                Some(self.term_of(
                    shape,
                    Term::Context {
                        attention,
                        v,
                        layout,
                    },
                ))
            }
            _ => None,
        }
    }

    pub(super) fn choose(&mut self, condition: Id, a: Id, b: Id) -> Option<Id> {
        if let Some(Term::SharesAreNan(attention)) = self.values.term(condition) {
            // Shares of numbers are numbers.
            let is_same = self.values.term(b) == Some(Term::Shares(attention));
            return (is_same && self.values.fill(a).is_some()).then_some(b);
        }
        if let Some(chosen) = self.choose_by_distance(condition, a, b) {
            return Some(chosen);
        }
        let ab = broadcast(self.values.shape(a), self.values.shape(b))?;
        let shape = broadcast(self.values.shape(condition), &ab)?;
        if let Some(value) = self.values.fill(condition) {
            let chosen = if value != 0.0 { a } else { b };
            if self.values.shape(chosen) == shape {
                return Some(chosen);
            }
            let value = self.values.fill(chosen)?;
            return Some(self.fill_of(shape, value));
        }
        let of = |id| self.values.integers(id);
        let (conditions, a, b) = (of(condition)?, of(a)?, of(b)?);
        if conditions.len() != a.len() || a.len() != b.len() {
            return None;
        }
        let mut chosen = Vec::new();
        for ((condition, a), b) in conditions.into_iter().zip(a).zip(b) {
            chosen.push(match condition {
                Dim::Known(0) => b,
                Dim::Known(_) => a,
                Dim::Length => return None,
            });
        }
        Some(self.integers_of(shape, chosen))
    }
}
