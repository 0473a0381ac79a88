//! ONNX files as data: the graph and where its tensors lie. Nothing is run.

mod graph;
mod wire;

pub(crate) use graph::{Attribute, Graph, Node, Tensor, read};
