//! The parts of an ONNX model that a known architecture is made of.

use std::collections::{HashMap, HashSet};

use super::external::External;
use super::wire::{Fields, Message};
use crate::Refusal;
use crate::bytes::Bytes;
use crate::tensor::{FloatType, Floats};

/// Contents of files beside a model, by their names.
pub(crate) type Beside<'a> = HashMap<&'a str, Bytes<'a>>;

/// Most nodes and most tensors of a graph: a hundred times what a text encoder has.
const PARTS_MAX: usize = 100_000;
/// Most axes of a tensor.
const AXES_MAX: usize = 8;

#[derive(Default)]
pub(crate) struct Graph<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) tensors: HashMap<&'a str, Tensor<'a>>,
    /// Names of the inputs, with their dimensions; none where one is not fixed.
    pub(crate) inputs: Vec<(&'a str, Vec<Option<i64>>)>,
    pub(crate) outputs: Vec<&'a str>,
    /// The version of the operators.
    pub(crate) operators: i64,
}

#[derive(Default)]
pub(crate) struct Node<'a> {
    pub(crate) operator: &'a str,
    /// Empty for the operators of ONNX itself.
    pub(crate) domain: &'a str,
    pub(crate) inputs: Vec<&'a str>,
    pub(crate) outputs: Vec<&'a str>,
    pub(crate) attributes: Vec<(&'a str, Attribute<'a>)>,
}

pub(crate) enum Attribute<'a> {
    Float(f32),
    Number(i64),
    Numbers(Vec<i64>),
    Text(&'a str),
    Tensor(Tensor<'a>),
    /// A value of a kind that no known architecture has.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TensorType {
    Float(FloatType),
    Integer,
    Bool,
}

#[derive(Clone)]
pub(crate) struct Tensor<'a> {
    kind: TensorType,
    pub(crate) dims: Vec<usize>,
    data: Data<'a>,
}

#[derive(Clone)]
enum Data<'a> {
    /// Values of `width` bytes, little-endian.
    Raw {
        bytes: Bytes<'a>,
        width: usize,
    },
    Listed(Vec<i64>),
}

impl<'a> Node<'a> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        let mut all = self.attributes.iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// The attribute of a whole number, `default` where there is none.
    pub(crate) fn number(&self, name: &str, default: i64) -> i64 {
        match self.attribute(name) {
            Some(Attribute::Number(number)) => *number,
            _ => default,
        }
    }
}

impl<'a> Tensor<'a> {
    pub(crate) fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// The only value of a tensor of floats.
    pub(crate) fn float(&self) -> Option<f32> {
        let TensorType::Float(form) = self.kind else {
            return None;
        };
        if self.len() != 1 {
            return None;
        }
        match (&self.data, form) {
            (Data::Raw { bytes, .. }, FloatType::F32) => {
                let mut float = [0; 4];
                bytes.copy_to(&mut float).ok()?;
                Some(f32::from_le_bytes(float))
            }
            (Data::Raw { bytes, .. }, _) => {
                let mut half = [0; 2];
                bytes.copy_to(&mut half).ok()?;
                Some(form.half(u16::from_le_bytes(half)))
            }
            // Halves are listed by their bits.
            (Data::Listed(values), FloatType::F16 | FloatType::Bf16) => match values[..] {
                [bits] => Some(form.half(bits as u16)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A tensor of floats as weights of that name.
    pub(crate) fn floats(&self, name: &str) -> Option<Floats<'a>> {
        match (self.kind, &self.data) {
            (TensorType::Float(form), Data::Raw { bytes, .. }) => Some(Floats {
                name: name.to_owned(),
                dims: self.dims.clone(),
                form,
                bytes: *bytes,
                beside: None,
            }),
            _ => None,
        }
    }

    /// The values of a tensor that holds no floats.
    ///
    /// # Errors
    /// [`Refusal`] when they cannot be read.
    pub(crate) fn integers(&self) -> Result<Option<Vec<i64>>, Refusal> {
        if matches!(self.kind, TensorType::Float(_)) {
            return Ok(None);
        }
        Ok(Some(match &self.data {
            Data::Listed(values) => values.clone(),
            Data::Raw { bytes, width } => bytes.read()?.chunks_exact(*width).map(integer).collect(),
        }))
    }
}

impl Graph<'_> {
    /// Tells of each node whether the output needs it.
    pub(crate) fn needed(&self, output: &str) -> Result<Vec<bool>, Refusal> {
        let mut made = HashSet::new();
        let outputs = self.nodes.iter().flat_map(|node| &node.outputs);
        for name in outputs.filter(|name| !name.is_empty()) {
            if !made.insert(*name) || self.tensors.contains_key(name) {
                return Err(Refusal::damaged(format!("two nodes make {name:?}")));
            }
        }
        let mut wanted = HashSet::from([output]);
        let mut needed = vec![false; self.nodes.len()];
        for (node, needed) in self.nodes.iter().zip(&mut needed).rev() {
            if node.outputs.iter().any(|name| wanted.contains(name)) {
                *needed = true;
                wanted.extend(node.inputs.iter().filter(|name| !name.is_empty()));
            }
        }
        Ok(needed)
    }
}

impl Node<'_> {
    /// Adds to the reason of a refusal the node that it is at.
    pub(crate) fn named_in(&self, refusal: Refusal) -> Refusal {
        match refusal {
            Refusal::NotOurs { reason } => {
                let name = self.outputs.first().copied().unwrap_or_default();
                Refusal::not_ours(format!("{reason}, at {} {name:?}", self.operator))
            }
            other => other,
        }
    }
}

fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.len() > 1 && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut filled = [if negative { 0xff } else { 0 }; 8];
    filled[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(filled)
}

/// Reads the bytes of a model, some of whose tensors may lie in files beside it.
pub(crate) fn read<'a>(model: Message<'a>, beside: &Beside<'a>) -> Result<Graph<'a>, Refusal> {
    let mut graph = None;
    let mut operators = 0;
    let mut fields = model.fields();
    while let Some((field, content)) = fields.next()? {
        match field {
            7 => graph = Some(read_graph(content.message()?, beside)?),
            8 => {
                let (domain, version) = read_operators(content.bytes()?)?;
                if domain.is_empty() || domain == "ai.onnx" {
                    operators = version;
                }
            }
            25 => return Err(Refusal::not_ours("it defines functions of its own")),
            _ => {}
        }
    }
    let graph = graph.ok_or_else(|| Refusal::damaged("it has no graph"))?;
    Ok(Graph { operators, ..graph })
}

fn read_operators(bytes: &[u8]) -> Result<(&str, i64), Refusal> {
    let (mut domain, mut version) = ("", 0);
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => domain = content.text()?,
            2 => version = content.number()?,
            _ => {}
        }
    }
    Ok((domain, version))
}

fn read_graph<'a>(message: Message<'a>, beside: &Beside<'a>) -> Result<Graph<'a>, Refusal> {
    let mut graph = Graph::default();
    let mut fields = message.fields();
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => graph.nodes.push(read_node(content.bytes()?)?),
            5 => {
                let (name, tensor) = read_tensor(content.message()?, beside)?;
                let tensor = tensor?;
                if graph.tensors.insert(name, tensor).is_some() {
                    return Err(Refusal::damaged(format!("two tensors are called {name:?}")));
                }
            }
            11 => graph.inputs.push(read_input(content.bytes()?)?),
            12 => graph.outputs.push(read_input(content.bytes()?)?.0),
            15 => return Err(Refusal::not_ours("it has sparse tensors")),
            _ => {}
        }
        let parts = graph.nodes.len().max(graph.tensors.len());
        if parts.max(graph.inputs.len()).max(graph.outputs.len()) > PARTS_MAX {
            return Err(Refusal::not_ours(format!(
                "its graph has more than {PARTS_MAX} parts"
            )));
        }
    }
    Ok(graph)
}

fn read_node(bytes: &[u8]) -> Result<Node<'_>, Refusal> {
    let mut node = Node::default();
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => node.inputs.push(content.text()?),
            2 => node.outputs.push(content.text()?),
            4 => node.operator = content.text()?,
            5 => node.attributes.push(read_attribute(content.bytes()?)?),
            7 => node.domain = content.text()?,
            _ => {}
        }
    }
    if node.domain == "ai.onnx" {
        node.domain = "";
    }
    Ok(node)
}

fn read_attribute(bytes: &[u8]) -> Result<(&str, Attribute<'_>), Refusal> {
    let mut name = "";
    let mut kind = None;
    let (mut float, mut number, mut numbers) = (0.0, 0, Vec::new());
    let (mut tensor, mut text) = (None, None);
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => name = content.text()?,
            2 => float = content.float()?,
            3 => number = content.number()?,
            4 => text = std::str::from_utf8(content.bytes()?).ok(),
            5 => tensor = Some(read_tensor(content.message()?, &Beside::new())?.1?),
            8 => content.numbers_into(&mut numbers)?,
            20 => kind = Some(content.number()?),
            _ => {}
        }
    }
    let value = match (kind, tensor) {
        (Some(1), _) => Attribute::Float(float),
        (Some(2), _) => Attribute::Number(number),
        (Some(3), _) => text.map_or(Attribute::Other, Attribute::Text),
        (Some(4), Some(tensor)) => Attribute::Tensor(tensor),
        (Some(7), _) => Attribute::Numbers(numbers),
        _ => Attribute::Other,
    };
    Ok((name, value))
}

/// The name of an input or output, and its dimensions.
fn read_input(bytes: &[u8]) -> Result<(&str, Vec<Option<i64>>), Refusal> {
    let mut name = "";
    let mut dims = Vec::new();
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => name = content.text()?,
            2 => {
                let shape = part(content.bytes()?, 1)?.map(|tensor| part(tensor, 2));
                if let Some(shape) = shape.transpose()?.flatten() {
                    dims = read_shape(shape)?;
                }
            }
            _ => {}
        }
    }
    Ok((name, dims))
}

/// The message in a field of another, if it is there.
fn part(bytes: &[u8], wanted: u64) -> Result<Option<&[u8]>, Refusal> {
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        if field == wanted {
            return content.bytes().map(Some);
        }
    }
    Ok(None)
}

fn read_shape(bytes: &[u8]) -> Result<Vec<Option<i64>>, Refusal> {
    let mut dims = Vec::new();
    let mut fields = Fields::of(bytes);
    while let Some((field, content)) = fields.next()? {
        if field != 1 {
            continue;
        }
        let mut fixed = None;
        let mut parts = Fields::of(content.bytes()?);
        while let Some((field, content)) = parts.next()? {
            if field == 1 {
                fixed = Some(content.number()?);
            }
        }
        dims.push(fixed);
        if dims.len() > AXES_MAX {
            return Err(Refusal::damaged("an input has too many axes"));
        }
    }
    Ok(dims)
}

type Named<'a> = (&'a str, Result<Tensor<'a>, Refusal>);

fn read_tensor<'a>(message: Message<'a>, beside: &Beside<'a>) -> Result<Named<'a>, Refusal> {
    let mut name = "";
    let (mut dims, mut listed) = (Vec::new(), Vec::new());
    let (mut data_type, mut location) = (0, 0);
    let (mut raw, mut floats): (Option<Bytes<'a>>, Option<Bytes<'a>>) = (None, None);
    let mut has_loose_floats = false;
    let mut external = External::default();
    let mut fields = message.fields();
    while let Some((field, content)) = fields.next()? {
        match field {
            1 => content.numbers_into(&mut dims)?,
            2 => data_type = content.number()?,
            4 => {
                let values = content.values()?;
                has_loose_floats = floats.is_some();
                floats = Some(values);
            }
            5 | 7 => content.numbers_into(&mut listed)?,
            8 => name = content.text()?,
            9 => raw = Some(content.values()?),
            13 => external.read(content.bytes()?)?,
            14 => location = content.number()?,
            _ => {}
        }
    }
    if location != 0 {
        raw = Some(external.bytes(name, beside)?);
    }
    if has_loose_floats {
        return Ok((
            name,
            Err(Refusal::not_ours("its floats are listed one by one")),
        ));
    }
    Ok((name, tensor(name, data_type, &dims, raw, floats, listed)))
}

fn tensor<'a>(
    name: &str,
    data_type: i64,
    dims: &[i64],
    raw: Option<Bytes<'a>>,
    floats: Option<Bytes<'a>>,
    listed: Vec<i64>,
) -> Result<Tensor<'a>, Refusal> {
    let (kind, width) = match data_type {
        1 => (TensorType::Float(FloatType::F32), 4),
        10 => (TensorType::Float(FloatType::F16), 2),
        16 => (TensorType::Float(FloatType::Bf16), 2),
        6 => (TensorType::Integer, 4),
        7 => (TensorType::Integer, 8),
        9 => (TensorType::Bool, 1),
        other => {
            let known = match other {
                2 | 3 => "8-bit integers",
                11 => "64-bit floats",
                _ => "values of a type",
            };
            return Err(Refusal::not_ours(format!(
                "its tensor {name:?} holds {known}, which it does not read"
            )));
        }
    };
    if dims.len() > AXES_MAX {
        return Err(Refusal::damaged(format!(
            "its tensor {name:?} has {} axes",
            dims.len()
        )));
    }
    let lying = || {
        Refusal::damaged(format!(
            "its tensor {name:?} has not as much data as it says"
        ))
    };
    let sizes: Option<Vec<usize>> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let sizes = sizes.ok_or_else(lying)?;
    let len = sizes
        .iter()
        .try_fold(1_usize, |product, &dim| product.checked_mul(dim))
        .ok_or_else(lying)?;
    let bytes = len.checked_mul(width).ok_or_else(lying)?;
    let is_f32 = kind == TensorType::Float(FloatType::F32);
    let data = match raw.or(floats.filter(|_| is_f32)) {
        Some(raw) if raw.len() == bytes => Data::Raw { bytes: raw, width },
        None if !is_f32 && listed.len() == len => Data::Listed(listed),
        None if len == 0 => Data::Raw {
            bytes: Bytes::Here(&[]),
            width,
        },
        _ => return Err(lying()),
    };
    Ok(Tensor {
        kind,
        dims: sizes,
        data,
    })
}
