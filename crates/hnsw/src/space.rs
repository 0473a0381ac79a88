//! How near two nodes are, for building the graph.

use pelorus_kernels::{Kernels, kernels, prefetch};

use crate::Metric;
use crate::codes::Codes;
use crate::keys::Keys;
use crate::vectors::Vectors;

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
    fn keys_from(&self, node: u32) -> impl Keys
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
        let (x, y) = (self.vectors.vector(a), self.vectors.vector(b));
        match self.metric {
            Metric::PrenormalizedAngular | Metric::DotProduct => -(kernels().dot_f32)(x, y),
            Metric::Euclidean => (kernels().l2sq_f32)(x, y),
            _ => {
                let (xx, yy) = (self.vectors.norm(a), self.vectors.norm(b));
                self.metric.distance_given_norms(x, xx, y, yy)
            }
        }
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        prefetch(self.vectors.vector(node));
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
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    fn keys_from(&self, node: u32) -> impl Keys {
        let facts = self.codes.facts(node);
        FromCode {
            codes: self.codes,
            code: self.codes.code(node),
            bias: facts.bias,
            weight: self.weight * facts.scale,
            table: self.table,
        }
    }
}

/// Keys of a node whose code is looked up once.
struct FromCode<'a> {
    codes: &'a Codes,
    code: &'a [i8],
    bias: f32,
    weight: f32,
    table: &'static Kernels,
}

impl Keys for FromCode<'_> {
    #[inline(always)]
    fn limit(&self) -> usize {
        self.codes.len()
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        let product = (self.table.dot_i8)(self.code, self.codes.code(node)) as f32;
        let facts = self.codes.facts(node);
        self.bias + facts.bias - self.weight * facts.scale * product
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
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

    fn keys_from(&self, node: u32) -> impl Keys {
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

impl<F: Keys, C: Keys> Keys for GraphKeys<F, C> {
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
}
