//! The compiler of kernels, as `nvrtc.h` declares it.

use std::ffi::{c_char, c_int, c_void};

use super::library::functions;

/// `nvrtcResult`
pub(crate) type Code = c_int;
/// `nvrtcProgram`
pub(crate) type Program = *mut c_void;

pub(crate) const SUCCESS: Code = 0;

functions! {
    /// The functions of NVRTC.
    Nvrtc of Nvrtc {
        architecture_count: "nvrtcGetNumSupportedArchs" (*mut c_int) -> Code;
        architectures: "nvrtcGetSupportedArchs" (*mut c_int) -> Code;
        error_string: "nvrtcGetErrorString" (Code) -> *const c_char;
        create: "nvrtcCreateProgram" (
            *mut Program, *const c_char, *const c_char, c_int, *const *const c_char,
            *const *const c_char,
        ) -> Code;
        destroy: "nvrtcDestroyProgram" (*mut Program) -> Code;
        compile: "nvrtcCompileProgram" (Program, c_int, *const *const c_char) -> Code;
        log_size: "nvrtcGetProgramLogSize" (Program, *mut usize) -> Code;
        log: "nvrtcGetProgramLog" (Program, *mut c_char) -> Code;
        cubin_size: "nvrtcGetCUBINSize" (Program, *mut usize) -> Code;
        cubin: "nvrtcGetCUBIN" (Program, *mut c_char) -> Code;
        ptx_size: "nvrtcGetPTXSize" (Program, *mut usize) -> Code;
        ptx: "nvrtcGetPTX" (Program, *mut c_char) -> Code;
    }
}
