//! Operators of attention, products with weights, and the patches of a picture.

use super::value::{Axis, Data, ScoreStage, Scores, Value};
use super::{Reader, flag, is_rows};
use crate::onnx::{Attribute, Node};
use crate::tower::constant::{Constant, Kind};
use crate::tower::function::{Function, Known};
use crate::tower::term::{Heads, Part, Patches, Scalar, Term};

/// Masks are added to scores. One that is lower leaves nothing of a share.
const LOW: f64 = -1e4;

impl Reader<'_> {
    pub(super) fn product(&mut self, a: &Value, b: &Value) -> Option<Value> {
        match (a, b) {
            (Value::Data(x), Value::Constant(weight)) => self.weighted(x, weight, None),
            // Rows that are the same for every input, times weights.
            (Value::Constant(rows), Value::Constant(weight)) => {
                let data = self.given_rows(rows)?;
                self.weighted(&data, weight, None)
            }
            (Value::Data(q), Value::Data(k)) => self.scores(q, k),
            (Value::Scores(shares), Value::Data(v)) => self.context(shares, v),
            _ => None,
        }
    }

    fn given_rows(&mut self, rows: &Constant) -> Option<Data> {
        let (&columns, outer) = rows.dims.split_last()?;
        let long: Vec<usize> = (0..outer.len()).filter(|&at| outer[at] > 1).collect();
        let (count, stride) = match long.as_slice() {
            [] => (1, 0),
            &[axis] => (outer[axis], rows.strides[axis]),
            _ => return None,
        };
        if rows.kind != Kind::Float || count > 1 << 12 {
            return None;
        }
        let mut axes: Vec<Axis> = outer.iter().map(|&size| Axis::rows(size)).collect();
        axes.push(Axis::columns(columns, 1));
        let matrix = rows.with(vec![count, columns], vec![stride, *rows.strides.last()?]);
        let of = self.terms.add(Term::Rows(matrix), count, columns);
        Some(Data::new(of, axes))
    }

    /// The product of all columns with a matrix of weights.
    fn weighted(&mut self, x: &Data, weight: &Constant, bias: Option<Constant>) -> Option<Value> {
        let x = self.settled(x)?;
        let size = self.terms.size(x.of);
        let &[depth, columns] = weight.dims.as_slice() else {
            return None;
        };
        if !x.is_matrix(size) || depth != size.columns || weight.kind != Kind::Float {
            return None;
        }
        let weight = weight.clone();
        let term = Term::Product {
            x: x.of,
            weight,
            bias,
        };
        let of = self.terms.add(term, size.rows, columns);
        let mut axes = x.axes.clone();
        *axes.last_mut()? = Axis::columns(columns, 1);
        Some(Data::new(of, axes).into())
    }

    pub(super) fn gemm(
        &mut self,
        a: &Value,
        b: &Value,
        bias: &[&Value],
        node: &Node<'_>,
    ) -> Option<Value> {
        let is_one = |name| match node.attribute(name) {
            None => true,
            Some(Attribute::Float(factor)) => *factor == 1.0,
            Some(_) => false,
        };
        let weight = b.constant()?;
        let &[_, _] = weight.dims.as_slice() else {
            return None;
        };
        if !is_one("alpha")
            || !is_one("beta")
            || flag(node, "transA", false)?
            || a.dims().len() != 2
        {
            return None;
        }
        let weight = if flag(node, "transB", false)? {
            let turned = |of: &[usize]| vec![of[1], of[0]];
            weight.with(turned(&weight.dims), turned(&weight.strides))
        } else {
            weight.clone()
        };
        let bias = match bias {
            [] => None,
            [row] => {
                let row = row.constant()?;
                let is_row = row.kind == Kind::Float && row.dims == [weight.dims[1]];
                Some(is_row.then(|| row.clone())?)
            }
            _ => return None,
        };
        match a {
            Value::Data(x) => self.weighted(x, &weight, bias),
            Value::Constant(rows) => {
                let data = self.given_rows(rows)?;
                self.weighted(&data, &weight, bias)
            }
            _ => None,
        }
    }

    /// A value without its factor, and that.
    fn factored(&self, data: &Data) -> Option<(Data, f64)> {
        let plain = Data {
            function: Function::given(),
            ..data.clone()
        };
        match data.function.known() {
            _ if data.function.is_given() => Some((plain, 1.0)),
            Some(Known::Times(factor)) => Some((plain, factor)),
            _ => None,
        }
    }

    /// The heads that a value is divided among: before the last two axes there is one at most.
    fn heads(&self, data: &Data, rows: Axis, columns: Axis) -> Option<(Part, Heads)> {
        let (_, outer) = data
            .axes
            .split_last_chunk::<2>()
            .map(|(outer, last)| (last, outer))?;
        let mut long = outer.iter().filter(|axis| axis.size > 1);
        let head = long.next().copied().unwrap_or(Axis::columns(1, 1));
        let count = head.size;
        let size = columns.size;
        let stride = if count == 1 { size } else { head.stride };
        let is_head = count == 1 || head == Axis::columns(count, stride);
        let whole = self.terms.size(data.of);
        let end = data.first + (count - 1) * stride + size;
        let fits = is_rows(rows, whole.rows)
            && columns == Axis::columns(size, 1)
            && end <= whole.columns
            && stride >= size;
        let part = Part {
            of: data.of,
            first: data.first,
            stride,
        };
        (is_head && fits && long.next().is_none()).then_some((part, Heads { count, size }))
    }

    fn scores(&mut self, q: &Data, k: &Data) -> Option<Value> {
        let ((q, of_q), (k, of_k)) = (self.factored(q)?, self.factored(k)?);
        let (&[rows, size], &[depth, columns]) =
            (q.axes.last_chunk::<2>()?, k.axes.last_chunk::<2>()?);
        let (q_part, heads) = self.heads(&q, rows, size)?;
        let (k_part, other) = self.heads(&k, columns, depth)?;
        let factor = of_q * of_k;
        let is_same = heads == other && q.axes.len() == k.axes.len();
        if !is_same || !factor.is_finite() || factor <= 0.0 {
            return None;
        }
        let mut dims = q.dims();
        *dims.last_mut()? = columns.size;
        Some(
            Scores {
                q: q_part,
                k: k_part,
                heads,
                factor,
                is_causal: false,
                dims,
                stage: ScoreStage::Scores,
            }
            .into(),
        )
    }

    /// Scores with a mask added: one of noughts, or one that hides from each token those after it.
    pub(super) fn masked(&mut self, scores: &Scores, mask: &Constant) -> Option<Value> {
        if scores.stage != ScoreStage::Scores {
            return None;
        }
        let mask = mask.broadcast(&scores.dims)?;
        let &[.., rows, columns] = scores.dims.as_slice() else {
            return None;
        };
        // Axes along which it is repeated need not be looked at again.
        let mut looked_at = mask.clone();
        for axis in 0..mask.dims.len() - 2 {
            if mask.strides[axis] == 0 {
                looked_at = looked_at.part(axis, 0, 1);
            }
        }
        let values = self.constants.values(&looked_at)?;
        if values.iter().all(|&value| value == 0.0) {
            return Some(scores.clone().into());
        }
        let is_causal = rows == columns
            && values.iter().enumerate().all(|(at, &value)| {
                let (row, column) = (at / columns % rows, at % columns);
                if column > row {
                    value <= LOW
                } else {
                    value == 0.0
                }
            });
        is_causal.then(|| {
            Scores {
                is_causal: true,
                ..scores.clone()
            }
            .into()
        })
    }

    /// Tells whether the axes of scores are those of heads, rows and columns.
    fn is_in_order(&self, scores: &Scores) -> bool {
        let (rows, columns) = (
            self.terms.size(scores.q.of).rows,
            self.terms.size(scores.k.of).rows,
        );
        let Some((&[found_rows, found_columns], outer)) = scores
            .dims
            .split_last_chunk::<2>()
            .map(|(outer, last)| (last, outer))
        else {
            return false;
        };
        let heads: usize = outer.iter().product();
        (found_rows, found_columns, heads) == (rows, columns, scores.heads.count)
    }

    pub(super) fn softmax(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let Value::Scores(scores) = x else {
            return None;
        };
        // Before version 13 it was another axis that went without saying.
        if node.attribute("axis").is_none() && self.operators < 13 {
            return None;
        }
        let axis = node.number("axis", -1);
        let is_last = axis == -1 || axis + 1 == scores.dims.len() as i64;
        let is_open = scores.stage == ScoreStage::Scores && self.is_in_order(scores);
        (is_last && is_open).then(|| {
            Scores {
                stage: ScoreStage::Shares,
                ..(**scores).clone()
            }
            .into()
        })
    }

    pub(super) fn is_nan(&mut self, x: &Value) -> Option<Value> {
        let Value::Scores(scores) = x else {
            return None;
        };
        (scores.stage == ScoreStage::Shares).then(|| {
            Scores {
                stage: ScoreStage::AreNan,
                ..(**scores).clone()
            }
            .into()
        })
    }

    fn context(&mut self, shares: &Scores, v: &Data) -> Option<Value> {
        let v = self.settled(v)?;
        let &[rows, size] = v.axes.last_chunk::<2>()?;
        let (v_part, heads) = self.heads(&v, rows, size)?;
        let in_order = shares.stage == ScoreStage::Shares && self.is_in_order(shares);
        if !in_order || heads.count != shares.heads.count || v.axes.len() != shares.dims.len() {
            return None;
        }
        if self.terms.size(v.of).rows != self.terms.size(shares.k.of).rows {
            return None;
        }
        // Values of another size than keys, which no tower has.
        if heads != shares.heads {
            return None;
        }
        let queries = self.terms.size(shares.q.of).rows;
        let term = Term::Context {
            q: shares.q,
            k: shares.k,
            v: v_part,
            heads,
            factor: Scalar::of(shares.factor),
            is_causal: shares.is_causal,
        };
        let of = self.terms.add(term, queries, heads.count * heads.size);
        let outer = shares.dims[..shares.dims.len() - 2].iter();
        let mut axes: Vec<Axis> = outer.map(|&size| Axis::columns(size, heads.size)).collect();
        axes.push(Axis::rows(queries));
        axes.push(Axis::columns(heads.size, 1));
        Some(Data::new(of, axes).into())
    }

    /// A convolution whose windows lie side by side: a product of the patches of a picture.
    pub(super) fn patches(
        &mut self,
        x: &Value,
        weight: &Value,
        bias: &[&Value],
        node: &Node<'_>,
    ) -> Option<Value> {
        let (Value::Picture(dims), Value::Constant(weight)) = (x, weight) else {
            return None;
        };
        let (&[1, channels, height, width], &[columns, depth, rows, across]) =
            (dims.as_slice(), weight.dims.as_slice())
        else {
            return None;
        };
        let all = |name: &str, expected: &[usize]| match node.attribute(name) {
            Some(Attribute::Numbers(list)) => list
                .iter()
                .map(|&value| usize::try_from(value))
                .eq(expected.iter().map(|&value| Ok(value))),
            None => expected
                .iter()
                .all(|&value| value == usize::from(name != "pads")),
            Some(_) => false,
        };
        let is_plain = all("strides", &[rows, across])
            && all("pads", &[0; 4])
            && all("dilations", &[1; 2])
            && node
                .attribute("kernel_shape")
                .is_none_or(|_| all("kernel_shape", &[rows, across]))
            && node.number("group", 1) == 1
            && matches!(
                node.attribute("auto_pad"),
                None | Some(Attribute::Text("NOTSET" | "VALID"))
            );
        let is_sound =
            depth == channels && rows <= height && across <= width && rows * across * columns > 0;
        if !is_plain || !is_sound || weight.kind != Kind::Float {
            return None;
        }
        let patches = Patches {
            channels,
            picture: [height, width],
            patch: [rows, across],
        };
        let [down, beside] = patches.grid();
        let values = patches.values();
        let x = self
            .terms
            .add(Term::Patches(patches), down * beside, values);
        let matrix = self.constants.reshape(weight, vec![columns, values])?;
        let turned = |of: &[usize]| vec![of[1], of[0]];
        let weight = matrix.with(turned(&matrix.dims), turned(&matrix.strides));
        let bias = match bias {
            [] => None,
            [row] => {
                let row = row.constant()?;
                Some((row.dims == [columns]).then(|| row.clone())?)
            }
            _ => return None,
        };
        let term = Term::Product { x, weight, bias };
        let of = self.terms.add(term, down * beside, columns);
        let along_rows = |size, stride| Axis {
            size,
            stride,
            ..Axis::rows(2)
        };
        let plain = |axis: Axis| if axis.size == 1 { Axis::ONE } else { axis };
        let axes = vec![
            Axis::ONE,
            Axis::columns(columns, 1),
            plain(along_rows(down, beside)),
            plain(along_rows(beside, 1)),
        ];
        Some(Data::new(of, axes).into())
    }
}

impl Scores {
    /// Tells whether these say of `shares` which of them are no numbers.
    pub(super) fn are_nan_of(&self, shares: &Self) -> bool {
        self.stage == ScoreStage::AreNan
            && shares.stage == ScoreStage::Shares
            && (
                self.q,
                self.k,
                self.heads,
                self.is_causal,
                self.factor.to_bits(),
                &self.dims,
            ) == (
                shares.q,
                shares.k,
                shares.heads,
                shares.is_causal,
                shares.factor.to_bits(),
                &shares.dims,
            )
    }
}
