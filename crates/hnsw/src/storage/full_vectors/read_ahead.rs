//! The decision to ask for rows before they are read.
//!
//! Rows in the system's cache need no asking, and each asking is a call of the system. Rows that come from the disk one
//! after the other take a hundred microseconds each; asked for together they come together. Which of the two it is
//! shows in the time that the last ones took.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

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
        if rows > 0 && elapsed > SLOW * rows as u32 {
            self.left.store(ASKED, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
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
}
