//! Versions of the writes that replace or delete a document whatever it was.
//!
//! A node that hangs may hold such a write, and carry it out when it goes on: long after the write was sent again by
//! another node, and others after it. The cluster refuses it then, as its version is older than that of the document.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The low bits of a version are those of the process, so that no two processes give the same.
const PROCESS_BITS: u32 = 10;

/// The last time of a version of this process, in microseconds since 1970.
static LAST_US: AtomicU64 = AtomicU64::new(0);

/// Returns a version above all that this process has given, and above those that others gave before by their clocks.
pub(crate) fn next_version() -> u64 {
    let now_us = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros() as u64);
    let after = |last: u64| now_us.max(last + 1);
    let last = LAST_US
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            Some(after(last))
        })
        .expect("there is always a later time");
    (after(last) << PROCESS_BITS) | process()
}

/// Makes later versions higher than one of another process whose clock is ahead, or of updates, which add one each.
pub(crate) fn saw_version(version: u64) {
    LAST_US.fetch_max(version >> PROCESS_BITS, Ordering::Relaxed);
}

fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(|| RandomState::new().hash_one(()) & ((1 << PROCESS_BITS) - 1))
}

/// The version that a document has, by the words of a conflict: "... current version [7] is higher or equal to the one
/// provided [5]".
pub(crate) fn current_version(reason: &str) -> Option<u64> {
    let (_, rest) = reason.split_once("current version [")?;
    rest.split_once(']')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_grow_beyond_all_that_were_seen() {
        let first = next_version();
        assert!(next_version() > first);
        let ahead = ((first >> PROCESS_BITS) | (1 << 30)) << PROCESS_BITS;
        saw_version(ahead + 3);
        assert!(next_version() > ahead + 3);
        assert!(
            i64::try_from(next_version()).is_ok(),
            "the cluster's are signed"
        );
    }

    #[test]
    fn a_conflict_tells_the_version_of_the_document() {
        let reason = "[i1]: version conflict, current version [71] is higher or equal to the one provided [5]";
        assert_eq!(current_version(reason), Some(71));
        assert_eq!(
            current_version("[i1]: version conflict, required seqNo [1]"),
            None
        );
    }
}
