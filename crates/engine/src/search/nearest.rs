//! Documents by their nearest chunk, over all tensor fields, for several searches together.

use std::collections::{HashMap, HashSet};
use std::{iter, slice};

use pelorus_hnsw::{Metric, SearchRequest, VectorHit, VectorSearch};
use pelorus_kernels::BitSet;
use pelorus_rank::RRF_WINDOW;

use super::hits::Hit;
use super::plan::TensorPlan;
use crate::error::Result;
use crate::index::Index;

/// Depths are rounded up to a multiple of this: three pages of the default size. Approximate search
/// finds a slightly different set for every depth; a common one lets neighbouring pages agree.
const DEPTH_STEP: usize = 30;

/// Each of the searches that make up a deep ranking asks for this many times the one before, so that
/// all of them together cost a third more than the last.
const STEP_GROWTH: usize = 4;

/// How many documents a search wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The nearest so many, for a ranking that is the answer.
    Ranked(usize),
    /// At least the nearest so many, each at the rank that it has at any depth: a rank that depended
    /// on the page would change the fused score. Searches of fixed sizes make up the ranking, each
    /// of which only adds to the end of the last.
    Fused(usize),
}

impl Depth {
    /// What each search asks for.
    fn steps(self) -> Vec<usize> {
        match self {
            Self::Ranked(0) | Self::Fused(0) => Vec::new(),
            Self::Ranked(depth) => vec![depth.next_multiple_of(DEPTH_STEP)],
            Self::Fused(depth) => {
                let sizes = iter::successors(Some(RRF_WINDOW), |size| {
                    (*size < depth).then(|| size.saturating_mul(STEP_GROWTH))
                });
                sizes.collect()
            }
        }
    }
}

/// What one search asks of the vectors.
pub(super) struct Nearest<'a> {
    /// `[dimensions]`; empty where there is no vector, which finds nothing.
    pub query: &'a [f32],
    pub tensor: Option<&'a TensorPlan>,
    pub ef: usize,
    pub exact: bool,
    /// Distinct documents wanted.
    pub depth: Depth,
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
        named && !self.query.is_empty() && self.count > 0
    }

    fn steps(&self) -> Vec<usize> {
        match self.depth.steps() {
            // What is exact has the same beginning at every depth.
            steps if self.exact => steps.last().copied().into_iter().collect(),
            steps => steps,
        }
    }

    fn search(&self, documents: usize) -> VectorSearch {
        VectorSearch {
            k: documents.min(self.count),
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
    let steps = |at: usize| searches[at].steps().into_iter().map(move |step| (at, step));
    // Each step of each search is one of its own.
    let steps: Vec<(usize, usize)> = (0..searches.len()).flat_map(steps).collect();
    let search = |&(at, step): &(usize, usize)| searches[at].search(step);
    let wanted: Vec<VectorSearch> = steps.iter().map(search).collect();
    let mut best: Vec<Best> = steps.iter().map(|_| Best::default()).collect();
    for (name, field) in index.vectors.fields() {
        let asking = (0..steps.len()).filter(|&own| searches[steps[own].0].asks(&name));
        let asking: Vec<usize> = asking.collect();
        let request = |&own: &usize| SearchRequest {
            query: searches[steps[own].0].query,
            search: &wanted[own],
            accept: searches[steps[own].0].accept,
        };
        let requests: Vec<SearchRequest<'_>> = asking.iter().map(request).collect();
        let found = field.index.search_many(&requests);
        for (&own, hits) in asking.iter().zip(&found) {
            best[own].offer(&name, hits);
        }
    }
    let mut rankings: Vec<Vec<Vec<Hit>>> = searches.iter().map(|_| Vec::new()).collect();
    for (&(at, step), best) in steps.iter().zip(best) {
        rankings[at].push(best.ranked(index.definition.metric, step));
    }
    let ranked = |(rankings, search): (_, &Nearest<'_>)| {
        let mut hits = continued(rankings);
        if let Depth::Ranked(depth) = search.depth {
            hits.truncate(depth);
        }
        hits
    };
    rankings.into_iter().zip(searches).map(ranked).collect()
}

/// The first ranking, and of each following one what those before do not have.
fn continued(rankings: Vec<Vec<Hit>>) -> Vec<Hit> {
    let mut rankings = rankings.into_iter();
    let mut hits = rankings.next().unwrap_or_default();
    let mut known: HashSet<u32> = hits.iter().map(|hit| hit.doc).collect();
    for ranking in rankings {
        hits.extend(ranking.into_iter().filter(|hit| known.insert(hit.doc)));
    }
    hits
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

    /// Nearest first, equal distances by document. By distance and not by score, which may be equal
    /// where distances are not: what a deeper search finds must not come to stand further ahead.
    fn ranked(self, metric: Metric, depth: usize) -> Vec<Hit> {
        let mut found: Vec<(String, VectorHit)> = self.0.into_values().collect();
        found.sort_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance).then(a.doc.cmp(&b.doc)));
        found.truncate(depth);
        let hit = |(field, found): (String, VectorHit)| Hit {
            nearest: Some((field, found.chunk)),
            ..Hit::new(found.doc, f64::from(metric.score(found.distance)))
        };
        found.into_iter().map(hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fused_ranking_is_made_of_the_same_searches_for_all_depths_up_to_the_next_step() {
        assert_eq!(Depth::Fused(1).steps(), [60]);
        assert_eq!(Depth::Fused(60).steps(), [60]);
        assert_eq!(Depth::Fused(61).steps(), [60, 240]);
        assert_eq!(Depth::Fused(11_000).steps(), [60, 240, 960, 3_840, 15_360]);
        assert_eq!(Depth::Ranked(31).steps(), [60]);
        assert!(Depth::Ranked(0).steps().is_empty() && Depth::Fused(0).steps().is_empty());
    }

    #[test]
    fn a_deeper_search_only_adds_to_the_end() {
        let ranking = |docs: &[u32]| docs.iter().map(|&doc| Hit::new(doc, 0.0)).collect();
        // The deeper search found 9, which is nearer, and missed 2.
        let hits = continued(vec![ranking(&[1, 2, 3]), ranking(&[1, 9, 3, 4, 5])]);
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(docs, [1, 2, 3, 9, 4, 5]);
    }
}
