//! Which way a search takes, by what each would cost.
//!
//! The unit of cost is one key computed by a walk. A walk that must find `k` documents among a
//! share of all meets the more nodes the smaller the share; a scan computes a key for each
//! accepted node, from memory that is easier to predict.

use crate::VectorSearch;

/// Nodes met for each unit of width a walk settles with.
const MET_PER_WIDTH: f32 = 14.0;
/// Width a walk settles with before `k` is counted.
const SETTLED_WIDTH: usize = 120;
/// How the nodes met grow as the accepted share shrinks.
const SHARE_EXPONENT: f32 = 0.85;
/// What a key costs in a scan.
const SCAN_KEY: f32 = 0.7;

/// How a search proceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plan {
    /// Every accepted node is looked at.
    Scan,
    /// The graph is walked, and abandoned for a scan after `budget` nodes.
    Walk { budget: usize },
}

/// Chooses for a graph of `linked` living nodes.
pub(crate) fn plan(p: &VectorSearch, linked: usize) -> Plan {
    let share = (p.accept_count as f32 / p.live_docs.max(1) as f32).min(1.0);
    let accepted = share * linked as f32;
    let scan = accepted * SCAN_KEY;
    let width = p.ef.min(SETTLED_WIDTH).max(p.k) as f32;
    let walk = MET_PER_WIDTH * width / share.powf(SHARE_EXPONENT);
    // A share of zero makes the walk infinitely long.
    if scan <= walk {
        Plan::Scan
    } else {
        Plan::Walk {
            budget: scan as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(accept_count: usize, live_docs: usize) -> VectorSearch {
        VectorSearch {
            k: 10,
            ef: 2000,
            stops_early: true,
            exact: false,
            approximate_threshold: None,
            accept_count,
            live_docs,
        }
    }

    #[test]
    fn small_graphs_and_narrow_filters_are_scanned() {
        assert_eq!(plan(&search(1_000, 1_000), 1_000), Plan::Scan);
        assert_eq!(plan(&search(2_000, 100_000), 100_000), Plan::Scan);
        assert_eq!(plan(&search(0, 0), 0), Plan::Scan);
    }

    #[test]
    fn large_graphs_are_walked_with_a_budget_below_all_accepted() {
        for accepted in [30_000, 100_000] {
            match plan(&search(accepted, 100_000), 100_000) {
                Plan::Walk { budget } => assert!(budget > 0 && budget <= accepted),
                Plan::Scan => panic!("{accepted} of 100,000 should be walked"),
            }
        }
    }

    #[test]
    fn asking_for_a_large_part_of_the_index_is_a_scan() {
        let all = VectorSearch {
            k: 10_000,
            ..search(50_000, 50_000)
        };
        assert_eq!(plan(&all, 50_000), Plan::Scan);
    }
}
