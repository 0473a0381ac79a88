//! The part of a layer that works on each token by itself.

use pelorus_kernels::Kernels;

use super::product::Product;
use super::scratch::{ProductScratch, sized};
use super::{bf16, int8};
use crate::model::Activation;

/// Two products with an activation between them.
pub(super) struct FeedForward {
    pub(super) up: Product,
    pub(super) activation: Activation,
    pub(super) down: Product,
}

impl FeedForward {
    /// Writes what comes of each row to `out`, both `[tokens, width]`. `inner` is for what is between.
    pub(super) fn apply(
        &self,
        kernels: &Kernels,
        rows: &[f32],
        out: &mut [f32],
        inner: &mut Vec<f32>,
        scratch: &mut ProductScratch,
    ) {
        let activate = match self.activation {
            Activation::Gelu => {
                // Products of these have the exact function within them.
                if let (Some(up), Some(down)) = (self.up.bf16(), self.down.bf16()) {
                    return bf16::feed_forward(kernels, rows, [up, down], out, &mut scratch.bf16);
                }
                if let (Some(up), Some(down)) = (self.up.int8(), self.down.int8()) {
                    return int8::feed_forward(kernels, rows, [up, down], out, &mut scratch.int8);
                }
                kernels.gelu
            }
            Activation::TanhGelu => kernels.tanh_gelu,
        };
        let inner = sized(inner, rows.len() / self.up.depth() * self.up.columns());
        self.up.multiply(kernels, rows, inner, scratch);
        activate(inner);
        self.down.multiply(kernels, inner, out, scratch);
    }
}
