//! NVIDIA's devices, found and used when the program runs.
//!
//! `system/` has the libraries of NVIDIA, which are loaded when they are there and never linked; `devices` finds what they
//! show ([`Cuda`]), and says why where there is nothing. Tests put an emulation of the libraries in their place.

mod devices;
mod error;
mod system;

pub use devices::{Cuda, DeviceFacts, DeviceState};
pub use error::Absence;
pub use system::{Libraries, LibraryName, LoadError, Symbols, SystemLibraries};
