use std::collections::HashMap;
use std::io;

use parking_lot::Mutex;
use tantivy::postings::BlockSegmentPostings;

use crate::dead_set::DeadSet;

/// Terms remembered; past this many the memory starts afresh.
const TERMS_MAX: usize = 4_096;

/// The number of dead documents that each term of a segment still has in its postings.
///
/// Counting means walking the postings, so counts are remembered and continued: documents only
/// ever die, and a later [`DeadSet`] begins with the log of every earlier one.
#[derive(Default)]
pub(crate) struct DeadCounts {
    known: Mutex<HashMap<Box<[u8]>, DeadCount>>,
}

#[derive(Clone, Copy, Default)]
struct DeadCount {
    /// Entries of the dead set's log that are accounted for.
    log_len: usize,
    dead: u32,
}

impl DeadCounts {
    /// Documents of `dead`, which has some, in the postings of `term`, which `open` opens.
    pub(crate) fn count(
        &self,
        term: &[u8],
        dead: &DeadSet,
        open: impl FnOnce() -> io::Result<BlockSegmentPostings>,
    ) -> io::Result<u32> {
        let known = self.known.lock().get(term).copied();
        let before = match known {
            Some(count) if count.log_len == dead.len() => return Ok(count.dead),
            Some(count) if count.log_len < dead.len() => count,
            // Nothing is known, or a newer view has been here and this older one counts for itself.
            _ => DeadCount::default(),
        };
        let fresh = count_members(open()?, dead, &dead.log()[before.log_len..]);
        let now = DeadCount {
            log_len: dead.len(),
            dead: before.dead + fresh,
        };
        self.remember(term, now);
        Ok(now.dead)
    }

    fn remember(&self, term: &[u8], count: DeadCount) {
        let mut known = self.known.lock();
        if known.len() >= TERMS_MAX {
            known.clear();
        }
        let entry = known.entry(term.into()).or_default();
        if entry.log_len < count.log_len {
            *entry = count;
        }
    }
}

/// A search for one document costs about as much as passing this many in order.
const SEEK_COST: usize = 64;

/// Counts the ones of `locals`, all members of `dead`, that are in `postings`.
fn count_members(mut postings: BlockSegmentPostings, dead: &DeadSet, locals: &[u32]) -> u32 {
    if locals.len() == dead.len() && locals.len() * SEEK_COST > postings.doc_freq() as usize {
        let mut count = 0;
        while !postings.docs().is_empty() {
            count += postings
                .docs()
                .iter()
                .filter(|&&doc| dead.contains(doc))
                .count() as u32;
            postings.advance();
        }
        return count;
    }
    debug_assert!(
        locals.iter().all(|&local| dead.contains(local)),
        "a log holds members alone"
    );
    let mut sorted = locals.to_vec();
    sorted.sort_unstable();
    let mut count = 0;
    for local in sorted {
        let at = postings.seek(local);
        count += u32::from(postings.doc(at) == local);
    }
    count
}
