//! The state of devices, as `nvml.h` declares it.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::library::functions;

/// `nvmlReturn_t`
pub(crate) type Code = c_int;
/// `nvmlDevice_t`
pub(crate) type Handle = *mut c_void;

pub(crate) const SUCCESS: Code = 0;

/// `nvmlMemory_t`, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) total: u64,
    pub(crate) free: u64,
    pub(crate) used: u64,
}

/// `nvmlUtilization_t`, in percent of the last moment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Utilization {
    pub(crate) device: c_uint,
    pub(crate) memory: c_uint,
}

functions! {
    /// The functions of NVML.
    Nvml of Nvml {
        init: "nvmlInit_v2" () -> Code;
        by_uuid: "nvmlDeviceGetHandleByUUID" (*const c_char, *mut Handle) -> Code;
        by_bus: "nvmlDeviceGetHandleByPciBusId_v2" (*const c_char, *mut Handle) -> Code;
        memory: "nvmlDeviceGetMemoryInfo" (Handle, *mut Memory) -> Code;
        utilization: "nvmlDeviceGetUtilizationRates" (Handle, *mut Utilization) -> Code;
    }
}
