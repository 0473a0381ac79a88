//! Products of bfloat16, as the portable loops have them.

use crate::scalar::dense_bf16 as portable;
use crate::{Bf16Kernels, Bf16Line, Bf16Panels, Bf16Part, RowsMut};

/// Reachable through the table alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Bf16Kernels = Bf16Kernels {
    round: |values, lines| {
        // SAFETY: the table is handed out where the processor has AVX-512.
        unsafe { round(values, lines) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { multiply(rows, panels, out) }
    },
    ..portable::KERNELS
};

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn round(values: &[f32], lines: &mut [Bf16Line]) {
    portable::round(values, lines);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn multiply(rows: Bf16Part<'_>, panels: &Bf16Panels, out: RowsMut<'_>) {
    portable::multiply(rows, panels, out);
}
