//! Sets of up to 64 numbers that differ from another in few, four at a time. Numbers are not counted, which AVX2 cannot do:
//! of so many differences none is left when the lowest is taken away so many times.

use std::arch::x86_64::*;

use crate::scalar;
use crate::scalar::near_sets::{ANY, BLOCK_LEN, check};

const LANES: usize = 4;

#[target_feature(enable = "avx2")]
pub(super) fn find(sets: &[u64], other: u64, lacking: u32, added: u32, out: &mut [u64]) {
    check(sets, out);
    let wanted = _mm256_set1_epi64x(other.cast_signed());
    let (blocks, rest) = sets.as_chunks::<BLOCK_LEN>();
    let (answers, last) = out.split_at_mut(blocks.len());
    for (block, out) in blocks.iter().zip(answers) {
        *out = 0;
        for (number, sets) in block.as_chunks::<LANES>().0.iter().enumerate() {
            // SAFETY: four sets are there; the load needs no alignment.
            let sets = unsafe { _mm256_loadu_si256(sets.as_ptr().cast()) };
            let mut differences = without_lowest(_mm256_andnot_si256(sets, wanted), lacking);
            if added < ANY {
                let more = without_lowest(_mm256_andnot_si256(wanted, sets), added);
                differences = _mm256_or_si256(differences, more);
            }
            let near = _mm256_cmpeq_epi64(differences, _mm256_setzero_si256());
            let near = _mm256_movemask_pd(_mm256_castsi256_pd(near));
            *out |= u64::from(near.cast_unsigned()) << (number * LANES);
        }
    }
    scalar::near_sets::find(rest, other, lacking, added, last);
}

#[inline]
#[target_feature(enable = "avx2")]
fn without_lowest(mut sets: __m256i, count: u32) -> __m256i {
    for _ in 0..count.min(ANY) {
        let below = _mm256_add_epi64(sets, _mm256_set1_epi64x(-1));
        sets = _mm256_and_si256(sets, below);
    }
    sets
}
