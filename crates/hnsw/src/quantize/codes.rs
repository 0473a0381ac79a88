//! Codes of all vectors: sign bits, of which keys are estimated, and int8 codes, of which they are
//! computed.
//!
//! With centre μ, a vector is x = μ + x′, and its codes stand for the *residual* x′. Nodes rank against a query q = μ +
//! q′ then
//! - by distance: |q - x|² = |q′|² + |x′|² - 2 q′·x′,
//! - by inner product: -q·x = -q′·μ - μ·x - q′·x′.
//!
//! The first term is the same for all x and left out, the last is computed from codes, and the
//! middle one, the *bias* of x, is kept in full precision: vectors in a narrow cone differ mostly
//! there.
//!
//! The sign bits are of the rotated residual, with the factors that make ⟨q′, sign bits⟩ an estimate of
//! q′·x′ without bias (Gao and Long, 2024, "RaBitQ"; the formulas are in `kernels` `bit_codec.rs`).
//! They encode vectors and not, as in SymphonyQG, the edges between them: a link that changes
//! encodes nothing. A node's bits and factors share a *record* of whole cache lines.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use pelorus_kernels::{
    BitFactors, Int8Codec, ResidualNorms, Rotation, encode_bits, encode_i8, kernels, prefetch,
};

use crate::Metric;
use crate::distance::Query;
use crate::storage::blocks::{Rows, RowsView};
use crate::storage::code_memory::CodeMemory;
use crate::storage::read_ahead::{ReadAhead, Reads, ask_for};

/// Codes are padded to whole vector registers, which spares kernels the tail.
pub(crate) const CODE_ALIGN: usize = 64;
/// Below this many components the error of a code is no longer averaged out, and full vectors
/// are as quick to read.
const DIM_MIN: usize = 16;
/// Decides the rotation. Part of the snapshot format.
const ROTATION_SEED: u64 = 0x7065_6c6f_7275_7331;

/// Tells whether codes can rank by this metric.
pub(crate) fn codes_apply(metric: Metric, dim: usize) -> bool {
    let linear = metric.is_inner_product() || matches!(metric, Metric::Angular | Metric::Euclidean);
    linear && dim >= DIM_MIN
}

/// Codes of one quantizer: all by the same codec.
pub(crate) struct Codes {
    metric: Metric,
    codec: Int8Codec,
    rotation: Rotation,
    bit_words: usize,
    /// Written before the code of the same node.
    records: Rows<u64>,
    codes: Rows<i8>,
    /// The folder of codes beyond the budget of memory.
    folder: Option<PathBuf>,
    ahead: ReadAhead,
}

/// Memory to encode one vector in.
#[derive(Default)]
pub(crate) struct EncodeScratch {
    residual: ResidualMemory,
    code: Vec<i8>,
    bits: Vec<u64>,
}

/// The codes of one vector.
struct Encoded<'s> {
    code: &'s [i8],
    bits: &'s [u64],
    factors: CodeFactors,
}

impl Encoded<'_> {
    fn write_record(&self, record: &mut [u64]) {
        let (bits, rest) = record.split_at_mut(self.bits.len());
        bits.copy_from_slice(self.bits);
        self.factors.write(rest);
    }
}

impl Codes {
    /// No codes yet, of a codec learnt from `samples`, `[n, dim]`.
    /// They lie in `memory`.
    pub fn train(metric: Metric, dim: usize, samples: &mut [f32], memory: CodeMemory) -> Self {
        if metric == Metric::Angular {
            for sample in samples.chunks_exact_mut(dim) {
                sample.copy_from_slice(&unit(sample));
            }
        }
        let samples: Vec<&[f32]> = samples.chunks_exact(dim).collect();
        Self::new(metric, Int8Codec::train(dim, &samples), memory)
    }

    /// No codes yet, of a given codec, that will lie in `memory`.
    pub fn new(metric: Metric, codec: Int8Codec, memory: CodeMemory) -> Self {
        let dim = codec.dim();
        let rotation = Rotation::new(dim, ROTATION_SEED);
        let bit_words = rotation.padded() / 64;
        let folder = memory.folder().map(Path::to_owned);
        Self {
            metric,
            codec,
            rotation,
            bit_words,
            records: Rows::new(record_words(bit_words)),
            codes: Rows::budgeted(dim.next_multiple_of(CODE_ALIGN), memory),
            folder,
            ahead: ReadAhead::default(),
        }
    }

    /// There will be codes of `count` nodes at least: a hint.
    pub fn expect(&self, count: usize) {
        self.records.expect(count);
        self.codes.expect(count);
    }

    /// Appends the codes of the next node's vector and answers the scale of its int8 code.
    pub fn append(&self, vector: &[f32], scratch: &mut EncodeScratch) -> f32 {
        let encoded = self.encode(vector, scratch);
        self.records.append(|record| encoded.write_record(record));
        // Last: the number of codes says how many nodes may be compared.
        self.codes.append(|row| row.copy_from_slice(encoded.code));
        encoded.factors.scale
    }

    /// Writes the codes of a vector ahead of those that count, to be [counted](Self::count_to) with all before it.
    /// Answers as [`append`](Self::append).
    ///
    /// # Safety
    /// Until they count no code is appended, and no other call writes those of the same node.
    pub unsafe fn write_ahead(
        &self,
        node: usize,
        vector: &[f32],
        scratch: &mut EncodeScratch,
    ) -> f32 {
        let encoded = self.encode(vector, scratch);
        // SAFETY: the caller's.
        unsafe {
            self.records
                .write_ahead(node, |record| encoded.write_record(record));
            self.codes
                .write_ahead(node, |row| row.copy_from_slice(encoded.code));
        }
        encoded.factors.scale
    }

    /// Counts the codes of the first `len` nodes.
    ///
    /// # Safety
    /// All of them were written, by calls that this thread knows to have ended.
    pub unsafe fn count_to(&self, len: usize) {
        // SAFETY: the caller's.
        unsafe {
            self.records.count_to(len);
            self.codes.count_to(len);
        }
    }

    fn encode<'s>(&self, vector: &[f32], scratch: &'s mut EncodeScratch) -> Encoded<'s> {
        let EncodeScratch {
            residual,
            code,
            bits,
        } = scratch;
        let (residual, norms) = self.residual(&Query::new(self.metric, vector), residual);
        let bias = match self.metric.is_inner_product() {
            true => -(kernels().dot_f32)(self.codec.centre(), vector),
            false => norms.square,
        };
        code.resize(self.dim().next_multiple_of(CODE_ALIGN), 0);
        let scale = encode_i8(&residual[..self.dim()], norms, code).scale;
        self.rotation.rotate(residual);
        bits.resize(self.bit_words, 0);
        let factors = CodeFactors {
            bias,
            bits: encode_bits(residual, bits),
            scale,
        };
        Encoded {
            code,
            bits,
            factors,
        }
    }

    /// Writes x′, x being of unit length where the metric is angular, and zeros after it to the
    /// length that is rotated.
    pub fn residual<'m>(
        &self,
        x: &Query<'_>,
        memory: &'m mut ResidualMemory,
    ) -> (&'m mut [f32], ResidualNorms) {
        let factor = match self.metric {
            Metric::Angular => unit_factor(x.norm),
            _ => 1.0,
        };
        let out = memory.floats(self.rotation.padded());
        let (residual, padding) = out.split_at_mut(self.dim());
        padding.fill(0.0);
        let norms = self.codec.residual(x.vector, factor, residual);
        (out, norms)
    }

    /// Tells whether these codes suit vectors about as well as those of `other`, which was learnt from `samples` of
    /// them, `[n, dim]`: the one centre is then no farther from the other than one in `spread_one_in` of the vectors'
    /// mean distance from that, in root mean squares.
    pub fn suit(&self, other: &Self, samples: &[f32], spread_one_in: f32) -> bool {
        let mut residual = vec![0.0; self.dim()];
        let mut square = |x: &[f32]| f64::from(other.codec.residual(x, 1.0, &mut residual).square);
        let off = square(self.codec.centre());
        let samples = samples.chunks_exact(self.dim());
        let count = samples.len() as f64;
        let spread: f64 = samples.map(square).sum();
        off * f64::from(spread_one_in * spread_one_in) * count <= spread
    }

    /// The codes of the `count` nodes in `kept`, one after the other.
    pub fn copy(&self, kept: impl Iterator<Item = u32>, count: usize) -> Self {
        let memory = CodeMemory::new(self.folder.as_deref());
        let copy = Self::new(self.metric, self.codec.clone(), memory);
        copy.expect(count);
        let (records, codes) = (self.records(), self.codes());
        for node in kept {
            let (record, code) = (records.record(node), codes.row(node as usize));
            copy.records.append(|row| row.copy_from_slice(record));
            copy.codes.append(|row| row.copy_from_slice(code));
        }
        copy
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        self.codec.dim()
    }

    /// The codec of the int8 codes.
    pub fn codec(&self) -> &Int8Codec {
        &self.codec
    }

    /// The rotation of vectors before their signs are taken.
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
    pub fn factors(&self, node: u32) -> CodeFactors {
        CodeFactors::read(&self.records.row(node as usize)[self.bit_words..])
    }

    /// |x′|² of a node with these factors.
    pub fn square(&self, factors: &CodeFactors) -> f32 {
        match self.metric.is_inner_product() {
            true => factors.bits.square(self.rotation.padded()),
            false => factors.bias,
        }
    }

    /// Hints that record and int8 code of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.records.row(node as usize));
        prefetch(self.codes.row(node as usize));
    }

    /// The reads of int8 codes by one query; none where all of them are in memory.
    pub fn reads(&self) -> Option<Reads<'_>> {
        self.codes.has_files().then(|| Reads::begin(&self.ahead))
    }

    /// Asks the system to bring the int8 code of `node` into memory, and does not wait for it.
    pub fn ask_for(&self, node: u32) {
        ask_for(bytemuck::cast_slice(self.code(node)));
    }

    /// The weight of q′·x′ in a key.
    pub fn product_weight(&self) -> f32 {
        if self.metric.is_inner_product() {
            1.0
        } else {
            2.0
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.codes.memory_bytes() + self.records.memory_bytes()
    }
}

/// Words of factors, behind the sign bits.
const FACTOR_WORDS: usize = 2;
/// Words of a cache line.
const LINE_WORDS: usize = 8;

/// Words of a record with so many words of sign bits.
pub(crate) fn record_words(bit_words: usize) -> usize {
    (bit_words + FACTOR_WORDS).next_multiple_of(LINE_WORDS)
}

/// The factors that turn products with the codes of a node into keys.
#[derive(Clone, Copy)]
pub(crate) struct CodeFactors {
    /// The share of the vector in every key, whatever the query.
    pub bias: f32,
    /// The weight of a product with the sign bits, and the bound of its error.
    pub bits: BitFactors,
    /// The value of one step of the int8 code.
    pub scale: f32,
}

impl CodeFactors {
    #[inline(always)]
    pub fn read(words: &[u64]) -> Self {
        let words = &words[..FACTOR_WORDS];
        let low = |word: u64| f32::from_bits(word as u32);
        let high = |word: u64| f32::from_bits((word >> 32) as u32);
        Self {
            bias: low(words[0]),
            bits: BitFactors {
                rescale: high(words[0]),
                error: low(words[1]),
            },
            scale: high(words[1]),
        }
    }

    /// Writes to the words behind the sign bits.
    pub fn write(self, words: &mut [u64]) {
        let pair = |low: f32, high: f32| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
        words[..FACTOR_WORDS].copy_from_slice(&[
            pair(self.bias, self.bits.rescale),
            pair(self.bits.error, self.scale),
        ]);
    }
}

/// Sign bits and factors of the nodes there were at one time.
pub(crate) struct Records<'a> {
    rows: RowsView<'a, u64>,
}

impl<'a> Records<'a> {
    #[inline(always)]
    pub fn of(rows: &'a Rows<u64>) -> Self {
        Self { rows: rows.view() }
    }

    /// Bits and factors of a node, one behind the other: the sign bits of the rotated residual from
    /// the centre, then the factors of a key ([`Kernels::bit_keys`]).
    ///
    /// [`Kernels::bit_keys`]: pelorus_kernels::Kernels::bit_keys
    #[inline(always)]
    pub fn record(&self, node: u32) -> &'a [u64] {
        self.rows.row(node as usize)
    }

    /// The records from that of `node` on, as many as lie one behind the other and at most `count`.
    #[inline(always)]
    pub fn run(&self, node: usize, count: usize) -> impl Iterator<Item = &'a [u64]> {
        self.rows.run(node, count)
    }
}

/// Floats of a cache line.
const LINE: usize = 16;

thread_local! {
    static MEMORY: Cell<ResidualMemory> = const { Cell::new(ResidualMemory(Vec::new())) };
}

/// Memory to write one residual after another into.
#[derive(Default)]
pub(crate) struct ResidualMemory(Vec<f32>);

impl ResidualMemory {
    /// `len` floats, whatever they are, from the start of a cache line: none of the registers that
    /// they are read and written by straddles two.
    pub fn floats(&mut self, len: usize) -> &mut [f32] {
        self.0.resize(len + LINE, 0.0);
        let start = self.0.as_ptr().align_offset(64).min(LINE);
        &mut self.0[start..start + len]
    }
}

/// Lends the memory of this thread: queries are many and short.
pub(crate) fn with_residual_memory<T>(f: impl FnOnce(&mut ResidualMemory) -> T) -> T {
    // Taken rather than borrowed: under shuttle, tasks that wait share a thread.
    let mut memory = MEMORY.take();
    let answer = f(&mut memory);
    MEMORY.set(memory);
    answer
}

/// The vector of length one in the same direction; zeros stay zeros.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let factor = unit_factor((kernels().dot_f32)(vector, vector));
    vector.iter().map(|x| x * factor).collect()
}

/// The factor that scales a vector of this squared length to length one; zero for zeros.
pub(crate) fn unit_factor(square: f32) -> f32 {
    let length = square.sqrt();
    if length > 0.0 { 1.0 / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_starts_at_a_cache_line_and_serves_calls_within_calls() {
        for len in [0, 1, 64, 768, 100] {
            with_residual_memory(|outer| {
                let floats = outer.floats(len);
                assert_eq!(floats.len(), len);
                assert_eq!(floats.as_ptr().addr() % 64, 0);
                floats.fill(1.0);
                with_residual_memory(|inner| inner.floats(len).fill(2.0));
                assert!(floats.iter().all(|&x| x == 1.0));
            });
        }
    }
}
