//! The faults of devices.

use crate::launch::UntakenSize;
use crate::system::LoadError;

/// A reason for which this machine has no device to run on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// A library is missing or too old.
    #[error(transparent)]
    Library(#[from] LoadError),
    /// The driver is too old.
    #[error(
        "the NVIDIA driver supports CUDA {major}.{minor}, and {expected}.0 is the oldest that is taken"
    )]
    OldDriver {
        /// The release that it supports.
        major: u32,
        /// And the part of it after the point.
        minor: u32,
        /// The oldest release that is taken.
        expected: u32,
    },
    /// The driver does not work.
    #[error("the NVIDIA driver cannot be used: {reason}")]
    Driver {
        /// The words of the driver.
        reason: String,
    },
    /// There is none.
    #[error("the NVIDIA driver sees no device")]
    NoDevice,
    /// No device can run the kernels.
    #[error("device {device}, {name}, {reason}")]
    Unusable {
        /// The number of the first device.
        device: u32,
        /// Its name.
        name: String,
        /// The fault of it.
        reason: String,
    },
}

/// A fault of a device in use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It has no memory left.
    #[error("the device has no room for {bytes} bytes more")]
    OutOfMemory {
        /// Bytes that were asked for; 0 where the driver does not tell.
        bytes: u64,
    },
    /// It is gone, or in a state that no later call mends.
    #[error("the device is lost: {reason}")]
    Lost {
        /// The call, and the words of the driver.
        reason: String,
    },
    /// A call was refused.
    #[error("{call} failed: {reason}")]
    Refused {
        /// The call.
        call: &'static str,
        /// The words of the library.
        reason: String,
    },
    /// The kernels could not be compiled.
    #[error("the kernels cannot be compiled: {reason}")]
    Compilation {
        /// The words of the compiler.
        reason: String,
    },
    /// A library is missing or too old.
    #[error(transparent)]
    Library(#[from] LoadError),
    /// The kernels do not compute models of this size.
    #[error(transparent)]
    Size(#[from] UntakenSize),
}
