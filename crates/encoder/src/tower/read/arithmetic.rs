//! Operators on numbers, one by one or beside each other.

use super::value::{Axis, Data, Normalising, Scores, Stage, Value};
use super::{Reader, is_rows};
use crate::onnx::Node;
use crate::tower::constant::{Constant, Kind, shape_of_both};
use crate::tower::function::{Double, Function, Single};
use crate::tower::term::{Scalar, Term};

impl Reader<'_> {
    /// An operation on two constants.
    fn folded(&mut self, a: &Value, b: &Value, double: Double) -> Option<Option<Value>> {
        let (Value::Constant(a), Value::Constant(b)) = (a, b) else {
            return None;
        };
        let kind = if a.kind == Kind::Float || b.kind == Kind::Float {
            Kind::Float
        } else {
            Kind::Whole
        };
        let made = self.constants.map(kind, &[a, b], |of| {
            let made = double.of(of[0], of[1]);
            if kind == Kind::Whole {
                made.trunc()
            } else {
                made
            }
        });
        Some(made.map(Value::Constant))
    }

    /// The number that a constant is, which changes no shape beside `x`.
    fn number_beside(&self, number: &Value, x: &Value) -> Option<f64> {
        let number = number.constant()?;
        if number.dims.len() > x.dims().len() {
            return None;
        }
        self.constants.number(number)
    }

    /// A step of a function: of a matrix and a number, or of a matrix twice.
    fn function(&mut self, a: &Value, b: &Value, double: Double) -> Option<Value> {
        let (of, function) = match (a.data(), b.data()) {
            (Some(x), Some(y)) if x.is_view_of(y) => (x, x.function.double(double, &y.function)?),
            (Some(x), None) => {
                let number = Function::number(self.number_beside(b, a)?);
                (x, x.function.double(double, &number)?)
            }
            (None, Some(y)) => {
                let number = Function::number(self.number_beside(a, b)?);
                (y, number.double(double, &y.function)?)
            }
            _ => return None,
        };
        Some(
            Data {
                function,
                ..of.clone()
            }
            .into(),
        )
    }

    pub(super) fn single(&mut self, x: &Value, single: Single) -> Option<Value> {
        if let Value::Constant(constant) = x {
            if single != Single::Negative {
                return None;
            }
            return self
                .constants
                .map(constant.kind, &[constant], |of| -of[0])
                .map(Value::Constant);
        }
        let data = x.data()?;
        let function = data.function.single(single)?;
        Some(
            Data {
                function,
                ..data.clone()
            }
            .into(),
        )
    }

    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Option<Value> {
        if let Some(folded) = self.folded(a, b, Double::Add) {
            return folded;
        }
        if let Some(made) = self.function(a, b, Double::Add) {
            return Some(made);
        }
        if let (Some(x), Some(y)) = (a.data(), b.data()) {
            return self.sum(x, y);
        }
        self.added(a, b).or_else(|| self.added(b, a))
    }

    fn sum(&mut self, x: &Data, y: &Data) -> Option<Value> {
        let (x, y) = (self.settled(x)?, self.settled(y)?);
        let size = self.terms.size(x.of);
        let long = |data: &Data| -> Vec<Axis> {
            data.axes
                .iter()
                .copied()
                .filter(|axis| axis.size > 1)
                .collect()
        };
        if size != self.terms.size(y.of)
            || !x.is_matrix(size)
            || !y.is_matrix(size)
            || long(&x) != long(&y)
        {
            return None;
        }
        // The same rows in the same places, so that neither is repeated along an axis of the other.
        let dims = shape_of_both(&x.dims(), &y.dims())?;
        let longer = if x.axes.len() >= y.axes.len() { &x } else { &y };
        if longer.dims() != dims {
            return None;
        }
        let of = self
            .terms
            .add(Term::Sum(x.of, y.of), size.rows, size.columns);
        Some(longer.with_of(of).into())
    }

    fn added(&mut self, x: &Value, other: &Value) -> Option<Value> {
        let constant = other.constant()?;
        match x {
            Value::Data(data) => {
                let data = self.settled(data)?;
                let size = self.terms.size(data.of);
                let row = self.row_beside(constant, &data);
                if let Some(row) = row {
                    if let Term::Product {
                        x,
                        weight,
                        bias: None,
                    } = self.terms.get(data.of).clone()
                    {
                        let bias = Some(row);
                        let term = Term::Product { x, weight, bias };
                        let of = self.terms.add(term, size.rows, size.columns);
                        return Some(data.with_of(of).into());
                    }
                    let rows = row.with(vec![size.rows, size.columns], vec![0, row.strides[0]]);
                    return self.sum_with_rows(&data, rows);
                }
                // A row for each of its own.
                let dims = data.dims();
                if constant.kind != Kind::Float || !data.is_matrix(size) {
                    return None;
                }
                let fitted = constant.broadcast(&dims)?;
                let axis = data
                    .axes
                    .iter()
                    .position(|&axis| is_rows(axis, size.rows))?;
                let strides = vec![fitted.strides[axis], *fitted.strides.last()?];
                let rows = fitted.with(vec![size.rows, size.columns], strides);
                self.sum_with_rows(&data, rows)
            }
            Value::Scores(scores) => self.masked(scores, constant),
            Value::Place(..) => {
                let is_nought = self
                    .constants
                    .values(constant)?
                    .iter()
                    .all(|&value| value == 0.0);
                let dims = shape_of_both(&x.dims(), &constant.dims)?;
                (is_nought && dims == x.dims()).then(|| x.clone())
            }
            Value::Step(step) => self.step_plus(step, constant),
            _ => None,
        }
    }

    fn sum_with_rows(&mut self, data: &Data, rows: Constant) -> Option<Value> {
        let size = self.terms.size(data.of);
        let rows = self.terms.add(Term::Rows(rows), size.rows, size.columns);
        let of = self
            .terms
            .add(Term::Sum(data.of, rows), size.rows, size.columns);
        Some(data.with_of(of).into())
    }

    fn step_plus(&mut self, step: &Normalising, constant: &Constant) -> Option<Value> {
        match &step.stage {
            Stage::Variance => {
                let epsilon = Scalar::of(self.constants.number(constant)?);
                (constant.dims.len() <= step.dims.len()).then(|| step.at(Stage::Steady(epsilon)))
            }
            Stage::Weighted(epsilon, weight) => {
                let bias = self.row_beside(constant, &step.x)?;
                self.norm(&step.x, *epsilon, weight.clone(), bias)
            }
            _ => None,
        }
    }

    pub(super) fn subtract(&mut self, a: &Value, b: &Value) -> Option<Value> {
        if let Some(folded) = self.folded(a, b, Double::Subtract) {
            return folded;
        }
        if let (Value::Data(x), Value::Step(step)) = (a, b) {
            return (step.stage == Stage::Mean && step.is_of(x)).then(|| step.at(Stage::Centred));
        }
        self.function(a, b, Double::Subtract)
    }

    pub(super) fn multiply(&mut self, a: &Value, b: &Value) -> Option<Value> {
        if let Some(folded) = self.folded(a, b, Double::Multiply) {
            return folded;
        }
        if let Some(made) = self.function(a, b, Double::Multiply) {
            return Some(made);
        }
        self.multiplied(a, b).or_else(|| self.multiplied(b, a))
    }

    fn multiplied(&mut self, x: &Value, other: &Value) -> Option<Value> {
        match (x, other) {
            (Value::Scores(scores), _) => {
                let factor = self.number_beside(other, x)?;
                scores.times(factor)
            }
            (Value::Step(step), Value::Step(other)) if step.is_of(&other.x) => {
                match (&step.stage, &other.stage) {
                    (Stage::Centred, Stage::Centred) => Some(step.at(Stage::Squared)),
                    (Stage::Centred, Stage::Inverse(epsilon)) => {
                        Some(step.at(Stage::Unit(*epsilon)))
                    }
                    _ => None,
                }
            }
            (Value::Step(step), Value::Constant(constant)) => match step.stage {
                Stage::Unit(epsilon) => {
                    let weight = self.row_beside(constant, &step.x)?;
                    Some(step.at(Stage::Weighted(epsilon, weight)))
                }
                _ => None,
            },
            (Value::Data(data), Value::Constant(constant)) => {
                let data = self.settled(data)?;
                let row = self.row_beside(constant, &data)?;
                let size = self.terms.size(data.of);
                let of = self
                    .terms
                    .add(Term::Scaled(data.of, row), size.rows, size.columns);
                Some(data.with_of(of).into())
            }
            _ => None,
        }
    }

    pub(super) fn divide(&mut self, a: &Value, b: &Value) -> Option<Value> {
        if let Some(folded) = self.folded(a, b, Double::Divide) {
            return folded;
        }
        match (a, b) {
            (Value::Scores(scores), _) => scores.times(1.0 / self.number_beside(b, a)?),
            (Value::Step(x), Value::Step(by)) => match (&x.stage, &by.stage) {
                (Stage::Centred, Stage::Deviation(epsilon)) if x.is_of(&by.x) => {
                    Some(x.at(Stage::Unit(*epsilon)))
                }
                _ => None,
            },
            (Value::Constant(one), Value::Step(by)) => match by.stage {
                Stage::Deviation(epsilon) if self.constants.number(one) == Some(1.0) => {
                    (one.dims.len() <= by.dims.len()).then(|| by.at(Stage::Inverse(epsilon)))
                }
                _ => None,
            },
            (Value::Data(x), Value::Step(by)) => {
                let floor = match by.stage {
                    Stage::Length => Scalar::of(0.0),
                    Stage::LengthFrom(floor) => floor,
                    _ => return None,
                };
                if !by.is_of(x) {
                    return None;
                }
                let size = self.terms.size(x.of);
                let of = self
                    .terms
                    .add(Term::Unit { x: x.of, floor }, size.rows, size.columns);
                Some(x.with_of(of).into())
            }
            _ => self.function(a, b, Double::Divide),
        }
    }

    pub(super) fn power(&mut self, a: &Value, b: &Value) -> Option<Value> {
        if let Some(folded) = self.folded(a, b, Double::Power) {
            return folded;
        }
        let exponent = self.number_beside(b, a)?;
        match a {
            Value::Step(step) => match step.stage {
                Stage::Centred if exponent == 2.0 => Some(step.at(Stage::Squared)),
                Stage::Steady(epsilon) if exponent == 0.5 => {
                    Some(step.at(Stage::Deviation(epsilon)))
                }
                _ => None,
            },
            Value::Data(_) => self.function(a, b, Double::Power),
            _ => None,
        }
    }

    pub(super) fn root(&mut self, x: &Value) -> Option<Value> {
        match x {
            Value::Constant(constant) => self
                .constants
                .map(Kind::Float, &[constant], |of| of[0].sqrt())
                .map(Value::Constant),
            Value::Step(step) => match step.stage {
                Stage::Steady(epsilon) => Some(step.at(Stage::Deviation(epsilon))),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn reciprocal(&mut self, x: &Value) -> Option<Value> {
        match x {
            Value::Constant(constant) => self
                .constants
                .map(Kind::Float, &[constant], |of| 1.0 / of[0])
                .map(Value::Constant),
            Value::Step(step) => match step.stage {
                Stage::Deviation(epsilon) => Some(step.at(Stage::Inverse(epsilon))),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn most(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let (x, bound) = if a.constant().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        match (x, bound) {
            (Value::Constant(x), Value::Constant(bound)) => self
                .constants
                .map(x.kind, &[x, bound], |of| of[0].max(of[1]))
                .map(Value::Constant),
            (Value::Step(_), _) => self.at_least(x, bound),
            _ => None,
        }
    }

    /// The length of a row, or a bound where that is more.
    fn at_least(&mut self, x: &Value, bound: &Value) -> Option<Value> {
        let Value::Step(step) = x else {
            return None;
        };
        let floor = self.number_beside(bound, x)?;
        (step.stage == Stage::Length && floor >= 0.0)
            .then(|| step.at(Stage::LengthFrom(Scalar::of(floor))))
    }

    pub(super) fn clip(&mut self, x: &Value, inputs: &[Option<Value>]) -> Option<Value> {
        match inputs {
            [_, Some(least)] | [_, Some(least), None] => self.at_least(x, least),
            _ => None,
        }
    }

    pub(super) fn remainder(&mut self, a: &Value, b: &Value, node: &Node<'_>) -> Option<Value> {
        let (a, b) = (a.constant()?, b.constant()?);
        if node.number("fmod", 0) != 0 || a.kind != Kind::Whole || b.kind != Kind::Whole {
            return None;
        }
        let made = self.constants.map(Kind::Whole, &[a, b], |of| {
            // As whole numbers have it: of the sign of the divisor.
            of[0] - of[1] * (of[0] / of[1]).floor()
        });
        made.map(Value::Constant)
    }

    pub(super) fn compare(&mut self, operator: &str, a: &Value, b: &Value) -> Option<Value> {
        let (a, b) = (a.constant()?, b.constant()?);
        let made = self.constants.map(Kind::Whole, &[a, b], |of| {
            f64::from(u8::from(match operator {
                "Less" => of[0] < of[1],
                "LessOrEqual" => of[0] <= of[1],
                "Greater" => of[0] > of[1],
                "GreaterOrEqual" => of[0] >= of[1],
                "And" => of[0] != 0.0 && of[1] != 0.0,
                _ => of[0] != 0.0 || of[1] != 0.0,
            }))
        });
        made.map(Value::Constant)
    }

    pub(super) fn equal(&mut self, a: &Value, b: &Value) -> Option<Value> {
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => {
                let made = self.constants.map(Kind::Whole, &[a, b], |of| {
                    f64::from(u8::from(of[0] == of[1]))
                });
                made.map(Value::Constant)
            }
            (Value::Ids(dims), other) | (other, Value::Ids(dims)) => {
                let id = self.number_beside(other, &Value::Ids(dims.clone()))?;
                (id.fract() == 0.0).then(|| Value::IdsAre(dims.clone(), id as i64))
            }
            _ => None,
        }
    }

    pub(super) fn not(&mut self, x: &Value) -> Option<Value> {
        let made = self.constants.map(Kind::Whole, &[x.constant()?], |of| {
            f64::from(u8::from(of[0] == 0.0))
        });
        made.map(Value::Constant)
    }

    pub(super) fn choose(&mut self, condition: &Value, a: &Value, b: &Value) -> Option<Value> {
        if let (Value::Scores(nan), Value::Scores(shares)) = (condition, b) {
            // Shares of numbers are numbers.
            return nan.are_nan_of(shares).then(|| b.clone());
        }
        let condition = condition.constant()?;
        if let (Value::Constant(a), Value::Constant(b)) = (a, b) {
            let made = self.constants.map(a.kind, &[condition, a, b], |of| {
                if of[0] == 0.0 { of[2] } else { of[1] }
            });
            return made.map(Value::Constant);
        }
        if let (Value::Scores(scores), Value::Constant(low)) = (a, b) {
            // Scores that do not count, by their places.
            let low = self.constants.number(low)?;
            let mask = self.constants.map(Kind::Float, &[condition], |of| {
                if of[0] == 0.0 { low } else { 0.0 }
            })?;
            return self.masked(scores, &mask);
        }
        let is = self.constants.values(condition)?;
        let chosen = match is.first()? {
            _ if is.iter().any(|one| (*one == 0.0) != (is[0] == 0.0)) => return None,
            first if *first == 0.0 => b,
            _ => a,
        };
        let dims = shape_of_both(&condition.dims, &shape_of_both(&a.dims(), &b.dims())?)?;
        (chosen.dims() == dims).then(|| chosen.clone())
    }
}

impl Data {
    pub(super) fn with_of(&self, of: usize) -> Self {
        Self { of, ..self.clone() }
    }
}

impl Normalising {
    /// The next step of the same row. Steps for each element have the shape of the row, the others an axis of one.
    pub(super) fn at(&self, stage: Stage) -> Value {
        let mut dims = self.x.dims();
        let is_of_row = matches!(
            stage,
            Stage::Mean
                | Stage::Variance
                | Stage::Steady(_)
                | Stage::Deviation(_)
                | Stage::Inverse(_)
                | Stage::Length
                | Stage::LengthFrom(_)
        );
        if let (true, Some(last)) = (is_of_row, dims.last_mut()) {
            *last = 1;
        }
        let x = self.x.clone();
        Self { x, dims, stage }.into()
    }

    pub(super) fn is_of(&self, x: &Data) -> bool {
        self.x.is_view_of(x) && x.function.is_given()
    }
}

impl Scores {
    fn times(&self, factor: f64) -> Option<Value> {
        let is_open = self.stage == super::value::ScoreStage::Scores && !self.is_causal;
        let factor = self.factor * factor;
        (is_open && factor.is_finite() && factor > 0.0).then(|| {
            Self {
                factor,
                ..self.clone()
            }
            .into()
        })
    }
}
