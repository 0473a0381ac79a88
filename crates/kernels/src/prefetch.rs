//! Asking memory for lines ahead of their use.

/// Bytes in one cache line of the machines we run on.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Hints that every cache line of `data` will soon be read. Never changes a result; does nothing
/// where the hardware offers no stable hint.
#[inline(always)]
pub fn prefetch<T>(data: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = data.as_ptr().cast::<i8>();
        for offset in (0..size_of_val(data)).step_by(LINE_BYTES) {
            // SAFETY: `offset` is inside `data`, and a prefetch reads nothing architecturally.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}
