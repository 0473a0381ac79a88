//! How near two nodes are, for building the graph.

use pelorus_kernels::{Kernels, kernels, prefetch};

use crate::Metric;
use crate::codes::Codes;
use crate::keys::{Keys, is_inner_product};
use crate::vectors::Vectors;

/// Orders pairs of nodes, for building the graph.
pub(crate) trait Space {
    fn limit(&self) -> usize;
    fn pair(&self, a: u32, b: u32) -> f32;
    fn prefetch(&self, node: u32);
}

/// A node of the space in place of a query.
pub(crate) struct FromNode<'a, S> {
    pub space: &'a S,
    pub node: u32,
}

impl<S: Space> Keys for FromNode<'_, S> {
    #[inline]
    fn limit(&self) -> usize {
        self.space.limit()
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        self.space.pair(self.node, node)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.space.prefetch(node);
    }

    fn margin(&self) -> f32 {
        0.0
    }
}

/// The component that makes a vector of squared length `norm` as long as the longest one.
///
/// Inner product is no distance: a graph built on it starves short vectors of links. With this
/// component added all vectors are equally long, and nearness between two of them is again an
/// inner product; a query has 0 there, so its order is unchanged (Bachrach et al., RecSys 2014).
/// Vectors of one length, as prenormalized ones are, gain nothing.
#[inline]
pub(crate) fn lift(norm: f32, longest: f32) -> f32 {
    (longest - norm).max(0.0).sqrt()
}

/// Nearness of nodes from full vectors.
pub(crate) struct FullSpace<'a> {
    pub vectors: &'a Vectors,
    pub metric: Metric,
    /// The largest squared length of any vector.
    pub longest: f32,
    pub limit: usize,
}

impl Space for FullSpace<'_> {
    #[inline]
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn pair(&self, a: u32, b: u32) -> f32 {
        let (x, y) = (self.vectors.vector(a), self.vectors.vector(b));
        let (xx, yy) = (self.vectors.norm(a), self.vectors.norm(b));
        if is_inner_product(self.metric) {
            let lifts = lift(xx, self.longest) * lift(yy, self.longest);
            return -(kernels().dot_f32)(x, y) - lifts;
        }
        self.metric.distance_given_norms(x, xx, y, yy)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        prefetch(self.vectors.vector(node));
    }
}

/// Nearness of nodes from codes.
pub(crate) struct CodeSpace<'a> {
    pub codes: &'a Codes,
    pub vectors: &'a Vectors,
    /// The largest squared length of any vector.
    pub longest: f32,
    weight: f32,
    table: &'static Kernels,
}

impl<'a> CodeSpace<'a> {
    pub fn new(codes: &'a Codes, vectors: &'a Vectors, longest: f32) -> Self {
        let weight = codes.weight(codes.codec().scale());
        Self {
            codes,
            vectors,
            longest,
            weight,
            table: kernels(),
        }
    }
}

impl Space for CodeSpace<'_> {
    #[inline]
    fn limit(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn pair(&self, a: u32, b: u32) -> f32 {
        let product = (self.table.dot_i8)(self.codes.code(a), self.codes.code(b)) as f32;
        let key = self.codes.bias(a) + self.codes.bias(b) - self.weight * product;
        if !is_inner_product(self.codes.metric()) {
            return key;
        }
        let of = |node| lift(self.vectors.norm(node), self.longest);
        key - of(a) * of(b)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }
}
