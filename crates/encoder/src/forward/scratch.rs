//! Memory for what is computed on the way.

use pelorus_kernels::Panels;

use super::{bf16, int8};

/// Buffers of one thread, which grow to what its texts need and stay so.
#[derive(Default)]
pub struct Scratch {
    pub(super) hidden: Vec<f32>,
    pub(super) middle: Vec<f32>,
    pub(super) inner: Vec<f32>,
    pub(super) attention: AttentionScratch,
    pub(super) product: ProductScratch,
}

/// Buffers of products, by their precision.
#[derive(Default)]
pub(crate) struct ProductScratch {
    pub(super) bf16: bf16::Buffers,
    pub(super) int8: int8::Buffers,
}

/// Buffers of attention.
#[derive(Default)]
pub(super) struct AttentionScratch {
    pub(super) qkv: Vec<f32>,
    pub(super) context: Vec<f32>,
    pub(super) head: HeadScratch,
}

/// Buffers of one head.
#[derive(Default)]
pub(super) struct HeadScratch {
    pub(super) keys: Panels,
    pub(super) values: Panels,
    pub(super) scores: Vec<f32>,
}

/// A buffer of `len` values, of which what was there before may be left.
pub(super) fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}
