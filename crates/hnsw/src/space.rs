//! How near two nodes are, for building the graph.

use pelorus_kernels::{Kernels, kernels};

use crate::Metric;
use crate::keys::{Keys, places_are_nodes};
use crate::quantize::code_query::CodeQuery;
use crate::quantize::codes::Codes;
use crate::storage::vectors::Vectors;

/// Orders pairs of nodes, for building the graph.
pub(crate) trait Space {
    fn limit(&self) -> usize;
    fn pair(&self, a: u32, b: u32) -> f32;
    /// How near each of `others` is to `node`, into `out` of the same length.
    #[inline]
    fn pairs(&self, node: u32, others: &[u32], out: &mut [f32]) {
        for (out, &other) in out.iter_mut().zip(others) {
            *out = self.pair(node, other);
        }
    }
    fn prefetch(&self, node: u32);
    /// Keys of a node in place of a query: what [`pair`](Self::pair) answers with it in front.
    fn keys_from(&self, node: u32) -> impl Keys<Place = u32>
    where
        Self: Sized,
    {
        FromNode { space: self, node }
    }
}

/// Keys that are computed as pairs are.
struct FromNode<'a, S> {
    space: &'a S,
    node: u32,
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

    places_are_nodes!();

    #[inline(always)]
    fn guess(&self, nodes: &[u32], out: &mut [f32]) {
        self.space.pairs(self.node, nodes, out);
    }
}

/// Nearness of nodes from full vectors.
pub(crate) struct FullSpace<'a> {
    pub vectors: &'a Vectors,
    pub metric: Metric,
}

impl Space for FullSpace<'_> {
    #[inline]
    fn limit(&self) -> usize {
        self.vectors.len()
    }

    #[inline]
    fn pair(&self, a: u32, b: u32) -> f32 {
        let (metric, table) = (self.metric, kernels());
        let nearness = |x: &[f32], y: &[f32]| match metric {
            Metric::PrenormalizedAngular | Metric::DotProduct => -(table.dot_f32)(x, y),
            Metric::Euclidean => (table.l2sq_f32)(x, y),
            metric => metric.distance(x, y),
        };
        self.vectors
            .with(a, |x| self.vectors.with(b, |y| nearness(x, y)))
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.vectors.prefetch(node);
    }
}

/// Nearness of nodes from codes.
pub(crate) struct CodeSpace<'a> {
    codes: &'a Codes,
    weight: f32,
    table: &'static Kernels,
}

impl<'a> CodeSpace<'a> {
    pub fn new(codes: &'a Codes) -> Self {
        Self {
            codes,
            weight: codes.product_weight(),
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
        let (x, y) = (self.codes.facts(a), self.codes.facts(b));
        x.bias + y.bias - self.weight * x.scale * y.scale * product
    }

    #[inline]
    fn pairs(&self, node: u32, others: &[u32], out: &mut [f32]) {
        self.keys_from(node).guess(others, out);
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    fn keys_from(&self, node: u32) -> impl Keys<Place = u32> {
        CodeQuery::of_node(self.codes, node)
    }
}

/// The space that a graph is built in.
pub(crate) enum GraphSpace<'a> {
    Full(FullSpace<'a>),
    Codes(CodeSpace<'a>),
}

impl Space for GraphSpace<'_> {
    #[inline]
    fn limit(&self) -> usize {
        match self {
            Self::Full(space) => space.limit(),
            Self::Codes(space) => space.limit(),
        }
    }

    #[inline]
    fn pair(&self, a: u32, b: u32) -> f32 {
        match self {
            Self::Full(space) => space.pair(a, b),
            Self::Codes(space) => space.pair(a, b),
        }
    }

    #[inline]
    fn pairs(&self, node: u32, others: &[u32], out: &mut [f32]) {
        match self {
            Self::Full(space) => space.pairs(node, others, out),
            Self::Codes(space) => space.pairs(node, others, out),
        }
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        match self {
            Self::Full(space) => space.prefetch(node),
            Self::Codes(space) => space.prefetch(node),
        }
    }

    fn keys_from(&self, node: u32) -> impl Keys<Place = u32> {
        match self {
            Self::Full(space) => GraphKeys::Full(space.keys_from(node)),
            Self::Codes(space) => GraphKeys::Codes(space.keys_from(node)),
        }
    }
}

/// Keys of a [`GraphSpace`].
enum GraphKeys<F, C> {
    Full(F),
    Codes(C),
}

impl<F: Keys<Place = u32>, C: Keys<Place = u32>> Keys for GraphKeys<F, C> {
    #[inline(always)]
    fn limit(&self) -> usize {
        match self {
            Self::Full(keys) => keys.limit(),
            Self::Codes(keys) => keys.limit(),
        }
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        match self {
            Self::Full(keys) => keys.key(node),
            Self::Codes(keys) => keys.key(node),
        }
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        match self {
            Self::Full(keys) => keys.prefetch(node),
            Self::Codes(keys) => keys.prefetch(node),
        }
    }

    places_are_nodes!();

    #[inline(always)]
    fn guess(&self, nodes: &[u32], out: &mut [f32]) {
        match self {
            Self::Full(keys) => keys.guess(nodes, out),
            Self::Codes(keys) => keys.guess(nodes, out),
        }
    }
}
