//! How nodes are ordered by nearness to a query, or to each other: keys, smaller is nearer.
//!
//! A key need only rank as the metric does; it is cheap where the distance may not be. A *guess* is
//! a key that may be off but costs next to nothing: it tells where to look. There are three forms:
//! [`FullQuery`] reads full vectors, [`CodeQuery`] int8 codes, and
//! [`BitKeys`](crate::quantize::code_query::BitKeys) guesses by sign bits what it ranks by int8
//! codes. A [`Space`] is the same for pairs of nodes, for building the graph.

use pelorus_kernels::{Kernels, kernels};

use crate::Metric;
use crate::quantize::code_query::CodeQuery;
use crate::quantize::codes::Codes;
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
