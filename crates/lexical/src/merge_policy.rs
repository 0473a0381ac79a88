use std::ops::Range;

/// Size of a segment as the merge policy sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentSize {
    pub(crate) live: u32,
    pub(crate) dead: u32,
}

/// A segment is kept as long as it is more than this many times as large as all newer ones
/// together. So n flushes leave at most log3(n) + 1 segments and each document is rewritten about
/// as often.
const GROWTH: u64 = 2;

/// A segment is rewritten once one document in this many is dead.
const DEAD_ONE_IN: u32 = 4;

/// The neighbouring segments to merge next, oldest first; a single one is rewritten to shed its
/// dead documents. `None` when all is well.
pub(crate) fn pick_merge(segments: &[SegmentSize]) -> Option<Range<usize>> {
    let mut newer = u64::from(segments.last()?.live);
    let mut from = segments.len() - 1;
    while from > 0 && u64::from(segments[from - 1].live) <= GROWTH * newer {
        from -= 1;
        newer += u64::from(segments[from].live);
    }
    if from + 1 < segments.len() {
        return Some(from..segments.len());
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
            while let Some(range) = pick_merge(&sizes(&segments)) {
                let merged = segments[range.clone()].iter().sum();
                rewritten += merged;
                segments.splice(range, [merged]);
            }
            assert!(segments.len() <= 8, "{segments:?}");
        }
        assert!(rewritten <= 100_000 * 8, "{rewritten}");
    }

    #[test]
    fn a_segment_with_many_dead_documents_is_rewritten_alone() {
        let mut segments = sizes(&[1_000, 100]);
        assert_eq!(pick_merge(&segments), None);
        segments[0] = SegmentSize {
            live: 700,
            dead: 300,
        };
        assert_eq!(pick_merge(&segments), Some(0..1));
    }

    #[test]
    fn no_segments_need_no_merge() {
        assert_eq!(pick_merge(&[]), None);
    }
}
