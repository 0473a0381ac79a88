//! Large zeroed memory.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use bytemuck::Zeroable;
use memmap2::{MmapMut, MmapRaw};

use crate::storage::code_memory::Share;

/// A cache line; also the widest vector register.
const LINE_BYTES: usize = 64;
/// A huge page of the machines that have them.
pub(crate) const HUGE_BYTES: usize = 2 << 20;
/// From here on bytes are mapped, not allocated: an allocator that was once given back a large
/// piece may keep the next ones for itself, and writes zeros to those that it hands out again.
const MAPPED_MIN: usize = 128 << 10;

/// Zeroed bytes that begin on a cache line, given back to the system when dropped. They cost memory
/// only once they are touched.
pub(crate) struct Pages {
    start: NonNull<u8>,
    bytes: usize,
    source: Source,
    _share: Option<Share>,
}

enum Source {
    Allocated(NonNull<u8>, Layout),
    Mapped(MmapRaw),
    File(MmapRaw),
}

// SAFETY: this is plain memory with one owner; who may touch what in it is up to that owner.
unsafe impl Send for Pages {}
// SAFETY: shared it only tells where it begins.
unsafe impl Sync for Pages {}

impl Pages {
    /// `bytes` zeros. From [`HUGE_BYTES`] on they begin on a huge page.
    ///
    /// # Panics
    /// If `bytes` is 0 or does not fit in memory.
    pub fn zeroed(bytes: usize) -> Self {
        assert!(bytes > 0, "an allocation of nothing");
        let align = if bytes >= HUGE_BYTES {
            HUGE_BYTES
        } else {
            LINE_BYTES
        };
        let layout = Layout::from_size_align(bytes + align, align_of::<u64>());
        let layout = layout.expect("an allocation that fits in memory");
        let source = match bytes >= MAPPED_MIN {
            true => MmapMut::map_anon(layout.size())
                .ok()
                .map(|map| Source::Mapped(map.into())),
            // SAFETY: the layout has a size.
            false => NonNull::new(unsafe { alloc_zeroed(layout) })
                .map(|allocation| Source::Allocated(allocation, layout)),
        };
        let Some(source) = source else {
            handle_alloc_error(layout);
        };
        let first = match &source {
            Source::Allocated(allocation, _) => *allocation,
            Source::Mapped(map) | Source::File(map) => {
                NonNull::new(map.as_mut_ptr()).expect("a map is somewhere")
            }
        };
        let padding = first.addr().get().next_multiple_of(align) - first.addr().get();
        Self {
            // SAFETY: `padding` is at most `align`, which was added to the size.
            start: unsafe { first.add(padding) },
            bytes,
            source,
            _share: None,
        }
    }

    /// All bytes of a file that were mapped, zeros that nobody else writes.
    pub fn of_file(map: MmapRaw) -> Self {
        Self {
            start: NonNull::new(map.as_mut_ptr()).expect("a map is somewhere"),
            bytes: map.len(),
            source: Source::File(map),
            _share: None,
        }
    }

    /// The same, counted as a share of a budget as long as they are there.
    pub fn counted(mut self, share: Share) -> Self {
        self._share = Some(share);
        self
    }

    /// Tells whether they are those of a file, which the system may take from memory.
    pub fn is_file(&self) -> bool {
        matches!(self.source, Source::File(_))
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Asks the system to back the whole huge pages of the first `bytes` by such: a search that
    /// jumps through memory then spends far less on address translation. The first touch of each
    /// makes all of it resident, so this is for what will be filled.
    pub fn prefer_huge(&self, bytes: usize) {
        self.advise(bytes, Advice::PreferHuge);
    }

    /// Moves the bytes that are there to huge pages, as far as they fill them. False where the
    /// system does not do that.
    pub fn become_huge(&self) -> bool {
        self.advise(self.bytes, Advice::PreferHuge) && self.advise(self.bytes, Advice::BecomeHuge)
    }

    /// Tells whether the system could follow an advice for the whole huge pages of the first
    /// `bytes`.
    fn advise(&self, bytes: usize, advice: Advice) -> bool {
        let bytes = bytes.min(self.bytes) / HUGE_BYTES * HUGE_BYTES;
        bytes == 0 || self.is_file() || advise(self.start, bytes, advice)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Source::Allocated(allocation, layout) = self.source {
            // SAFETY: it was made with this layout and has this one owner.
            unsafe { dealloc(allocation.as_ptr(), layout) };
        }
    }
}

#[derive(Clone, Copy)]
enum Advice {
    PreferHuge,
    BecomeHuge,
}

/// Linux 6.1 and later; not every C library has a name for it.
#[cfg(target_os = "linux")]
const MADV_COLLAPSE: libc::c_int = 25;

#[cfg(target_os = "linux")]
fn advise(start: NonNull<u8>, bytes: usize, advice: Advice) -> bool {
    let advice = match advice {
        Advice::PreferHuge => libc::MADV_HUGEPAGE,
        Advice::BecomeHuge => MADV_COLLAPSE,
    };
    // SAFETY: the range is whole pages inside one map. The advice changes no contents.
    unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: NonNull<u8>, _bytes: usize, _advice: Advice) -> bool {
    false
}

/// A slice that begins as zeros. Its elements are not dropped.
pub(crate) struct Zeros<T> {
    pages: Pages,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Zeroable> Zeros<T> {
    /// `len` of them, at least one.
    pub fn new(len: usize) -> Self {
        Self {
            pages: Pages::zeroed(len * size_of::<T>()),
            len,
            of: PhantomData,
        }
    }
}

impl<T> Deref for Zeros<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the pages hold `len` values, which zeros are, and suit any value's alignment.
        unsafe { slice::from_raw_parts(self.pages.start.cast().as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Zeros<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and they belong to this slice alone.
        unsafe { slice::from_raw_parts_mut(self.pages.start.cast().as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_any_size_are_zero_and_aligned() {
        for (bytes, align) in [
            (1, LINE_BYTES),
            (100, LINE_BYTES),
            (MAPPED_MIN, LINE_BYTES),
            (HUGE_BYTES + 9, HUGE_BYTES),
        ] {
            let pages = Pages::zeroed(bytes);
            pages.prefer_huge(bytes);
            assert!(pages.start().addr().get().is_multiple_of(align));
            // SAFETY: `bytes` zeroed bytes begin there.
            let all = unsafe { slice::from_raw_parts(pages.start().as_ptr(), bytes) };
            assert!(all.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn pages_that_become_huge_keep_their_contents() {
        let mut words = Zeros::<u32>::new((2 * HUGE_BYTES + 100) / 4);
        let count = words.len() as u32;
        words.iter_mut().zip(0..).for_each(|(word, i)| *word = i);
        words.pages.become_huge();
        assert!(words.iter().copied().eq(0..count));
    }
}
