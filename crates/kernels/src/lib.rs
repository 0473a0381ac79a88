//! Distances, top-k, rotations and quantisers: the arithmetic under every vector search.
//!
//! [`kernels`] answers the fastest table of functions this machine can run, chosen once. Every
//! table computes the same results as [`Kernels::scalar`], bit for bit on integers and within
//! rounding on floats; the tests hold each one to that.
//!
//! Code is laid by hardware, then by operation: `scalar/`, `avx2/`, `avx512/`, `amx/`, `neon/`, each with
//! `f32`, `i8`, `i8_rows`, `bits`, `quantise`, `hadamard` and, for transformers, `dense`, `dense_bf16` and `dense_i8`; the
//! loops that they share are in `vector`. Nothing here knows of documents or graphs.

mod bf16;
mod bf16_attention;
mod bf16_kernels;
mod bf16_panels;
mod bit_codec;
mod bitset;
mod compare;
mod int8_codec;
mod int8_kernels;
mod int8_panels;
mod int8_row;
mod key_weights;
mod panels;
mod prefetch;
mod rotation;
mod scalar;
mod table;
mod top_k;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use bf16::{BF16_ROUNDED_MAX, bf16_to_f32, f32_to_bf16};
pub use bf16_attention::{Bf16Heads, Bf16Scratch};
pub use bf16_kernels::{Bf16Finish, Bf16Kernels};
pub use bf16_panels::{BF16_LINE, Bf16Line, Bf16Order, Bf16Panels, Bf16Part, Bf16Rows};
pub use bit_codec::{BitFactors, BitQuery, encode_bits};
pub use bitset::{BitSet, Iter};
pub use compare::{COMPARED_MAX, bits_of, not_above};
pub use int8_codec::{Int8Codec, Int8Factors, ResidualNorms, encode_i8};
pub use int8_kernels::Int8Kernels;
pub use int8_panels::{Codes, INT8_DEPTH_MAX, Int8Panels, Steps};
pub use int8_row::{int8_row_bytes, read_int8_row, split_int8_row, write_int8_row};
pub use key_weights::KeyWeights;
pub use panels::{Columns, PANEL, Panels, Rows, RowsMut};
pub use prefetch::prefetch;
pub use rotation::Rotation;
pub use table::{Kernels, kernels};
pub use top_k::{Score, Scored, TopK};
