//! f32 kernels. Sixteen partial results let the compiler use whatever vectors the baseline has,
//! and keep the rounding error of long sums small.

use crate::bf16_to_f32;

const LANES: usize = 16;

#[inline(always)]
fn fold<T: Copy>(
    a: &[f32],
    b: &[T],
    step: impl Fn(f32, f32, T) -> f32,
    merge: impl Fn(f32, f32) -> f32,
) -> f32 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut lanes = [0.0f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail = a_chunks.remainder().iter().zip(b_chunks.remainder());
    for (lane, (&x, &y)) in lanes.iter_mut().zip(tail) {
        *lane = step(*lane, x, y);
    }
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] = step(lanes[lane], x[lane], y[lane]);
        }
    }
    lanes.into_iter().reduce(merge).unwrap_or(0.0)
}

pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    fold(a, b, |sum, x, y| sum + x * y, |s, t| s + t)
}

pub(super) fn dot_bf16(a: &[f32], b: &[u16]) -> f32 {
    let step = |sum, x, y| sum + x * bf16_to_f32(y);
    fold(a, b, step, |s, t| s + t)
}

pub(super) fn dot_int8(a: &[f32], scale: f32, b: &[i8]) -> f32 {
    let step = |sum, x, y| sum + x * (scale * f32::from(y));
    fold(a, b, step, |s, t| s + t)
}

pub(super) fn l2sq(a: &[f32], b: &[f32]) -> f32 {
    fold(a, b, |sum, x, y| sum + (x - y) * (x - y), |s, t| s + t)
}

pub(super) fn l1(a: &[f32], b: &[f32]) -> f32 {
    fold(a, b, |sum, x, y| sum + (x - y).abs(), |s, t| s + t)
}

pub(super) fn linf(a: &[f32], b: &[f32]) -> f32 {
    fold(a, b, |max, x, y| f32::max(max, (x - y).abs()), f32::max)
}

pub(super) fn hamming(a: &[f32], b: &[f32]) -> f32 {
    fold(
        a,
        b,
        |count, x, y| count + f32::from(u8::from(x != y)),
        |s, t| s + t,
    )
}
