//! The order of nodes by one query, computed from int8 codes.

use pelorus_kernels::{Kernels, kernels};

use crate::Metric;
use crate::blocks::RowsView;
use crate::codes::{CODE_ALIGN, Codes, unit};
use crate::keys::{Keys, Query, guesses_are_keys};

/// Standard deviations of its error within which a key is trusted. Between two keys that makes
/// four of their difference.
const ERROR_SIGMAS: f32 = 2.0 * std::f32::consts::SQRT_2;

/// Keys of a query from int8 codes.
pub(crate) struct CodeQuery<'a> {
    codes: &'a Codes,
    rows: RowsView<'a, i8>,
    code: Vec<i8>,
    code_sum: i32,
    /// What a product of codes counts in a key, but for the scale of the node's.
    weight: f32,
    /// |q′|² and the squared step of the query's code.
    norm: f32,
    step: f32,
    table: &'static Kernels,
    limit: usize,
}

impl<'a> CodeQuery<'a> {
    pub fn new(codes: &'a Codes, query: &Query<'_>) -> Self {
        let direction;
        let vector = match codes.metric() {
            Metric::Angular => {
                direction = unit(query.vector);
                &direction
            }
            _ => query.vector,
        };
        Self::of(codes, vector)
    }

    /// Of a query that is already of unit length where the metric is angular.
    pub fn of(codes: &'a Codes, vector: &[f32]) -> Self {
        let codec = codes.codec();
        let mut code = vec![0; codec.dim().next_multiple_of(CODE_ALIGN)];
        let scale = codec.encode(vector, &mut code);
        let (table, rows) = (kernels(), codes.codes());
        Self {
            limit: rows.len(),
            rows,
            codes,
            code_sum: code.iter().map(|&x| i32::from(x)).sum(),
            code,
            weight: codes.product_weight() * scale,
            norm: (table.l2sq_f32)(vector, codec.centre()),
            step: scale * scale,
            table,
        }
    }
}

impl Keys for CodeQuery<'_> {
    guesses_are_keys!();

    #[inline(always)]
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        let mut product = [0];
        let rows = [self.rows.row(node as usize)];
        (self.table.dot_i8_rows)(&self.code, self.code_sum, &rows, &mut product);
        let facts = self.codes.facts(node);
        facts.bias - self.weight * facts.scale * product[0] as f32
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    /// Rounding is uniform within a step, so each side adds its squared step over twelve for each
    /// unit of the other's squared length.
    fn error(&self, node: u32) -> f32 {
        let facts = self.codes.facts(node);
        let squares = self.norm * facts.scale * facts.scale + facts.norm * self.step;
        ERROR_SIGMAS * self.codes.product_weight() * (squares / 12.0).sqrt()
    }
}
