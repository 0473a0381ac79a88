//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod oracle;
mod removal;

use std::collections::BTreeMap;
use std::convert::Infallible;

use pelorus_kernels::BitSet;
use pelorus_sparse::{SparseIndex, SparseVector};

/// All documents, and the look at each of them that a search has to equal.
#[derive(Default)]
struct Documents(BTreeMap<u32, SparseVector>);

impl Documents {
    fn matches(&self, query: &SparseVector, accept: &BitSet) -> Vec<(u32, f64)> {
        let accepted = self.0.iter().filter(|(doc, _)| accept.contains(**doc));
        let scored = accepted.map(|(&doc, vector)| (doc, vector.dot(query)));
        scored.filter(|(_, score)| *score > 0.0).collect()
    }

    fn best(&self, query: &SparseVector, k: usize, accept: &BitSet) -> Vec<(u32, f64)> {
        let mut matches = self.matches(query, accept);
        matches.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        matches.truncate(k);
        matches
    }
}

fn vector(entries: &[(u32, f32)]) -> SparseVector {
    SparseVector::new(entries.to_vec()).unwrap()
}

fn search(index: &SparseIndex, query: &SparseVector, k: usize, accept: &BitSet) -> Vec<(u32, f64)> {
    let go_on = || Ok::<(), Infallible>(());
    index.search(query, k, accept, &go_on).unwrap()
}
