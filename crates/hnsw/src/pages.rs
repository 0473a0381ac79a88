//! Large zeroed memory.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// A cache line; also the widest vector register.
const LINE_BYTES: usize = 64;
/// A huge page of the machines that have them.
pub(crate) const HUGE_BYTES: usize = 2 << 20;

/// Zeroed bytes that begin on a cache line, freed when dropped.
pub(crate) struct Pages {
    allocation: NonNull<u8>,
    layout: Layout,
    start: NonNull<u8>,
}

// SAFETY: this is plain memory with one owner; who may touch what in it is up to that owner.
unsafe impl Send for Pages {}

impl Pages {
    /// `bytes` zeros. From [`HUGE_BYTES`] on they begin on a huge page, and with `huge` the system
    /// is asked to back them by such pages: a search that jumps through memory then spends far
    /// less on address translation. Small pages cost memory only once they are touched.
    ///
    /// # Panics
    /// If `bytes` is 0 or does not fit in memory.
    pub fn zeroed(bytes: usize, huge: bool) -> Self {
        assert!(bytes > 0, "an allocation of nothing");
        let align = if bytes >= HUGE_BYTES {
            HUGE_BYTES
        } else {
            LINE_BYTES
        };
        // A larger alignment makes allocators write the zeros themselves. With this one they take
        // fresh pages from the system, so the rounding up is done here.
        let layout = Layout::from_size_align(bytes + align, align_of::<u64>());
        let layout = layout.expect("an allocation that fits in memory");
        // SAFETY: the layout has a size.
        let Some(allocation) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout);
        };
        let padding = allocation.addr().get().next_multiple_of(align) - allocation.addr().get();
        // SAFETY: `padding` is at most `align`, which was added to the size.
        let start = unsafe { allocation.add(padding) };
        if huge && bytes >= HUGE_BYTES {
            advise_huge(start, bytes);
        }
        Self {
            allocation,
            layout,
            start,
        }
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `allocation` was made with this layout and has this one owner.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

#[cfg(target_os = "linux")]
fn advise_huge(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the range lies inside one allocation and begins on a page. The advice changes no
    // contents; where it cannot be followed nothing happens, so the answer does not matter.
    unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge(_start: NonNull<u8>, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ones_are_zero_and_aligned() {
        for (bytes, huge, align) in [
            (1, false, LINE_BYTES),
            (100, true, LINE_BYTES),
            (HUGE_BYTES + 9, true, HUGE_BYTES),
        ] {
            let pages = Pages::zeroed(bytes, huge);
            assert!(pages.start().addr().get().is_multiple_of(align));
            // SAFETY: `bytes` zeroed bytes begin there.
            let all = unsafe { std::slice::from_raw_parts(pages.start().as_ptr(), bytes) };
            assert!(all.iter().all(|&byte| byte == 0));
        }
    }
}
