//! The matrices that a graph computes, found operator by operator for one input. All sizes are known: what a graph computes
//! from sizes alone, such as its masks, is computed here too, and only what depends on the input becomes a matrix.

mod arithmetic;
mod attention;
mod normalising;
mod parts;
mod shapes;
mod value;

use std::collections::{HashMap, HashSet};

use super::constant::{Constant, Constants, Kind};
use super::function::{Activation, Known, Single};
use super::term::{Id, Term, Terms};
use crate::Refusal;
use crate::onnx::{Attribute, Graph, Node};
use value::{Axis, Data, Value};

/// The inputs that a tower is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TowerInput {
    /// Texts, filled up to so many tokens with the id of padding.
    Text {
        /// Tokens of every text.
        tokens: usize,
        /// The id of padding.
        padding: i32,
    },
    /// Pictures of this shape.
    Picture {
        /// Channels.
        channels: usize,
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
}

/// Most tokens of a text, and most rows or columns of a picture.
const TOKENS_MAX: usize = 1 << 12;
const PIXELS_MAX: usize = 1 << 12;
/// Most channels of a picture.
const CHANNELS_MAX: usize = 16;

/// Outputs by preference: vectors in the space that towers share.
const TEXT_OUTPUTS: [&str; 4] = ["text_embeds", "embedding", "output", "pooler_output"];
const PICTURE_OUTPUTS: [&str; 4] = ["image_embeds", "embedding", "output", "pooler_output"];

/// The matrices of a graph, and the one that its output is.
pub(crate) struct Meaning<'a> {
    pub(crate) terms: Terms,
    pub(crate) constants: Constants<'a>,
    pub(crate) output: Id,
    /// The graph asks which tokens are padding. It was read as if none were.
    pub(crate) has_mask: bool,
}

/// Finds the meaning of a graph.
pub(crate) fn of<'a>(graph: &Graph<'a>, input: TowerInput) -> Result<Meaning<'a>, Refusal> {
    if !(11..=30).contains(&graph.operators) {
        let version = graph.operators;
        return Err(Refusal::not_ours(format!(
            "its operators are of version {version}"
        )));
    }
    let mut reader = Reader {
        terms: Terms::default(),
        constants: Constants::default(),
        names: HashMap::new(),
        tokens: 0,
        operators: graph.operators,
    };
    let has_mask = reader.add_inputs(graph, input)?;
    let preferred = match input {
        TowerInput::Text { .. } => TEXT_OUTPUTS,
        TowerInput::Picture { .. } => PICTURE_OUTPUTS,
    };
    let named = preferred
        .into_iter()
        .find(|name| graph.outputs.contains(name));
    let output = named.or(graph.outputs.first().copied());
    let output = output.ok_or_else(|| Refusal::damaged("it has no output"))?;
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
    let value = reader.names.get(output).cloned();
    let value = value.ok_or_else(|| Refusal::damaged("nothing makes its output"))?;
    let wrong = || Refusal::not_ours("its output is not one vector for each input");
    let data = value.data().cloned().ok_or_else(wrong)?;
    let data = reader.settled(&data).ok_or_else(wrong)?;
    let size = reader.terms.size(data.of);
    if size.rows != 1 || !data.is_matrix(size) {
        return Err(wrong());
    }
    Ok(Meaning {
        terms: reader.terms,
        constants: reader.constants,
        output: data.of,
        has_mask: has_mask && needed_inputs(graph, &needed).contains("attention_mask"),
    })
}

fn needed_inputs<'a>(graph: &Graph<'a>, needed: &[bool]) -> HashSet<&'a str> {
    let nodes = graph
        .nodes
        .iter()
        .zip(needed)
        .filter(|(_, needed)| **needed);
    nodes
        .flat_map(|(node, _)| node.inputs.iter().copied())
        .collect()
}

struct Reader<'a> {
    terms: Terms,
    constants: Constants<'a>,
    names: HashMap<&'a str, Value>,
    /// Tokens of a text.
    tokens: usize,
    /// The version of the operators.
    operators: i64,
}

impl<'a> Reader<'a> {
    /// Answers whether there is a mask of padding among them.
    fn add_inputs(&mut self, graph: &Graph<'a>, input: TowerInput) -> Result<bool, Refusal> {
        // Older files list their weights among the inputs.
        let own = |name: &&str| !graph.tensors.contains_key(name);
        let names: Vec<&str> = graph
            .inputs
            .iter()
            .map(|(name, _)| *name)
            .filter(own)
            .collect();
        let mut has_mask = false;
        for (name, dims) in &graph.inputs {
            if !own(name) {
                continue;
            }
            let (shape, value) = match input {
                TowerInput::Text { tokens, .. } if tokens > 0 && tokens <= TOKENS_MAX => {
                    self.tokens = tokens;
                    let shape = vec![1, tokens];
                    let ids = if names.contains(&"input_ids") {
                        "input_ids"
                    } else {
                        names[0]
                    };
                    let value = match *name {
                        name if name == ids => Value::Ids(shape.clone()),
                        "attention_mask" => {
                            has_mask = true;
                            self.fill(Kind::Whole, shape.clone(), 1.0)?
                        }
                        "token_type_ids" => self.fill(Kind::Whole, shape.clone(), 0.0)?,
                        other => return Err(stray(other)),
                    };
                    (shape, value)
                }
                TowerInput::Picture {
                    channels: channels @ 1..=CHANNELS_MAX,
                    height: height @ 1..=PIXELS_MAX,
                    width: width @ 1..=PIXELS_MAX,
                } => {
                    if *name != names[0] {
                        return Err(stray(name));
                    }
                    let shape = vec![1, channels, height, width];
                    (shape.clone(), Value::Picture(shape))
                }
                _ => return Err(Refusal::not_ours("its inputs are of no known size")),
            };
            let fits = dims.len() == shape.len()
                && dims
                    .iter()
                    .zip(&shape)
                    .all(|(dim, &size)| dim.is_none_or(|dim| usize::try_from(dim) == Ok(size)));
            if !fits {
                return Err(Refusal::not_ours(format!(
                    "the shape of its input {name:?} is another than {shape:?}"
                )));
            }
            self.names.insert(name, value);
        }
        Ok(has_mask)
    }

    fn fill(&mut self, kind: Kind, dims: Vec<usize>, value: f64) -> Result<Value, Refusal> {
        let filled = self.constants.fill(kind, dims, value);
        let filled = filled.ok_or_else(|| Refusal::not_ours("it computes too much of sizes"))?;
        Ok(Value::Constant(filled))
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
        let made = self.operate(node, &inputs)?;
        // Further outputs that are not known: a node that needs one finds nothing of that name.
        for (name, value) in node.outputs.iter().zip(made) {
            if !name.is_empty() && self.names.insert(name, value).is_some() {
                return Err(Refusal::damaged(format!(
                    "{name:?} is used before it is made"
                )));
            }
        }
        Ok(())
    }

    fn named(&mut self, graph: &Graph<'a>, name: &'a str) -> Result<Value, Refusal> {
        if let Some(value) = self.names.get(name) {
            return Ok(value.clone());
        }
        let Some(tensor) = graph.tensors.get(name) else {
            return Err(Refusal::not_ours(format!(
                "nothing known makes {name:?} before it is used"
            )));
        };
        let value = Value::Constant(self.constants.of(name, tensor)?);
        self.names.insert(name, value.clone());
        Ok(value)
    }

    fn operate(
        &mut self,
        node: &Node<'a>,
        inputs: &[Option<Value>],
    ) -> Result<Vec<Value>, Refusal> {
        let unknown = || Refusal::not_ours("an operator that it does not know");
        if !node.domain.is_empty() {
            return Err(unknown());
        }
        if node.operator == "Constant" {
            return Ok(vec![self.constant_node(node)?]);
        }
        let given: Vec<&Value> = inputs.iter().map_while(Option::as_ref).collect();
        let one = |value: Option<Value>| value.map(|value| vec![value]);
        let found = match (node.operator, given.as_slice()) {
            ("Identity", &[x]) | ("Dropout", &[x] | &[x, _]) => Some(vec![x.clone()]),
            ("Split", &[x, ref sizes @ ..]) => self.split(x, sizes, node),
            // Bounds and sizes may be left out before the last that is given.
            ("Clip", &[x, ..]) => one(self.clip(x, inputs)),
            ("Resize", &[x, ..]) => one(self.resize(x, inputs)),
            _ if given.len() < inputs.len() => None,
            ("Cast", &[x]) => one(self.cast(x, node.number("to", 0))),
            ("Shape", &[x]) => one(self.shape(x, node)),
            ("Gather", &[data, index]) => one(self.gather(data, index, node.number("axis", 0))),
            ("GatherND", &[data, index]) => one(self.gather_nd(data, index, node)),
            ("Unsqueeze", &[x, ref axes @ ..]) => one(self.unsqueeze(x, axes, node)),
            ("Squeeze", &[x, ref axes @ ..]) => one(self.squeeze(x, axes, node)),
            ("Concat", parts) => one(self.concat(parts, node)),
            ("Slice", &[x, ref bounds @ ..]) => one(self.slice(x, bounds)),
            ("Range", &[start, end, step]) => one(self.range(start, end, step)),
            ("ConstantOfShape", &[shape]) => one(self.constant_of_shape(shape, node)),
            ("Expand", &[x, shape]) => one(self.expand(x, shape)),
            ("Tile", &[x, counts]) => one(self.tile(x, counts)),
            ("Reshape", &[x, shape]) => one(self.reshape(x, shape, node)),
            ("Flatten", &[x]) => one(self.flatten(x, node)),
            ("Transpose", &[x]) => one(self.transpose(x, node)),
            ("Trilu", &[x, ref diagonal @ ..]) => one(self.triangle(x, diagonal, node)),
            ("Where", &[condition, a, b]) => one(self.choose(condition, a, b)),
            ("Add", &[a, b]) => one(self.add(a, b)),
            ("Sub", &[a, b]) => one(self.subtract(a, b)),
            ("Mul", &[a, b]) => one(self.multiply(a, b)),
            ("Div", &[a, b]) => one(self.divide(a, b)),
            ("Pow", &[a, b]) => one(self.power(a, b)),
            ("Max", &[a, b]) => one(self.most(a, b)),
            ("Mod", &[a, b]) => one(self.remainder(a, b, node)),
            ("Equal", &[a, b]) => one(self.equal(a, b)),
            ("Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "And" | "Or", &[a, b]) => {
                one(self.compare(node.operator, a, b))
            }
            ("Not", &[x]) => one(self.not(x)),
            ("Sqrt", &[x]) => one(self.root(x)),
            ("Reciprocal", &[x]) => one(self.reciprocal(x)),
            ("Neg", &[x]) => one(self.single(x, Single::Negative)),
            ("Erf", &[x]) => one(self.single(x, Single::Erf)),
            ("Tanh", &[x]) => one(self.single(x, Single::Tanh)),
            ("Sigmoid", &[x]) => one(self.single(x, Single::Sigmoid)),
            ("Gelu", &[x]) => one(self.gelu(x, node)),
            ("IsNaN", &[x]) => one(self.is_nan(x)),
            ("ArgMax", &[x]) => one(self.place(x, node)),
            ("ReduceMean", &[x, ref axes @ ..]) => one(self.mean(x, axes, node)),
            ("ReduceL2", &[x, ref axes @ ..]) => one(self.length(x, axes, node)),
            ("LayerNormalization", &[x, weight, bias]) => {
                one(self.layer_norm(x, weight, bias, node))
            }
            ("Conv", &[x, weight, ref bias @ ..]) => one(self.patches(x, weight, bias, node)),
            ("MatMul", &[a, b]) => one(self.product(a, b)),
            ("Gemm", &[a, b, ref bias @ ..]) => one(self.gemm(a, b, bias, node)),
            ("Softmax", &[x]) => one(self.softmax(x, node)),
            ("CumSum" | "Constant" | "Einsum" | "Attention" | "Resize" | "Split" | "Clip", _) => {
                None
            }
            (other, _) if KNOWN.contains(&other) => None,
            _ => return Err(unknown()),
        };
        found.ok_or_else(|| Refusal::not_ours("a use of an operator that no known tower has"))
    }

    fn constant_node(&mut self, node: &Node<'a>) -> Result<Value, Refusal> {
        let unknown = || Refusal::not_ours("a constant of an unknown kind");
        let [(name, value)] = node.attributes.as_slice() else {
            return Err(unknown());
        };
        let made = match (*name, value) {
            ("value", Attribute::Tensor(tensor)) => {
                return Ok(Value::Constant(self.constants.of("", tensor)?));
            }
            ("value_float", Attribute::Float(value)) => {
                self.constants
                    .make(Kind::Float, vec![], vec![f64::from(*value)])
            }
            ("value_int", Attribute::Number(value)) => {
                self.constants
                    .make(Kind::Whole, vec![], vec![*value as f64])
            }
            ("value_ints", Attribute::Numbers(list)) => self
                .constants
                .list(list.iter().map(|&value| value as f64).collect()),
            _ => None,
        };
        made.map(Value::Constant).ok_or_else(unknown)
    }

    /// The value with its function computed, where that is a known one.
    fn settled(&mut self, data: &Data) -> Option<Data> {
        if data.function.is_given() {
            return Some(data.clone());
        }
        let size = self.terms.size(data.of);
        let term = match data.function.known()? {
            Known::Times(1.0) => {
                return Some(Data {
                    function: super::function::Function::given(),
                    ..data.clone()
                });
            }
            Known::Times(factor) => {
                let factors = self
                    .constants
                    .fill(Kind::Float, vec![size.columns], factor)?;
                Term::Scaled(data.of, factors)
            }
            Known::Activation(activation) => Term::Activation(data.of, activation),
        };
        let of = self.terms.add(term, size.rows, size.columns);
        let function = super::function::Function::given();
        Some(Data {
            of,
            function,
            ..data.clone()
        })
    }

    /// The value as a whole matrix, with its function computed.
    fn matrix(&mut self, value: &Value) -> Option<Data> {
        let data = self.settled(value.data()?)?;
        data.is_matrix(self.terms.size(data.of)).then_some(data)
    }

    /// A constant as a row of factors or summands for the columns of `data`: all columns along its last axis.
    fn row_beside(&mut self, constant: &Constant, data: &Data) -> Option<Constant> {
        let size = self.terms.size(data.of);
        let count = constant.len();
        if constant.kind != Kind::Float || !data.columns_last(size) || count != size.columns {
            return None;
        }
        let is_row = constant.dims.last() == Some(&count) && constant.dims.len() <= data.axes.len();
        if !is_row {
            return None;
        }
        let stride = *constant.strides.last()?;
        Some(constant.with(vec![count], vec![stride]))
    }

    fn gelu(&mut self, x: &Value, node: &Node<'_>) -> Option<Value> {
        let data = self.settled(x.data()?)?;
        let activation = match node.attribute("approximate") {
            None => Activation::Gelu,
            Some(Attribute::Text("tanh")) => Activation::TanhGelu,
            Some(Attribute::Text("none")) => Activation::Gelu,
            Some(_) => return None,
        };
        let size = self.terms.size(data.of);
        let of = self.terms.add(
            Term::Activation(data.of, activation),
            size.rows,
            size.columns,
        );
        Some(Data { of, ..data }.into())
    }
}

/// Operators that are known, in uses that may not be.
const KNOWN: [&str; 44] = [
    "Cast",
    "Shape",
    "Gather",
    "GatherND",
    "Unsqueeze",
    "Squeeze",
    "Concat",
    "Slice",
    "Range",
    "ConstantOfShape",
    "Expand",
    "Tile",
    "Reshape",
    "Flatten",
    "Transpose",
    "Trilu",
    "Where",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Max",
    "Mod",
    "Equal",
    "Less",
    "LessOrEqual",
    "Greater",
    "GreaterOrEqual",
    "And",
    "Or",
    "Not",
    "Sqrt",
    "Reciprocal",
    "Neg",
    "Erf",
    "Tanh",
    "Sigmoid",
    "Softmax",
    "MatMul",
    "Gemm",
    "Conv",
    "ReduceMean",
    "LayerNormalization",
];

fn stray(name: &str) -> Refusal {
    Refusal::not_ours(format!("it asks for an input {name:?}"))
}

/// The truth of an attribute, which is nought or one.
fn flag(node: &Node<'_>, name: &str, default: bool) -> Option<bool> {
    match node.number(name, default.into()) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The whole axis of rows of a matrix.
fn is_rows(axis: Axis, rows: usize) -> bool {
    axis == Axis::rows(rows)
}
