//! The fast Hadamard transform: blocks of up to 256 in registers, then four blocks at a time.

use std::arch::x86_64::*;

use crate::scalar::hadamard as scalar;

const LANES: usize = 16;
/// Sixteen vectors; with their partners and four constants they just fit the registers.
const BLOCK: usize = 256;

#[target_feature(enable = "avx512f")]
pub(super) fn transform(block: &mut [f32], signs: &[f32]) {
    scalar::check(block, signs);
    match block.len() {
        64 => in_registers::<4>(block, signs),
        128 => in_registers::<8>(block, signs),
        ..64 => scalar::transform(block, signs),
        _ => {
            for (part, signs) in block.chunks_exact_mut(BLOCK).zip(signs.chunks_exact(BLOCK)) {
                in_registers::<16>(part, signs);
            }
            scalar::join(block, BLOCK);
        }
    }
}

/// All steps of a block of `16 N` components.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_registers<const N: usize>(block: &mut [f32], signs: &[f32]) {
    assert!(block.len() == N * LANES && signs.len() == N * LANES);
    // No `from_fn`: without the features of this function it would stay a call for each vector.
    let mut v = [_mm512_setzero_ps(); N];
    for (i, v) in v.iter_mut().enumerate() {
        // SAFETY: `16 i + 16 <= 16 N`, the length of both.
        let (x, sign) = unsafe {
            let x = _mm512_loadu_ps(block.as_ptr().add(i * LANES));
            (x, _mm512_loadu_ps(signs.as_ptr().add(i * LANES)))
        };
        *v = within(_mm512_mul_ps(x, sign));
    }
    let mut distance = 1;
    while distance < N {
        for i in 0..N {
            if i & distance == 0 {
                let (a, b) = (v[i], v[i | distance]);
                v[i] = _mm512_add_ps(a, b);
                v[i | distance] = _mm512_sub_ps(a, b);
            }
        }
        distance *= 2;
    }
    for (i, v) in v.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(block.as_mut_ptr().add(i * LANES), v) };
    }
}

/// The steps at distances 1, 2, 4 and 8, inside of one vector: each component is added to its
/// partner, itself negated where it is the second of the two.
#[inline]
#[target_feature(enable = "avx512f")]
fn within(x: __m512) -> __m512 {
    let negated = |mask| _mm512_mask_blend_ps(mask, _mm512_set1_ps(1.0), _mm512_set1_ps(-1.0));
    let x = _mm512_fmadd_ps(x, negated(0xaaaa), _mm512_permute_ps::<0b10_11_00_01>(x));
    let x = _mm512_fmadd_ps(x, negated(0xcccc), _mm512_permute_ps::<0b01_00_11_10>(x));
    let swapped = _mm512_shuffle_f32x4::<0b10_11_00_01>(x, x);
    let x = _mm512_fmadd_ps(x, negated(0xf0f0), swapped);
    let swapped = _mm512_shuffle_f32x4::<0b01_00_11_10>(x, x);
    _mm512_fmadd_ps(x, negated(0xff00), swapped)
}

#[target_feature(enable = "avx512f")]
pub(super) fn reflect(v: &mut [f32], parts: usize) {
    scalar::reflect(v, parts);
}
