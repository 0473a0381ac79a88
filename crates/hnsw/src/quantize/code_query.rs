//! Keys of a query from the codes of nodes: int8 codes for keys, sign bits for estimates of them
//! ("RaBitQ", Gao and Long, 2024: an estimate without bias, with a bound of its error).

use std::borrow::Cow;

use pelorus_kernels::{
    BitQuery, Int8Factors, Kernels, KeyWeights, ResidualNorms, encode_i8, kernels, prefetch,
};

use crate::distance::{Estimator, ExactEstimates, Query, QueryDistance};
use crate::quantize::codes::{CODE_ALIGN, Codes, Records, with_residual_memory};
use crate::storage::blocks::RowsView;
use crate::storage::read_ahead::Reads;

/// Standard deviations of its error within which a key is trusted. Between two keys that makes
/// four of their difference.
const ERROR_SIGMAS: f32 = 2.0 * std::f32::consts::SQRT_2;

/// Nodes compared in one go.
const BATCH: usize = 32;

/// Keys of a query from int8 codes.
pub(crate) struct Int8Query<'a> {
    codes: &'a Codes,
    rows: RowsView<'a, i8>,
    code: Cow<'a, [i8]>,
    code_sum: i32,
    /// Added to all keys.
    bias: f32,
    /// The weight of a product of codes in a key, without the scale of the node's.
    weight: f32,
    /// |q′|² and the squared step of the query's code.
    norm: f32,
    step: f32,
    /// None where all codes are in memory.
    reads: Option<Reads<'a>>,
    table: &'static Kernels,
}

impl<'a> Int8Query<'a> {
    pub fn new(codes: &'a Codes, query: &Query<'_>) -> Self {
        with_residual_memory(|memory| {
            let (residual, norms) = codes.residual(query, memory);
            Self::of(codes, residual, norms)
        })
    }

    /// Returns the query with a residual that is known.
    pub fn of(codes: &'a Codes, residual: &[f32], norms: ResidualNorms) -> Self {
        let mut code = vec![0; codes.dim().next_multiple_of(CODE_ALIGN)];
        let factors = encode_i8(&residual[..codes.dim()], norms, &mut code);
        Self::with(codes, Cow::Owned(code), factors, norms.square, 0.0)
    }

    /// Returns the query for a node of the index: a pair of nodes has the same key from either
    /// side.
    pub fn of_node(codes: &'a Codes, node: u32) -> Self {
        let (factors, rows) = (codes.factors(node), codes.codes());
        let code = Cow::Borrowed(rows.row(node as usize));
        let of_code = Int8Factors {
            scale: factors.scale,
            sum: sum(&code),
        };
        Self::with(codes, code, of_code, codes.square(&factors), factors.bias)
    }

    fn with(
        codes: &'a Codes,
        code: Cow<'a, [i8]>,
        Int8Factors { scale, sum }: Int8Factors,
        norm: f32,
        bias: f32,
    ) -> Self {
        Self {
            rows: codes.codes(),
            codes,
            code_sum: sum,
            code,
            bias,
            weight: codes.product_weight() * scale,
            norm,
            step: scale * scale,
            reads: codes.reads(),
            table: kernels(),
        }
    }

    /// The products with codes of nodes.
    #[inline(always)]
    fn multiply(&self, rows: &[&[i8]], products: &mut [i32]) {
        let mut multiply = || (self.table.dot_i8_rows)(&self.code, self.code_sum, rows, products);
        match &self.reads {
            None => multiply(),
            Some(reads) => reads.read(rows.len(), multiply),
        }
    }

    #[inline(always)]
    fn key_of_product(&self, node: u32, product: i32) -> f32 {
        let factors = self.codes.factors(node);
        self.bias + factors.bias - self.weight * factors.scale * product as f32
    }
}

/// The sum of a code, as products with ones: those have kernels.
fn sum(code: &[i8]) -> i32 {
    const ONES: [i8; 1024] = [1; 1024];
    let parts = code.chunks(ONES.len());
    parts.map(|part| (kernels().dot_i8)(part, &ONES)).sum()
}

impl ExactEstimates for Int8Query<'_> {}

impl QueryDistance for Int8Query<'_> {
    #[inline(always)]
    fn limit(&self) -> usize {
        self.rows.len()
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        let mut product = [0];
        self.multiply(&[self.rows.row(node as usize)], &mut product);
        self.key_of_product(node, product[0])
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    #[inline(always)]
    fn asks(&self) -> bool {
        self.reads.as_ref().is_some_and(Reads::is_due)
    }

    fn ask_for(&self, node: u32) {
        self.codes.ask_for(node);
    }

    #[inline(always)]
    fn keys(&self, nodes: &[u32], out: &mut [f32]) {
        for (nodes, out) in nodes.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let (mut rows, mut products): ([&[i8]; BATCH], _) = ([&[]; BATCH], [0; BATCH]);
            for (row, &node) in rows.iter_mut().zip(nodes) {
                *row = self.rows.row(node as usize);
            }
            let (rows, products) = (&rows[..nodes.len()], &mut products[..nodes.len()]);
            self.multiply(rows, products);
            for ((&node, &product), out) in nodes.iter().zip(products.iter()).zip(out) {
                *out = self.key_of_product(node, product);
            }
        }
    }

    /// Rounding is uniform within a step, so each side adds its squared step over twelve for each
    /// unit of the other's squared length.
    fn error(&self, node: u32) -> f32 {
        let factors = self.codes.factors(node);
        let squares =
            self.norm * factors.scale * factors.scale + self.codes.square(&factors) * self.step;
        ERROR_SIGMAS * self.codes.product_weight() * (squares / 12.0).sqrt()
    }
}

/// Standard deviations of its error by which a lower bound is below an estimate: one key in some
/// hundred is lower still.
const BOUND_SIGMAS: f32 = 2.5;

/// Nodes of a run estimated in one go.
const RUN_MAX: usize = 32;

/// Estimates of a query from sign bits, keys from int8 codes.
pub(crate) struct BinaryQuery<'a> {
    records: Records<'a>,
    codes: RowsView<'a, i8>,
    by_code: Int8Query<'a>,
    bits: BitQuery,
    for_estimate: KeyWeights,
    for_lower_bound: KeyWeights,
    table: &'static Kernels,
}

impl<'a> BinaryQuery<'a> {
    pub fn new(codes: &'a Codes, query: &Query<'_>) -> Self {
        let (by_code, bits) = with_residual_memory(|memory| {
            let (residual, norms) = codes.residual(query, memory);
            let by_code = Int8Query::of(codes, residual, norms);
            codes.rotation().rotate(residual);
            (by_code, BitQuery::of_square(residual, norms.square))
        });
        Self::with(codes, by_code, bits)
    }

    /// Returns the query for a node of the index, by its int8 code: keys are those of
    /// [`Int8Query::of_node`].
    pub fn of_node(codes: &'a Codes, node: u32) -> Self {
        let bits = with_residual_memory(|memory| {
            let residual = memory.floats(codes.rotation().padded());
            let scale = codes.factors(node).scale;
            let (own, padding) = residual.split_at_mut(codes.dim());
            padding.fill(0.0);
            for (x, &code) in own.iter_mut().zip(codes.code(node)) {
                *x = scale * f32::from(code);
            }
            codes.rotation().rotate(residual);
            BitQuery::new(residual)
        });
        Self::with(codes, Int8Query::of_node(codes, node), bits)
    }

    fn with(codes: &'a Codes, by_code: Int8Query<'a>, bits: BitQuery) -> Self {
        let weight = codes.product_weight();
        Self {
            // Records are written before codes: every node with a code has one in view.
            codes: codes.codes(),
            records: codes.records(),
            by_code,
            for_estimate: KeyWeights {
                product: weight,
                error: 0.0,
            },
            for_lower_bound: KeyWeights {
                product: weight,
                error: BOUND_SIGMAS * weight * bits.norm(),
            },
            bits,
            table: kernels(),
        }
    }
}

impl QueryDistance for BinaryQuery<'_> {
    #[inline(always)]
    fn limit(&self) -> usize {
        self.by_code.limit()
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        self.by_code.key(node)
    }

    #[inline(always)]
    fn keys(&self, nodes: &[u32], out: &mut [f32]) {
        self.by_code.keys(nodes, out);
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        // The record was read for the estimate.
        prefetch(self.codes.row(node as usize));
    }

    #[inline(always)]
    fn asks(&self) -> bool {
        self.by_code.asks()
    }

    fn ask_for(&self, node: u32) {
        self.by_code.ask_for(node);
    }

    fn error(&self, node: u32) -> f32 {
        self.by_code.error(node)
    }
}

impl<'a> Estimator for BinaryQuery<'a> {
    const EXACT: bool = false;

    type CodeRef = &'a [u64];

    #[inline(always)]
    fn code_ref(&self, node: u32) -> &'a [u64] {
        let record = self.records.record(node);
        prefetch(record);
        record
    }

    #[inline(always)]
    fn estimate(&self, records: &[&'a [u64]], out: &mut [f32]) {
        (self.table.bit_keys)(&self.bits, self.for_estimate, records, out);
    }

    #[inline(always)]
    fn lower_bound(&self, records: &[&'a [u64]], out: &mut [f32]) {
        (self.table.bit_keys)(&self.bits, self.for_lower_bound, records, out);
    }

    fn lower_bounds_of_run(&self, first: u32, out: &mut [f32]) {
        let mut records: [&[u64]; RUN_MAX] = [&[]; RUN_MAX];
        let mut done = 0;
        while done < out.len() {
            let run = self
                .records
                .run(first as usize + done, RUN_MAX.min(out.len() - done));
            let mut count = 0;
            for (slot, record) in records.iter_mut().zip(run) {
                *slot = record;
                count += 1;
            }
            self.lower_bound(&records[..count], &mut out[done..][..count]);
            done += count;
        }
    }
}
