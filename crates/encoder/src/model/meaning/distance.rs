//! Numbers by the places of tokens and by their distance, which masks and biases of attention are made of.

use super::{Reader, broadcast};
use crate::model::value::{Dim, Id, Kind, ONE, REACH, Scalar, Weight};
use crate::onnx::Node;

impl Reader<'_> {
    /// Places in a shape that has other axes of one, or is repeated along others.
    pub(super) fn places_in(&mut self, x: Id, shape: Vec<Dim>) -> Option<Id> {
        let before = self.values.shape(x).to_vec();
        let is_row = |shape: &[Dim]| shape.iter().filter(|&&dim| dim != ONE).count() == 1;
        let Kind::Places { before: at } = self.values.get(x).kind else {
            return None;
        };
        if shape.last() == before.last() && at == 0 && before.last() != Some(&ONE) {
            return Some(self.values.add(shape, Kind::Places { before: 0 }));
        }
        if is_row(&before) && is_row(&shape) {
            let before = shape.iter().rev().position(|&dim| dim != ONE)?;
            return Some(self.values.add(shape, Kind::Places { before }));
        }
        Some(self.values.add(shape, Kind::Numbers))
    }

    fn is_numbers(&self, id: Id) -> bool {
        matches!(
            self.values.get(id).kind,
            Kind::Places { .. }
                | Kind::Numbers
                | Kind::Fill(_)
                | Kind::Integers(_)
                | Kind::WordPlaces { .. }
        )
    }

    /// Sums, products and the like of places, or of numbers by distance.
    pub(super) fn joined(&mut self, operator: &str, a: Id, b: Id) -> Option<Id> {
        let shape = broadcast(self.values.shape(a), self.values.shape(b))?;
        let kinds = [a, b].map(|id| self.values.get(id).kind.clone());
        if let ("Sub", [Kind::Places { before: x }, Kind::Places { before: y }]) =
            (operator, &kinds)
            && x + y == 1
            && is_square(&shape)
        {
            let sign = if *x == 0 { 1.0 } else { -1.0 };
            let reach = REACH as i64;
            let values = (1 - reach..reach).map(|distance| Scalar::of(sign * distance as f64));
            let values = values.collect();
            return Some(self.values.add(
                shape,
                Kind::ByDistance {
                    values,
                    is_float: false,
                },
            ));
        }
        if kinds.iter().any(is_by_distance) {
            return self.joined_by_distance(operator, a, b, shape);
        }
        let is_place = |kind: &Kind| match kind {
            Kind::Places { .. } | Kind::Numbers => true,
            Kind::Integers(list) => list.contains(&Dim::Length),
            _ => false,
        };
        if operator == "Div" || !self.is_numbers(a) || !self.is_numbers(b) {
            return None;
        }
        kinds
            .iter()
            .any(is_place)
            .then(|| self.values.add(shape, Kind::Numbers))
    }

    fn joined_by_distance(&mut self, operator: &str, a: Id, b: Id, shape: Vec<Dim>) -> Option<Id> {
        let is_float = [a, b].into_iter().any(|id| {
            matches!(
                self.values.get(id).kind,
                Kind::ByDistance { is_float: true, .. }
            )
        });
        let join: fn(f64, f64) -> f64 = match operator {
            "Add" => |a, b| a + b,
            "Sub" => |a, b| a - b,
            "Mul" => |a, b| a * b,
            "Min" => f64::min,
            "Max" => f64::max,
            // Quotients of whole numbers are cut.
            "Div" if is_float => |a, b| a / b,
            _ => return None,
        };
        let rounded = |value: f64| {
            if is_float {
                f64::from(value as f32)
            } else {
                value
            }
        };
        self.table(&[a, b], shape, is_float, |at| rounded(join(at[0], at[1])))
    }

    /// The outcome of the numbers that some values have for each distance. All of them must have one.
    fn table(
        &mut self,
        values: &[Id],
        shape: Vec<Dim>,
        is_float: bool,
        of: impl Fn(&[f64]) -> f64,
    ) -> Option<Id> {
        if !is_square(&shape) {
            return None;
        }
        let mut columns = Vec::new();
        for &id in values {
            columns.push(match &self.values.get(id).kind {
                Kind::ByDistance { values, .. } => values.clone(),
                _ => vec![Scalar::of(self.values.fill(id)?); 2 * REACH - 1],
            });
        }
        let mut at = vec![0.0; columns.len()];
        let values = (0..2 * REACH - 1).map(|distance| {
            for (at, column) in at.iter_mut().zip(&columns) {
                *at = column[distance].value();
            }
            Scalar::of(of(&at))
        });
        let values = values.collect();
        Some(
            self.values
                .add(shape, Kind::ByDistance { values, is_float }),
        )
    }

    pub(super) fn of_distance(&mut self, operator: &str, x: Id) -> Option<Id> {
        let shape = self.values.shape(x).to_vec();
        let Kind::ByDistance { is_float, .. } = self.values.get(x).kind else {
            return None;
        };
        let of: fn(f64) -> f64 = match operator {
            "Neg" => |x| -x,
            "Abs" => f64::abs,
            "Log" if is_float => |x| f64::from((x as f32).ln()),
            _ => return None,
        };
        self.table(&[x], shape, is_float, |at| of(at[0]))
    }

    pub(super) fn extreme(&mut self, operator: &str, a: Id, b: Id) -> Option<Id> {
        self.joined(operator, a, b)
    }

    pub(super) fn compare(&mut self, operator: &str, a: Id, b: Id) -> Option<Id> {
        let shape = broadcast(self.values.shape(a), self.values.shape(b))?;
        let of: fn(f64, f64) -> bool = match operator {
            "Less" => |a, b| a < b,
            "LessOrEqual" => |a, b| a <= b,
            "Greater" => |a, b| a > b,
            _ => |a, b| a >= b,
        };
        let kinds = [a, b].map(|id| is_by_distance(&self.values.get(id).kind));
        if kinds.contains(&true) {
            return self.table(&[a, b], shape, false, |at| {
                f64::from(u8::from(of(at[0], at[1])))
            });
        }
        // No place comes before the first.
        let is_place = matches!(self.values.get(a).kind, Kind::Places { .. });
        let is_below = self.values.fill(b).is_some_and(|bound| bound <= 0.0);
        match operator {
            _ if !is_place || !is_below => None,
            "GreaterOrEqual" => Some(self.fill_of(shape, 1.0)),
            "Less" => Some(self.fill_of(shape, 0.0)),
            _ => None,
        }
    }

    /// Both of two conditions that are the same everywhere.
    pub(super) fn both(&mut self, a: Id, b: Id) -> Option<Id> {
        let shape = broadcast(self.values.shape(a), self.values.shape(b))?;
        let truth = self.values.fill(a)? != 0.0 && self.values.fill(b)? != 0.0;
        Some(self.fill_of(shape, f64::from(u8::from(truth))))
    }

    pub(super) fn choose_by_distance(&mut self, condition: Id, a: Id, b: Id) -> Option<Id> {
        let kind = |id| match self.values.get(id).kind {
            Kind::ByDistance { is_float, .. } => Some(is_float),
            _ => None,
        };
        kind(condition)?;
        let is_float = kind(a).or_else(|| kind(b))?;
        if kind(a).unwrap_or(is_float) != kind(b).unwrap_or(is_float) {
            return None;
        }
        let ab = broadcast(self.values.shape(a), self.values.shape(b))?;
        let shape = broadcast(self.values.shape(condition), &ab)?;
        self.table(&[condition, a, b], shape, is_float, |at| {
            if at[0] != 0.0 { at[1] } else { at[2] }
        })
    }

    /// Whole numbers of which nothing is known, beside each other.
    pub(super) fn concat_numbers(&mut self, parts: &[Id], node: &Node<'_>) -> Option<Id> {
        let first = self.values.shape(*parts.first()?).to_vec();
        // Lists are what shapes are made of.
        if first.len() < 2 {
            return None;
        }
        let axis = node.number("axis", 0);
        let axis = usize::try_from(if axis < 0 {
            axis + first.len() as i64
        } else {
            axis
        })
        .ok()?;
        let mut size = 0_i64;
        for &part in parts {
            let shape = self.values.shape(part);
            let Some(Dim::Known(known)) = shape.get(axis) else {
                return None;
            };
            size = size.checked_add(*known)?;
            let is_beside = shape.len() == first.len()
                && shape
                    .iter()
                    .zip(&first)
                    .enumerate()
                    .all(|(at, (a, b))| at == axis || a == b);
            if !is_beside || !self.is_numbers(part) {
                return None;
            }
        }
        let mut shape = first;
        shape[axis] = Dim::Known(size);
        Some(self.values.add(shape, Kind::Numbers))
    }

    /// A value that is the same everywhere, at any places.
    pub(super) fn gather_same(&mut self, data: Id, index: Id) -> Option<Id> {
        let value = self.values.fill(data)?;
        let mut shape = self.values.shape(index).to_vec();
        shape.extend_from_slice(self.values.shape(data).get(1..)?);
        self.is_numbers(index).then(|| self.fill_of(shape, value))
    }

    pub(super) fn gather_points(&mut self, data: Id, index: Id) -> Option<Id> {
        let value = self.values.fill(data)?;
        let (last, mut shape) = match self.values.shape(index) {
            [shape @ .., Dim::Known(last)] => (usize::try_from(*last).ok()?, shape.to_vec()),
            _ => return None,
        };
        shape.extend_from_slice(self.values.shape(data).get(last..)?);
        self.is_numbers(index).then(|| self.fill_of(shape, value))
    }

    pub(super) fn gather_elements(&mut self, data: Id, index: Id) -> Option<Id> {
        let value = self.values.fill(data)?;
        let shape = self.values.shape(index).to_vec();
        let fits = shape.len() == self.values.shape(data).len() && self.is_numbers(index);
        fits.then(|| self.fill_of(shape, value))
    }

    /// The bias of each pair of tokens: the row of a table that their distance chooses, a number for each head.
    pub(super) fn bias(
        &mut self,
        table: Weight,
        data: Id,
        index: Id,
        values: &[Scalar],
    ) -> Option<Id> {
        let &[Dim::Known(count), heads] = self.values.shape(data) else {
            return None;
        };
        let shape = self.values.shape(index).to_vec();
        let rows = values.iter().map(|value| value.value());
        let is_row = |row: f64| row.fract() == 0.0 && (0.0..count as f64).contains(&row);
        let rows = rows.map(|row| is_row(row).then_some(row as i64));
        let rows = rows.collect::<Option<_>>()?;
        if shape.len() != 2 || !is_square(&shape) || table.is_transposed {
            return None;
        }
        let shape = vec![Dim::Length, Dim::Length, heads];
        Some(self.values.add(
            shape,
            Kind::Bias {
                table,
                rows,
                is_turned: false,
            },
        ))
    }
}

fn is_by_distance(kind: &Kind) -> bool {
    matches!(kind, Kind::ByDistance { .. })
}

/// Tells whether a shape has an element for each pair of tokens, and no others.
fn is_square(shape: &[Dim]) -> bool {
    match shape {
        [before @ .., Dim::Length, Dim::Length] => before.iter().all(|&dim| dim == ONE),
        _ => false,
    }
}
