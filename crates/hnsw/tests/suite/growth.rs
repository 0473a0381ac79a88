//! Recall at frozen moments of an ingest: some vectors wait to be linked, the others were linked in haste or again.

use crate::support::{Clustered, params, recall, settle};
use pelorus_hnsw::{HnswParams, Metric, VectorIndex};
use pelorus_kernels::BitSet;

/// So many that a search without a filter walks, by codes of either kind.
const COUNT: u32 = 16_000;
const DIM: usize = 32;
const RECALL_MIN: f64 = 0.99;

/// An index that grows, by a graph as wide as an index has by default, and vectors to search for.
struct Growth {
    index: VectorIndex,
    data: Clustered,
    queries: Vec<Vec<f32>>,
    pushed: u32,
}

impl Growth {
    fn new() -> Self {
        let params = HnswParams {
            ef_construction: 512,
            ..params(DIM, Metric::PrenormalizedAngular)
        };
        let mut data = Clustered::new(DIM, 41);
        let queries = (0..50).map(|_| data.draw()).collect();
        Self {
            index: VectorIndex::new(params),
            data,
            queries,
            pushed: 0,
        }
    }

    /// Adds documents up to `count` in requests of 128, after each of which at most `waiting` are not linked.
    fn grow(&mut self, count: u32, waiting: usize) {
        while self.pushed < count {
            for doc in self.pushed..count.min(self.pushed + 128) {
                self.index.push(&self.data.draw(), doc, 0).unwrap();
                self.pushed = doc + 1;
            }
            // Codes are trained by those who have the time.
            self.index.maintain_in_haste(0);
            while self.index.unlinked() > waiting && self.index.link(16) > 0 {}
        }
    }

    /// Compares with exact searches: without a filter, and with filters that a half and a tenth of all pass.
    fn assert_found(&self, moment: &str) {
        for one_in in [1, 2, 10] {
            let accept: BitSet = (0..self.pushed).filter(|doc| doc % one_in == 0).collect();
            let found = recall(
                &self.index,
                &self.queries,
                10,
                &accept,
                self.pushed as usize,
            );
            assert!(
                found >= RECALL_MIN,
                "{moment}, one in {one_in} passes: {found}"
            );
        }
    }
}

#[test]
fn documents_are_found_at_every_moment_of_an_ingest() {
    let mut growth = Growth::new();
    // None is linked, some are, and nearly all are; the more there are the more may wait.
    growth.grow(4_000, usize::MAX);
    assert_eq!(
        (growth.index.to_relink(), growth.index.unlinked()),
        (0, 4_000)
    );
    growth.assert_found("nothing is linked");
    for (count, waiting) in [
        (6_000, 5_000),
        (8_000, 1_000),
        (12_000, 4_000),
        (COUNT, 500),
    ] {
        growth.grow(count, waiting);
        let unlinked = growth.index.unlinked();
        assert!((1..=waiting).contains(&unlinked), "{unlinked} wait");
        assert_eq!(growth.index.to_relink(), count as usize - unlinked);
        growth.assert_found(&format!("{unlinked} of {count} wait"));
    }
    while growth.index.link(500) > 0 {}
    assert_eq!(
        (growth.index.unlinked(), growth.index.to_relink()),
        (0, COUNT as usize)
    );
    growth.assert_found("all are linked in haste");
    while growth.index.to_relink() > COUNT as usize / 2 {
        growth.index.maintain(16);
    }
    growth.assert_found("half are linked again");
    settle(&growth.index);
    growth.assert_found("all are linked again");
}
