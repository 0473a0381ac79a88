//! How a search orders nodes: keys, smaller is nearer.
//!
//! A key need only rank as the metric does; it is cheap where the distance may not be. There are
//! two forms: [`FullQuery`] reads full vectors, [`CodeQuery`](crate::code_query::CodeQuery) int8 codes.

use pelorus_kernels::{kernels, prefetch};

use crate::Metric;
use crate::vectors::Vectors;

/// Orders nodes by nearness to one query.
pub(crate) trait Keys {
    /// The nodes known are `0..limit()`.
    fn limit(&self) -> usize;
    fn key(&self, node: u32) -> f32;
    /// Hints that the key of `node` will soon be asked for.
    fn prefetch(&self, node: u32);
    /// How far the key of `node` may be off; 0 where keys are exact.
    fn error(&self, _node: u32) -> f32 {
        0.0
    }
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
        let (x, xx) = (vectors.vector(node), vectors.norm(node));
        self.metric
            .distance_given_norms(self.vector, self.norm, x, xx)
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
    #[inline]
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        let (q, x) = (self.query, self.vectors.vector(node));
        match q.metric {
            Metric::PrenormalizedAngular | Metric::DotProduct => -(kernels().dot_f32)(q.vector, x),
            Metric::Euclidean => (kernels().l2sq_f32)(q.vector, x),
            _ => q.distance(self.vectors, node),
        }
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        prefetch(self.vectors.vector(node));
    }
}

/// Keys that are the distances themselves, so that ties are the ties a caller sees.
pub(crate) struct ExactQuery<'a> {
    pub vectors: &'a Vectors,
    pub query: &'a Query<'a>,
    pub limit: usize,
}

impl Keys for ExactQuery<'_> {
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        self.query.distance(self.vectors, node)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        prefetch(self.vectors.vector(node));
    }
}
