//! The order of nodes by one query, computed from codes.

use pelorus_kernels::{Int8Codec, Kernels, kernels};

use crate::Metric;
use crate::codes::{CODE_ALIGN, Codes, unit};
use crate::keys::{Keys, Query};

/// Standard deviations of the error of a key within which an order is not trusted.
const MARGIN_SIGMAS: f32 = 4.0;

/// Keys of a query from codes.
pub(crate) struct CodeQuery<'a> {
    codes: &'a Codes,
    code: Vec<i8>,
    weight: f32,
    margin: f32,
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
        let codec = codes.codec();
        let mut code = vec![0; codec.dim().next_multiple_of(CODE_ALIGN)];
        let scale = codec.encode_query(vector, &mut code);
        let weight = codes.weight(scale);
        let margin = key_error(codec, vector, scale) * weight / (codec.scale() * scale);
        let margin = margin * MARGIN_SIGMAS * std::f32::consts::SQRT_2;
        Self {
            codes,
            code,
            weight,
            margin,
            table: kernels(),
            limit: codes.len(),
        }
    }
}

/// Standard deviation of the error of q′·x′ computed from codes: rounding is uniform within a
/// step, so each side adds its squared step over twelve for each unit of the other's length.
fn key_error(codec: &Int8Codec, query: &[f32], scale: f32) -> f32 {
    let query_norm = (kernels().l2sq_f32)(query, codec.mean());
    let node_norm = codec.variance() * codec.dim() as f32;
    let (query_step, node_step) = (scale * scale, codec.scale() * codec.scale());
    ((query_norm * node_step + node_norm * query_step) / 12.0).sqrt()
}

impl Keys for CodeQuery<'_> {
    #[inline(always)]
    fn limit(&self) -> usize {
        self.limit
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        let product = (self.table.dot_i8)(self.codes.code(node), &self.code);
        self.codes.bias(node) - self.weight * product as f32
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        self.codes.prefetch(node);
    }

    fn margin(&self) -> f32 {
        self.margin
    }
}
