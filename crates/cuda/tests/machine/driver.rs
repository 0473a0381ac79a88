//! The driver: devices and their facts.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{Device, fault, with, write_text};

const INVALID_DEVICE: c_int = 101;

/// The functions by name.
pub(super) fn address(function: &str) -> Option<*const c_void> {
    Some(match function {
        "cuInit" => init as *const c_void,
        "cuDriverGetVersion" => version as *const c_void,
        "cuGetErrorName" => error_name as *const c_void,
        "cuGetErrorString" => error_string as *const c_void,
        "cuDeviceGetCount" => count as *const c_void,
        "cuDeviceGet" => get as *const c_void,
        "cuDeviceGetName" => name as *const c_void,
        "cuDeviceTotalMem_v2" => memory as *const c_void,
        "cuDeviceGetAttribute" => attribute as *const c_void,
        "cuDeviceGetUuid_v2" => uuid as *const c_void,
        "cuDeviceGetPCIBusId" => bus as *const c_void,
        _ => return None,
    })
}

extern "system" fn init(_: c_uint) -> c_int {
    fault("cuInit")
}

unsafe extern "system" fn version(out: *mut c_int) -> c_int {
    // SAFETY: the caller's place, here and below.
    unsafe { out.write(with(|machine| machine.driver_version)) };
    fault("cuDriverGetVersion")
}

unsafe extern "system" fn error_name(code: c_int, out: *mut *const c_char) -> c_int {
    let name = match code {
        2 => c"CUDA_ERROR_OUT_OF_MEMORY",
        719 => c"CUDA_ERROR_LAUNCH_FAILED",
        803 => c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        _ => return 1,
    };
    // SAFETY: as above.
    unsafe { out.write(name.as_ptr()) };
    0
}

unsafe extern "system" fn error_string(code: c_int, out: *mut *const c_char) -> c_int {
    let text = match code {
        2 => c"out of memory",
        719 => c"unspecified launch failure",
        803 => c"system has unsupported display driver / cuda driver combination",
        _ => return 1,
    };
    // SAFETY: as above.
    unsafe { out.write(text.as_ptr()) };
    0
}

unsafe extern "system" fn count(out: *mut c_int) -> c_int {
    // SAFETY: as above.
    unsafe { out.write(with(|machine| machine.devices.len() as c_int)) };
    fault("cuDeviceGetCount")
}

unsafe extern "system" fn get(out: *mut c_int, ordinal: c_int) -> c_int {
    // A number of its own, so that nobody takes one for the other.
    // SAFETY: as above.
    unsafe { out.write(ordinal + 100) };
    fault("cuDeviceGet")
}

fn device(handle: c_int) -> Result<Device, c_int> {
    let at = usize::try_from(handle - 100).map_err(|_| INVALID_DEVICE)?;
    with(|machine| machine.devices.get(at).cloned()).ok_or(INVALID_DEVICE)
}

unsafe extern "system" fn name(out: *mut c_char, len: c_int, handle: c_int) -> c_int {
    match device(handle) {
        // SAFETY: the caller's buffer has so many characters.
        Ok(device) => unsafe { write_text(device.name, out, len) },
        Err(code) => return code,
    }
    fault("cuDeviceGetName")
}

unsafe extern "system" fn memory(out: *mut usize, handle: c_int) -> c_int {
    match device(handle) {
        // SAFETY: as above.
        Ok(device) => unsafe { out.write(device.memory as usize) },
        Err(code) => return code,
    }
    fault("cuDeviceTotalMem_v2")
}

unsafe extern "system" fn attribute(out: *mut c_int, which: c_int, handle: c_int) -> c_int {
    let device = match device(handle) {
        Ok(device) => device,
        Err(code) => return code,
    };
    let value = match which {
        75 => device.capability.0,
        76 => device.capability.1,
        20 => {
            if device.is_prohibited {
                2
            } else {
                0
            }
        }
        _ => return 1,
    };
    // SAFETY: as above.
    unsafe { out.write(value) };
    fault("cuDeviceGetAttribute")
}

unsafe extern "system" fn uuid(out: *mut [u8; 16], handle: c_int) -> c_int {
    match device(handle) {
        // SAFETY: as above.
        Ok(device) => unsafe { out.write(device.id) },
        Err(code) => return code,
    }
    fault("cuDeviceGetUuid_v2")
}

unsafe extern "system" fn bus(out: *mut c_char, len: c_int, handle: c_int) -> c_int {
    match device(handle) {
        // SAFETY: as above.
        Ok(_) => unsafe { write_text(&format!("0000:{handle:02}:00.0"), out, len) },
        Err(code) => return code,
    }
    fault("cuDeviceGetPCIBusId")
}
