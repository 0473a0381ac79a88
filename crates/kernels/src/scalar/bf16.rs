//! bfloat16 kernels: widen, then sum in f32.

use crate::bf16_to_f32;

#[inline(always)]
fn sum(a: &[u16], b: &[u16], term: impl Fn(f32, f32) -> f32) -> f32 {
    let widened = a
        .iter()
        .zip(b)
        .map(|(&x, &y)| (bf16_to_f32(x), bf16_to_f32(y)));
    widened.map(|(x, y)| term(x, y)).sum()
}

pub(super) fn dot(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |x, y| x * y)
}

pub(super) fn l2sq(a: &[u16], b: &[u16]) -> f32 {
    sum(a, b, |x, y| (x - y) * (x - y))
}
