//! Which way a search takes, by what each would cost.
//!
//! The unit of cost is one node met by a walk: waited for, guessed, entered. A walk that must find
//! `k` documents among a share of all meets the more nodes the smaller the share; a scan passes each
//! accepted node, in an order that memory foresees. What a walk will cost depends on the query and
//! shows only on the way, so it gets a budget: hard queries are scanned after all, most of them long
//! before the budget is spent.

use crate::VectorSearch;
use crate::quantize::quantizer::Traversal;

/// Nodes met for each unit of width a walk settles with.
const MET_PER_WIDTH: f32 = 14.0;
/// Width a walk settles with before `k` is counted.
const SETTLED_WIDTH: usize = 120;
/// How the nodes met grow as the accepted share shrinks.
const SHARE_EXPONENT: f32 = 0.85;
/// How a search proceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plan {
    /// Every accepted node is looked at.
    Scan,
    /// The graph is walked, and the walk given up for a scan once it is foreseen to meet more than
    /// `budget` nodes.
    Walk { budget: usize },
}

/// What a scan costs for each linked node, of which `share` are accepted. Measured at 128, 384 and
/// 768 components, where a node met by a walk by sign bits costs 30 to 35 ns: 3 to 5 ns where all
/// are guessed in the order of memory, 9 to 13 where they are picked. A node met by int8 codes costs
/// a walk 35 to 40 ns and a scan 18 to 20.
fn scan_cost(traversal: Traversal, share: f32) -> f32 {
    match traversal {
        Traversal::Binary => (0.33 * share).min(0.12),
        Traversal::Int8 => 0.5 * share,
        Traversal::Full => 0.7 * share,
    }
}

/// Chooses for a graph of `linked` living nodes.
pub(crate) fn plan(p: &VectorSearch, traversal: Traversal, linked: usize) -> Plan {
    let share = (p.accept_count as f32 / p.live_docs.max(1) as f32).min(1.0);
    let scan = scan_cost(traversal, share) * linked as f32;
    let width = p.ef.min(SETTLED_WIDTH).max(p.k) as f32;
    // A share of zero makes the walk infinitely long.
    let walk = MET_PER_WIDTH * width / share.powf(SHARE_EXPONENT);
    match p.stops_early {
        false => Plan::Walk { budget: usize::MAX },
        true if scan <= walk => Plan::Scan,
        true => Plan::Walk {
            budget: walk.max(scan) as usize,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan_of(accept_count: usize, live_docs: usize) -> Plan {
        plan(
            &search(accept_count, live_docs),
            Traversal::Binary,
            live_docs,
        )
    }

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
        assert_eq!(plan_of(1_000, 1_000), Plan::Scan);
        assert_eq!(plan_of(10_000, 100_000), Plan::Scan);
        assert_eq!(plan_of(0, 0), Plan::Scan);
    }

    #[test]
    fn the_larger_the_graph_the_narrower_the_filters_that_are_walked() {
        let narrowest = |live: usize| {
            let walked = |&tenths: &usize| plan_of(live * tenths / 1000, live) != Plan::Scan;
            (1..=1000).find(walked).unwrap_or(1001)
        };
        let shares = [20_000, 100_000, 1_000_000, 10_000_000].map(narrowest);
        assert!(shares.is_sorted_by(|a, b| a > b), "{shares:?}");
        assert!(shares[0] <= 1000 && shares[3] < 50, "{shares:?}");
    }

    #[test]
    fn a_walk_may_cost_what_the_scan_would() {
        for accepted in [50_000, 100_000] {
            let Plan::Walk { budget } = plan_of(accepted, 100_000) else {
                panic!("{accepted} of 100,000 should be walked");
            };
            let scan = scan_cost(Traversal::Binary, accepted as f32 / 100_000.0) * 100_000.0;
            assert!(budget > 0 && budget as f32 <= scan);
        }
    }

    #[test]
    fn a_walk_that_is_to_use_its_whole_width_is_not_cut_short() {
        let patient = VectorSearch {
            stops_early: false,
            ..search(100_000, 100_000)
        };
        let unlimited = Plan::Walk { budget: usize::MAX };
        assert_eq!(plan(&patient, Traversal::Binary, 100_000), unlimited);
    }

    #[test]
    fn asking_for_a_large_part_of_the_index_is_a_scan() {
        let all = VectorSearch {
            k: 10_000,
            ..search(50_000, 50_000)
        };
        assert_eq!(plan(&all, Traversal::Full, 50_000), Plan::Scan);
    }
}
