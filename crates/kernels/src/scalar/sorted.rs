//! Keeping a list in order.

/// Panics unless the list has room for one more.
#[inline(always)]
pub(crate) fn check(list: &[u64], len: usize) {
    assert!(len < list.len(), "room for one more than {len}");
}

pub(crate) fn insert(list: &mut [u64], len: usize, value: u64) -> usize {
    check(list, len);
    let at = list[..len].partition_point(|&other| other < value);
    list.copy_within(at..len, at + 1);
    list[at] = value;
    at
}
