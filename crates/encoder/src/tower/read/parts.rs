//! Operators that choose parts of a value, and put parts together.

use super::shapes::axis_of;
use super::value::{Along, Axis, Data, Value};
use super::{Reader, flag, is_rows};
use crate::onnx::{Attribute, Node};
use crate::tower::constant::{Constant, Kind};
use crate::tower::term::{Place, Row, Term};

impl Reader<'_> {
    pub(super) fn concat(&mut self, parts: &[&Value], node: &Node<'_>) -> Option<Value> {
        let dims = parts.first()?.dims();
        let axis = axis_of(node.number("axis", 0), dims.len())?;
        let fits = |part: &&Value| {
            let other = part.dims();
            other.len() == dims.len()
                && (0..dims.len()).all(|at| at == axis || other[at] == dims[at])
        };
        if !parts.iter().all(fits) {
            return None;
        }
        if let &[x] = parts {
            return Some(x.clone());
        }
        if let Some(constants) = parts
            .iter()
            .map(|part| part.constant())
            .collect::<Option<Vec<_>>>()
        {
            return self.joined(&constants, axis).map(Value::Constant);
        }
        if let &[noughts, &Value::Place(ref dims, place, before)] = parts {
            // The way to one row among those of one text: nought, and its place.
            let constant = noughts.constant()?;
            let is_nought = self
                .constants
                .values(constant)?
                .iter()
                .all(|&value| value == 0.0);
            let more = *constant.dims.last()?;
            let is_last = axis + 1 == dims.len();
            let mut dims = dims.clone();
            *dims.last_mut()? += more;
            return (is_nought && is_last && more == 1).then_some(Value::Place(
                dims,
                place,
                before + more,
            ));
        }
        self.stacked(parts, axis)
    }

    /// Rows of some matrices after each other.
    fn stacked(&mut self, parts: &[&Value], axis: usize) -> Option<Value> {
        let (mut stacked, mut count, mut columns) = (Vec::new(), 0, None);
        let mut axes = None;
        for part in parts {
            let (of, rows, wide) = if let Some(constant) = part.constant() {
                let wide = *constant.dims.last()?;
                let is_rows =
                    (0..constant.dims.len() - 1).all(|at| at == axis || constant.dims[at] == 1);
                if constant.kind != Kind::Float || !is_rows || axis + 1 >= constant.dims.len() {
                    return None;
                }
                let rows = constant.dims[axis];
                let strides = vec![constant.strides[axis], *constant.strides.last()?];
                let matrix = constant.with(vec![rows, wide], strides);
                (self.terms.add(Term::Rows(matrix), rows, wide), rows, wide)
            } else {
                let data = self.matrix(part)?;
                let size = self.terms.size(data.of);
                if !is_rows(data.axes[axis], size.rows) || axis + 1 >= data.axes.len() {
                    return None;
                }
                axes = Some(data.axes.clone());
                (data.of, size.rows, size.columns)
            };
            if columns.is_some_and(|columns| columns != wide) {
                return None;
            }
            columns = Some(wide);
            stacked.push(of);
            count += rows;
        }
        let mut axes = axes?;
        axes[axis] = Axis::rows(count);
        let of = self.terms.add(Term::Stack(stacked), count, columns?);
        Some(Data::new(of, axes).into())
    }

    fn joined(&mut self, parts: &[&Constant], axis: usize) -> Option<Constant> {
        let first = parts.first()?;
        let inner: usize = first.dims[axis + 1..].iter().product();
        let outer: usize = first.dims[..axis].iter().product();
        let values: Vec<Vec<f64>> = parts
            .iter()
            .map(|part| self.constants.values(part))
            .collect::<Option<_>>()?;
        let mut joined = Vec::new();
        for at in 0..outer {
            for (part, values) in parts.iter().zip(&values) {
                let count = part.dims[axis] * inner;
                joined.extend_from_slice(values.get(at * count..(at + 1) * count)?);
            }
        }
        let mut dims = first.dims.clone();
        dims[axis] = parts.iter().map(|part| part.dims[axis]).sum();
        let is_float = parts.iter().all(|part| part.kind == Kind::Float);
        self.constants.make(
            if is_float { Kind::Float } else { Kind::Whole },
            dims,
            joined,
        )
    }

    pub(super) fn slice(&mut self, x: &Value, bounds: &[&Value]) -> Option<Value> {
        let (&[starts, ends], rest) = bounds.split_first_chunk::<2>()?;
        let (starts, ends) = (self.whole(starts)?, self.whole(ends)?);
        let dims = x.dims();
        let axes = match rest {
            [] => (0..starts.len() as i64).collect(),
            [axes, ..] => self.whole(axes)?,
        };
        if let [_, steps, ..] = rest
            && !self.whole(steps)?.iter().all(|&step| step == 1)
        {
            return None;
        }
        if starts.len() != ends.len() || starts.len() != axes.len() {
            return None;
        }
        let mut sliced = x.clone();
        for ((start, end), axis) in starts.into_iter().zip(ends).zip(axes) {
            let axis = axis_of(axis, dims.len())?;
            let size = i64::try_from(dims[axis]).ok()?;
            let bound =
                |at: i64| if at < 0 { at.saturating_add(size) } else { at }.clamp(0, size) as usize;
            let (start, end) = (bound(start), bound(end));
            sliced = self.part(&sliced, axis, start, end.checked_sub(start)?)?;
        }
        Some(sliced)
    }

    /// A part of a value along one axis.
    fn part(&mut self, x: &Value, axis: usize, start: usize, count: usize) -> Option<Value> {
        if start == 0 && x.dims()[axis] == count {
            return Some(x.clone());
        }
        match x {
            Value::Constant(constant) => Some(Value::Constant(constant.part(axis, start, count))),
            Value::Data(data) if count > 0 => {
                let mut part = (**data).clone();
                let Axis { along, stride, .. } = part.axes[axis];
                match along {
                    Along::Columns => {
                        part.first += start * stride;
                        part.axes[axis] = Axis::columns(count, stride);
                        Some(part.into())
                    }
                    Along::Rows if count == 1 => self.row(&part, axis, Row::At(start)),
                    Along::Rows => None,
                }
            }
            _ => None,
        }
    }

    /// One row of a matrix, its axis left as one.
    fn row(&mut self, data: &Data, axis: usize, row: Row) -> Option<Value> {
        let data = self.settled(data)?;
        let size = self.terms.size(data.of);
        let is_of_text = matches!(row, Row::At(_)) || size.rows == self.tokens;
        if !is_of_text || !is_rows(data.axes[axis], size.rows) {
            return None;
        }
        let of = self.terms.add(Term::Select(data.of, row), 1, size.columns);
        let mut axes = data.axes.clone();
        axes[axis] = Axis::ONE;
        Some(Data { of, axes, ..data }.into())
    }

    pub(super) fn split(
        &mut self,
        x: &Value,
        sizes: &[&Value],
        node: &Node<'_>,
    ) -> Option<Vec<Value>> {
        let dims = x.dims();
        let axis = axis_of(node.number("axis", 0), dims.len())?;
        let sizes: Vec<i64> = match (sizes, node.attribute("split")) {
            (&[sizes], None) => self.whole(sizes)?,
            ([], Some(Attribute::Numbers(list))) => list.clone(),
            ([], None) => {
                let count = node.outputs.len();
                if count == 0 || !dims[axis].is_multiple_of(count) {
                    return None;
                }
                vec![i64::try_from(dims[axis] / count).ok()?; count]
            }
            _ => return None,
        };
        let (mut parts, mut start) = (Vec::new(), 0);
        for size in sizes {
            let size = usize::try_from(size).ok()?;
            if start + size > dims[axis] {
                return None;
            }
            parts.push(self.part(x, axis, start, size)?);
            start += size;
        }
        (start == dims[axis] && parts.len() == node.outputs.len()).then_some(parts)
    }

    pub(super) fn gather(&mut self, data: &Value, index: &Value, axis: i64) -> Option<Value> {
        let dims = data.dims();
        let axis = axis_of(axis, dims.len())?;
        if let Value::Place(place_dims, place, 0) = index {
            // A row of a text, by its place.
            if place_dims.iter().product::<usize>() != 1 {
                return None;
            }
            let row = self.row(data.data()?, axis, Row::Of(*place))?;
            return self.with_axis(&row, axis, place_dims);
        }
        match (data, index) {
            (Value::Constant(table), Value::Ids(ids)) => self.lookup(table, ids, axis),
            (_, Value::Constant(index)) => {
                let places = self.constants.values(index)?;
                let size = dims[axis] as i64;
                let place = |at: f64| {
                    let at = at as i64;
                    usize::try_from(if at < 0 { at + size } else { at })
                        .ok()
                        .filter(|&at| at < dims[axis])
                };
                let places: Vec<usize> = places.into_iter().map(place).collect::<Option<_>>()?;
                if let &[place] = places.as_slice() {
                    let one = self.part(data, axis, place, 1)?;
                    return self.with_axis(&one, axis, &index.dims);
                }
                let ascends = places
                    .iter()
                    .zip(places.iter().skip(1))
                    .all(|(a, b)| a + 1 == *b);
                if ascends && !places.is_empty() {
                    let part = self.part(data, axis, places[0], places.len())?;
                    return self.with_axis(&part, axis, &index.dims);
                }
                self.chosen(data.constant()?, axis, &places, &index.dims)
            }
            _ => None,
        }
    }

    /// A value whose one axis is replaced by the axes of an index.
    fn with_axis(&mut self, x: &Value, axis: usize, index: &[usize]) -> Option<Value> {
        let mut dims = x.dims();
        dims.splice(axis..=axis, index.iter().copied());
        self.reshaped(x, dims)
    }

    fn chosen(
        &mut self,
        data: &Constant,
        axis: usize,
        places: &[usize],
        index: &[usize],
    ) -> Option<Value> {
        let inner: usize = data.dims[axis + 1..].iter().product();
        let size = data.dims[axis];
        let values = self.constants.values(data)?;
        let mut chosen = Vec::new();
        for part in values.chunks_exact((size * inner).max(1)) {
            for place in places {
                chosen.extend_from_slice(part.get(place * inner..(place + 1) * inner)?);
            }
            if chosen.len() > 1 << 23 {
                return None;
            }
        }
        let mut dims = data.dims.clone();
        dims.splice(axis..=axis, index.iter().copied());
        self.constants
            .make(data.kind, dims, chosen)
            .map(Value::Constant)
    }

    fn lookup(&mut self, table: &Constant, ids: &[usize], axis: usize) -> Option<Value> {
        let &[_, columns] = table.dims.as_slice() else {
            return None;
        };
        if axis != 0 || table.kind != Kind::Float {
            return None;
        }
        let mut axes: Vec<Axis> = ids.iter().map(|&size| Axis::rows(size)).collect();
        axes.push(Axis::columns(columns, 1));
        let of = self
            .terms
            .add(Term::Lookup(table.clone()), self.tokens, columns);
        Some(Data::new(of, axes).into())
    }

    pub(super) fn gather_nd(
        &mut self,
        data: &Value,
        index: &Value,
        node: &Node<'_>,
    ) -> Option<Value> {
        if node.number("batch_dims", 0) != 0 {
            return None;
        }
        if let (Value::Data(rows), Value::Place(dims, place, 1)) = (data, index) {
            // `[nought, place]` of `[1, tokens, columns]`.
            let [1, _, columns] = rows.dims()[..] else {
                return None;
            };
            if dims.iter().product::<usize>() != 2 || dims.last() != Some(&2) {
                return None;
            }
            let row = self.row(rows, 1, Row::Of(*place))?;
            let mut dims = dims[..dims.len() - 1].to_vec();
            dims.push(columns);
            return self.reshaped(&row, dims);
        }
        let (data, index) = (data.constant()?, index.constant()?);
        let (&depth, outer) = index.dims.split_last()?;
        if depth == 0 || depth > data.dims.len() {
            return None;
        }
        let inner: usize = data.dims[depth..].iter().product();
        let values = self.constants.values(data)?;
        let mut chosen = Vec::new();
        for place in self.constants.values(index)?.chunks_exact(depth) {
            let mut at = 0;
            for (&place, &size) in place.iter().zip(&data.dims) {
                let place = if place < 0.0 {
                    place + size as f64
                } else {
                    place
                };
                if place < 0.0 || place >= size as f64 {
                    return None;
                }
                at = at * size + place as usize;
            }
            chosen.extend_from_slice(values.get(at * inner..(at + 1) * inner)?);
            if chosen.len() > 1 << 23 {
                return None;
            }
        }
        let dims = [outer, &data.dims[depth..]].concat();
        self.constants
            .make(data.kind, dims, chosen)
            .map(Value::Constant)
    }

    pub(super) fn tile(&mut self, x: &Value, counts: &Value) -> Option<Value> {
        let counts = self.sizes(counts)?;
        let dims = x.dims();
        if counts.iter().all(|&count| count == 1) && counts.len() == dims.len() {
            return Some(x.clone());
        }
        let mut constant = x.constant()?.clone();
        for (axis, &count) in counts.iter().enumerate() {
            if !(1..=4096).contains(&count) || axis >= constant.dims.len() {
                return None;
            }
            if count > 1 {
                let parts = vec![&constant; count];
                constant = self.joined(&parts, axis)?;
            }
        }
        Some(Value::Constant(constant))
    }

    pub(super) fn triangle(
        &mut self,
        x: &Value,
        diagonal: &[&Value],
        node: &Node<'_>,
    ) -> Option<Value> {
        let constant = x.constant()?;
        let diagonal = match diagonal {
            [] => 0.0,
            [one] => self.constants.number(one.constant()?)?,
            _ => return None,
        };
        let &[.., rows, columns] = constant.dims.as_slice() else {
            return None;
        };
        let is_upper = flag(node, "upper", true)?;
        let mut values = self.constants.values(constant)?;
        for (at, value) in values.iter_mut().enumerate() {
            let (row, column) = ((at / columns % rows) as f64, (at % columns) as f64);
            let is_kept = if is_upper {
                column >= row + diagonal
            } else {
                column <= row + diagonal
            };
            if !is_kept {
                *value = 0.0;
            }
        }
        let (kind, dims) = (constant.kind, constant.dims.clone());
        self.constants.make(kind, dims, values).map(Value::Constant)
    }

    pub(super) fn place(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let dims = x.dims();
        let axis = axis_of(node.number("axis", 0), dims.len())?;
        let is_plain = axis + 1 == dims.len() && node.number("select_last_index", 0) == 0;
        let place = match x {
            Value::Ids(_) => Place::Largest,
            Value::IdsAre(_, id) => Place::First(*id),
            _ => return None,
        };
        if !is_plain || dims.last() != Some(&self.tokens) {
            return None;
        }
        let mut dims = dims[..axis].to_vec();
        if flag(node, "keepdims", true)? {
            dims.push(1);
        }
        Some(Value::Place(dims, place, 0))
    }
}
