//! Products of bfloat16, as the portable loops have them.

use crate::scalar::dense_bf16 as portable;
use crate::{
    Bf16Finish, Bf16Heads, Bf16Kernels, Bf16Line, Bf16Panels, Bf16Part, Bf16Rows, Bf16Scratch,
    RowsMut,
};

/// Reachable through the table alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Bf16Kernels = Bf16Kernels {
    round: |values, lines| {
        // SAFETY: the table is handed out where the processor has AVX2.
        unsafe { round(values, lines) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { multiply(rows, panels, out) }
    },
    multiply_rounded: |rows, panels, finish, out| {
        // SAFETY: as above.
        unsafe { multiply_rounded(rows, panels, finish, out) }
    },
    attend: |qkv, texts, heads, context, scratch| {
        // SAFETY: as above.
        unsafe { attend(qkv, texts, heads, context, scratch) }
    },
    ..portable::KERNELS
};

#[target_feature(enable = "avx2,fma")]
fn round(values: &[f32], lines: &mut [Bf16Line]) {
    portable::round(values, lines);
}

#[target_feature(enable = "avx2,fma")]
fn multiply(rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
    portable::multiply(rows, panels, out);
}

#[target_feature(enable = "avx2,fma")]
fn multiply_rounded(
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    finish: Bf16Finish,
    out: &mut Bf16Rows,
) {
    portable::multiply_rounded(rows, panels, finish, out);
}

#[target_feature(enable = "avx2,fma")]
fn attend(
    qkv: &Bf16Rows,
    texts: &[u32],
    heads: Bf16Heads,
    context: &mut Bf16Rows,
    scratch: &mut Bf16Scratch,
) {
    portable::attend(qkv, texts, heads, context, scratch);
}
