//! Keeping a list in order, eight entries at a time.

use std::arch::x86_64::*;

use crate::scalar::sorted::check;

const LANES: usize = 8;
/// Up to here, counting all smaller entries beats halving: no branch of it can be mispredicted.
const COUNTED: usize = 64;

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn insert(list: &mut [u64], len: usize, value: u64) -> usize {
    check(list, len);
    let start = list.as_mut_ptr();
    let (mut at, mut size) = (0, len);
    while size > COUNTED {
        let half = size / 2;
        // SAFETY: `at + half < at + size <= len`.
        let below = unsafe { start.add(at + half).read() } < value;
        at += if below { half } else { 0 };
        size -= half;
    }
    let wanted = _mm512_set1_epi64(value.cast_signed());
    let (from, end) = (at, at + size);
    for i in (from..end).step_by(LANES) {
        // SAFETY: the mask admits the entries up to `end <= len`; masked lanes are not read.
        let entries = unsafe { _mm512_maskz_loadu_epi64(first(end - i), start.add(i).cast()) };
        let below = _mm512_mask_cmplt_epu64_mask(first(end - i), entries, wanted);
        at += below.count_ones() as usize;
    }
    // The last ones move first, each vector before the one in front of it overwrites its start.
    let mut end = len;
    while end > at {
        let count = (end - at).min(LANES);
        end -= count;
        // SAFETY: `end + count <= len`, and the list has an entry more than `len`.
        unsafe {
            let entries = _mm512_maskz_loadu_epi64(first(count), start.add(end).cast());
            _mm512_mask_storeu_epi64(start.add(end + 1).cast(), first(count), entries);
        }
    }
    // SAFETY: `at <= len`, for which there is an entry.
    unsafe { start.add(at).write(value) };
    at
}

/// Admits the first `count` of eight lanes.
#[inline(always)]
fn first(count: usize) -> __mmask8 {
    ((1u32 << count.min(LANES)) - 1) as __mmask8
}
