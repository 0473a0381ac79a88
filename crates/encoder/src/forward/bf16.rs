//! The blocks of a layer in bfloat16: what is between their products never becomes f32.

use pelorus_kernels::{
    BF16_LINE, Bf16Finish, Bf16Heads, Bf16Panels, Bf16Rows, Bf16Scratch, Kernels, RowsMut, kernels,
};

/// Buffers of one thread.
pub(super) struct Buffers {
    rows: Bf16Rows,
    between: Bf16Rows,
    context: Bf16Rows,
    attention: Bf16Scratch,
}

impl Default for Buffers {
    fn default() -> Self {
        let order = kernels().bf16.order;
        Self {
            rows: Bf16Rows::new(order),
            between: Bf16Rows::new(order),
            context: Bf16Rows::new(order),
            attention: Bf16Scratch::new(order),
        }
    }
}

impl Buffers {
    /// Rounds rows of `depth` values.
    fn round(&mut self, kernels: &Kernels, values: &[f32], depth: usize) {
        self.rows.reshape(values.len() / depth, depth);
        for (row, values) in values.chunks_exact(depth).enumerate() {
            (kernels.bf16.round)(values, self.rows.row_mut(row));
        }
    }
}

/// Writes the product of each row of `values` to `out`.
pub(super) fn multiply(
    kernels: &Kernels,
    values: &[f32],
    panels: &Bf16Panels,
    out: &mut [f32],
    buffers: &mut Buffers,
) {
    buffers.round(kernels, values, panels.depth());
    product(kernels, &buffers.rows, panels, out);
}

/// Two products with GELU between them.
pub(super) fn feed_forward(
    kernels: &Kernels,
    values: &[f32],
    [up, down]: [&Bf16Panels; 2],
    out: &mut [f32],
    buffers: &mut Buffers,
) {
    buffers.round(kernels, values, up.depth());
    let inner = &mut buffers.between;
    (kernels.bf16.multiply_rounded)(buffers.rows.all(), up, Bf16Finish::Gelu, inner);
    product(kernels, inner, down, out);
}

/// Tells whether attention can be computed here.
pub(super) fn is_for(heads: Bf16Heads) -> bool {
    heads.size.is_multiple_of(BF16_LINE)
}

/// Attention between two products.
pub(super) fn attention(
    kernels: &Kernels,
    (values, lengths): (&[f32], &[u32]),
    heads: Bf16Heads,
    [qkv, last]: [&Bf16Panels; 2],
    out: &mut [f32],
    buffers: &mut Buffers,
) {
    buffers.round(kernels, values, qkv.depth());
    let Buffers {
        rows,
        between,
        context,
        attention,
    } = buffers;
    (kernels.bf16.multiply_rounded)(rows.all(), qkv, Bf16Finish::Plain, between);
    (kernels.bf16.attend)(between, lengths, heads, context, attention);
    product(kernels, context, last, out);
}

fn product(kernels: &Kernels, rows: &Bf16Rows, panels: &Bf16Panels, out: &mut [f32]) {
    let stride = panels.columns();
    (kernels.bf16.multiply)(
        rows.all(),
        panels,
        RowsMut {
            values: out,
            stride,
        },
    );
}
