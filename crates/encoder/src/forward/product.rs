//! Products of rows with the weights of a layer, in the precision of the encoder.

use std::sync::{Mutex, PoisonError};

use pelorus_kernels::{Bf16Panels, Kernels, Panels, Rows, RowsMut, kernels};

use super::bf16;
use super::int8::{self, Given, Int8Product};
use super::scratch::ProductScratch;
use crate::calibration::{Ranges, Seen};
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
    Int8(Int8Product),
    /// Those of f32, with the values that they are given: calibrations are made so.
    Watched(Panels, Mutex<Seen>),
}

impl Product {
    /// Packs weights for a precision that needs no calibration.
    pub(crate) fn of(weights: Panels, precision: Precision) -> Result<Self, Refusal> {
        Ok(Self {
            depth: weights.depth(),
            columns: weights.columns(),
            weights: match precision {
                Precision::F32 => Weights::F32(weights),
                Precision::Bf16 => {
                    let packed = Bf16Panels::of(&weights, kernels().bf16.order);
                    Weights::Bf16(packed.ok_or_else(Refusal::no_memory)?)
                }
                Precision::Int8 => {
                    return Err(Refusal::not_ours(format!(
                        "its products are computed in f32 or bf16, not in {precision}"
                    )));
                }
            },
        })
    }

    /// Packs weights as bytes, for values of these ranges. Where GELU and another product follow, that one is given values of
    /// the ranges `next`, of which it also makes those that come in pieces.
    pub(super) fn of_int8(
        weights: &Panels,
        ranges: &Ranges,
        given: Given,
        next: Option<&Ranges>,
    ) -> Result<Self, Refusal> {
        let channels = int8::channels(ranges, given);
        let again = next.map_or_else(Vec::new, |next| {
            int8::sources_of_pieces(&int8::channels(next, Given::Gelu), weights.columns())
        });
        Ok(Self {
            depth: channels.len(),
            columns: weights.columns() + again.len(),
            weights: Weights::Int8(Int8Product::of(weights, &channels, &again)?),
        })
    }

    /// Packs weights in f32, to look at the values that they are given.
    pub(super) fn watched(weights: Panels) -> Self {
        let depth = weights.depth();
        Self {
            depth,
            columns: weights.columns(),
            weights: Weights::Watched(weights, Mutex::new(Seen::nothing(depth))),
        }
    }

    /// Rows, the values of each row that goes in; in int8 with the pieces of channels that come in several.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Columns, the values of each row that comes out; in int8 as `depth` has it.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The weights, where they are bfloat16.
    pub(crate) fn bf16(&self) -> Option<&Bf16Panels> {
        match &self.weights {
            Weights::Bf16(panels) => Some(panels),
            _ => None,
        }
    }

    /// The weights, where they are bytes.
    pub(super) fn int8(&self) -> Option<&Int8Product> {
        match &self.weights {
            Weights::Int8(product) => Some(product),
            _ => None,
        }
    }

    /// The values that it was given so far, where it is watched, and their rows.
    pub(super) fn seen(&self) -> Option<(Ranges, u64)> {
        let Weights::Watched(_, seen) = &self.weights else {
            return None;
        };
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        Some((seen.ranges(), seen.rows()))
    }

    /// Writes the product of each row of `values`, `[rows, depth]`, to `out`, `[rows, columns]`.
    pub(crate) fn multiply(
        &self,
        kernels: &Kernels,
        values: &[f32],
        out: &mut [f32],
        scratch: &mut ProductScratch,
    ) {
        let panels = match &self.weights {
            Weights::Bf16(panels) => {
                return bf16::multiply(kernels, values, panels, out, &mut scratch.bf16);
            }
            Weights::Int8(product) => {
                return int8::multiply(kernels, values, product, out, &mut scratch.int8);
            }
            Weights::F32(panels) => panels,
            Weights::Watched(panels, seen) => {
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.add(values);
                panels
            }
        };
        let rows = Rows {
            values,
            stride: self.depth,
            count: values.len() / self.depth,
        };
        let into = RowsMut {
            values: out,
            stride: self.columns,
        };
        (kernels.multiply)(rows, panels, into);
    }
}
