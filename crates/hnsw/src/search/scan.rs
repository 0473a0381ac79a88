//! Finding the nearest documents by looking at every candidate.
//!
//! Where estimates are cheap, a node's key is computed only if its lower bound could still get it into the pool. A
//! check whether a node is alive and its document accepted comes as late as the other facts about it allow.

use std::ops::Range;

use pelorus_cancellation::Cancelled;
use pelorus_kernels::{BitSet, not_above};

use crate::VectorSearch;
use crate::distance::Estimator;
use crate::search::Search;
use crate::search::doc_pool::{Candidate, Pool};
use crate::storage::node_table::NodeTable;

/// Nodes estimated in one go.
const BATCH: usize = 32;
/// Nodes ranked in one go: enough for memory to answer meanwhile, and few, since each may lower the bound
/// of the pool.
const RANKED_BATCH: usize = 8;
/// When more than one node in this many is accepted, estimating all in the order of memory costs less
/// than going from document to document.
const DENSE: usize = 3;

/// Nodes, a multiple of [`BATCH`], between two looks at whether the search is cancelled. Full vectors may
/// have to come from the disk.
const fn nodes_per_check<D: Estimator>() -> u32 {
    if D::EXACT { 256 } else { 4096 }
}

/// Offers every accepted living node to `pool`.
///
/// # Errors
/// When the search is cancelled.
pub(crate) fn scan<D: Estimator, P: Pool>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    pool: &mut P,
) -> Result<(), Cancelled> {
    let limit = distance.limit();
    let mut scan = Scan::new(distance, nodes, search, pool);
    // A node that is not accepted may be estimated, but a key would be wasted on it.
    let dense = if D::EXACT { 1 } else { DENSE };
    if search.params.accept_count < limit / dense {
        scan.documents(search)?;
    } else {
        for nodes in pieces::<D>(0..limit as u32) {
            search.cancellation.check()?;
            scan.all(nodes);
        }
    }
    scan.finish();
    Ok(())
}

/// A range in runs of nodes between which is asked whether the search is cancelled.
fn pieces<D: Estimator>(nodes: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let starts = nodes.clone().step_by(nodes_per_check::<D>() as usize);
    starts.map(move |start| start..nodes.end.min(start.saturating_add(nodes_per_check::<D>())))
}

/// Offers the accepted living nodes of a range, in the order of memory. Where a good part of all documents
/// is accepted, all nodes of the range are estimated, as in [`scan`].
///
/// # Errors
/// As [`scan`].
pub(crate) fn scan_nodes<D: Estimator, P: Pool>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    range: Range<usize>,
    pool: &mut P,
) -> Result<(), Cancelled> {
    // Nothing waits to be linked, as far as most searches can tell.
    if range.is_empty() {
        return Ok(());
    }
    let mut scan = Scan::new(distance, nodes, search, pool);
    let VectorSearch {
        accept_count,
        live_docs,
        ..
    } = *search.params;
    let is_dense = !D::EXACT && accept_count >= live_docs / DENSE;
    for nodes in pieces::<D>(range.start as u32..range.end as u32) {
        search.cancellation.check()?;
        match is_dense {
            true => scan.all(nodes),
            false => scan.accepted(nodes),
        }
    }
    scan.finish();
    Ok(())
}

/// Offers the nodes of the known documents that are accepted.
pub(crate) fn offer_known<D: Estimator, P: Pool>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    pool: &mut P,
) {
    let accepted = search
        .known
        .iter()
        .filter(|&&doc| search.accept.contains(doc));
    let mut scan = Scan::new(distance, nodes, search, pool);
    accepted
        .flat_map(|&doc| nodes.nodes_of(doc, distance.limit()))
        .for_each(|node| scan.pick(node));
    scan.finish();
}

/// A pipeline of three stages: codes prefetched, lower bounds estimated, keys ranked. Each holds a batch,
/// so that memory has time to answer.
struct Scan<'a, D: Estimator, P> {
    distance: &'a D,
    nodes: &'a NodeTable,
    accept: &'a BitSet,
    /// Tells whether living documents may not be accepted.
    is_filtered: bool,
    pool: &'a mut P,
    asked: [Batch<D::CodeRef>; 2],
    /// The one of the two that is being filled.
    filling: usize,
    /// Nodes whose lower bound may get into the pool, with the same two parts.
    candidates: [Candidates; 2],
    gathering: usize,
}

/// Nodes whose codes were asked for.
#[derive(Clone, Copy, Default)]
struct Candidates {
    nodes: [u32; RANKED_BATCH],
    count: usize,
}

/// Some nodes, and where their estimates are read from.
struct Batch<P> {
    nodes: [u32; BATCH],
    code_refs: [P; BATCH],
    count: usize,
}

impl<P: Copy + Default> Batch<P> {
    fn new() -> Self {
        Self {
            nodes: [0; BATCH],
            code_refs: [P::default(); BATCH],
            count: 0,
        }
    }
}

impl<'a, D: Estimator, P: Pool> Scan<'a, D, P> {
    fn new(distance: &'a D, nodes: &'a NodeTable, search: &Search<'a>, pool: &'a mut P) -> Self {
        let VectorSearch {
            accept_count,
            live_docs,
            ..
        } = *search.params;
        Self {
            distance,
            nodes,
            accept: search.accept,
            is_filtered: accept_count < live_docs,
            pool,
            asked: [Batch::new(), Batch::new()],
            filling: 0,
            candidates: [Candidates::default(); 2],
            gathering: 0,
        }
    }

    /// The nodes of all accepted documents.
    fn documents(&mut self, search: &Search<'_>) -> Result<(), Cancelled> {
        let (nodes, limit) = (self.nodes, self.distance.limit() as u32);
        let mut unchecked = 0;
        for doc in self.accept.iter() {
            for node in nodes.nodes_ever_of(doc) {
                unchecked += 1;
                if node < limit {
                    self.pick(node);
                }
            }
            if unchecked >= nodes_per_check::<D>() {
                search.cancellation.check()?;
                unchecked = 0;
            }
        }
        Ok(())
    }

    /// All nodes of a range, one behind the other.
    fn all(&mut self, nodes: Range<u32>) {
        let mut bounds = [0.0; BATCH];
        for start in nodes.clone().step_by(BATCH) {
            let bounds = &mut bounds[..BATCH.min((nodes.end - start) as usize)];
            self.distance.lower_bounds_of_run(start, bounds);
            let mut near = not_above(bounds, self.pool.bound());
            while near != 0 {
                let i = near.trailing_zeros();
                near &= near - 1;
                let node = start + i;
                // Nodes that are not accepted may be the nearest ones: no memory is asked for their codes.
                if !self.is_filtered || self.accepted_doc(node).is_some() {
                    self.consider(node, bounds[i as usize]);
                }
            }
        }
    }

    /// The nodes of a range whose documents are accepted.
    fn accepted(&mut self, nodes: Range<u32>) {
        for node in nodes {
            if self.accept.contains(self.nodes.doc(node)) {
                self.pick(node);
            }
        }
    }

    /// Asks for a node. Once a batch is asked for, the one before has come and is estimated.
    #[inline(always)]
    fn pick(&mut self, node: u32) {
        let batch = &mut self.asked[self.filling];
        batch.nodes[batch.count] = node;
        batch.code_refs[batch.count] = self.distance.code_ref(node);
        batch.count += 1;
        if batch.count == BATCH {
            self.filling ^= 1;
            self.estimate();
        }
    }

    /// Guesses the batch that is to be filled next.
    fn estimate(&mut self) {
        let batch = &mut self.asked[self.filling];
        let count = std::mem::take(&mut batch.count);
        let mut bounds = [0.0; BATCH];
        let bounds = &mut bounds[..count];
        self.distance.lower_bound(&batch.code_refs[..count], bounds);
        let nodes = batch.nodes;
        let mut near = not_above(bounds, self.pool.bound());
        while near != 0 {
            let i = near.trailing_zeros() as usize;
            near &= near - 1;
            self.consider(nodes[i], bounds[i]);
        }
    }

    fn consider(&mut self, node: u32, lower_bound: f32) {
        if D::EXACT {
            if lower_bound <= self.pool.bound()
                && let Some(doc) = self.accepted_doc(node)
            {
                self.offer(node, doc, lower_bound);
            }
            return;
        }
        self.distance.prefetch(node);
        if self.distance.asks() {
            self.distance.ask_for(node);
        }
        self.nodes.prefetch_doc(node);
        let candidates = &mut self.candidates[self.gathering];
        candidates.nodes[candidates.count] = node;
        candidates.count += 1;
        if candidates.count == RANKED_BATCH {
            self.gathering ^= 1;
            self.rank();
        }
    }

    /// Ranks the candidates in whose place the next ones are to be gathered.
    fn rank(&mut self) {
        let candidates = &mut self.candidates[self.gathering];
        let waiting = std::mem::take(&mut candidates.count);
        let all = candidates.nodes;
        let (mut nodes, mut docs, mut count) = ([0; RANKED_BATCH], [0; RANKED_BATCH], 0);
        for &node in &all[..waiting] {
            if let Some(doc) = self.accepted_doc(node) {
                (nodes[count], docs[count]) = (node, doc);
                count += 1;
            }
        }
        let mut keys = [0.0; RANKED_BATCH];
        self.distance.keys(&nodes[..count], &mut keys[..count]);
        for at in 0..count {
            self.offer(nodes[at], docs[at], keys[at]);
        }
    }

    /// The document of a node, if it is alive and accepted.
    #[inline(always)]
    fn accepted_doc(&self, node: u32) -> Option<u32> {
        let doc = self.nodes.doc(node);
        self.accept.contains(doc).then_some(doc)
    }

    #[inline(always)]
    fn offer(&mut self, node: u32, doc: u32, key: f32) {
        let distance = self.distance;
        self.pool
            .offer(Candidate { key, doc, node }, || distance.error(node));
    }

    fn finish(mut self) {
        for _ in 0..2 {
            self.filling ^= 1;
            self.estimate();
        }
        for _ in 0..2 {
            self.gathering ^= 1;
            self.rank();
        }
    }
}
