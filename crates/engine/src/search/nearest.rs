//! Documents by their nearest chunk, over all tensor fields.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::iter;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_hnsw::{Metric, VectorHit, VectorSearch};
use pelorus_kernels::BitSet;
use pelorus_rank::RRF_WINDOW;
use rustc_hash::{FxHashMap, FxHashSet};

use super::hits::{Hit, NearestChunk};
use crate::error::Result;
use crate::generated::{FieldBoost, TensorLeg};
use crate::index::Index;

/// The first search of a ranking asks for its page, rounded up to a multiple of this: pages of about one
/// size are cut from one list.
const PAGE_STEP: usize = 10;

/// Each of the searches that make up a deep ranking asks for this many times the one before, so that
/// all of them together cost a third more than the last.
const STEP_GROWTH: usize = 4;

/// The part of a ranking to be fused that a search waits for. The search may miss one in fifty of the documents behind
/// it, at the last ranks.
const FUSED_WATCHED_DIVISOR: usize = 3;
/// As [`FUSED_WATCHED_DIVISOR`], of the ranks that add up with those of the other ranking. Where that is known, the search
/// does not miss the documents of both, and one that it misses at a late rank changes theirs by one. Waiting for more
/// costs more than both legs.
const WINDOW_WATCHED_DIVISOR: usize = 5;

/// The number of documents that a search wants. Approximate search finds a slightly different set for every number;
/// searches of fixed sizes make up a ranking, each of which only adds to the end of the last. So a document has the
/// rank that it has at any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The nearest `depth`, for a ranking that is the answer and cut into pages of `page` documents.
    Ranked { page: usize, depth: usize },
    /// At least the nearest so many, for a ranking that is fused with another: a rank that depended on the
    /// page would change the fused score.
    Fused(usize),
    /// At least the nearest `depth`, the first search for `first` documents.
    Stepped { first: usize, depth: usize },
}

impl Depth {
    /// The nearest `count`, by one search.
    pub fn once(count: usize) -> Self {
        Self::Stepped {
            first: count,
            depth: count,
        }
    }

    /// The number of documents that are wanted.
    pub fn documents(self) -> usize {
        let (Self::Ranked { depth, .. } | Self::Fused(depth) | Self::Stepped { depth, .. }) = self;
        depth
    }

    /// Wants the nearest `counted` documents too, the same ones whatever the page is.
    pub fn counting(self, counted: usize) -> Self {
        match self {
            Self::Ranked { depth, .. } => Self::Stepped {
                first: counted,
                depth: depth.max(counted),
            },
            Self::Fused(depth) => Self::Fused(depth.max(counted)),
            Self::Stepped { first, depth } => Self::Stepped {
                first,
                depth: depth.max(counted),
            },
        }
    }

    /// The numbers of documents that the searches ask for.
    fn steps(self) -> Vec<usize> {
        let first = match self {
            _ if self.documents() == 0 => return Vec::new(),
            Self::Ranked { page, .. } => page.next_multiple_of(PAGE_STEP),
            Self::Fused(_) => RRF_WINDOW,
            Self::Stepped { first, .. } => first,
        };
        steps(first, self.documents()).collect()
    }
}

/// Sizes that grow from `first` on, up to the first of at least `depth`.
pub(super) fn steps(first: usize, depth: usize) -> impl Iterator<Item = usize> {
    iter::successors(Some(first.max(1)), move |size| {
        (*size < depth).then(|| size.saturating_mul(STEP_GROWTH))
    })
}

/// The parameters of one search of the vectors.
pub(super) struct Nearest<'a> {
    /// `[dimensions]`.
    pub query: &'a [f32],
    pub leg: &'a TensorLeg,
    pub exact: bool,
    /// The only field that is searched; none for those of the leg.
    pub field: Option<&'a str>,
    /// Distinct documents wanted.
    pub depth: Depth,
    /// Documents of the ranking to fuse with, which the search must not miss if they are near; none if that is not known.
    pub known: Option<&'a [u32]>,
    pub accept: &'a BitSet,
    /// Members of `accept`.
    pub count: usize,
    /// Documents that are alive.
    pub live: usize,
    pub cancellation: &'a Cancellation,
}

impl Nearest<'_> {
    fn asks(&self, field: &str) -> bool {
        let fields = self.leg.fields.as_ref();
        self.count > 0
            && self.field.is_none_or(|only| only == field)
            && fields.is_none_or(|fields| fields.iter().any(|name| name == field))
    }

    fn boost_of(&self, field: &str) -> Option<&FieldBoost> {
        let mut boosts = self.leg.boosts.iter().flatten();
        boosts.find(|boost| boost.field == field)
    }

    fn steps(&self) -> Vec<usize> {
        match self.depth.steps() {
            // Exact results have the same beginning at every depth.
            steps if self.exact => steps.last().copied().into_iter().collect(),
            mut steps => {
                // A search that waits for every document is the same however many more it asks for.
                let waits_for_all = |&step: &usize| self.watched(step) >= self.count;
                if let Some(last) = steps.iter().position(waits_for_all) {
                    steps.truncate(last + 1);
                }
                steps
            }
        }
    }

    /// The number of documents that the last of its searches asks for.
    pub fn largest_step(&self) -> usize {
        self.depth.steps().last().copied().unwrap_or(0)
    }

    /// The number of documents, among those that one search asks for, that it waits for.
    fn watched(&self, asked: usize) -> usize {
        match (self.depth, self.known) {
            (Depth::Fused(_), Some(_)) if asked <= RRF_WINDOW => asked / WINDOW_WATCHED_DIVISOR,
            (Depth::Fused(_), _) => asked / FUSED_WATCHED_DIVISOR,
            (Depth::Ranked { .. } | Depth::Stepped { .. }, _) => asked,
        }
    }

    fn params(&self, documents: usize) -> VectorSearch {
        VectorSearch {
            k: documents.min(self.count),
            watched: self.watched(documents),
            ef: self.leg.ef_search,
            stops_early: true,
            exact: self.exact,
            approximate_threshold: self.leg.approximate_threshold,
            accept_count: self.count,
            live_docs: self.live,
        }
    }
}

/// The hits of a search, best first.
pub(super) fn nearest(index: &Index, search: &Nearest<'_>) -> Result<Vec<Hit>> {
    let steps: Vec<VectorSearch> = search
        .steps()
        .into_iter()
        .map(|documents| search.params(documents))
        .collect();
    let metric = index.definition.metric;
    let mut best: Vec<Best> = steps.iter().map(|_| Best::default()).collect();
    for (name, field) in index.vectors.fields() {
        if !search.asks(&name) {
            continue;
        }
        for (params, best) in steps.iter().zip(&mut best) {
            let Nearest {
                query,
                accept,
                cancellation,
                ..
            } = search;
            let hits = field.index.search_knowing(
                query,
                params,
                accept,
                search.known.unwrap_or_default(),
                cancellation,
            )?;
            best.offer(&name, &hits, |distance| {
                boosted(f64::from(metric.score(distance)), search.boost_of(&name))
            });
        }
    }
    debug_assert_eq!(best.len(), steps.len(), "each step has its ranking");
    let rankings = best.into_iter().zip(search.steps());
    let mut hits = continued(rankings.map(|(best, depth)| best.ranked(depth)));
    if let Depth::Ranked { depth, .. } = search.depth {
        hits.truncate(depth);
    }
    Ok(hits)
}

/// The hits among vectors that were found elsewhere: of each field the nearest of some documents.
pub(super) fn nearest_of<'f>(
    search: &Nearest<'_>,
    metric: Metric,
    fields: impl IntoIterator<Item = (&'f str, Vec<VectorHit>)>,
) -> Vec<Hit> {
    let mut best = Best::default();
    for (name, hits) in fields {
        if search.asks(name) {
            best.offer(name, &hits, |distance| {
                boosted(f64::from(metric.score(distance)), search.boost_of(name))
            });
        }
    }
    let mut hits = best.ranked(search.largest_step());
    if let Depth::Ranked { depth, .. } = search.depth {
        hits.truncate(depth);
    }
    hits
}

/// The first ranking, and of each following one what those before do not have.
fn continued(mut rankings: impl Iterator<Item = Vec<Hit>>) -> Vec<Hit> {
    let mut hits = rankings.next().unwrap_or_default();
    let mut known: FxHashSet<u32> = hits.iter().map(|hit| hit.doc).collect();
    for ranking in rankings {
        hits.extend(ranking.into_iter().filter(|hit| known.insert(hit.doc)));
    }
    hits
}

/// A score of a vector of a field, which is a number whatever the boost.
pub(super) fn boosted(score: f64, boost: Option<&FieldBoost>) -> f64 {
    boost.map_or(score, |boost| {
        (boost.weight * score + boost.bias).clamp(f64::MIN, f64::MAX)
    })
}

/// The best chunk of each document so far.
#[derive(Default)]
struct Best(FxHashMap<u32, Found>);

/// A chunk of a document.
struct Found {
    field: Arc<str>,
    hit: VectorHit,
    score: f64,
}

impl Found {
    /// Best first. Among equal scores the nearest come first: scores may be equal where distances are not, and the
    /// finds of a deeper search must not come to stand further ahead.
    fn order(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.hit.distance.total_cmp(&other.hit.distance))
    }
}

impl Best {
    fn offer(&mut self, field: &str, hits: &[VectorHit], score: impl Fn(f32) -> f64) {
        let field: Arc<str> = field.into();
        for &hit in hits {
            let found = || Found {
                field: field.clone(),
                hit,
                score: score(hit.distance),
            };
            match self.0.entry(hit.doc) {
                Entry::Vacant(place) => _ = place.insert(found()),
                Entry::Occupied(mut place) => {
                    let found = found();
                    if found.order(place.get()).is_lt() {
                        place.insert(found);
                    }
                }
            }
        }
    }

    /// Best first, equal ones by document.
    fn ranked(self, depth: usize) -> Vec<Hit> {
        let mut found: Vec<Found> = self.0.into_values().collect();
        found.sort_by(|a, b| a.order(b).then(a.hit.doc.cmp(&b.hit.doc)));
        found.truncate(depth);
        let hit = |Found { field, hit, score }: Found| Hit {
            nearest: Some(NearestChunk {
                field,
                chunk: hit.chunk,
                distance: hit.distance,
            }),
            ..Hit::new(hit.doc, score)
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
        assert!(Depth::Fused(0).steps().is_empty());
    }

    #[test]
    fn a_page_is_looked_for_alone_and_what_lies_deeper_is_added_to_it() {
        let steps = |page, depth| Depth::Ranked { page, depth }.steps();
        assert_eq!(steps(3, 3), [10]);
        assert_eq!(steps(10, 10), [10]);
        assert_eq!(steps(10, 11), [10, 40]);
        assert_eq!(steps(8, 40), [10, 40]);
        assert_eq!(steps(100, 300), [100, 400]);
        assert!(steps(10, 0).is_empty() && steps(0, 0).is_empty());
        assert_eq!(Depth::once(31).steps(), [31]);
    }

    #[test]
    fn a_deeper_search_only_adds_to_the_end() {
        let ranking = |docs: &[u32]| docs.iter().map(|&doc| Hit::new(doc, 0.0)).collect();
        // The deeper search found 9, which is nearer, and missed 2.
        let rankings = [ranking(&[1, 2, 3]), ranking(&[1, 9, 3, 4, 5])];
        let hits = continued(rankings.into_iter());
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(docs, [1, 2, 3, 9, 4, 5]);
    }
}
