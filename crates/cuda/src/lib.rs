//! Encoders on NVIDIA's GPUs: devices, libraries and kernels, all found when the program runs.
//!
//! `system/` has the libraries of NVIDIA, which are loaded when they are there and never linked; `devices` finds what they
//! show ([`Cuda`]), and says why where there is nothing. `device/` is one device in use: memory, streams, products, and
//! kernels, which `images` compiles once for a kind of device and keeps. `encoder/` holds a model's weights there and takes
//! texts through its layers; `nearest/` compares queries with every row of some vectors.
//!
//! `kernels/` holds sources that NVRTC compiles ([`Program`]); `launch` names each kernel with its parameters and its
//! grid; `reference/` computes the same in plain Rust, slowly. Nothing of CUDA is needed to build or to test: the tests compile
//! the same sources as C++, run their threads on the CPU, and compare with these references; whole encoders run on an emulation of
//! the libraries.

mod device;
mod devices;
mod element;
pub mod encoder;
mod error;
mod images;
mod key;
pub mod launch;
mod nearest;
mod program;
pub mod reference;
mod system;
mod tiles;

pub use device::{Argument, Device, Memory, Module, Multiplier, Product, Stream};
pub use devices::{Cuda, DeviceFacts, DeviceState};
pub use element::Element;
pub use error::{Absence, DeviceError};
pub use images::precompile;
pub use key::{decode_key, encode_key};
pub use launch::{Activation, Launch, Nearness, Pool, UntakenSize};
pub use nearest::{NearestSearch, Neighbor};
pub use program::{OPTIONS, Program};
pub use system::{Libraries, LibraryName, LoadError, Symbols, SystemLibraries};
pub use tiles::{AttentionTile, attention_tiles};
