//! Text encoders of the BERT family, run from their weights: the vector of a text without a runtime for graphs.
//!
//! `onnx/` reads a file, bounded and in place; `model/` finds out what its graph computes, and refuses one that differs
//! anywhere from the encoders known here ([`Refusal`]); `safetensors/` finds the same layers by the names of weights without
//! a graph. `forward/` packs the weights once and computes texts of all
//! lengths as one matrix of tokens, without padding. A text has the same bits alone and in any batch, on every processor: the
//! kernels see to that.
//!
//! Knows nothing of texts before they are tokens, of pools of threads and of Node.

mod files;
mod forward;
mod model;
mod onnx;
mod precision;
mod refusal;
mod safetensors;
mod shared;
mod tensor;

pub use forward::{Pooling, Scratch, TextEncoder, Texts, UntakenTexts};
pub use precision::Precision;
pub use refusal::Refusal;
pub use shared::{check, open};
