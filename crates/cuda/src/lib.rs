//! NVIDIA's devices, found and used when the program runs, and the kernels of encoders for them.
//!
//! `system/` has the libraries of NVIDIA, which are loaded when they are there and never linked; `devices` finds what they
//! show ([`Cuda`]), and says why where there is nothing. Tests put an emulation of the libraries in their place.
//!
//! `kernels/` holds sources that NVRTC compiles ([`Program`]); `launch` names each kernel with its parameters and its
//! grid; `twin/` computes the same in plain Rust, slowly. Nothing of CUDA is needed to build or to test: the tests compile
//! the same sources as C++, run their threads on the CPU, and compare with the twins.

mod devices;
mod element;
mod error;
mod key;
pub mod launch;
mod program;
mod system;
mod tiles;
pub mod twin;

pub use devices::{Cuda, DeviceFacts, DeviceState};
pub use element::Element;
pub use error::Absence;
pub use key::{decode_key, encode_key};
pub use launch::{Activation, Launch, Nearness, Pool, UntakenSize};
pub use program::{OPTIONS, Program};
pub use system::{Libraries, LibraryName, LoadError, Symbols, SystemLibraries};
pub use tiles::{AttentionTile, attention_tiles};
