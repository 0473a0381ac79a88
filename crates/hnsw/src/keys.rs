//! How a search orders nodes: keys, smaller is nearer.
//!
//! A key need only rank as the metric does; it is cheap where the distance may not be. A *guess* is
//! a key that may be off but costs next to nothing: it tells where to look. There are three forms:
//! [`FullQuery`] reads full vectors, [`CodeQuery`](crate::quantize::code_query::CodeQuery) int8 codes, and
//! [`BitKeys`](crate::quantize::bit_query::BitKeys) guesses by sign bits what it ranks by int8 codes.

use pelorus_kernels::kernels;

use crate::Metric;
use crate::storage::vectors::Vectors;

/// Orders nodes by nearness to one query.
pub(crate) trait Keys {
    /// Whether guesses are the keys themselves.
    const EXACT_GUESSES: bool = true;

    /// The nodes known are `0..limit()`.
    fn limit(&self) -> usize;

    /// What ranks a node.
    fn key(&self, node: u32) -> f32;

    /// Hints that the key of `node` will soon be asked for.
    fn prefetch(&self, node: u32);

    /// How far the key of `node` may be off; 0 where keys are exact.
    fn error(&self, _node: u32) -> f32 {
        0.0
    }

    /// Where the guess of a node is read from.
    type Place: Copy + Default;

    /// Finds that place and hints that it will soon be read.
    fn place(&self, node: u32) -> Self::Place;

    /// What the nodes at `places` are guessed to have for keys, into `out` of the same length.
    fn guess(&self, places: &[Self::Place], out: &mut [f32]);

    /// What the keys of the nodes at `places` are at least, but for rare cases, into `out` of the
    /// same length.
    #[inline(always)]
    fn least(&self, places: &[Self::Place], out: &mut [f32]) {
        self.guess(places, out);
    }

    /// The same for nodes that follow one another, from `first`. One by one: asking for more than the
    /// next of long rows costs half as much again.
    fn least_of_run(&self, first: u32, out: &mut [f32]) {
        for (node, out) in (first..).zip(out) {
            self.least(&[self.place(node)], std::slice::from_mut(out));
        }
    }
}

/// The parts of [`Keys`] for those who find a guess by the number of the node.
macro_rules! places_are_nodes {
    () => {
        type Place = u32;

        #[inline(always)]
        fn place(&self, node: u32) -> u32 {
            self.prefetch(node);
            node
        }
    };
}
pub(crate) use places_are_nodes;

/// The parts of [`Keys`] for those who guess by computing keys.
macro_rules! guesses_are_keys {
    () => {
        places_are_nodes!();

        #[inline(always)]
        fn guess(&self, nodes: &[u32], out: &mut [f32]) {
            for (&node, out) in nodes.iter().zip(out) {
                *out = self.key(node);
            }
        }
    };
}

/// A query with what is computed once from it.
pub(crate) struct Query<'a> {
    pub metric: Metric,
    pub vector: &'a [f32],
    pub norm: f32,
}

impl<'a> Query<'a> {
    pub fn new(metric: Metric, vector: &'a [f32]) -> Self {
        Self {
            metric,
            vector,
            norm: (kernels().dot_f32)(vector, vector),
        }
    }

    /// The distance of a node in full precision.
    #[inline]
    pub fn distance(&self, vectors: &Vectors, node: u32) -> f32 {
        vectors.with(node, |x| {
            self.metric.distance_given_norm(self.vector, self.norm, x)
        })
    }
}

/// Whether the metric ranks by inner product alone, so that longer vectors are nearer.
pub(crate) fn is_inner_product(metric: Metric) -> bool {
    matches!(metric, Metric::PrenormalizedAngular | Metric::DotProduct)
}

/// Keys of a query from full vectors.
pub(crate) struct FullQuery<'a> {
    pub vectors: &'a Vectors,
    pub query: &'a Query<'a>,
    pub limit: usize,
}

impl Keys for FullQuery<'_> {
    guesses_are_keys!();

    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        let (q, table) = (self.query, kernels());
        self.vectors.with(node, |x| match q.metric {
            Metric::PrenormalizedAngular | Metric::DotProduct => -(table.dot_f32)(q.vector, x),
            Metric::Euclidean => (table.l2sq_f32)(q.vector, x),
            metric => metric.distance_given_norm(q.vector, q.norm, x),
        })
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.vectors.prefetch(node);
    }
}

/// Keys that are the distances themselves, so that ties are the ties a caller sees.
pub(crate) struct ExactQuery<'a> {
    pub vectors: &'a Vectors,
    pub query: &'a Query<'a>,
    pub limit: usize,
}

impl Keys for ExactQuery<'_> {
    guesses_are_keys!();

    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        self.query.distance(self.vectors, node)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.vectors.prefetch(node);
    }
}
