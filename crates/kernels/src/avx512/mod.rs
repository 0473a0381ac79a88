//! Kernels for AVX-512 (F, BW, VL, VNNI): 512-bit vectors, partial results to hide latency, the
//! last incomplete vector by masked loads.

mod bf16;
mod f32;
mod i8;

use crate::Kernels;

/// The table, or none where the processor lacks one of the four extensions.
pub(crate) fn table() -> Option<&'static Kernels> {
    let available = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    available.then_some(&TABLE)
}

/// Reachable through [`table`] alone, which is what makes its functions safe to call.
static TABLE: Kernels = Kernels {
    name: "avx512",
    dot_f32: |a, b| {
        // SAFETY: `table` hands this out after it found F, BW, VL and VNNI.
        unsafe { f32::dot(a, b) }
    },
    l2sq_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l2sq(a, b) }
    },
    l1_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l1(a, b) }
    },
    linf_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::linf(a, b) }
    },
    hamming_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::hamming(a, b) }
    },
    dot_bf16: |a, b| {
        // SAFETY: as above.
        unsafe { bf16::dot(a, b) }
    },
    l2sq_bf16: |a, b| {
        // SAFETY: as above.
        unsafe { bf16::l2sq(a, b) }
    },
    dot_i8: |a, b| {
        // SAFETY: as above.
        unsafe { i8::dot(a, b) }
    },
    l2sq_i8: |a, b| {
        // SAFETY: as above.
        unsafe { i8::l2sq(a, b) }
    },
};
