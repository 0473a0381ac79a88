//! Codes of all vectors: sign bits that tell where to look, int8 codes that tell what is near.
//!
//! With centre μ, a vector is x = μ + x′ and its codes stand for x′. What ranks nodes against a
//! query q = μ + q′ is then
//! - by distance: |q - x|² = |q′|² + |x′|² - 2 q′·x′,
//! - by inner product: -q·x = -q′·μ - μ·x - q′·x′.
//!
//! The first term is the same for all x and left out, the last is computed from codes, and the
//! middle one, the *bias* of x, is kept in full precision: vectors in a narrow cone differ mostly
//! there. A node's bits and what is kept beside its codes share a *record* of whole cache lines.

use std::convert::Infallible;

use pelorus_kernels::{Int8Codec, Rotation, Spread, encode_bits, encode_i8, kernels, prefetch};

use crate::Metric;
use crate::keys::{Query, is_inner_product};
use crate::quantize::deviation::{DeviationMemory, unit, unit_factor};
use crate::quantize::record::{Facts, Records, record_words};
use crate::storage::blocks::{Rows, RowsView};

/// Codes are padded to whole vector registers, which spares kernels the tail.
pub(crate) const CODE_ALIGN: usize = 64;
/// Below this many components the error of a code is no longer averaged out, and full vectors
/// are as quick to read.
const DIM_MIN: usize = 16;
/// Decides the rotation. Part of the snapshot format.
const ROTATION_SEED: u64 = 0x7065_6c6f_7275_7331;

/// Whether codes can rank by this metric.
pub(crate) fn codes_apply(metric: Metric, dim: usize) -> bool {
    let linear = is_inner_product(metric) || matches!(metric, Metric::Angular | Metric::Euclidean);
    linear && dim >= DIM_MIN
}

/// One generation of codes: all by the same codec. Calibrating anew makes a new generation.
pub(crate) struct Codes {
    metric: Metric,
    codec: Int8Codec,
    rotation: Rotation,
    bit_words: usize,
    /// Written before the code of the same node.
    records: Rows<u64>,
    codes: Rows<i8>,
}

/// Memory to encode one vector in.
#[derive(Default)]
pub(crate) struct EncodeScratch {
    deviation: DeviationMemory,
    code: Vec<i8>,
}

impl Codes {
    /// No codes yet, of a codec that fits `samples`, `[n, dim]`.
    pub fn calibrate(metric: Metric, dim: usize, samples: &mut [f32]) -> Self {
        if metric == Metric::Angular {
            for sample in samples.chunks_exact_mut(dim) {
                sample.copy_from_slice(&unit(sample));
            }
        }
        let samples: Vec<&[f32]> = samples.chunks_exact(dim).collect();
        Self::new(metric, Int8Codec::calibrate(dim, &samples))
    }

    /// No codes yet, of a given codec.
    pub fn new(metric: Metric, codec: Int8Codec) -> Self {
        let dim = codec.dim();
        let rotation = Rotation::new(dim, ROTATION_SEED);
        let bit_words = rotation.padded() / 64;
        Self {
            metric,
            codec,
            rotation,
            bit_words,
            records: Rows::new(record_words(bit_words)),
            codes: Rows::new(dim.next_multiple_of(CODE_ALIGN)),
        }
    }

    /// There will be codes of `count` nodes at least: a hint.
    pub fn expect(&self, count: usize) {
        self.records.expect(count);
        self.codes.expect(count);
    }

    /// Appends the codes of the next node's vector and answers the scale of its int8 code.
    pub fn append(&self, vector: &[f32], scratch: &mut EncodeScratch) -> f32 {
        let EncodeScratch { deviation, code } = scratch;
        let (deviation, spread) = self.deviate(&Query::new(self.metric, vector), deviation);
        let bias = match is_inner_product(self.metric) {
            true => -(kernels().dot_f32)(self.codec.centre(), vector),
            false => spread.square,
        };
        code.resize(self.dim().next_multiple_of(CODE_ALIGN), 0);
        let scale = encode_i8(&deviation[..self.dim()], spread, code).scale;
        self.records.append(|record| {
            let (bits, rest) = record.split_at_mut(self.bit_words);
            self.rotation.rotate(deviation);
            let bits = encode_bits(deviation, bits);
            Facts { bias, bits, scale }.write(rest);
        });
        self.codes.append(|row| row.copy_from_slice(code));
        scale
    }

    /// Writes x′, x being of unit length where the metric is angular, and zeros after it to the
    /// length that is rotated.
    pub fn deviate<'m>(
        &self,
        x: &Query<'_>,
        memory: &'m mut DeviationMemory,
    ) -> (&'m mut [f32], Spread) {
        let factor = match self.metric {
            Metric::Angular => unit_factor(x.norm),
            _ => 1.0,
        };
        let out = memory.floats(self.rotation.padded());
        let (deviation, padding) = out.split_at_mut(self.dim());
        padding.fill(0.0);
        let spread = self.codec.deviate(x.vector, factor, deviation);
        (out, spread)
    }

    /// Appends codes that `fill` writes: the record and the int8 code of the next node.
    ///
    /// # Errors
    /// Those of `fill`; the codes may not be appended to any more then.
    pub fn append_coded<E>(
        &self,
        fill: impl FnOnce(&mut [u64], &mut [i8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut filled = Ok(());
        self.records.append(|record| {
            self.codes.append(|code| filled = fill(record, code));
        });
        filled
    }

    /// The codes of the `count` nodes in `kept`, one after the other.
    pub fn copy(&self, kept: impl Iterator<Item = u32>, count: usize) -> Self {
        let copy = Self::new(self.metric, self.codec.clone());
        copy.expect(count);
        let (records, codes) = (self.records(), self.codes());
        for node in kept {
            let copied: Result<(), Infallible> = copy.append_coded(|record, code| {
                record.copy_from_slice(records.record(node));
                code.copy_from_slice(codes.row(node as usize));
                Ok(())
            });
            let Ok(()) = copied;
        }
        copy
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        self.codec.dim()
    }

    /// What made the int8 codes.
    pub fn codec(&self) -> &Int8Codec {
        &self.codec
    }

    /// What turns vectors before their signs are taken.
    pub fn rotation(&self) -> &Rotation {
        &self.rotation
    }

    /// The number of nodes that have codes.
    #[inline]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    #[inline(always)]
    pub fn code(&self, node: u32) -> &[i8] {
        self.codes.row(node as usize)
    }

    /// The int8 codes there are now, for many reads.
    #[inline(always)]
    pub fn codes(&self) -> RowsView<'_, i8> {
        self.codes.view()
    }

    /// The records there are now, for many reads.
    #[inline(always)]
    pub fn records(&self) -> Records<'_> {
        Records::of(&self.records)
    }

    #[inline(always)]
    pub fn facts(&self, node: u32) -> Facts {
        Facts::read(&self.records.row(node as usize)[self.bit_words..])
    }

    /// |x′|² of a node with these facts.
    pub fn square(&self, facts: &Facts) -> f32 {
        match is_inner_product(self.metric) {
            true => facts.bits.square(self.rotation.padded()),
            false => facts.bias,
        }
    }

    /// Hints that record and int8 code of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.records.row(node as usize));
        prefetch(self.codes.row(node as usize));
    }

    /// What q′·x′ counts in a key.
    pub fn product_weight(&self) -> f32 {
        if is_inner_product(self.metric) {
            1.0
        } else {
            2.0
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.codes.memory_bytes() + self.records.memory_bytes()
    }
}
