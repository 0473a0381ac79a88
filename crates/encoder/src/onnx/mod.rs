//! ONNX files as data: the graph and where its tensors lie. Nothing is run.

mod external;
mod graph;
mod outline;
mod wire;

pub(crate) use external::files_beside;
pub(crate) use graph::{Attribute, Beside, Graph, Node, Tensor, read};
pub(crate) use outline::Outline;
