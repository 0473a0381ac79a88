//! The largest parameters that the interface takes build graphs that answer.

use crate::support::{Clustered, params, recall, settle};
use pelorus_hnsw::{HnswParams, Metric, VectorIndex};
use pelorus_kernels::BitSet;

const DIM: usize = 16;

#[test]
fn rows_of_a_thousand_links_are_built_repaired_and_searched() {
    let index = VectorIndex::new(HnswParams {
        m: 512,
        ef_construction: 4096,
        ..params(DIM, Metric::Euclidean)
    });
    let mut data = Clustered::new(DIM, 1);
    (0..2_450).for_each(|doc| index.push(&data.draw(), doc, 0).unwrap());
    settle(&index);
    assert_eq!(index.unreachable(), []);
    let queries: Vec<Vec<f32>> = (0..30).map(|_| data.draw()).collect();
    let found = recall(&index, &queries, 10, &BitSet::full(2_450), 2_450);
    assert!(found >= 0.98, "{found}");
    (0..2_450).step_by(16).for_each(|node| index.remove(node));
    settle(&index);
    assert_eq!(index.unreachable(), []);
    let alive: BitSet = (0..2_450).filter(|doc| doc % 16 != 0).collect();
    let found = recall(&index, &queries, 10, &alive, alive.len());
    assert!(found >= 0.98, "after removals: {found}");
}

#[test]
fn the_shortest_rows_leave_every_node_reachable() {
    let index = VectorIndex::new(HnswParams {
        m: 2,
        ef_construction: 2,
        ..params(DIM, Metric::Euclidean)
    });
    let mut data = Clustered::new(DIM, 2);
    (0..2_100).for_each(|doc| index.push(&data.draw(), doc, 0).unwrap());
    settle(&index);
    assert_eq!(index.unreachable(), []);
}
