//! Sets of up to 64 numbers that differ from another in few, eight at a time. Numbers are not counted, which not every
//! processor can do: of so many differences none is left when the lowest is taken away so many times.

use std::arch::x86_64::*;

use crate::scalar::near_sets::{ANY, BLOCK_LEN, check};

const LANES: usize = 8;

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn find(sets: &[u64], other: u64, lacking: u32, added: u32, out: &mut [u64]) {
    check(sets, out);
    let other = _mm512_set1_epi64(other.cast_signed());
    for (block, out) in sets.chunks(BLOCK_LEN).zip(out) {
        *out = 0;
        for (number, sets) in block.chunks(LANES).enumerate() {
            let there = ((1_u32 << sets.len()) - 1) as __mmask8;
            // SAFETY: the mask admits the sets that there are; masked lanes are not read.
            let sets = unsafe { _mm512_maskz_loadu_epi64(there, sets.as_ptr().cast()) };
            let mut differences = without_lowest(_mm512_andnot_si512(sets, other), lacking);
            if added < ANY {
                let more = without_lowest(_mm512_andnot_si512(other, sets), added);
                differences = _mm512_or_si512(differences, more);
            }
            let near = _mm512_mask_testn_epi64_mask(there, differences, differences);
            *out |= u64::from(near) << (number * LANES);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn without_lowest(mut sets: __m512i, count: u32) -> __m512i {
    for _ in 0..count.min(ANY) {
        let below = _mm512_add_epi64(sets, _mm512_set1_epi64(-1));
        sets = _mm512_and_si512(sets, below);
    }
    sets
}
