//! Sets of up to 64 numbers that differ from another in few.

/// Sets whose answers are one word.
pub(crate) const BLOCK_LEN: usize = 64;
/// More numbers than a set has.
pub(crate) const ANY: u32 = u64::BITS;

/// Panics unless there is a word for each block.
#[inline(always)]
pub(crate) fn check(sets: &[u64], out: &[u64]) {
    let blocks = sets.len().div_ceil(BLOCK_LEN);
    assert!(out.len() == blocks, "{blocks} words of answers");
}

pub(crate) fn find(sets: &[u64], other: u64, lacking: u32, added: u32, out: &mut [u64]) {
    check(sets, out);
    for (block, out) in sets.chunks(BLOCK_LEN).zip(out) {
        let answers = block.iter().enumerate().map(|(at, set)| {
            let is_near = (other & !set).count_ones() <= lacking
                && (added >= ANY || (set & !other).count_ones() <= added);
            u64::from(is_near) << at
        });
        *out = answers.fold(0, |all, one| all | one);
    }
}
