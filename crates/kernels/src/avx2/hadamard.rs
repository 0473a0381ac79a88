//! The fast Hadamard transform: blocks of 64 in registers, then four blocks at a time.

use std::arch::x86_64::*;

use crate::scalar::hadamard as scalar;

const LANES: usize = 8;
/// Vectors of one block, half of the registers.
const N: usize = 8;
const BLOCK: usize = N * LANES;

#[target_feature(enable = "avx2,fma")]
pub(super) fn transform(block: &mut [f32], signs: &[f32]) {
    scalar::check(block, signs);
    if block.len() < BLOCK {
        return scalar::transform(block, signs);
    }
    let (blocks, signs) = (
        block.as_chunks_mut::<BLOCK>().0,
        signs.as_chunks::<BLOCK>().0,
    );
    for (block, signs) in blocks.iter_mut().zip(signs) {
        in_registers(block, signs);
    }
    scalar::join(block, BLOCK);
}

/// All steps of a block of 64.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn in_registers(block: &mut [f32; BLOCK], signs: &[f32; BLOCK]) {
    let mut v: [__m256; N] = std::array::from_fn(|i| {
        // SAFETY: `8 i + 8 <= 64`, the length of both.
        let (x, sign) = unsafe {
            let x = _mm256_loadu_ps(block.as_ptr().add(i * LANES));
            (x, _mm256_loadu_ps(signs.as_ptr().add(i * LANES)))
        };
        within(_mm256_mul_ps(x, sign))
    });
    for distance in [1, 2, 4] {
        for i in 0..N {
            if i & distance == 0 {
                let (a, b) = (v[i], v[i | distance]);
                v[i] = _mm256_add_ps(a, b);
                v[i | distance] = _mm256_sub_ps(a, b);
            }
        }
    }
    for (i, v) in v.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(block.as_mut_ptr().add(i * LANES), v) };
    }
}

/// The steps at distances 1, 2 and 4, inside of one vector: each component is added to its partner,
/// itself negated where it is the second of the two.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn within(x: __m256) -> __m256 {
    let negated = _mm256_setr_ps(1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0);
    let x = _mm256_fmadd_ps(x, negated, _mm256_permute_ps::<0b10_11_00_01>(x));
    let negated = _mm256_setr_ps(1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0);
    let x = _mm256_fmadd_ps(x, negated, _mm256_permute_ps::<0b01_00_11_10>(x));
    let negated = _mm256_setr_ps(1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0);
    _mm256_fmadd_ps(x, negated, _mm256_permute2f128_ps::<1>(x, x))
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn reflect(v: &mut [f32], parts: usize) {
    scalar::reflect(v, parts);
}
