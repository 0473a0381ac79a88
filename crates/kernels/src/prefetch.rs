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

/// The part of the next panel of a matrix that a block of rows asks memory for, a little at each line of its own panel: all
/// blocks together ask for all of it, so that it comes while they compute.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Ahead {
    place: *const i8,
    step: usize,
}

#[cfg(target_arch = "x86_64")]
impl Ahead {
    /// The part that block `part` of `blocks` asks for while it reads `panel`.
    pub(crate) fn of<T>(panel: &[T], part: usize, blocks: usize) -> Self {
        let step = size_of::<T>() / blocks;
        let place = panel.as_ptr_range().end.cast::<i8>();
        Self {
            place: place.wrapping_add(part * step * panel.len()),
            step,
        }
    }

    /// Asks for the next bytes, one cache line at most. Behind the last panel lies anything: a prefetch reads nothing.
    #[inline(always)]
    pub(crate) fn ask(&mut self) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch of any address is sound, and the instruction is on every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(self.place) };
        self.place = self.place.wrapping_add(self.step);
    }

    /// As `ask`, two cache lines at most.
    #[inline(always)]
    pub(crate) fn ask_twice(&mut self) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(self.place.wrapping_add(LINE_BYTES)) };
        self.ask();
    }
}
