//! Invariants that must hold however threads take turns: each test runs hundreds of random schedules, in which another
//! thread may go on at every use of a lock or an atomic (see `sync`).
//!
//! Indexes are tiny and so are the limits that decide when blocks are added, rows fill up and sweeps
//! begin: a few nodes meet all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use shuttle::thread;

use crate::distance::{FullPairs, PairDistance};
use crate::graph::Graph;
use crate::graph::links::Links;
use crate::search::walk::descend_to;
use crate::search::walk::{Walk, WalkScratch};
use crate::sync::Ordering;
use crate::{HnswParams, Metric, NumericType};

/// Nodes of an index. Rows on the lowest level hold four links.
const NODES: u32 = 10;

fn check(schedule_count: usize, test: impl Fn() + Send + Sync + 'static) {
    shuttle::check_random(test, schedule_count);
}

fn empty(ef_construction: usize) -> Arc<Graph> {
    Arc::new(Graph::new(HnswParams {
        dim: 1,
        metric: Metric::Euclidean,
        numeric: NumericType::Float,
        m: 2,
        ef_construction,
        seed: 5,
    }))
}

/// Places on a line: the same one for two nodes that are `apart`.
fn filled(nodes: u32, apart: u32) -> Arc<Graph> {
    filled_with(nodes, apart, 4)
}

fn filled_with(nodes: u32, apart: u32, ef_construction: usize) -> Arc<Graph> {
    let index = empty(ef_construction);
    for node in 0..nodes {
        push(&index, node, node % apart);
    }
    index
}

fn push(index: &Graph, node: u32, place: u32) {
    let place = (place * 7 % 11) as f32;
    let pushed = index.push(&[place], node, 0);
    assert_eq!(pushed.expect("an index in memory"), node);
}

fn settle(index: &Graph) {
    while index.maintain(3) > 0 {}
}

/// Runs all of `work` on threads of their own, and waits for them.
fn together<const N: usize>(index: &Arc<Graph>, work: [fn(&Graph); N]) {
    let threads = work.map(|work| {
        let index = index.clone();
        thread::spawn(move || work(&index))
    });
    for thread in threads {
        thread.join().expect("a thread ends");
    }
}

/// Walks from the entry to wherever links lead, and answers the nodes visited.
fn walk(index: &Graph) -> Vec<u32> {
    let pairs = FullPairs {
        nodes: &index.nodes,
        metric: Metric::Euclidean,
    };
    let Some(entry) = index.links.entry() else {
        return Vec::new();
    };
    let distance = pairs.of_node(entry);
    let from = descend_to(&index.links, &distance, entry, 0);
    let (scratch, width) = (WalkScratch::default(), 2 * NODES as usize);
    let mut walk = Walk::begin(&index.links, &distance, scratch, (from, 0), width, false);
    let mut visited = Vec::new();
    while let Some((_, node)) = walk.prefetch_next() {
        // A search reads this of a node.
        assert!((node as usize) < index.nodes.len(), "node {node}");
        for duplicate in index.duplicates.of(node) {
            assert!(index.nodes.are_equal(duplicate, node));
        }
        visited.push(node);
        walk.expand();
    }
    visited
}

/// Asserts the invariants of a graph that nobody changes.
fn assert_sound(index: &Graph) {
    let mut incoming: BTreeMap<u32, u32> = BTreeMap::new();
    for node in 0..index.linked() as u32 {
        for level in 0..=index.links.level_of(node) {
            let row: Vec<u32> = index.links.neighbors(node, level).collect();
            for (i, near) in row.iter().enumerate() {
                assert!(*near != node && !row[..i].contains(near), "{node}: {row:?}");
            }
            if level == 0 {
                row.iter()
                    .for_each(|&near| *incoming.entry(near).or_default() += 1);
            }
        }
    }
    for node in 0..index.linked() as u32 {
        let counted = incoming.get(&node).copied().unwrap_or_default();
        assert_eq!(index.links.incoming(node), counted, "links to {node}");
    }
}

#[test]
fn nodes_that_are_linked_at_the_same_time_are_all_reachable() {
    check(1_000, || {
        let index = filled(NODES, NODES);
        together(&index, [settle, settle, settle]);
        assert_eq!((index.linked(), index.maintain(1)), (NODES as usize, 0));
        assert_sound(&index);
        assert_eq!(index.find_unreachable(), []);
    });
}

#[test]
fn the_watermark_is_passed_by_finished_nodes_alone_and_a_search_visits_only_what_it_may_read() {
    check(1_000, || {
        let index = filled(NODES / 2, NODES);
        let search: fn(&Graph) = |index| {
            while index.linked() < NODES as usize {
                let linked = index.linked();
                let in_flight = index.maintenance.read().tail.lock().in_flight().to_vec();
                assert!(in_flight.iter().all(|&node| node as usize >= linked));
                assert!(linked == 0 || !walk(index).is_empty());
            }
        };
        let write: fn(&Graph) = |index| {
            for node in NODES / 2..NODES {
                push(index, node, node);
                index.maintain(1);
            }
        };
        together(&index, [write, settle, search]);
        settle(&index);
        assert_eq!(index.linked(), NODES as usize);
        assert_eq!(index.find_unreachable(), []);
    });
}

#[test]
fn one_of_equal_vectors_is_linked_before_the_watermark_passes_the_others() {
    check(1_000, || {
        let index = filled(NODES, 3);
        let watch: fn(&Graph) = |index| {
            while index.linked() < NODES as usize {
                let linked = index.linked() as u32;
                for node in 0..linked {
                    let place = index.duplicates.representative(node).unwrap_or(node);
                    assert!(place <= node && place < linked);
                    let is_listed = place == node
                        || index
                            .duplicates
                            .of(place)
                            .any(|duplicate| duplicate == node);
                    assert!(is_listed, "{node} at {place}");
                }
            }
        };
        together(&index, [settle, settle, watch]);
        for place in 0..3 {
            let duplicates: Vec<u32> = index.duplicates.of(place).collect();
            let others: Vec<u32> = (0..NODES).rev().filter(|node| node % 3 == place).collect();
            assert_eq!(duplicates, others[..others.len() - 1]);
        }
        assert_sound(&index);
        assert_eq!(index.find_unreachable(), []);
    });
}

#[test]
fn nodes_linked_in_haste_are_linked_again_beside_new_ones() {
    check(1_000, || {
        // Wide enough for haste to make a difference.
        let index = filled_with(NODES / 2, NODES - 2, 12);
        index.link_unless_busy(NODES as usize / 2);
        let hurry: fn(&Graph) = |index| {
            for node in NODES / 2..NODES {
                push(index, node, node % (NODES - 2));
                index.link_unless_busy(1);
            }
        };
        together(&index, [hurry, settle, settle]);
        settle(&index);
        assert_eq!((index.linked(), index.to_relink()), (NODES as usize, 0));
        assert!(index.relinked.load(Ordering::Relaxed) > 0);
        assert_sound(&index);
        assert_eq!(index.find_unreachable(), []);
    });
}

#[test]
fn after_a_sweep_beside_linking_nothing_leads_to_what_was_removed() {
    check(1_000, || {
        let index = filled(NODES, NODES - 2);
        index.maintain(NODES as usize / 2);
        let remove: fn(&Graph) = |index| (0..NODES).step_by(3).for_each(|node| index.remove(node));
        together(&index, [remove, settle, settle]);
        settle(&index);
        assert_sound(&index);
        for node in (0..NODES).filter(|node| !index.duplicates.is_gone(*node, &index.nodes)) {
            for level in 0..=index.links.level_of(node) {
                let mut row = index.links.neighbors(node, level);
                assert!(row.all(|near| !index.duplicates.is_gone(near, &index.nodes)));
            }
        }
        assert_eq!(index.find_unreachable(), []);
    });
}

#[test]
fn rows_that_drop_a_node_at_the_same_time_leave_it_a_link() {
    check(1_000, || {
        let links = Arc::new(Links::new(2, 0));
        (0..8).for_each(|node| links.add_node(node));
        (0..3).for_each(|row| links.edit(row).replace(0, &[3, 4, 5, 6]));
        let threads: Vec<_> = (0..3)
            .map(|row| {
                let links = links.clone();
                let chosen = [[4, 5, 6, 7], [4, 5, 7, 6], [7, 6, 5, 4]][row as usize];
                thread::spawn(move || {
                    links.edit(row).replace_sparing(&mut chosen.to_vec(), &[3]);
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("a row is replaced");
        }
        for node in 3..8 {
            let rows = (0..3).filter(|&row| links.neighbors(row, 0).any(|near| near == node));
            assert_eq!(links.incoming(node), rows.count() as u32);
            assert!(links.incoming(node) > 0, "nothing leads to {node}");
        }
    });
}
