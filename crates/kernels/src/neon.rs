//! Kernels for NEON, which every aarch64 processor we know of has: 128-bit vectors, partial
//! results to hide latency, the last incomplete vector through a zero-filled copy.

mod bits;
mod f32;
mod hadamard;
mod i8;
mod i8_rows;
mod quantise;

use crate::{Kernels, scalar};

/// The table, or none where the processor lacks NEON.
pub(crate) fn table() -> Option<&'static Kernels> {
    std::arch::is_aarch64_feature_detected!("neon").then_some(&TABLE)
}

/// Reachable through [`table`] alone, which is what makes its functions safe to call.
static TABLE: Kernels = Kernels {
    name: "neon",
    dot_f32: |a, b| {
        // SAFETY: `table` hands this out after it found NEON.
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
    dot_i8: |a, b| {
        // SAFETY: as above.
        unsafe { i8::dot(a, b) }
    },
    dot_i8_rows: |query, _, rows, out| {
        // SAFETY: as above.
        unsafe { i8_rows::dot(query, rows, out) }
    },
    bit_keys: |query, weights, rows, out| {
        // SAFETY: as above.
        unsafe { bits::keys(query, weights, rows, out) }
    },
    hadamard: |block, signs| {
        // SAFETY: as above.
        unsafe { hadamard::transform(block, signs) }
    },
    // NEON belongs to every aarch64 build, so the compiler has used it here already.
    reflect: scalar::hadamard::reflect,
    insert_sorted: scalar::sorted::insert,
    residual: scalar::quantise::residual,
    encode_i8: scalar::quantise::encode_i8,
    encode_i4: |v, scale, codes, planes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i4(v, scale, codes, planes) }
    },
    // Fused products and vectors of four floats are what this processor has at the least: the portable loops use them.
    multiply: scalar::dense::multiply,
    gelu: scalar::dense::gelu,
    tanh_gelu: scalar::dense::tanh_gelu,
    quick_gelu: scalar::dense::quick_gelu,
    softmax: scalar::dense::softmax,
    add_norm: scalar::dense::add_norm,
    bf16: scalar::dense_bf16::KERNELS,
    int8: scalar::dense_i8::KERNELS,
};
