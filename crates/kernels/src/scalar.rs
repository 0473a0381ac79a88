//! Portable kernels: plain Rust, the oracle of every other table.

mod bits;
pub(crate) mod dense;
pub(crate) mod dense_bf16;
pub(crate) mod dense_i8;
mod f32;
pub(crate) mod hadamard;
mod i8;
pub(crate) mod i8_rows;
pub(crate) mod near_sets;
pub(crate) mod quantise;
pub(crate) mod sorted;

use crate::Kernels;

pub(crate) static TABLE: Kernels = Kernels {
    name: "scalar",
    dot_f32: f32::dot,
    dot_bf16: f32::dot_bf16,
    dot_int8: f32::dot_int8,
    l2sq_f32: f32::l2sq,
    l1_f32: f32::l1,
    linf_f32: f32::linf,
    hamming_f32: f32::hamming,
    dot_i8: i8::dot,
    dot_i8_rows: i8_rows::dot,
    bit_keys: bits::keys,
    hadamard: hadamard::transform,
    reflect: hadamard::reflect,
    insert_sorted: sorted::insert,
    near_sets: near_sets::find,
    residual: quantise::residual,
    encode_i8: quantise::encode_i8,
    encode_i4: quantise::encode_i4,
    multiply: dense::multiply,
    gelu: dense::gelu,
    tanh_gelu: dense::tanh_gelu,
    quick_gelu: dense::quick_gelu,
    softmax: dense::softmax,
    add_norm: dense::add_norm,
    bf16: dense_bf16::KERNELS,
    int8: dense_i8::KERNELS,
};
