//! Products of rows with the weights of a layer, in the precision of the encoder.

use pelorus_kernels::{Bf16Panels, Kernels, Panels, Rows, RowsMut, kernels};

use super::bf16;
use super::scratch::ProductScratch;
use crate::{Precision, Refusal};

/// The weights of a product, packed once. Rows go in and come out in f32.
pub(crate) struct Product {
    depth: usize,
    columns: usize,
    weights: Weights,
}

/// Weights by their precision.
enum Weights {
    F32(Panels),
    Bf16(Bf16Panels),
}

impl Product {
    /// Packs weights for a precision.
    pub(crate) fn of(weights: Panels, precision: Precision) -> Result<Self, Refusal> {
        Ok(Self {
            depth: weights.depth(),
            columns: weights.columns(),
            weights: match precision {
                Precision::F32 => Weights::F32(weights),
                Precision::Bf16 => Weights::Bf16(Bf16Panels::of(&weights, kernels().bf16.order)),
                Precision::Int8 => {
                    return Err(Refusal::not_ours(format!(
                        "its products are computed in f32 or bf16, not in {precision}"
                    )));
                }
            },
        })
    }

    /// Rows, the values of each row that goes in.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Columns, the values of each row that comes out.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The weights, where they are bfloat16.
    pub(crate) fn bf16(&self) -> Option<&Bf16Panels> {
        match &self.weights {
            Weights::Bf16(panels) => Some(panels),
            Weights::F32(_) => None,
        }
    }

    /// Writes the product of each row of `values`, `[rows, depth]`, to `out`, `[rows, columns]`.
    pub(crate) fn multiply(
        &self,
        kernels: &Kernels,
        values: &[f32],
        out: &mut [f32],
        scratch: &mut ProductScratch,
    ) {
        let count = values.len() / self.depth;
        match &self.weights {
            Weights::Bf16(panels) => {
                bf16::multiply(kernels, values, panels, out, &mut scratch.bf16)
            }
            Weights::F32(panels) => {
                let stride = self.depth;
                let rows = Rows {
                    values,
                    stride,
                    count,
                };
                let stride = self.columns;
                (kernels.multiply)(
                    rows,
                    panels,
                    RowsMut {
                        values: out,
                        stride,
                    },
                );
            }
        }
    }
}
