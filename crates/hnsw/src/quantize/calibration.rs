//! When codes are calibrated, and how a new generation takes over while searches go on.

use std::sync::Arc;

use crate::graph::Core;
use crate::quantize::agreement::{bits_agree, codes_agree};
use crate::quantize::codes::{Codes, EncodeScratch, codes_apply};
use crate::storage::pages::Zeros;
use crate::sync::{AtomicUsize, Ordering};

/// Vectors from which the first codec is learnt. Fewer are quick to scan in full precision.
const FIRST_CALIBRATION: usize = 1024;
/// A generation is replaced when there is this part more than the vectors it was made on, ...
const GROWTH_ONE_IN: usize = 2;
/// ... or when, of this many among them, one more came that lies outside their range.
const OUTSIDE_ONE_IN: usize = 16;
/// Vectors sampled for a calibration, at equal distances through the index.
const SAMPLE_MAX: usize = 2048;

/// By what a search finds its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Sign bits tell where to look, int8 codes what is near.
    Bits,
    /// int8 codes do both.
    Codes,
    /// Only full vectors order these vectors.
    Full,
}

/// What was decided on the vectors there were at one time.
pub(crate) struct Generation {
    /// The vectors there were.
    pub made_on: usize,
    /// None where codes would not order these vectors: they are compared in full precision.
    pub codes: Option<Codes>,
    pub order: Order,
    /// The largest scale of a code among the samples.
    pub widest: f32,
    /// Vectors appended since whose scale is twice that.
    outside: AtomicUsize,
}

impl Generation {
    pub fn new(made_on: usize, codes: Option<Codes>, order: Order, widest: f32) -> Self {
        Self {
            made_on,
            codes,
            order,
            widest,
            outside: AtomicUsize::new(0),
        }
    }

    /// The same for `count` nodes, those in `kept`, one after the other.
    pub fn copy(&self, kept: impl Iterator<Item = u32>, count: usize) -> Self {
        let codes = self.codes.as_ref().map(|codes| codes.copy(kept, count));
        Self::new(self.made_on.min(count), codes, self.order, self.widest)
    }

    /// Takes in the next node's vector.
    pub fn append(&self, vector: &[f32], scratch: &mut EncodeScratch) {
        if let Some(codes) = &self.codes
            && codes.append(vector, scratch) > 2.0 * self.widest
        {
            self.outside.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_outgrown(&self, len: usize) -> bool {
        let outside = self.outside.load(Ordering::Relaxed);
        len >= self.made_on + self.made_on / GROWTH_ONE_IN
            || outside > self.made_on / OUTSIDE_ONE_IN
    }
}

impl Core {
    /// Whether the vectors have outgrown the current generation, or none is there and there are enough.
    pub(crate) fn calibration_is_due(&self) -> bool {
        let len = self.vectors.len();
        let due = match self.generation.load().as_deref() {
            None => len >= FIRST_CALIBRATION,
            Some(current) => current.is_outgrown(len),
        };
        due && codes_apply(self.params.metric, self.params.dim)
    }

    /// Makes a new generation if the vectors have outgrown the current one, or none is there and
    /// there are enough. Pushes wait only while the last few vectors are encoded.
    ///
    /// Answers whether the graph was linked by codes that do not order the vectors there are now.
    /// Only the thread that links may call this.
    pub(crate) fn calibrate_if_due(&self) -> bool {
        let (metric, len) = (self.params.metric, self.vectors.len());
        if !self.calibration_is_due() {
            return false;
        }
        let current = self.generation.load_full();
        let fresh = self.generation_of(len);
        let old = current.as_ref().and_then(|current| current.codes.as_ref());
        let misled = old.is_some_and(|codes| !codes_agree(metric, codes, &self.vectors));
        let mut scratch = self.push.lock();
        let newer = len..self.vectors.len();
        for node in newer {
            self.vectors
                .with(node as u32, |x| fresh.append(x, &mut scratch));
        }
        self.generation.store(Some(Arc::new(fresh)));
        misled
    }

    fn generation_of(&self, len: usize) -> Generation {
        let (metric, vectors) = (self.params.metric, &self.vectors);
        let dim = self.params.dim;
        let step = len.div_ceil(SAMPLE_MAX);
        // Not of the allocator: what it would keep of so much is more than a small index takes.
        let mut samples = Zeros::<f32>::new(len.div_ceil(step) * dim);
        for (sample, node) in samples
            .chunks_exact_mut(dim)
            .zip((0..len as u32).step_by(step))
        {
            vectors.with(node, |x| sample.copy_from_slice(x));
        }
        let codes = Codes::calibrate(metric, dim, &mut samples);
        codes.expect(len);
        let (mut widest, mut scratch) = (0.0f32, EncodeScratch::default());
        for node in 0..len {
            let scale = vectors.with(node as u32, |x| codes.append(x, &mut scratch));
            widest = widest.max(scale);
        }
        let order = match codes_agree(metric, &codes, vectors) {
            true if bits_agree(metric, &codes, vectors) => Order::Bits,
            true => Order::Codes,
            false => Order::Full,
        };
        Generation::new(len, (order != Order::Full).then_some(codes), order, widest)
    }
}
