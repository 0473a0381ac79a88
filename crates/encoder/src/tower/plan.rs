//! The steps in which a tower computes its output, and its weights in the order in which they are read.

use std::collections::HashMap;

use pelorus_kernels::{BF16_ROUNDED_MAX, Panels};

use super::constant::{Constant, Constants};
use super::function::Activation;
use super::read::{Meaning, TowerInput};
use super::term::{Heads, Id, Part, Patches, Place, Row, Size, Term, Terms};
use crate::forward::product::Product;
use crate::tensor::KeptFloats;
use crate::{Precision, Refusal};

/// Most rows of a matrix of one input, and most of its values.
const ROWS_MAX: usize = 1 << 13;
const VALUES_MAX: usize = 1 << 26;
/// Most values of weights that are copied although no file has them.
const EXTRA_MAX: usize = 1 << 22;

/// A buffer of a pass.
pub(super) type Register = usize;

/// The rows that one input has in a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Fixed(usize),
    /// One for each token of a text that is computed.
    Tokens,
}

pub(super) struct Step {
    pub(super) make: Make,
    pub(super) count: Count,
    pub(super) columns: usize,
    pub(super) into: Register,
    /// Buffers that nothing needs after this step.
    pub(super) done: Vec<Register>,
}

pub(super) struct Columns {
    pub(super) from: Register,
    pub(super) first: usize,
    pub(super) stride: usize,
}

pub(super) enum Make {
    Patches(Patches),
    /// The row of a table for each id.
    Lookup {
        values: KeptFloats,
        rows: usize,
    },
    Rows(Vec<f32>),
    Product {
        from: Register,
        weights: Product,
    },
    Sum(Register, Register),
    SumRows(Register, Vec<f32>),
    Scaled(Register, Vec<f32>),
    Norm {
        from: Register,
        epsilon: f32,
        weight: Vec<f32>,
        bias: Vec<f32>,
    },
    Activation(Register, Activation),
    Context {
        q: Columns,
        k: Columns,
        v: Columns,
        heads: Heads,
        factor: f32,
        is_causal: bool,
    },
    Select(Register, Row),
    Stack(Vec<Register>),
    Mean(Register),
    Unit {
        from: Register,
        floor: f32,
    },
}

pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) output: Register,
    pub(super) dimensions: usize,
    /// The token that texts are read up to; none where all count, padding among them.
    pub(super) last: Option<Place>,
    /// The graph asks which tokens are padding: none of those that are computed may be.
    pub(super) has_mask: bool,
    /// Most rows of an input, whatever the matrix.
    pub(super) rows: usize,
}

/// The rows of a matrix that later ones are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    None,
    One(Row),
    All,
}

/// Checks a tower without its weights.
pub(super) fn check(meaning: &Meaning<'_>) -> Result<(), Refusal> {
    Planner::new(meaning).map(drop)
}

/// Plans a tower, with its weights in a precision.
pub(super) fn plan(
    meaning: &Meaning<'_>,
    input: TowerInput,
    precision: Precision,
) -> Result<Plan, Refusal> {
    let mut planner = Planner::new(meaning)?;
    for id in 0..planner.terms.len() {
        planner.emit(id, precision)?;
    }
    let output = planner.registers.get(&(meaning.output, None)).copied();
    let output = output.ok_or_else(|| Refusal::not_ours("nothing makes its output"))?;
    let mut steps = planner.steps;
    free(&mut steps, output);
    let rows = match input {
        TowerInput::Text { tokens, .. } => tokens,
        TowerInput::Picture { .. } => 1,
    };
    let fixed = steps.iter().map(|step| match step.count {
        Count::Fixed(count) => count,
        Count::Tokens => 1,
    });
    Ok(Plan {
        output,
        dimensions: meaning.terms.size(meaning.output).columns,
        last: planner.last,
        has_mask: meaning.has_mask,
        rows: fixed.max().unwrap_or(1).max(rows),
        steps,
    })
}

/// Notes after which step each buffer is free.
fn free(steps: &mut [Step], output: Register) {
    let mut last = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        for register in step.make.from() {
            last.insert(register, at);
        }
    }
    for (register, at) in last {
        if register != output {
            steps[at].done.push(register);
        }
    }
}

impl Make {
    pub(super) fn from(&self) -> Vec<Register> {
        match self {
            Self::Patches(_) | Self::Lookup { .. } | Self::Rows(_) => vec![],
            Self::Product { from, .. }
            | Self::SumRows(from, _)
            | Self::Scaled(from, _)
            | Self::Norm { from, .. }
            | Self::Activation(from, _)
            | Self::Select(from, _)
            | Self::Mean(from)
            | Self::Unit { from, .. } => vec![*from],
            Self::Sum(a, b) => vec![*a, *b],
            Self::Context { q, k, v, .. } => vec![q.from, k.from, v.from],
            Self::Stack(parts) => parts.clone(),
        }
    }
}

struct Planner<'m, 'a> {
    terms: &'m Terms,
    constants: &'m Constants<'a>,
    demands: Vec<Demand>,
    /// Matrices with a row for each token of a text.
    varies: Vec<bool>,
    last: Option<Place>,
    steps: Vec<Step>,
    /// Buffers of matrices, or of one row of them.
    registers: HashMap<(Id, Option<Row>), Register>,
    /// Values of weights that may still be copied.
    budget: usize,
}

impl<'m, 'a> Planner<'m, 'a> {
    fn new(meaning: &'m Meaning<'a>) -> Result<Self, Refusal> {
        let terms = &meaning.terms;
        let reached = reached(terms, meaning.output);
        let mut varies: Vec<bool> = Vec::with_capacity(terms.len());
        for (id, &is_reached) in reached.iter().enumerate() {
            let varying = match terms.get(id) {
                Term::Lookup(_) => true,
                Term::Select(..) | Term::Mean(_) => false,
                Term::Context { q, .. } => varies[q.of],
                other => other.inputs().iter().any(|&of| varies[of]),
            };
            let Size { rows, columns } = terms.size(id);
            let is_small = rows <= ROWS_MAX
                && rows
                    .checked_mul(columns)
                    .is_some_and(|all| all <= VALUES_MAX);
            if is_reached && (!is_small || columns == 0) {
                return Err(Refusal::not_ours("one of its matrices is too large"));
            }
            varies.push(varying);
        }
        let last = last_token(terms, &reached, &varies);
        if meaning.has_mask && last.is_none() {
            return Err(Refusal::not_ours(
                "its mask hides padding that it computes with",
            ));
        }
        let mut planner = Self {
            terms,
            constants: &meaning.constants,
            demands: vec![Demand::None; terms.len()],
            varies,
            last,
            steps: Vec::new(),
            registers: HashMap::new(),
            budget: meaning.constants.floats + EXTRA_MAX,
        };
        planner.demand(meaning.output);
        Ok(planner)
    }

    /// Finds out which rows of each matrix are needed.
    fn demand(&mut self, output: Id) {
        self.demands[output] = Demand::All;
        for id in (0..=output).rev() {
            let term = self.terms.get(id);
            let wanted = match (self.demands[id], term) {
                (Demand::None, _) => continue,
                (Demand::All, Term::Select(x, row)) => {
                    self.need(*x, Demand::One(*row));
                    continue;
                }
                (Demand::All, Term::Sum(a, b)) => {
                    // Rows that are the same for all are no matrix of their own.
                    for (x, other) in [(*a, *b), (*b, *a)] {
                        if !self.is_rows(x) || self.is_rows(other) {
                            self.need(x, Demand::All);
                        }
                    }
                    continue;
                }
                (wanted, _) => wanted,
            };
            if let (Demand::One(_), Term::Context { q, k, v, .. }) = (wanted, term) {
                self.need(q.of, wanted);
                self.need(k.of, Demand::All);
                self.need(v.of, Demand::All);
                continue;
            }
            for x in term.inputs() {
                self.need(x, wanted);
            }
        }
    }

    fn need(&mut self, id: Id, wanted: Demand) {
        let can_be_one = match self.terms.get(id) {
            Term::Product { .. }
            | Term::Sum(..)
            | Term::Scaled(..)
            | Term::Norm { .. }
            | Term::Activation(..)
            | Term::Unit { .. } => true,
            // The last token sees all before it.
            Term::Context { is_causal, .. } => {
                !is_causal
                    || matches!(wanted, Demand::One(Row::Of(place)) if self.last == Some(place))
            }
            _ => false,
        };
        let wanted = match self.demands[id] {
            _ if !can_be_one || self.terms.size(id).rows == 1 => Demand::All,
            Demand::None => wanted,
            before if before == wanted => wanted,
            _ => Demand::All,
        };
        self.demands[id] = wanted;
    }

    fn is_rows(&self, id: Id) -> bool {
        matches!(self.terms.get(id), Term::Rows(_))
    }

    fn emit(&mut self, id: Id, precision: Precision) -> Result<(), Refusal> {
        let row = match self.demands[id] {
            Demand::None => return Ok(()),
            Demand::One(row) => Some(row),
            Demand::All => None,
        };
        let term = self.terms.get(id).clone();
        let columns = self.terms.size(id).columns;
        let make = match term {
            Term::Select(x, row) => {
                let register = self.of(x, Some(row))?;
                self.registers.insert((id, None), register);
                return Ok(());
            }
            Term::Patches(patches) => Make::Patches(patches),
            Term::Lookup(table) => self.table(&table)?,
            Term::Rows(rows) => Make::Rows(self.values(&rows)?),
            Term::Product { x, weight, bias } => Make::Product {
                from: self.of(x, row)?,
                weights: self.product(&weight, bias.as_ref(), precision)?,
            },
            Term::Sum(a, b) => match (self.terms.get(a), self.terms.get(b)) {
                (Term::Rows(_), Term::Rows(_)) => Make::Sum(self.of(a, row)?, self.of(b, row)?),
                (_, Term::Rows(rows)) if row.is_none() => {
                    Make::SumRows(self.of(a, None)?, self.values(&rows.clone())?)
                }
                (Term::Rows(rows), _) if row.is_none() => {
                    Make::SumRows(self.of(b, None)?, self.values(&rows.clone())?)
                }
                _ => Make::Sum(self.of(a, row)?, self.of(b, row)?),
            },
            Term::Scaled(x, factors) => Make::Scaled(self.of(x, row)?, self.row(&factors)?),
            Term::Norm {
                x,
                epsilon,
                weight,
                bias,
            } => Make::Norm {
                from: self.of(x, row)?,
                epsilon: epsilon.value() as f32,
                weight: self.row(&weight)?,
                bias: self.row(&bias)?,
            },
            Term::Activation(x, activation) => Make::Activation(self.of(x, row)?, activation),
            Term::Context {
                q,
                k,
                v,
                heads,
                factor,
                is_causal,
            } => {
                let mut part = |part: Part, row| -> Result<Columns, Refusal> {
                    Ok(Columns {
                        from: self.of(part.of, row)?,
                        first: part.first,
                        stride: part.stride,
                    })
                };
                Make::Context {
                    q: part(q, row)?,
                    k: part(k, None)?,
                    v: part(v, None)?,
                    heads,
                    factor: factor.value() as f32,
                    is_causal: is_causal && row.is_none(),
                }
            }
            Term::Stack(parts) => {
                let parts = parts.into_iter().map(|part| self.of(part, None));
                Make::Stack(parts.collect::<Result<_, _>>()?)
            }
            Term::Mean(x) => Make::Mean(self.of(x, None)?),
            Term::Unit { x, floor } => Make::Unit {
                from: self.of(x, row)?,
                floor: floor.value() as f32,
            },
        };
        let count = match row {
            Some(_) => Count::Fixed(1),
            None => self.count(id),
        };
        self.step(make, count, columns, (id, row));
        Ok(())
    }

    fn step(
        &mut self,
        make: Make,
        count: Count,
        columns: usize,
        of: (Id, Option<Row>),
    ) -> Register {
        let into = self.steps.len();
        self.steps.push(Step {
            make,
            count,
            columns,
            into,
            done: Vec::new(),
        });
        self.registers.insert(of, into);
        into
    }

    fn count(&self, id: Id) -> Count {
        if self.varies[id] {
            Count::Tokens
        } else {
            Count::Fixed(self.terms.size(id).rows)
        }
    }

    /// The buffer of a matrix, or of one row of it.
    fn of(&mut self, id: Id, row: Option<Row>) -> Result<Register, Refusal> {
        // A matrix of one row is that row.
        let row = if self.terms.size(id).rows == 1 {
            None
        } else {
            row
        };
        if let Some(&register) = self.registers.get(&(id, row)) {
            return Ok(register);
        }
        let missing = || Refusal::not_ours("a matrix of it is not computed in time");
        let whole = self
            .registers
            .get(&(id, None))
            .copied()
            .ok_or_else(missing)?;
        let row = row.ok_or_else(missing)?;
        let columns = self.terms.size(id).columns;
        Ok(self.step(
            Make::Select(whole, row),
            Count::Fixed(1),
            columns,
            (id, Some(row)),
        ))
    }

    fn table(&mut self, table: &Constant) -> Result<Make, Refusal> {
        self.spend(table.len())?;
        let kept = self.constants.kept(table);
        let kept = kept.ok_or_else(|| Refusal::not_ours("a table of embeddings is no tensor"))?;
        Ok(Make::Lookup {
            values: kept?,
            rows: table.dims[0],
        })
    }

    fn spend(&mut self, values: usize) -> Result<(), Refusal> {
        let left = self.budget.checked_sub(values);
        self.budget =
            left.ok_or_else(|| Refusal::not_ours("its graph uses its weights too often"))?;
        Ok(())
    }

    fn values(&mut self, matrix: &Constant) -> Result<Vec<f32>, Refusal> {
        self.spend(matrix.len())?;
        let values = self.constants.rows(matrix);
        let values =
            values.ok_or_else(|| Refusal::damaged("its weights end before they should"))?;
        numbers(&values, Precision::F32)?;
        Ok(values)
    }

    fn row(&mut self, row: &Constant) -> Result<Vec<f32>, Refusal> {
        self.values(row)
    }

    fn product(
        &mut self,
        weight: &Constant,
        bias: Option<&Constant>,
        precision: Precision,
    ) -> Result<Product, Refusal> {
        let (depth, columns) = (weight.dims[0], weight.dims[1]);
        self.spend(depth.saturating_mul(columns))?;
        let ended = || Refusal::damaged("its weights end before they should");
        let mut panels = Panels::new(depth, columns).ok_or_else(Refusal::no_memory)?;
        let mut line = Vec::new();
        // Lines are read in the order in which they lie.
        if weight.strides[1] <= weight.strides[0] {
            for at in 0..depth {
                self.constants
                    .line(weight, 0, at, &mut line)
                    .ok_or_else(ended)?;
                numbers(&line, precision)?;
                panels.set_row(at, 0, &line);
            }
        } else {
            for at in 0..columns {
                self.constants
                    .line(weight, 1, at, &mut line)
                    .ok_or_else(ended)?;
                numbers(&line, precision)?;
                panels.set_column(at, &line);
            }
        }
        if let Some(bias) = bias {
            panels.set_first(0, &self.values(bias)?);
        }
        Product::of(panels, precision)
    }
}

/// Checks values that are kept in a precision.
fn numbers(values: &[f32], precision: Precision) -> Result<(), Refusal> {
    let most = match precision {
        Precision::Bf16 => BF16_ROUNDED_MAX,
        Precision::F32 | Precision::Int8 => f32::MAX,
    };
    // Several at once.
    if values
        .iter()
        .fold(true, |fit, value| fit & (value.abs() <= most))
    {
        return Ok(());
    }
    if values.iter().all(|value| value.is_finite()) {
        return Err(Refusal::not_ours(format!(
            "its weights hold a value that is too large for {precision}"
        )));
    }
    Err(Refusal::damaged(
        "its weights hold a value that is no number",
    ))
}

fn reached(terms: &Terms, output: Id) -> Vec<bool> {
    let mut reached = vec![false; terms.len()];
    reached[output] = true;
    for id in (0..=output).rev().filter(|&id| id < terms.len()) {
        if reached[id] {
            for of in terms.get(id).inputs() {
                reached[of] = true;
            }
        }
    }
    reached
}

/// The token after which nothing of a text counts: where each token sees only those before it, and one is taken.
fn last_token(terms: &Terms, reached: &[bool], varies: &[bool]) -> Option<Place> {
    let mut last = None;
    for id in (0..terms.len()).filter(|&id| reached[id]) {
        let is_ordered = match terms.get(id) {
            Term::Context {
                q, k, v, is_causal, ..
            } if varies[k.of] || varies[v.of] => {
                *is_causal && [q, k, v].iter().all(|part| varies[part.of])
            }
            Term::Select(_, Row::Of(place)) => *last.get_or_insert(*place) == *place,
            Term::Select(x, Row::At(_)) => !varies[*x],
            Term::Mean(x) => !varies[*x],
            // Rows of weights end where the tokens do; other matrices have all of theirs.
            Term::Sum(a, b) => [(a, b), (b, a)].into_iter().all(|(x, other)| {
                varies[*x] || !varies[*other] || matches!(terms.get(*x), Term::Rows(_))
            }),
            Term::Stack(parts) => parts.iter().all(|part| !varies[*part]),
            _ => true,
        };
        if !is_ordered {
            return None;
        }
    }
    last
}
