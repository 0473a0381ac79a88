//! The decision to ask for rows before they are read.
//!
//! Rows in the system's cache need no asking, and each asking is a call of the system. Rows that come from the disk one
//! after the other take a hundred microseconds each; asked for together they come together. Which of the two it is
//! shows in the time that the last ones took.

use std::cell::Cell;
use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The time of a row above which rows come from the disk, in the mean of those that are read together. One from memory
/// takes less than a tenth of it.
const SLOW: Duration = Duration::from_micros(20);
/// Reads that are asked for after a slow one.
const ASKED: u32 = 32;

/// The memory of how long reads took.
#[derive(Default)]
pub(crate) struct ReadAhead {
    /// Reads that are still to be asked for.
    left: AtomicU32,
}

impl ReadAhead {
    /// Tells whether the next rows are to be asked for.
    pub fn is_due(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        // Threads that count the same one ask once more or less, which does no harm.
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        left > 0
    }

    /// Notes how long so many rows took.
    pub fn note(&self, rows: usize, elapsed: Duration) {
        if is_slow(rows, elapsed) {
            self.expect_disk();
        }
    }

    fn expect_disk(&self) {
        self.left.store(ASKED, Ordering::Relaxed);
    }
}

/// One read in so many is timed: a clock takes half as long as a row from memory.
const TIMED_ONE_IN: u32 = 8;

/// The reads of one search, where they are one by one.
pub(crate) struct Reads<'a> {
    ahead: &'a ReadAhead,
    is_due: bool,
    count: Cell<u32>,
    /// Slow ones among those that were timed.
    slow: Cell<u32>,
}

impl<'a> Reads<'a> {
    /// None so far.
    pub fn begin(ahead: &'a ReadAhead) -> Self {
        Self {
            ahead,
            is_due: ahead.is_due(),
            count: Cell::new(0),
            slow: Cell::new(0),
        }
    }

    /// Tells whether the rows are to be asked for before they are read.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// Returns the result of `read`, which reads so many rows.
    #[inline(always)]
    pub fn read<R>(&self, rows: usize, read: impl FnOnce() -> R) -> R {
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        if !count.is_multiple_of(TIMED_ONE_IN) {
            return read();
        }
        let started = Instant::now();
        let result = read();
        if is_slow(rows, started.elapsed()) {
            self.slow.update(|slow| slow + 1);
            if self.slow.get() == SLOW_MIN {
                self.ahead.expect_disk();
            }
        }
        result
    }
}

/// Slow reads of one search that show a disk. One alone may be of a thread that had to wait for its core.
const SLOW_MIN: u32 = 2;

/// Tells whether so many rows came from the disk.
fn is_slow(rows: usize, elapsed: Duration) -> bool {
    rows > 0 && elapsed > SLOW * rows as u32
}

/// Asks the system to bring mapped bytes of a file into memory, unless they are there, and does not wait for them.
/// Where it cannot be asked nothing is lost.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for(bytes: &[u8]) {
    // SAFETY: the call only tells a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let before = bytes.as_ptr().addr() % page.max(1);
    let start = bytes.as_ptr().wrapping_sub(before).cast_mut().cast();
    // SAFETY: the pages lie in the map that the bytes are of. The advice changes no contents.
    let _ = unsafe { libc::madvise(start, before + bytes.len(), libc::MADV_WILLNEED) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for(_bytes: &[u8]) {}

/// Asks the system to bring `len` bytes of a file from `start` on into memory, as far as there are so many.
/// Where it cannot be asked nothing is lost.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_part(file: &File, start: u64, len: u64) {
    use std::os::fd::AsRawFd;
    let (Ok(start), Ok(len)) = (libc::off_t::try_from(start), libc::off_t::try_from(len)) else {
        return;
    };
    // SAFETY: the file is open, and the call touches no memory.
    let _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), start, len, libc::POSIX_FADV_WILLNEED) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_part(_file: &File, _start: u64, _len: u64) {}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn rows_are_asked_for_some_times_after_a_slow_read() {
        let ahead = ReadAhead::default();
        assert!(!ahead.is_due());
        ahead.note(0, Duration::from_secs(1));
        ahead.note(20, SLOW * 20);
        assert!(!ahead.is_due());
        ahead.note(20, Duration::from_millis(2));
        assert_eq!((0..100).filter(|_| ahead.is_due()).count(), ASKED as usize);
    }

    #[test]
    fn two_slow_reads_of_a_search_are_noticed_and_one_is_not() {
        let ahead = ReadAhead::default();
        let read_slowly = |reads: &Reads<'_>, count: u32| {
            for i in 0..count * TIMED_ONE_IN {
                let slow = u64::from(i.is_multiple_of(TIMED_ONE_IN));
                reads.read(1, || thread::sleep(Duration::from_millis(slow)));
            }
        };
        read_slowly(&Reads::begin(&ahead), SLOW_MIN - 1);
        assert!(!Reads::begin(&ahead).is_due());
        read_slowly(&Reads::begin(&ahead), SLOW_MIN);
        assert!(Reads::begin(&ahead).is_due());
    }
}
