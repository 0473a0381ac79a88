use std::ops::Range;

/// Size of a segment as the merge policy sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentSize {
    pub(crate) live: u32,
    pub(crate) dead: u32,
}

/// The rule by which segments are merged: it weighs the cost of searches against that of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergePolicy {
    /// As soon as it makes them few: n flushes leave at most log3(n) + 1, and each document is
    /// rewritten about as often.
    Leveled,
    /// Eight of about one size at a time, for as long as much is written: n flushes leave at most
    /// seven of each of log8(n) + 1 sizes, and each document is rewritten log8(n) times at most.
    Tiered,
}

/// A segment is kept as long as it is more than this many times as large as all newer ones
/// together.
const GROWTH: u64 = 2;

/// Segments of one tier that are merged together ...
const TIER_LEN: usize = 8;
/// ... and how many times as large as the newest of them the others may be.
const TIER_SPREAD: u64 = 4;

/// A segment is rewritten once one document in this many is dead.
const DEAD_ONE_IN: u32 = 4;

/// The neighbouring segments to merge next, oldest first; a single one is rewritten to shed its
/// dead documents. `None` when all is well.
pub(crate) fn pick_merge(segments: &[SegmentSize], policy: MergePolicy) -> Option<Range<usize>> {
    let newest = u64::from(segments.last()?.live);
    let older = segments.iter().rev().map(|size| u64::from(size.live));
    let (merged, merged_min) = match policy {
        MergePolicy::Leveled => {
            let mut newer = newest;
            let mut is_outgrown = |&live: &u64| {
                let is_outgrown = live <= GROWTH * newer;
                newer += live;
                is_outgrown
            };
            (1 + older.skip(1).take_while(&mut is_outgrown).count(), 2)
        }
        MergePolicy::Tiered => {
            let is_of_tier = |&live: &u64| live <= TIER_SPREAD * newest;
            (older.take_while(is_of_tier).count(), TIER_LEN)
        }
    };
    if merged >= merged_min {
        return Some(segments.len() - merged..segments.len());
    }
    let stale = |size: &SegmentSize| {
        size.dead > 0 && size.dead >= (size.live + size.dead).div_ceil(DEAD_ONE_IN)
    };
    let at = segments.iter().position(stale)?;
    Some(at..at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(live: &[u32]) -> Vec<SegmentSize> {
        live.iter()
            .map(|&live| SegmentSize { live, dead: 0 })
            .collect()
    }

    #[test]
    fn a_thousand_flushes_leave_few_segments_and_rewrite_little() {
        let mut segments: Vec<u32> = Vec::new();
        let mut rewritten = 0;
        for _ in 0..1_000 {
            segments.push(100);
            rewritten += merge(&mut segments, MergePolicy::Leveled);
            assert!(segments.len() <= 8, "{segments:?}");
        }
        assert!(rewritten <= 100_000 * 8, "{rewritten}");
    }

    #[test]
    fn tiers_rewrite_less_and_are_merged_at_rest() {
        let mut segments: Vec<u32> = Vec::new();
        let mut rewritten = 0;
        for flush in 0..1_000 {
            segments.push(100 + flush % 100);
            rewritten += merge(&mut segments, MergePolicy::Tiered);
            assert!(segments.len() <= 4 * (TIER_LEN - 1), "{segments:?}");
        }
        let documents: u32 = segments.iter().sum();
        assert!(rewritten <= documents * 3, "{rewritten} of {documents}");
        merge(&mut segments, MergePolicy::Leveled);
        assert!(segments.len() <= 2, "{segments:?}");
    }

    /// Merges until all is well; gives how many documents were rewritten.
    fn merge(segments: &mut Vec<u32>, policy: MergePolicy) -> u32 {
        let mut rewritten = 0;
        while let Some(range) = pick_merge(&sizes(segments), policy) {
            let merged = segments[range.clone()].iter().sum();
            rewritten += merged;
            segments.splice(range, [merged]);
        }
        rewritten
    }

    #[test]
    fn a_segment_with_many_dead_documents_is_rewritten_alone() {
        let mut segments = sizes(&[1_000, 100]);
        for policy in [MergePolicy::Leveled, MergePolicy::Tiered] {
            segments[0] = SegmentSize {
                live: 1_000,
                dead: 0,
            };
            assert_eq!(pick_merge(&segments, policy), None);
            segments[0] = SegmentSize {
                live: 700,
                dead: 300,
            };
            assert_eq!(pick_merge(&segments, policy), Some(0..1));
        }
    }

    #[test]
    fn no_segments_need_no_merge() {
        for policy in [MergePolicy::Leveled, MergePolicy::Tiered] {
            assert_eq!(pick_merge(&[], policy), None);
        }
    }
}
