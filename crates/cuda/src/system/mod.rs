//! The libraries of NVIDIA, loaded when they are there: nothing is linked, and nothing of them is needed to build, to start
//! or to test.
//!
//! `library` finds them, and stands for what they are found in: tests put an emulation in their place. Each other file
//! holds the functions of one library as its header declares them, in a table whose making fails where one is missing;
//! `headers` holds all of that against the headers.

pub(crate) mod cublaslt;
pub(crate) mod driver;
#[cfg(test)]
mod headers;
mod library;
pub(crate) mod nvml;
pub(crate) mod nvrtc;
mod places;

pub use library::{Libraries, LibraryName, LoadError, Symbols, SystemLibraries};
