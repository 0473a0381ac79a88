//! The meaning of a graph, operator by operator.

mod arithmetic;
mod attention;
mod distance;
mod fused;
mod shapes;

use std::collections::HashMap;

use super::value::{Dim, Id, Index, Kind, ONE, Scalar, Term, Values, Weight};
use crate::Refusal;
use crate::onnx::{Attribute, Graph, Node};

/// The outputs that hold a vector for each token, by preference.
const OUTPUTS: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// Inputs, and what they are for one text without padding.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// The values of a graph, and the one that its output has.
pub(crate) struct Meaning<'a> {
    pub(crate) values: Values<'a>,
    pub(crate) output: Id,
}

/// Finds the meaning of a graph.
pub(crate) fn of<'a>(graph: &Graph<'a>) -> Result<Meaning<'a>, Refusal> {
    if graph.operators > 30 || graph.operators < 7 {
        let version = graph.operators;
        return Err(Refusal::not_ours(format!(
            "its operators are of version {version}"
        )));
    }
    let output = OUTPUTS
        .into_iter()
        .find(|name| graph.outputs.contains(name));
    let output = output.ok_or_else(|| Refusal::not_ours("it has no output of hidden states"))?;
    let mut reader = Reader::default();
    for (name, dims) in &graph.inputs {
        reader.add_input(name, dims, graph)?;
    }
    let needed = graph.needed(output)?;
    for (node, _) in graph
        .nodes
        .iter()
        .zip(&needed)
        .filter(|(_, needed)| **needed)
    {
        reader
            .read(graph, node)
            .map_err(|refusal| node.named_in(refusal))?;
    }
    let output = reader.names.get(output).copied();
    let output = output.ok_or_else(|| Refusal::damaged("nothing makes its output"))?;
    Ok(Meaning {
        values: reader.values,
        output,
    })
}

#[derive(Default)]
struct Reader<'a> {
    values: Values<'a>,
    names: HashMap<&'a str, Id>,
}

impl<'a> Reader<'a> {
    fn add_input(
        &mut self,
        name: &'a str,
        dims: &[Option<i64>],
        graph: &Graph<'a>,
    ) -> Result<(), Refusal> {
        // Older files list their weights among the inputs.
        if graph.tensors.contains_key(name) {
            return Ok(());
        }
        if !INPUTS.contains(&name) {
            return Err(Refusal::not_ours(format!("it asks for an input {name:?}")));
        }
        if dims.len() != 2 || dims.iter().any(Option::is_some) {
            return Err(Refusal::not_ours(format!(
                "the shape of its input {name:?} is fixed"
            )));
        }
        let kind = match name {
            "input_ids" => Kind::Ids,
            "attention_mask" => Kind::Fill(Scalar::of(1.0)),
            _ => Kind::Fill(Scalar::of(0.0)),
        };
        let id = self.values.add(vec![ONE, Dim::Length], kind);
        self.names.insert(name, id);
        Ok(())
    }

    fn read(&mut self, graph: &Graph<'a>, node: &Node<'a>) -> Result<(), Refusal> {
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for &name in &node.inputs {
            inputs.push(if name.is_empty() {
                None
            } else {
                Some(self.named(graph, name)?)
            });
        }
        if node.outputs.first().is_none_or(|name| name.is_empty()) {
            return Err(Refusal::damaged("a node makes nothing"));
        }
        // Further outputs may not be known: a node that needs one finds nothing of that name.
        let made = self.operate(node, &inputs)?;
        for (name, id) in node.outputs.iter().zip(made) {
            let Some(id) = id.filter(|_| !name.is_empty()) else {
                continue;
            };
            self.values.check_bounds(id)?;
            if self.names.insert(name, id).is_some() {
                return Err(Refusal::damaged(format!(
                    "{name:?} is used before it is made"
                )));
            }
        }
        Ok(())
    }

    fn named(&mut self, graph: &Graph<'a>, name: &'a str) -> Result<Id, Refusal> {
        if let Some(&id) = self.names.get(name) {
            return Ok(id);
        }
        let Some(tensor) = graph.tensors.get(name) else {
            return Err(Refusal::not_ours(format!(
                "nothing known makes {name:?} before it is used"
            )));
        };
        let id = self.values.constant(name, tensor)?;
        self.names.insert(name, id);
        Ok(id)
    }

    fn operate(
        &mut self,
        node: &Node<'a>,
        inputs: &[Option<Id>],
    ) -> Result<Vec<Option<Id>>, Refusal> {
        let found = match node.domain {
            "" if node.operator == "Constant" => return Ok(vec![Some(self.constant(node)?)]),
            "" => self.plain(node, inputs)?.map(|id| vec![Some(id)]),
            "com.microsoft" if fused::KNOWN.contains(&node.operator) => self.fused(node, inputs),
            _ => return Err(unknown()),
        };
        found.ok_or_else(|| Refusal::not_ours("a use of an operator that no known encoder has"))
    }

    /// The value that an operator of ONNX itself makes; none where it is used as no known encoder does.
    fn plain(&mut self, node: &Node<'a>, inputs: &[Option<Id>]) -> Result<Option<Id>, Refusal> {
        let given: Vec<Id> = inputs.iter().map_while(|id| *id).collect();
        Ok(match (node.operator, given.as_slice()) {
            ("Identity" | "Dropout", &[x, ..]) => Some(x),
            ("Cast", &[x]) => self.cast(x, node.number("to", 0)),
            ("Shape", &[x]) => self.shape(x, node),
            ("Gather", &[data, index]) => self.gather(data, index, node.number("axis", 0)),
            ("Unsqueeze", &[x, ref axes @ ..]) => self.unsqueeze(x, axes, node),
            ("Squeeze", &[x, ref axes @ ..]) => self.squeeze(x, axes, node),
            ("Concat", parts) => self.concat(parts, node),
            ("GatherND", &[data, index]) if node.number("batch_dims", 0) == 0 => {
                self.gather_points(data, index)
            }
            ("GatherElements", &[data, index]) => self.gather_elements(data, index),
            ("Slice", &[x, ref bounds @ ..]) if !bounds.is_empty() => self.slice(x, bounds),
            ("Range", &[start, end, step]) => self.range(start, end, step),
            ("ConstantOfShape", &[shape]) => self.constant_of_shape(shape, node),
            ("Expand", &[x, shape]) => self.expand(x, shape),
            ("Reshape", &[x, shape]) if self.keeps_no_nought(shape, node) => self.reshape(x, shape),
            ("Flatten", &[x]) => self.flatten(x, node),
            ("Transpose", &[x]) => self.transpose(x, node),
            ("Where", &[condition, a, b]) => self.choose(condition, a, b),
            ("Add", &[a, b]) => self.add(a, b),
            ("Sub", &[a, b]) => self.subtract(a, b),
            ("Mul", &[a, b]) => self.multiply(a, b),
            ("Div", &[a, b]) => self.divide(a, b),
            ("Pow", &[a, b]) => self.power(a, b),
            ("Sqrt", &[x]) => self.root(x),
            ("Reciprocal", &[x]) => self.reciprocal(x),
            ("Neg" | "Abs" | "Log", &[x]) => self.of_distance(node.operator, x),
            ("Min" | "Max", &[a, b]) => self.extreme(node.operator, a, b),
            ("Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual", &[a, b]) => {
                self.compare(node.operator, a, b)
            }
            ("And", &[a, b]) => self.both(a, b),
            ("Not", &[x]) => self.not(x),
            ("Equal", &[a, b]) => self.equal(a, b),
            ("Erf", &[x]) => self.erf(x),
            ("Gelu", &[x]) => match node.attribute("approximate") {
                None | Some(Attribute::Text("none")) => self.gelu(x),
                Some(Attribute::Text("tanh")) => self.tanh_gelu(x),
                Some(_) => None,
            },
            ("IsNaN", &[x]) => self.is_nan(x),
            ("CumSum", &[x, axis]) => self.running_sum(x, axis, node),
            ("ReduceMean", &[x, ref axes @ ..]) => self.mean(x, axes, node),
            ("ReduceSum", &[x, ref axes @ ..]) => self.sum_of_ones(x, axes, node),
            ("LayerNormalization", &[x, weight, bias]) => self.layer_norm(x, weight, bias, node),
            ("MatMul", &[a, b]) => self.product(a, b),
            ("Softmax", &[x]) => self.softmax(x, node),
            ("Attention", &[q, k, v, ref mask @ ..]) => self.attention(q, k, v, mask, node),
            _ => return Err(unknown()),
        })
    }

    fn constant(&mut self, node: &Node<'a>) -> Result<Id, Refusal> {
        let unknown = || Refusal::not_ours("a constant of an unknown kind");
        let [(name, value)] = node.attributes.as_slice() else {
            return Err(unknown());
        };
        match (*name, value) {
            ("value", Attribute::Tensor(tensor)) => {
                let name = node.outputs.first().copied().unwrap_or_default();
                self.values.constant(name, tensor)
            }
            ("value_float", Attribute::Float(value)) => Ok(self
                .values
                .add(vec![], Kind::Fill(Scalar::of((*value).into())))),
            ("value_int", Attribute::Number(value)) => Ok(self
                .values
                .add(vec![], Kind::Integers(vec![Dim::Known(*value)]))),
            ("value_ints", Attribute::Numbers(list)) if list.len() <= 64 => {
                let shape = vec![Dim::Known(list.len() as i64)];
                let list = list.iter().map(|&value| Dim::Known(value)).collect();
                Ok(self.values.add(shape, Kind::Integers(list)))
            }
            _ => Err(unknown()),
        }
    }

    fn term_of(&mut self, shape: Vec<Dim>, term: Term) -> Id {
        self.values.add(shape, Kind::Term(term))
    }

    fn fill_of(&mut self, shape: Vec<Dim>, value: f64) -> Id {
        self.values.add(shape, Kind::Fill(Scalar::of(value)))
    }

    fn integers_of(&mut self, shape: Vec<Dim>, list: Vec<Dim>) -> Id {
        self.values.add(shape, Kind::Integers(list))
    }

    /// The tensor of weights that a value is, which has so many axes.
    fn weight(&self, id: Id, axes: usize) -> Option<Weight> {
        match &self.values.get(id).kind {
            Kind::Weight(weight) if self.values.shape(id).len() == axes => Some(*weight),
            _ => None,
        }
    }

    /// A weight for each component of the last axis of `x`.
    fn row_weight(&self, id: Id, x: Id) -> Option<Weight> {
        let weight = self.weight(id, 1)?;
        (self.values.shape(id).last() == self.values.shape(x).last()).then_some(weight)
    }

    fn gather(&mut self, data: Id, index: Id, axis: i64) -> Option<Id> {
        if axis != 0 {
            return None;
        }
        if let Some(list) = self.values.integers(data) {
            let count = list.len() as i64;
            let chosen = self.known(index)?.into_iter().map(|place| {
                let place = if place < 0 { place + count } else { place };
                list.get(usize::try_from(place).ok()?).copied()
            });
            let chosen = chosen.collect::<Option<_>>()?;
            let shape = self.values.shape(index).to_vec();
            return Some(self.integers_of(shape, chosen));
        }
        if matches!(self.values.get(data).kind, Kind::Fill(_)) {
            return self.gather_same(data, index);
        }
        let table = self.weight(data, 2)?;
        if let Kind::ByDistance { values, .. } = self.values.get(index).kind.clone() {
            return self.bias(table, data, index, &values);
        }
        let width = *self.values.shape(data).last()?;
        let index_shape = self.values.shape(index).to_vec();
        let found = match self.values.get(index).kind {
            Kind::Ids => Index::Id,
            Kind::Places { before: 0 } => Index::Place,
            Kind::WordPlaces { padding, added } if added == padding => {
                Index::PlaceAfter { padding }
            }
            Kind::Fill(number) => Index::Fixed(number.value() as i64),
            _ => return None,
        };
        if index_shape != [ONE, Dim::Length] {
            return None;
        }
        let shape = vec![ONE, Dim::Length, width];
        Some(self.term_of(
            shape,
            Term::Lookup {
                table,
                index: found,
            },
        ))
    }
}

fn unknown() -> Refusal {
    Refusal::not_ours("an operator that it does not know")
}

/// The shape that two shapes are brought to, where they can be.
fn broadcast(a: &[Dim], b: &[Dim]) -> Option<Vec<Dim>> {
    let count = a.len().max(b.len());
    let axis = |shape: &[Dim], at: usize| {
        (at + shape.len())
            .checked_sub(count)
            .map_or(ONE, |at| shape[at])
    };
    (0..count)
        .map(|at| match (axis(a, at), axis(b, at)) {
            (a, b) if a == b => Some(a),
            (ONE, other) | (other, ONE) => Some(other),
            _ => None,
        })
        .collect()
}
