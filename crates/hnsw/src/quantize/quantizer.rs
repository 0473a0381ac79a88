//! Training of quantizers, and the exchange of one for another while searches go on.

use std::sync::Arc;

use crate::graph::Graph;
use crate::quantize::codes::{Codes, EncodeScratch, codes_apply};
use crate::quantize::quantizer_recall::suited_traversal;
use crate::storage::pages::Zeros;
use crate::sync::{AtomicUsize, Ordering};

/// Vectors from which on there is a quantizer. Fewer are quick to scan in full precision.
const TRAINED_MIN: usize = 1024;
/// A quantizer is looked at again when there is more than this part more than the vectors it was trained on, ...
const GROWTH_ONE_IN: usize = 2;
/// ... or when, of this many among them, one more came that lies outside their range.
const OUTSIDE_ONE_IN: usize = 16;
/// Codes are made anew when the centre is off by this part of the spread of the vectors, and more: by less, squares of
/// residuals, and with them the errors of estimates, grow by a sixty-fourth.
const SPREAD_ONE_IN: f32 = 8.0;
/// Vectors sampled for the training, at equal distances through the index.
const SAMPLE_MAX: usize = 2048;

/// The representation of vectors that orders the candidates of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traversal {
    /// Sign bits order the beam; a node that is expanded is ranked by its int8 code.
    Binary,
    /// int8 codes do both.
    Int8,
    /// Full vectors do both: codes do not tell these vectors apart.
    Full,
}

/// Codes of all vectors by one codec, learnt from those there were at one time, and their recall.
pub(crate) struct Quantizer {
    /// The number of vectors there were when it was trained, or last found to suit them.
    pub trained_on: usize,
    /// None where codes would not order these vectors: they are compared in full precision. Shared with the
    /// quantizers before that had the same.
    pub codes: Option<Arc<Codes>>,
    pub traversal: Traversal,
    /// The largest scale of a code among the samples.
    pub max_scale: f32,
    /// Vectors appended since whose scale is more than twice that.
    outside: AtomicUsize,
}

impl Quantizer {
    pub fn new(
        trained_on: usize,
        codes: Option<Arc<Codes>>,
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
        let codes = self.codes.as_ref();
        let codes = codes.map(|codes| Arc::new(codes.copy(kept, count)));
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

    /// The number of the first of `len` nodes that is to be appended: all where there are codes of none.
    pub fn encoded(&self, len: usize) -> usize {
        self.codes.as_ref().map_or(len, |codes| codes.len())
    }

    /// Takes in the vector of any node, ahead of those that count.
    ///
    /// # Safety
    /// As [`Codes::write_ahead`].
    pub unsafe fn write_ahead(&self, node: usize, vector: &[f32], scratch: &mut EncodeScratch) {
        if let Some(codes) = &self.codes
            // SAFETY: the caller's.
            && unsafe { codes.write_ahead(node, vector, scratch) } > 2.0 * self.max_scale
        {
            self.outside.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the first `len` nodes.
    ///
    /// # Safety
    /// As [`Codes::count_to`].
    pub unsafe fn count_to(&self, len: usize) {
        if let Some(codes) = &self.codes {
            // SAFETY: the caller's.
            unsafe { codes.count_to(len) };
        }
    }

    fn is_outgrown(&self, len: usize) -> bool {
        let outside = self.outside.load(Ordering::Relaxed);
        len > self.trained_on + self.trained_on / GROWTH_ONE_IN
            || outside > self.trained_on / OUTSIDE_ONE_IN
    }
}

impl Graph {
    /// Tells whether the vectors have outgrown the current quantizer, or there is none and they are enough.
    pub(crate) fn training_is_due(&self) -> bool {
        let len = self.nodes.len();
        let due = match self.quantizer.load().as_deref() {
            None => len >= TRAINED_MIN,
            Some(current) => current.is_outgrown(len),
        };
        due && codes_apply(self.params.metric, self.params.dim)
    }

    /// Trains a new quantizer if the vectors have outgrown the current one, or there is none and they
    /// are enough. Where its centre would be the same, the codes are kept: they are looked through, not made anew.
    /// Pushes wait only while the last few vectors are encoded.
    ///
    /// Answers whether the graph was linked by codes that do not order the vectors there are now.
    /// Only the thread that links may call this.
    pub(crate) fn train_if_due(&self) -> bool {
        let (metric, len) = (self.params.metric, self.nodes.len());
        if !self.training_is_due() {
            return false;
        }
        let current = self.quantizer.load_full();
        let old = current.and_then(|current| current.codes.clone());
        let suited = old
            .as_ref()
            .map(|codes| suited_traversal(metric, codes, &self.nodes));
        let misled = suited == Some(Traversal::Full);
        let samples = &mut self.samples(len);
        let codes = Codes::train(
            metric,
            self.params.dim,
            samples,
            self.nodes.full().code_memory(),
        );
        if let (Some(old), Some(traversal)) = (old, suited)
            && !misled
            && old.suit(&codes, samples, SPREAD_ONE_IN)
        {
            // A vector that is being pushed may have no code yet.
            let living = (0..old.len() as u32).filter(|&node| !self.nodes.is_dead(node));
            let scales = living.map(|node| old.factors(node).scale);
            let max_scale = scales.fold(0.0, f32::max);
            let kept = Quantizer::new(len, Some(old), traversal, max_scale);
            self.quantizer.store(Some(Arc::new(kept)));
            return false;
        }
        let fresh = self.train(codes, len);
        let mut scratch = self.push.lock();
        let newer = len..self.nodes.len();
        for node in newer {
            self.nodes
                .with(node as u32, |x| fresh.append(x, &mut scratch));
        }
        self.quantizer.store(Some(Arc::new(fresh)));
        misled
    }

    /// Living vectors at equal distances through the first `len`, `[samples, dim]`: removed ones may be damaged. Not of
    /// the allocator: it would keep more of so much than a small index takes.
    fn samples(&self, len: usize) -> Zeros<f32> {
        let (nodes, dim) = (&self.nodes, self.params.dim);
        let step = len.div_ceil(SAMPLE_MAX);
        let sampled = (0..len as u32).step_by(step);
        let living: Vec<u32> = sampled.filter(|&node| !nodes.is_dead(node)).collect();
        let mut samples = Zeros::<f32>::new(living.len().max(1) * dim);
        for (sample, node) in samples.chunks_exact_mut(dim).zip(living) {
            nodes.with(node, |x| sample.copy_from_slice(x));
        }
        samples
    }

    /// A quantizer of the first `len` vectors, which `codes` are to be of.
    fn train(&self, codes: Codes, len: usize) -> Quantizer {
        let (metric, nodes) = (self.params.metric, &self.nodes);
        codes.expect(len);
        let (mut max_scale, mut scratch) = (0.0f32, EncodeScratch::default());
        for node in 0..len {
            let scale = nodes.with(node as u32, |x| codes.append(x, &mut scratch));
            if !nodes.is_dead(node as u32) {
                max_scale = max_scale.max(scale);
            }
        }
        let traversal = suited_traversal(metric, &codes, nodes);
        Quantizer::new(
            len,
            (traversal != Traversal::Full).then(|| Arc::new(codes)),
            traversal,
            max_scale,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::graph::Graph;
    use crate::quantize::codes::Codes;
    use crate::{HnswParams, Metric, NumericType};

    const DIM: u32 = 16;

    fn graph(metric: Metric) -> Graph {
        Graph::new(HnswParams {
            dim: DIM as usize,
            metric,
            numeric: NumericType::Float,
            m: 4,
            ef_construction: 8,
            seed: 5,
        })
    }

    /// Points on a lattice far from any symmetry, around one whose components are all `centre`.
    fn push(graph: &Graph, count: u32, centre: f32) {
        let first = graph.nodes.len() as u32;
        for doc in first..first + count {
            let component = |i: u32| ((doc * (i * i + 7 * i + 1)) as f32 * 0.618_034).fract();
            let vector: Vec<f32> = (0..DIM).map(|i| component(i) - 0.5 + centre).collect();
            graph.push(&vector, doc, 0).unwrap();
        }
    }

    fn codes(graph: &Graph) -> Arc<Codes> {
        let quantizer = graph.quantizer.load_full().expect("it was trained");
        quantizer.codes.clone().expect("codes order a lattice")
    }

    #[test]
    fn codes_are_kept_as_long_as_vectors_go_on_alike() {
        for metric in [Metric::Euclidean, Metric::Angular] {
            let graph = graph(metric);
            push(&graph, 2_000, 0.2);
            assert!(!graph.train_if_due());
            let first = codes(&graph);
            push(&graph, 2_000, 0.2);
            assert!(graph.training_is_due());
            assert!(!graph.train_if_due() && !graph.training_is_due());
            assert!(Arc::ptr_eq(&first, &codes(&graph)));
            push(&graph, 10, 0.2);
            assert_eq!(first.len(), 4_010, "what is pushed is encoded");
        }
    }

    #[test]
    fn a_vector_that_has_no_code_yet_holds_up_no_training() {
        let graph = graph(Metric::Euclidean);
        push(&graph, 2_000, 0.0);
        graph.train_if_due();
        let first = codes(&graph);
        push(&graph, 1_000, 0.0);
        // As a push has it between its two steps.
        graph.nodes.push(&[0.5; DIM as usize], 3_000, 0).unwrap();
        assert!(!graph.train_if_due() && !graph.training_is_due());
        assert!(Arc::ptr_eq(&first, &codes(&graph)));
        assert_eq!(first.len(), 3_000);
    }

    #[test]
    fn codes_are_made_anew_where_vectors_are_elsewhere() {
        let graph = graph(Metric::Euclidean);
        push(&graph, 2_000, 0.0);
        graph.train_if_due();
        let first = codes(&graph);
        push(&graph, 2_000, 1.0);
        graph.train_if_due();
        let second = codes(&graph);
        assert!(!Arc::ptr_eq(&first, &second));
        assert_eq!((first.len(), second.len()), (4_000, 4_000));
        assert!(
            second
                .codec()
                .centre()
                .iter()
                .all(|&component| component > 0.3)
        );
    }
}
