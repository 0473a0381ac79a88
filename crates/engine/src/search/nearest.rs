//! Documents by their nearest chunk, over all tensor fields, for several searches together.

use std::collections::HashMap;
use std::slice;

use pelorus_hnsw::{Metric, SearchRequest, VectorHit, VectorSearch};
use pelorus_kernels::BitSet;

use super::hits::{Hit, sort};
use super::plan::TensorPlan;
use crate::error::Result;
use crate::index::Index;

/// Depths are rounded up to a multiple of this: three pages of the default size.
const DEPTH_STEP: usize = 30;

/// What one search asks of the vectors.
pub(super) struct Nearest<'a> {
    /// `[dimensions]`; empty where there is no vector, which finds nothing.
    pub query: &'a [f32],
    pub tensor: Option<&'a TensorPlan>,
    pub ef: usize,
    pub exact: bool,
    /// Distinct documents wanted.
    pub depth: usize,
    pub accept: &'a BitSet,
    /// Members of `accept`.
    pub count: usize,
    /// Documents that are alive.
    pub live: usize,
}

impl Nearest<'_> {
    fn asks(&self, field: &str) -> bool {
        let fields = self.tensor.and_then(|tensor| tensor.fields.as_ref());
        let named = fields.is_none_or(|fields| fields.iter().any(|name| name == field));
        named && !self.query.is_empty() && self.depth > 0 && self.count > 0
    }

    fn search(&self) -> VectorSearch {
        VectorSearch {
            // Approximate search finds a slightly different set for every depth; a common one
            // lets neighbouring pages agree on what came before.
            k: self.depth.next_multiple_of(DEPTH_STEP).min(self.count),
            ef: self.ef,
            stops_early: true,
            exact: self.exact,
            approximate_threshold: self.tensor.and_then(|plan| plan.approximate_threshold),
            accept_count: self.count,
            live_docs: self.live,
        }
    }
}

/// The hits of each search, best first: what each would find alone. Their walks take turns on this
/// thread, which costs less than one after the other.
pub(super) fn nearest(index: &Index, searches: &[Nearest<'_>]) -> Vec<Result<Vec<Hit>>> {
    match index.contain(|| Ok(together(index, searches))) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) if searches.len() == 1 => vec![Err(error)],
        // Alone, only the one at fault fails.
        Err(_) => searches
            .iter()
            .flat_map(|search| nearest(index, slice::from_ref(search)))
            .collect(),
    }
}

/// The hits of one search.
pub(super) fn nearest_one(index: &Index, search: Nearest<'_>) -> Result<Vec<Hit>> {
    let found = nearest(index, &[search]).pop();
    found.unwrap_or_else(|| Ok(Vec::new()))
}

fn together(index: &Index, searches: &[Nearest<'_>]) -> Vec<Vec<Hit>> {
    let wanted: Vec<VectorSearch> = searches.iter().map(Nearest::search).collect();
    let mut best: Vec<Best> = searches.iter().map(|_| Best::default()).collect();
    for (name, field) in index.vectors.fields() {
        let asking = (0..searches.len()).filter(|&at| searches[at].asks(&name));
        let asking: Vec<usize> = asking.collect();
        let request = |&at: &usize| SearchRequest {
            query: searches[at].query,
            search: &wanted[at],
            accept: searches[at].accept,
        };
        let requests: Vec<SearchRequest<'_>> = asking.iter().map(request).collect();
        let found = field.index.search_many(&requests);
        for (&at, hits) in asking.iter().zip(&found) {
            best[at].offer(&name, hits);
        }
    }
    best.into_iter()
        .zip(searches)
        .map(|(best, search)| best.ranked(index.definition.metric, search.depth))
        .collect()
}

/// The nearest chunk of each document so far: its field and what was found there.
#[derive(Default)]
struct Best(HashMap<u32, (String, VectorHit)>);

impl Best {
    fn offer(&mut self, field: &str, hits: &[VectorHit]) {
        for hit in hits {
            let known = self.0.get(&hit.doc);
            if known.is_none_or(|(_, known)| hit.distance < known.distance) {
                self.0.insert(hit.doc, (field.to_owned(), *hit));
            }
        }
    }

    fn ranked(self, metric: Metric, depth: usize) -> Vec<Hit> {
        let hits = self.0.into_values().map(|(field, found)| Hit {
            nearest: Some((field, found.chunk)),
            ..Hit::new(found.doc, f64::from(metric.score(found.distance)))
        });
        let mut hits: Vec<Hit> = hits.collect();
        sort(&mut hits);
        hits.truncate(depth);
        hits
    }
}
