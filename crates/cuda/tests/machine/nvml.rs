//! The state of devices.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::{fault, with};

const NOT_FOUND: c_int = 6;

/// The functions by name.
pub(super) fn address(function: &str) -> Option<*const c_void> {
    Some(match function {
        "nvmlInit_v2" => init as *const c_void,
        "nvmlDeviceGetHandleByUUID" => by_uuid as *const c_void,
        "nvmlDeviceGetHandleByPciBusId_v2" => by_bus as *const c_void,
        "nvmlDeviceGetMemoryInfo" => memory as *const c_void,
        "nvmlDeviceGetUtilizationRates" => utilization as *const c_void,
        _ => return None,
    })
}

extern "system" fn init() -> c_int {
    fault("nvmlInit_v2")
}

unsafe extern "system" fn by_uuid(name: *const c_char, out: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's text, which ends in nought.
    let name = unsafe { CStr::from_ptr(name) }.to_str().expect("a name");
    let at = with(|machine| {
        machine.devices.iter().position(|device| {
            let number = format!("{:02x}", device.id[0]);
            let part = |count: usize| number.repeat(count);
            let (kind, four, two, six) = (device.kind, part(4), part(2), part(6));
            name == format!("{kind}-{four}-{two}-{two}-{two}-{six}")
        })
    });
    match at {
        // SAFETY: the caller's place.
        Some(at) => unsafe { out.write((at + 1) as *mut c_void) },
        None => return NOT_FOUND,
    }
    fault("nvmlDeviceGetHandleByUUID")
}

unsafe extern "system" fn by_bus(name: *const c_char, out: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's text, which ends in nought.
    let name = unsafe { CStr::from_ptr(name) }.to_str().expect("a name");
    let number = name
        .strip_prefix("0000:")
        .and_then(|rest| rest.strip_suffix(":00.0"));
    let number: usize = number
        .and_then(|number| number.parse().ok())
        .expect("a bus");
    // SAFETY: the caller's place.
    unsafe { out.write((number - 100 + 1) as *mut c_void) };
    fault("nvmlDeviceGetHandleByPciBusId_v2")
}

unsafe extern "system" fn memory(handle: *mut c_void, out: *mut [u64; 3]) -> c_int {
    let (total, used) = with(|machine| {
        let device = &machine.devices[handle.addr() - 1];
        (device.memory, device.used)
    });
    // SAFETY: the caller's place: total, free, used.
    unsafe { out.write([total, total - used, used]) };
    fault("nvmlDeviceGetMemoryInfo")
}

unsafe extern "system" fn utilization(handle: *mut c_void, out: *mut [u32; 2]) -> c_int {
    let rate = with(|machine| machine.devices[handle.addr() - 1].utilization);
    // SAFETY: the caller's place: of the device, and of its memory.
    unsafe { out.write([rate, 5]) };
    fault("nvmlDeviceGetUtilizationRates")
}
