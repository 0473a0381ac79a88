//! When a quantizer is trained, and how a new one takes over while searches go on.

use std::sync::Arc;

use crate::graph::Graph;
use crate::quantize::codes::{Codes, EncodeScratch, codes_apply};
use crate::quantize::quantizer_recall::{int8_codes_suffice, sign_bits_suffice};
use crate::storage::pages::Zeros;
use crate::sync::{AtomicUsize, Ordering};

/// Vectors from which on there is a quantizer. Fewer are quick to scan in full precision.
const TRAINED_MIN: usize = 1024;
/// A quantizer is replaced when there is this part more than the vectors it was trained on, ...
const GROWTH_ONE_IN: usize = 2;
/// ... or when, of this many among them, one more came that lies outside their range.
const OUTSIDE_ONE_IN: usize = 16;
/// Vectors sampled for the training, at equal distances through the index.
const SAMPLE_MAX: usize = 2048;

/// Which representation of vectors orders the candidates of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traversal {
    /// Sign bits order the beam; a node that is expanded is ranked by its int8 code.
    Binary,
    /// int8 codes do both.
    Int8,
    /// Full vectors do both: codes do not tell these vectors apart.
    Full,
}

/// Codes of all vectors by one codec, learnt from those there were at one time, and what they are good
/// for.
pub(crate) struct Quantizer {
    /// The number of vectors there were.
    pub trained_on: usize,
    /// None where codes would not order these vectors: they are compared in full precision.
    pub codes: Option<Codes>,
    pub traversal: Traversal,
    /// The largest scale of a code among the samples.
    pub max_scale: f32,
    /// Vectors appended since whose scale is more than twice that.
    outside: AtomicUsize,
}

impl Quantizer {
    pub fn new(
        trained_on: usize,
        codes: Option<Codes>,
        traversal: Traversal,
        max_scale: f32,
    ) -> Self {
        Self {
            trained_on,
            codes,
            traversal,
            max_scale,
            outside: AtomicUsize::new(0),
        }
    }

    /// The same for `count` nodes, those in `kept`, one after the other.
    pub fn copy(&self, kept: impl Iterator<Item = u32>, count: usize) -> Self {
        let codes = self.codes.as_ref().map(|codes| codes.copy(kept, count));
        Self::new(
            self.trained_on.min(count),
            codes,
            self.traversal,
            self.max_scale,
        )
    }

    /// There will be `count` nodes at least: a hint.
    pub fn expect(&self, count: usize) {
        if let Some(codes) = &self.codes {
            codes.expect(count);
        }
    }

    /// Takes in the next node's vector.
    pub fn append(&self, vector: &[f32], scratch: &mut EncodeScratch) {
        if let Some(codes) = &self.codes
            && codes.append(vector, scratch) > 2.0 * self.max_scale
        {
            self.outside.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_outgrown(&self, len: usize) -> bool {
        let outside = self.outside.load(Ordering::Relaxed);
        len >= self.trained_on + self.trained_on / GROWTH_ONE_IN
            || outside > self.trained_on / OUTSIDE_ONE_IN
    }
}

impl Graph {
    /// Whether the vectors have outgrown the current quantizer, or there is none and they are enough.
    pub(crate) fn training_is_due(&self) -> bool {
        let len = self.nodes.len();
        let due = match self.quantizer.load().as_deref() {
            None => len >= TRAINED_MIN,
            Some(current) => current.is_outgrown(len),
        };
        due && codes_apply(self.params.metric, self.params.dim)
    }

    /// Trains a new quantizer if the vectors have outgrown the current one, or there is none and they
    /// are enough. Pushes wait only while the last few vectors are encoded.
    ///
    /// Answers whether the graph was linked by codes that do not order the vectors there are now.
    /// Only the thread that links may call this.
    pub(crate) fn train_if_due(&self) -> bool {
        let (metric, len) = (self.params.metric, self.nodes.len());
        if !self.training_is_due() {
            return false;
        }
        let current = self.quantizer.load_full();
        let fresh = self.train(len);
        let old = current.as_ref().and_then(|current| current.codes.as_ref());
        let misled = old.is_some_and(|codes| !int8_codes_suffice(metric, codes, &self.nodes));
        let mut scratch = self.push.lock();
        let newer = len..self.nodes.len();
        for node in newer {
            self.nodes
                .with(node as u32, |x| fresh.append(x, &mut scratch));
        }
        self.quantizer.store(Some(Arc::new(fresh)));
        misled
    }

    fn train(&self, len: usize) -> Quantizer {
        let (metric, nodes) = (self.params.metric, &self.nodes);
        let dim = self.params.dim;
        let step = len.div_ceil(SAMPLE_MAX);
        // Not of the allocator: what it would keep of so much is more than a small index takes.
        let mut samples = Zeros::<f32>::new(len.div_ceil(step) * dim);
        for (sample, node) in samples
            .chunks_exact_mut(dim)
            .zip((0..len as u32).step_by(step))
        {
            nodes.with(node, |x| sample.copy_from_slice(x));
        }
        let codes = Codes::train(metric, dim, &mut samples);
        codes.expect(len);
        let (mut max_scale, mut scratch) = (0.0f32, EncodeScratch::default());
        for node in 0..len {
            let scale = nodes.with(node as u32, |x| codes.append(x, &mut scratch));
            max_scale = max_scale.max(scale);
        }
        let traversal = match int8_codes_suffice(metric, &codes, nodes) {
            true if sign_bits_suffice(metric, &codes, nodes) => Traversal::Binary,
            true => Traversal::Int8,
            false => Traversal::Full,
        };
        Quantizer::new(
            len,
            (traversal != Traversal::Full).then_some(codes),
            traversal,
            max_scale,
        )
    }
}
