//! The driver, as `cuda.h` declares it.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::library::functions;

/// `CUresult`
pub(crate) type Code = c_int;
/// `CUdevice`
pub(crate) type DeviceHandle = c_int;
/// `CUdeviceptr`
pub(crate) type Address = u64;
/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule`, `CUfunction`
pub(crate) type Handle = *mut c_void;

pub(crate) const OUT_OF_MEMORY: Code = 2;
pub(crate) const NO_DEVICE: Code = 100;
pub(crate) const SUCCESS: Code = 0;

/// Faults that are those of one call: what was asked for cannot be done, and the device works on. Each `CUDA_ERROR_…`.
pub(crate) const REFUSALS: [(&str, Code); 15] = [
    ("INVALID_VALUE", 1),
    ("INVALID_IMAGE", 200),
    ("NO_BINARY_FOR_GPU", 209),
    ("INVALID_PTX", 218),
    ("JIT_COMPILER_NOT_FOUND", 221),
    ("UNSUPPORTED_PTX_VERSION", 222),
    ("JIT_COMPILATION_DISABLED", 223),
    ("INVALID_SOURCE", 300),
    ("FILE_NOT_FOUND", 301),
    ("SHARED_OBJECT_SYMBOL_NOT_FOUND", 302),
    ("INVALID_HANDLE", 400),
    ("NOT_FOUND", 500),
    ("NOT_READY", 600),
    ("LAUNCH_OUT_OF_RESOURCES", 701),
    ("NOT_SUPPORTED", 801),
];

/// `CU_DEVICE_ATTRIBUTE_…`
pub(crate) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
pub(crate) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
pub(crate) const COMPUTE_MODE: c_int = 20;

/// `CU_COMPUTEMODE_PROHIBITED`
pub(crate) const MODE_PROHIBITED: c_int = 2;

/// `CU_STREAM_NON_BLOCKING`
pub(crate) const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING`
pub(crate) const EVENT_QUIET: c_uint = 1 | 2;

functions! {
    /// The functions of the driver.
    Driver of Driver {
        init: "cuInit" (c_uint) -> Code;
        version: "cuDriverGetVersion" (*mut c_int) -> Code;
        error_name: "cuGetErrorName" (Code, *mut *const c_char) -> Code;
        error_string: "cuGetErrorString" (Code, *mut *const c_char) -> Code;
        device_count: "cuDeviceGetCount" (*mut c_int) -> Code;
        device: "cuDeviceGet" (*mut DeviceHandle, c_int) -> Code;
        device_name: "cuDeviceGetName" (*mut c_char, c_int, DeviceHandle) -> Code;
        device_memory: "cuDeviceTotalMem_v2" (*mut usize, DeviceHandle) -> Code;
        device_attribute: "cuDeviceGetAttribute" (*mut c_int, c_int, DeviceHandle) -> Code;
        device_uuid: "cuDeviceGetUuid_v2" (*mut [u8; 16], DeviceHandle) -> Code;
        device_bus: "cuDeviceGetPCIBusId" (*mut c_char, c_int, DeviceHandle) -> Code;
        retain_context: "cuDevicePrimaryCtxRetain" (*mut Handle, DeviceHandle) -> Code;
        release_context: "cuDevicePrimaryCtxRelease_v2" (DeviceHandle) -> Code;
        set_context: "cuCtxSetCurrent" (Handle) -> Code;
        allocate: "cuMemAlloc_v2" (*mut Address, usize) -> Code;
        free: "cuMemFree_v2" (Address) -> Code;
        allocate_host: "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint) -> Code;
        free_host: "cuMemFreeHost" (*mut c_void) -> Code;
        upload: "cuMemcpyHtoDAsync_v2" (Address, *const c_void, usize, Handle) -> Code;
        download: "cuMemcpyDtoHAsync_v2" (*mut c_void, Address, usize, Handle) -> Code;
        create_stream: "cuStreamCreate" (*mut Handle, c_uint) -> Code;
        destroy_stream: "cuStreamDestroy_v2" (Handle) -> Code;
        synchronize_stream: "cuStreamSynchronize" (Handle) -> Code;
        create_event: "cuEventCreate" (*mut Handle, c_uint) -> Code;
        destroy_event: "cuEventDestroy_v2" (Handle) -> Code;
        record_event: "cuEventRecord" (Handle, Handle) -> Code;
        synchronize_event: "cuEventSynchronize" (Handle) -> Code;
        load_module: "cuModuleLoadData" (*mut Handle, *const c_void) -> Code;
        unload_module: "cuModuleUnload" (Handle) -> Code;
        function: "cuModuleGetFunction" (*mut Handle, Handle, *const c_char) -> Code;
        launch: "cuLaunchKernel" (
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
            *mut *mut c_void, *mut *mut c_void,
        ) -> Code;
    }
}

impl Driver {
    /// The words of an error, such as `CUDA_ERROR_OUT_OF_MEMORY: out of memory`.
    pub(crate) fn words(&self, code: Code) -> String {
        let word = |function: unsafe extern "system" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: the place is written before it is read, and texts of the driver live as long as it.
            unsafe {
                if function(code, &mut text) != SUCCESS || text.is_null() {
                    return None;
                }
                Some(CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        match (word(self.error_name), word(self.error_string)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            (Some(name), None) => name,
            _ => format!("error {code}"),
        }
    }
}

/// The text in a buffer that the driver filled.
pub(crate) fn text(buffer: &[c_char]) -> String {
    let bytes = buffer.iter().take_while(|&&byte| byte != 0);
    let bytes: Vec<u8> = bytes.map(|&byte| byte.to_ne_bytes()[0]).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
