//! Encoders run from their weights: the vector of a text or a picture without a runtime for graphs.
//!
//! `onnx/` reads the outline of a file, bounded, and weights stay in the file until they are packed (`bytes`); `model/` finds out what its graph computes, and refuses one that differs
//! anywhere from the encoders known here ([`Refusal`]); `safetensors/` finds the same layers by the names of weights without
//! a graph. `forward/` packs the weights once and computes texts of all
//! lengths as one matrix of tokens, without padding. A text has the same bits alone and in any batch, on every processor: the
//! kernels see to that. `tower/` does the same for the towers of joint models, for texts and for pictures, and reads their
//! graphs for one input of a known size.
//! `schedule/` has the threads that compute the texts of calls.
//!
//! Knows nothing of texts before they are tokens and of Node.

mod bytes;
mod calibration;
mod calibrator;
mod device;
mod files;
mod forward;
mod model;
mod onnx;
mod parallel;
mod precision;
mod processor;
mod refusal;
mod safetensors;
mod schedule;
mod shared;
mod tensor;
mod tower;

pub use calibration::Calibration;
pub use calibrator::Calibrator;
pub use device::{DeviceEncoder, DeviceRefusal, Encoded};
pub use forward::{Pooling, Scratch, TextEncoder, Texts, UntakenTexts};
pub use precision::Precision;
pub use processor::Processor;
pub use refusal::Refusal;
pub use schedule::{
    Call, CallEncoder, CallError, CallLane, Done, EncoderThreads, FailedRow, PassCounts,
    PassPolicy, Vectors,
};
pub use shared::{check, check_config, check_tower, open, open_int8, open_tower};
pub use tower::{Tower, TowerInput, TowerScratch, UntakenPictures};
