//! The reasons for which there is no device.

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
