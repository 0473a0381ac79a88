//! Functions of one number, as graphs spell them step by step.

use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Single {
    Erf,
    Tanh,
    Sigmoid,
    Negative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Double {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Double {
    pub(crate) fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => a.powf(b),
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Given,
    Number(f64),
    Single(Single, Rc<Step>),
    Double(Double, Rc<Step>, Rc<Step>),
}

/// A function of a number.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    step: Rc<Step>,
    /// Steps that it takes to compute it.
    size: usize,
}

/// The functions that an encoder has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    /// The number times a factor.
    Times(f64),
    Activation(Activation),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Activation {
    /// `x Φ(x)`
    Gelu,
    /// The same by the hyperbolic tangent.
    TanhGelu,
    /// `x sigmoid(1.702 x)`
    QuickGelu,
}

/// Most steps of a function: twice those of the longest spelling.
const STEPS_MAX: usize = 48;

impl Function {
    /// The number itself.
    pub(crate) fn given() -> Self {
        let step = Rc::new(Step::Given);
        Self { step, size: 1 }
    }

    pub(crate) fn number(value: f64) -> Self {
        let step = Rc::new(Step::Number(value));
        Self { step, size: 1 }
    }

    pub(crate) fn is_given(&self) -> bool {
        matches!(*self.step, Step::Given)
    }

    pub(crate) fn single(&self, single: Single) -> Option<Self> {
        let step = Step::Single(single, Rc::clone(&self.step));
        Self::sized(step, self.size + 1)
    }

    pub(crate) fn double(&self, double: Double, other: &Self) -> Option<Self> {
        let step = Step::Double(double, Rc::clone(&self.step), Rc::clone(&other.step));
        Self::sized(step, self.size + other.size + 1)
    }

    fn sized(step: Step, size: usize) -> Option<Self> {
        let step = Rc::new(step);
        (size <= STEPS_MAX).then_some(Self { step, size })
    }

    fn of(&self, x: f64) -> f64 {
        value(&self.step, x)
    }

    /// The known function that this one is: the one that it agrees with all over the numbers that layers hold.
    pub(crate) fn known(&self) -> Option<Known> {
        let factor = self.of(1.0);
        let choices = [
            Known::Times(factor),
            Known::Activation(Activation::Gelu),
            Known::Activation(Activation::TanhGelu),
            Known::Activation(Activation::QuickGelu),
        ];
        let is_same = |known: &Known| {
            let near = (-800..=800).map(|at| f64::from(at) * 0.0125 + 0.001);
            let far = [-1e4, -300.0, -50.0, 50.0, 300.0, 1e4];
            near.chain(far).all(|x| {
                let (found, expected) = (self.of(x), known.of(x));
                (found - expected).abs() <= 1e-6 * (1.0 + x.abs())
            })
        };
        choices.into_iter().find(is_same)
    }
}

impl Known {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::Times(factor) => factor * x,
            Self::Activation(Activation::Gelu) => {
                0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))
            }
            Self::Activation(Activation::TanhGelu) => {
                let root = (2.0 / std::f64::consts::PI).sqrt();
                0.5 * x * (1.0 + (root * (x + 0.044_715 * x * x * x)).tanh())
            }
            Self::Activation(Activation::QuickGelu) => x * sigmoid(1.702 * x),
        }
    }
}

fn value(step: &Step, x: f64) -> f64 {
    match step {
        Step::Given => x,
        Step::Number(number) => *number,
        Step::Single(single, of) => {
            let x = value(of, x);
            match single {
                Single::Erf => erf(x),
                Single::Tanh => x.tanh(),
                Single::Sigmoid => sigmoid(x),
                Single::Negative => -x,
            }
        }
        Step::Double(double, a, b) => double.of(value(a, x), value(b, x)),
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The error function by its series, and beyond five, where it is one to eleven digits, by one.
fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let x = x.clamp(-5.0, 5.0);
    let (mut term, mut sum) = (x, x);
    for n in 1..120 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}
