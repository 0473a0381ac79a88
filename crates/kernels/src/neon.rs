//! Kernels for NEON, which every aarch64 processor we know of has: 128-bit vectors, partial
//! results to hide latency, the last incomplete vector through a zero-filled copy. Processors that add products of bytes
//! have tables of their own: `dotprod` of signed ones, `i8mm` of signed with unsigned ones as well.

mod bits;
mod dense;
mod dense_i8;
mod dense_i8_dot;
mod f32;
mod hadamard;
mod i8;
mod i8_rows;
mod quantise;

use crate::{Kernels, scalar};

/// The table, or none where the processor lacks NEON.
pub(crate) fn table() -> Option<&'static Kernels> {
    std::arch::is_aarch64_feature_detected!("neon").then_some(&PLAIN_TABLE)
}

/// The table of processors that add products of signed bytes, or none where the processor does not.
pub(crate) fn dotprod_table() -> Option<&'static Kernels> {
    let available = table().is_some() && std::arch::is_aarch64_feature_detected!("dotprod");
    available.then_some(&DOTPROD_TABLE)
}

/// The table of processors that add products of signed with unsigned bytes, or none where the processor does not.
pub(crate) fn i8mm_table() -> Option<&'static Kernels> {
    let available = dotprod_table().is_some() && std::arch::is_aarch64_feature_detected!("i8mm");
    available.then_some(&I8MM_TABLE)
}

static PLAIN_TABLE: Kernels = TABLE;

static DOTPROD_TABLE: Kernels = Kernels {
    name: "dotprod",
    int8: dense_i8_dot::DOTPROD,
    ..TABLE
};

static I8MM_TABLE: Kernels = Kernels {
    name: "i8mm",
    int8: dense_i8_dot::I8MM,
    ..TABLE
};

/// Reachable through the tables alone, which is what makes its functions safe to call.
const TABLE: Kernels = Kernels {
    name: "neon",
    dot_f32: |a, b| {
        // SAFETY: `table` hands this out after it found NEON.
        unsafe { f32::dot(a, b) }
    },
    dot_bf16: |a, b| {
        // SAFETY: as above.
        unsafe { f32::dot_bf16(a, b) }
    },
    dot_int8: |a, scale, b| {
        // SAFETY: as above.
        unsafe { f32::dot_int8(a, scale, b) }
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
    near_sets: scalar::near_sets::find,
    residual: scalar::quantise::residual,
    encode_i8: scalar::quantise::encode_i8,
    encode_i4: |v, scale, codes, planes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i4(v, scale, codes, planes) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { dense::multiply(rows, panels, out) }
    },
    // Fused products and vectors of four floats are what this processor has at the least: the portable loops use them.
    gelu: scalar::dense::gelu,
    tanh_gelu: scalar::dense::tanh_gelu,
    quick_gelu: scalar::dense::quick_gelu,
    softmax: scalar::dense::softmax,
    add_norm: scalar::dense::add_norm,
    bf16: scalar::dense_bf16::KERNELS,
    int8: dense_i8::KERNELS,
};
