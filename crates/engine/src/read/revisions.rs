//! The documents that were changed in place lately: remembered matches of a filter are wrong for these.

use std::collections::VecDeque;

/// Most revisions that are remembered. A filter's matches from before the first of them are computed anew.
const REVISIONS_MAX: usize = 4_096;

/// The latest revisions, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    /// Sequence of the view that first shows a revision, and the ordinal of its document.
    latest: VecDeque<(u64, u32)>,
    /// All revisions of views after this one are here.
    complete_after: u64,
}

impl Revisions {
    /// Remembers that the view of `sequence`, no earlier one than those before, shows `doc` revised.
    pub fn note(&mut self, sequence: u64, doc: u32) {
        debug_assert!(
            self.latest.back().is_none_or(|&(last, _)| last <= sequence),
            "a sequence never falls"
        );
        self.latest.push_back((sequence, doc));
        if self.latest.len() > REVISIONS_MAX
            && let Some((forgotten, _)) = self.latest.pop_front()
        {
            self.complete_after = forgotten;
        }
    }

    /// The documents revised after the view of `sequence`; none where that was too long ago.
    pub fn since(&self, sequence: u64) -> Option<Vec<u32>> {
        if sequence < self.complete_after {
            return None;
        }
        let first = self.latest.partition_point(|(at, _)| *at <= sequence);
        Some(self.latest.range(first..).map(|(_, doc)| *doc).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_revised_after_a_view_are_known_for_a_while() {
        let mut revisions = Revisions::default();
        assert_eq!(revisions.since(0), Some(vec![]));
        for (sequence, doc) in [(3, 7), (3, 8), (5, 7)] {
            revisions.note(sequence, doc);
        }
        assert_eq!(revisions.since(2), Some(vec![7, 8, 7]));
        assert_eq!(revisions.since(3), Some(vec![7]));
        assert_eq!(revisions.since(5), Some(vec![]));
        for doc in 0..REVISIONS_MAX as u32 {
            revisions.note(6, doc);
        }
        assert_eq!(revisions.since(4), None);
        assert_eq!(
            revisions.since(5).map(|docs| docs.len()),
            Some(REVISIONS_MAX)
        );
        revisions.note(7, 1);
        assert_eq!(
            (revisions.since(5), revisions.since(6)),
            (None, Some(vec![1]))
        );
    }
}
