//! Products of matrices, as `cublasLt.h` declares them.

use std::ffi::{c_float, c_int, c_void};

use super::driver::{Address, Handle as Stream};
use super::library::functions;

/// `cublasStatus_t`
pub(crate) type Code = c_int;
/// `cublasLtHandle_t`, `cublasLtMatmulDesc_t`, `cublasLtMatrixLayout_t`, `cublasLtMatmulPreference_t`
pub(crate) type Handle = *mut c_void;

pub(crate) const SUCCESS: Code = 0;
/// `CUBLAS_COMPUTE_32F`
pub(crate) const COMPUTE_F32: c_int = 68;
/// `CUDA_R_32F`, `CUDA_R_16F`, `CUDA_R_16BF`
pub(crate) const TYPE_F32: c_int = 0;
pub(crate) const TYPE_F16: c_int = 2;
pub(crate) const TYPE_BF16: c_int = 14;
/// `CUBLAS_OP_T`
pub(crate) const TRANSPOSED: c_int = 1;
/// `CUBLASLT_MATMUL_DESC_TRANSA`
pub(crate) const DESC_TRANSPOSE_A: c_int = 3;
/// `CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES`
pub(crate) const PREFERENCE_WORKSPACE: c_int = 1;

/// `cublasLtMatmulAlgo_t`, whose content is the library's own.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Algorithm {
    data: [u64; 8],
}

/// `cublasLtMatmulHeuristicResult_t`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heuristic {
    pub(crate) algorithm: Algorithm,
    pub(crate) workspace: usize,
    pub(crate) state: Code,
    pub(crate) waves: c_float,
    reserved: [c_int; 4],
}

functions! {
    /// The functions of cuBLASLt.
    CublasLt of CublasLt {
        create: "cublasLtCreate" (*mut Handle) -> Code;
        destroy: "cublasLtDestroy" (Handle) -> Code;
        create_desc: "cublasLtMatmulDescCreate" (*mut Handle, c_int, c_int) -> Code;
        destroy_desc: "cublasLtMatmulDescDestroy" (Handle) -> Code;
        set_desc: "cublasLtMatmulDescSetAttribute" (Handle, c_int, *const c_void, usize) -> Code;
        create_layout: "cublasLtMatrixLayoutCreate" (*mut Handle, c_int, u64, u64, i64) -> Code;
        destroy_layout: "cublasLtMatrixLayoutDestroy" (Handle) -> Code;
        create_preference: "cublasLtMatmulPreferenceCreate" (*mut Handle) -> Code;
        destroy_preference: "cublasLtMatmulPreferenceDestroy" (Handle) -> Code;
        set_preference: "cublasLtMatmulPreferenceSetAttribute" (
            Handle, c_int, *const c_void, usize,
        ) -> Code;
        heuristics: "cublasLtMatmulAlgoGetHeuristic" (
            Handle, Handle, Handle, Handle, Handle, Handle, Handle, c_int, *mut Heuristic,
            *mut c_int,
        ) -> Code;
        multiply: "cublasLtMatmul" (
            Handle, Handle, *const c_float, Address, Handle, Address, Handle, *const c_float,
            Address, Handle, Address, Handle, *const Algorithm, Address, usize, Stream,
        ) -> Code;
    }
}
