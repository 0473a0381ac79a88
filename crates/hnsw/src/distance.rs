//! Distances by which nodes are ordered, from a query or from each other.
//!
//! Nodes are ordered by a *key*: smaller is nearer. It need only rank as the metric does, as a "reduced distance" does
//! (the square in place of the root, the negated product in place of one minus a cosine), and it is cheap where the
//! distance may not be. Whoever shows a distance to a caller computes it anew, in full precision ([`Query::distance`]).
//!
//! - [`QueryDistance`] gives keys of nodes, and how far each may be off.
//! - [`Estimator`] gives cheaper values: estimates of keys, which tell a walk where to look, and lower bounds of them,
//!   which tell a scan which nodes to pass over. Only sign bits
//!   ([`BinaryQuery`](crate::quantize::code_query::BinaryQuery)) have estimates of their own; everything else is its
//!   own estimate ([`ExactEstimates`]).
//! - [`PairDistance`] gives keys of pairs of nodes, for building the graph.

use pelorus_kernels::{Kernels, kernels};

use crate::Metric;
use crate::quantize::code_query::{BinaryQuery, Int8Query};
use crate::quantize::codes::Codes;
use crate::quantize::quantizer::Traversal;
use crate::storage::node_table::NodeTable;

/// Keys of nodes, by nearness to one query.
pub(crate) trait QueryDistance {
    /// The nodes known are `0..limit()`.
    fn limit(&self) -> usize;

    /// The key of a node.
    fn key(&self, node: u32) -> f32;

    /// The keys of `nodes`, into `out` of the same length.
    #[inline(always)]
    fn keys(&self, nodes: &[u32], out: &mut [f32]) {
        for (&node, out) in nodes.iter().zip(out) {
            *out = self.key(node);
        }
    }

    /// The bound of the error of a node's key; 0 where keys are exact.
    fn error(&self, _node: u32) -> f32 {
        0.0
    }

    /// Hints that the key of `node` will soon be asked for.
    fn prefetch(&self, node: u32);

    /// Tells whether keys come from the disk, so that they are to be [asked for](Self::ask_for) as early as it shows
    /// that they will be needed.
    #[inline(always)]
    fn asks(&self) -> bool {
        false
    }

    /// Asks the system for what the key of `node` is made of, and does not wait for it.
    fn ask_for(&self, _node: u32) {}
}

/// Estimates of keys, at next to no cost.
pub(crate) trait Estimator: QueryDistance {
    /// Tells whether estimates are the keys themselves.
    const EXACT: bool;

    /// The place from which the estimate of a node is read.
    type CodeRef: Copy + Default;

    /// Finds that place and hints that it will soon be read.
    fn code_ref(&self, node: u32) -> Self::CodeRef;

    /// Estimates of the keys of the nodes at `code_refs`, into `out` of the same length.
    fn estimate(&self, code_refs: &[Self::CodeRef], out: &mut [f32]);

    /// Writes lower bounds of these keys, which hold but for rare cases, into `out` of the same
    /// length.
    #[inline(always)]
    fn lower_bound(&self, code_refs: &[Self::CodeRef], out: &mut [f32]) {
        self.estimate(code_refs, out);
    }

    /// The same for nodes that follow one another, from `first`. One by one: asking for more than the
    /// next of long rows costs half as much again.
    fn lower_bounds_of_run(&self, first: u32, out: &mut [f32]) {
        for (node, out) in (first..).zip(out) {
            self.lower_bound(&[self.code_ref(node)], std::slice::from_mut(out));
        }
    }
}

/// For those whose estimates are keys, found by the number of the node.
pub(crate) trait ExactEstimates: QueryDistance {}

impl<D: ExactEstimates> Estimator for D {
    const EXACT: bool = true;

    type CodeRef = u32;

    #[inline(always)]
    fn code_ref(&self, node: u32) -> u32 {
        self.prefetch(node);
        node
    }

    #[inline(always)]
    fn estimate(&self, nodes: &[u32], out: &mut [f32]) {
        self.keys(nodes, out);
    }
}

/// A query with the values computed once from it.
pub(crate) struct Query<'a> {
    pub metric: Metric,
    pub vector: &'a [f32],
    /// The squared length.
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
    pub fn distance(&self, nodes: &NodeTable, node: u32) -> f32 {
        let Self {
            metric,
            vector,
            norm,
        } = *self;
        match metric.is_inner_product() {
            true => metric.distance_of_product(nodes.dot(vector, node), norm),
            false => nodes.with(node, |x| metric.distance_given_norm(vector, norm, x)),
        }
    }
}

/// Keys of a query from full vectors.
pub(crate) struct FullQuery<'a> {
    pub nodes: &'a NodeTable,
    pub query: &'a Query<'a>,
    pub limit: usize,
}

impl ExactEstimates for FullQuery<'_> {}

impl QueryDistance for FullQuery<'_> {
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        let q = self.query;
        match q.metric {
            metric if metric.is_inner_product() => -self.nodes.dot(q.vector, node),
            Metric::Euclidean => self.nodes.with(node, |x| (kernels().l2sq_f32)(q.vector, x)),
            metric => self
                .nodes
                .with(node, |x| metric.distance_given_norm(q.vector, q.norm, x)),
        }
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.nodes.prefetch(node);
    }
}

/// Keys that are the distances themselves, so that ties are the ties a caller sees.
pub(crate) struct ExactQuery<'a> {
    pub nodes: &'a NodeTable,
    pub query: &'a Query<'a>,
    pub limit: usize,
}

impl ExactEstimates for ExactQuery<'_> {}

impl QueryDistance for ExactQuery<'_> {
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        self.query.distance(self.nodes, node)
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.nodes.prefetch(node);
    }
}

/// Keys of pairs of nodes, the same from either side.
pub(crate) trait PairDistance {
    /// The nodes known are `0..limit()`.
    fn limit(&self) -> usize;

    /// The key of a pair.
    fn key(&self, a: u32, b: u32) -> f32;

    /// The keys of `node` with each of `others`, into `out` of the same length.
    #[inline]
    fn keys(&self, node: u32, others: &[u32], out: &mut [f32]) {
        for (out, &other) in out.iter_mut().zip(others) {
            *out = self.key(node, other);
        }
    }

    /// Hints that keys with `node` will soon be asked for.
    fn prefetch(&self, node: u32);

    /// Estimates of the keys with a node, where they are good enough to tell a walk where to look.
    fn estimates_with(&self, _node: u32) -> Option<BinaryQuery<'_>> {
        None
    }

    /// The same keys, of a node in place of a query.
    fn of_node(&self, node: u32) -> impl ExactEstimates
    where
        Self: Sized,
    {
        OfNode { pairs: self, node }
    }
}

/// Keys of pairs with one node.
struct OfNode<'a, P> {
    pairs: &'a P,
    node: u32,
}

impl<P: PairDistance> ExactEstimates for OfNode<'_, P> {}

impl<P: PairDistance> QueryDistance for OfNode<'_, P> {
    #[inline]
    fn limit(&self) -> usize {
        self.pairs.limit()
    }

    #[inline]
    fn key(&self, node: u32) -> f32 {
        self.pairs.key(self.node, node)
    }

    #[inline(always)]
    fn keys(&self, nodes: &[u32], out: &mut [f32]) {
        self.pairs.keys(self.node, nodes, out);
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.pairs.prefetch(node);
    }
}

/// Keys of pairs from full vectors.
pub(crate) struct FullPairs<'a> {
    pub nodes: &'a NodeTable,
    pub metric: Metric,
}

impl PairDistance for FullPairs<'_> {
    #[inline]
    fn limit(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    fn key(&self, a: u32, b: u32) -> f32 {
        let (metric, table) = (self.metric, kernels());
        let key = |x: &[f32], y: &[f32]| match metric {
            Metric::PrenormalizedAngular | Metric::DotProduct => -(table.dot_f32)(x, y),
            Metric::Euclidean => (table.l2sq_f32)(x, y),
            metric => metric.distance(x, y),
        };
        self.nodes.with(a, |x| self.nodes.with(b, |y| key(x, y)))
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.nodes.prefetch(node);
    }
}

/// Keys of pairs from int8 codes.
pub(crate) struct Int8Pairs<'a> {
    codes: &'a Codes,
    /// Tells whether sign bits may tell walks where to look.
    estimates: bool,
    weight: f32,
    table: &'static Kernels,
}

impl<'a> Int8Pairs<'a> {
    pub fn new(codes: &'a Codes, traversal: Traversal) -> Self {
        Self {
            codes,
            estimates: traversal == Traversal::Binary,
            weight: codes.product_weight(),
            table: kernels(),
        }
    }
}

impl PairDistance for Int8Pairs<'_> {
    #[inline]
    fn limit(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn key(&self, a: u32, b: u32) -> f32 {
        let product = (self.table.dot_i8)(self.codes.code(a), self.codes.code(b)) as f32;
        let (x, y) = (self.codes.factors(a), self.codes.factors(b));
        x.bias + y.bias - self.weight * x.scale * y.scale * product
    }

    #[inline(always)]
    fn keys(&self, node: u32, others: &[u32], out: &mut [f32]) {
        self.of_node(node).keys(others, out);
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    fn estimates_with(&self, node: u32) -> Option<BinaryQuery<'_>> {
        self.estimates
            .then(|| BinaryQuery::of_node(self.codes, node))
    }

    fn of_node(&self, node: u32) -> impl ExactEstimates {
        Int8Query::of_node(self.codes, node)
    }
}

/// The distances by which a graph is built: one of the two, as the index has codes or not.
pub(crate) enum GraphPairs<'a> {
    Full(FullPairs<'a>),
    Int8(Int8Pairs<'a>),
}

impl PairDistance for GraphPairs<'_> {
    #[inline]
    fn limit(&self) -> usize {
        match self {
            Self::Full(pairs) => pairs.limit(),
            Self::Int8(pairs) => pairs.limit(),
        }
    }

    #[inline]
    fn key(&self, a: u32, b: u32) -> f32 {
        match self {
            Self::Full(pairs) => pairs.key(a, b),
            Self::Int8(pairs) => pairs.key(a, b),
        }
    }

    #[inline(always)]
    fn keys(&self, node: u32, others: &[u32], out: &mut [f32]) {
        match self {
            Self::Full(pairs) => pairs.keys(node, others, out),
            Self::Int8(pairs) => pairs.keys(node, others, out),
        }
    }

    #[inline]
    fn prefetch(&self, node: u32) {
        match self {
            Self::Full(pairs) => pairs.prefetch(node),
            Self::Int8(pairs) => pairs.prefetch(node),
        }
    }

    fn estimates_with(&self, node: u32) -> Option<BinaryQuery<'_>> {
        match self {
            Self::Full(pairs) => pairs.estimates_with(node),
            Self::Int8(pairs) => pairs.estimates_with(node),
        }
    }

    fn of_node(&self, node: u32) -> impl ExactEstimates {
        match self {
            Self::Full(pairs) => OfGraphNode::Full(pairs.of_node(node)),
            Self::Int8(pairs) => OfGraphNode::Int8(pairs.of_node(node)),
        }
    }
}

/// Keys of [`GraphPairs`] with one node.
enum OfGraphNode<F, C> {
    Full(F),
    Int8(C),
}

impl<F: QueryDistance, C: QueryDistance> ExactEstimates for OfGraphNode<F, C> {}

impl<F: QueryDistance, C: QueryDistance> QueryDistance for OfGraphNode<F, C> {
    #[inline(always)]
    fn limit(&self) -> usize {
        match self {
            Self::Full(query) => query.limit(),
            Self::Int8(query) => query.limit(),
        }
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        match self {
            Self::Full(query) => query.key(node),
            Self::Int8(query) => query.key(node),
        }
    }

    #[inline(always)]
    fn keys(&self, nodes: &[u32], out: &mut [f32]) {
        match self {
            Self::Full(query) => query.keys(nodes, out),
            Self::Int8(query) => query.keys(nodes, out),
        }
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        match self {
            Self::Full(query) => query.prefetch(node),
            Self::Int8(query) => query.prefetch(node),
        }
    }
}
