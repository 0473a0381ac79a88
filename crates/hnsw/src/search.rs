//! A search, from the choice of its path to the hits.
//!
//! # How a search picks its path
//!
//! | path | when | what it does |
//! |---|---|---|
//! | none | `k` is 0, or no document is accepted | answers nothing |
//! | exact | it is asked for, or s < `approximate_threshold` | compares all accepted vectors in full precision |
//! | scan | C(scan) ≤ C(walk), the graph has no node yet, or half of its nodes died and were not swept | passes all accepted nodes, by codes |
//! | walk | C(walk) < C(scan) | walks the graph and scans the nodes that are not linked yet, by codes |
//! | walk, then scan | a walk is foreseen to visit more than C(scan) nodes, or found fewer documents than wanted | passes all accepted nodes after all |
//!
//! s is the share of the nodes that are alive and accepted: the threshold is held against that of the documents
//! alone, costs against that of all nodes in the graph, the dead among them. The unit of cost is a node visited by
//! a walk. With n nodes in the graph and w = max(min(`ef`, 120), `k`), the width of beam at which most walks stop:
//!
//! ```text
//! C(walk) = 14 w / s^0.85      a walk passes over more nodes the fewer are accepted
//! C(scan) = c n                c = min(0.33 s, 0.12)   by sign bits
//!                              c = 0.5 s               by int8 codes
//!                              c = 0.7 s               by full vectors
//! ```
//!
//! The cost of a walk depends on its query, and shows only on the way: C(walk) is that of an easy query, and C(scan) is
//! the budget of any, or half of it where one will not settle ([`early_stop`]). A filter that excludes just the
//! neighbourhood of the query is so answered by a scan: no walk finds its way through many nodes that are not accepted
//! at less cost.
//!
//! A walk tells by its finds when it has found enough. So it begins with nothing, and nodes that are not linked yet are
//! scanned after it.
//!
//! The ratios c were timed by hand at 128, 384 and 768 components, on one machine: a node visited by a
//! walk by sign bits took 30 to 35 ns, in a scan 3 to 5 where all are estimated in the order of memory and
//! 9 to 13 where they are picked; by int8 codes 35 to 40 and 18 to 20. 14, 120 and 0.85 were fitted by hand
//! to the nodes that walks visited. No program fits any of them; the rows with a filter of
//! `npm run bench -- vector` show the rate and the recall they lead to.
//!
//! A caller may know documents that it needs the distance of, if they are near. A scan meets them anyway; a walk offers
//! them after it has stopped, so that they do not look like finds of its own.
//!
//! # By what nodes are compared
//!
//! [`Traversal`] is decided when a quantizer is trained. Keys are of codes, and may be off; distances in full precision
//! decide ([`rescore`]). A scan keeps every document that its error lets be among the nearest ([`contenders`]): far from
//! the query, where a filter excludes all that is near, these are hundreds. A walk keeps a few more documents than `k`;
//! where codes are too alike to tell which of these are the nearest, it is walked again by full vectors.

pub(crate) mod beam;
pub(crate) mod contenders;
pub(crate) mod doc_pool;
pub(crate) mod early_stop;
pub(crate) mod rescore;
pub(crate) mod scan;
pub(crate) mod visited;
pub(crate) mod walk;

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::BitSet;

use crate::distance::{Estimator, ExactQuery, FullQuery, Query};
use crate::graph::Graph;
use crate::quantize::code_query::{BinaryQuery, Int8Query};
use crate::quantize::quantizer::Traversal;
use crate::search::contenders::Contenders;
use crate::search::doc_pool::{DocPool, Pool};
use crate::search::rescore::{hit, nearest, rank, rescore};
use crate::search::scan::{offer_known, scan, scan_nodes};
use crate::{VectorHit, VectorSearch};

/// Nodes that a walk visits for each unit of the width at which it stops.
const VISITED_PER_WIDTH: f32 = 14.0;
/// The width at which most walks for few documents stop.
const USUAL_WIDTH: usize = 120;
/// The power of the accepted share by which the nodes visited grow as it shrinks.
const SHARE_EXPONENT: f32 = 0.85;

/// Where more than one node in this many died since the last sweep, the others have lost too many links to be found
/// by them.
const UNSWEPT_ONE_IN: usize = 2;

/// The path by which a search is answered.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SearchPath {
    None,
    Exact,
    Scan,
    /// Followed by a scan once it is foreseen to visit more than `budget` nodes.
    Walk {
        budget: usize,
    },
}

impl SearchPath {
    /// The path in a graph of `linked` nodes, of which a share of `accepted` is alive and accepted. A graph that is
    /// not sound is not walked.
    fn choose(
        params: &VectorSearch,
        traversal: Traversal,
        linked: usize,
        accepted: f32,
        is_sound: bool,
    ) -> Self {
        if params.k == 0 || params.accept_count == 0 {
            return Self::None;
        }
        let is_below = |threshold| accepted_share(params) < threshold;
        if params.exact || params.approximate_threshold.is_some_and(is_below) {
            return Self::Exact;
        }
        if !params.stops_early {
            return Self::Walk { budget: usize::MAX };
        }
        if !is_sound {
            return Self::Scan;
        }
        let scan = scan_cost(traversal, accepted) * linked as f32;
        let width = params.ef.min(USUAL_WIDTH).max(params.k) as f32;
        let walk = VISITED_PER_WIDTH * width / accepted.powf(SHARE_EXPONENT);
        match walk < scan {
            true => Self::Walk {
                budget: scan as usize,
            },
            false => Self::Scan,
        }
    }
}

/// The share of the living documents that are accepted, 0 to 1.
pub(crate) fn accepted_share(params: &VectorSearch) -> f32 {
    (params.accept_count as f32 / params.live_docs.max(1) as f32).min(1.0)
}

/// The cost of a scan for each node, of which `share` are accepted.
fn scan_cost(traversal: Traversal, share: f32) -> f32 {
    match traversal {
        Traversal::Binary => (0.33 * share).min(0.12),
        Traversal::Int8 => 0.5 * share,
        Traversal::Full => 0.7 * share,
    }
}

/// A search, as every path needs it.
pub(crate) struct Search<'a> {
    pub query: Query<'a>,
    pub params: &'a VectorSearch,
    pub accept: &'a BitSet,
    /// Documents that a walk must not miss if they are near.
    pub known: &'a [u32],
    pub cancellation: &'a Cancellation,
}

/// The end of a walk.
enum Walked {
    Hits(Vec<VectorHit>),
    /// It stopped before it found enough; the documents found.
    TooFew(DocPool),
    /// Keys do not tell the nearest of the documents found.
    TooAlike,
    /// There is nothing to walk, or it was not asked for.
    Nowhere,
}

/// The result of a search, unless it is cancelled.
type Found<T> = Result<T, Cancelled>;

impl Graph {
    /// Answers [`VectorIndex::search_knowing`](crate::VectorIndex::search_knowing).
    pub fn search(
        &self,
        query: &[f32],
        params: &VectorSearch,
        (accept, known): (&BitSet, &[u32]),
        cancellation: &Cancellation,
    ) -> Found<Vec<VectorHit>> {
        assert_eq!(query.len(), self.params.dim, "components of a query");
        let quantizer = self.quantizer.load();
        let quantizer = quantizer.as_deref();
        let traversal = quantizer.map_or(Traversal::Full, |quantizer| quantizer.traversal);
        let linked = self.linked();
        let living = (linked - self.nodes.dead().min(linked)).max(1);
        let accepted = accepted_share(params) * living as f32 / linked.max(1) as f32;
        let is_sound = self.unswept() * UNSWEPT_ONE_IN <= linked;
        let path = SearchPath::choose(params, traversal, linked, accepted, is_sound);
        if path == SearchPath::None {
            return Ok(Vec::new());
        }
        cancellation.check()?;
        let search = Search {
            query: Query::new(self.params.metric, query),
            params,
            accept,
            known,
            cancellation,
        };
        if path == SearchPath::Exact {
            return self.exact(&search);
        }
        match quantizer.and_then(|quantizer| quantizer.codes.as_ref()) {
            Some(codes) if traversal == Traversal::Binary => {
                self.by_codes(&search, path, &BinaryQuery::new(codes, &search.query))
            }
            Some(codes) => self.by_codes(&search, path, &Int8Query::new(codes, &search.query)),
            None => match self.walked(&search, path, &self.full_query(&search))? {
                Walked::Hits(hits) => Ok(hits),
                // A scan reads full vectors, so it may as well be exact.
                _ => self.exact(&search),
            },
        }
    }

    /// Searches by codes: by a walk, by another one in full precision where those around the query are too alike to
    /// tell the nearest, and by a scan where that does not find enough.
    fn by_codes<D: Estimator>(
        &self,
        search: &Search<'_>,
        path: SearchPath,
        distance: &D,
    ) -> Found<Vec<VectorHit>> {
        let mut found = match self.walked(search, path, distance)? {
            Walked::Hits(hits) => return Ok(hits),
            Walked::TooFew(pool) => Some(pool),
            Walked::TooAlike => match self.walked(search, path, &self.full_query(search))? {
                Walked::Hits(hits) => return Ok(hits),
                _ => None,
            },
            Walked::Nowhere => None,
        };
        let mut contenders = Contenders::new(search.params.k);
        for candidate in found.iter_mut().flat_map(DocPool::entries) {
            contenders.offer(*candidate, || distance.error(candidate.node));
        }
        scan(distance, &self.nodes, search, &mut contenders)?;
        nearest(distance, &self.nodes, search, &contenders.into_candidates())
    }

    fn full_query<'a>(&'a self, search: &'a Search<'_>) -> FullQuery<'a> {
        FullQuery {
            nodes: &self.nodes,
            query: &search.query,
            limit: self.nodes.len(),
        }
    }

    /// Walks the graph, and scans the nodes that are not linked yet.
    fn walked<D: Estimator>(
        &self,
        search: &Search<'_>,
        path: SearchPath,
        distance: &D,
    ) -> Found<Walked> {
        let (SearchPath::Walk { budget }, Some(entry)) = (path, self.links.entry()) else {
            return Ok(Walked::Nowhere);
        };
        // Codes are written behind nodes: one without a code cannot be walked from.
        if entry as usize >= distance.limit() {
            return Ok(Walked::Nowhere);
        }
        // Before the walk: nodes linked while it walks are then scanned.
        let linked = self.linked().min(distance.limit());
        let (mut pool, complete) = self.walk(search, distance, entry, budget)?;
        if !complete {
            return Ok(Walked::TooFew(pool));
        }
        let tail = linked..distance.limit();
        scan_nodes(distance, &self.nodes, search, tail, &mut pool)?;
        offer_known(distance, &self.nodes, search, &mut pool);
        let hits = rescore(distance, &self.nodes, search, &mut pool)?;
        Ok(hits.map_or(Walked::TooAlike, Walked::Hits))
    }

    /// Compares with every accepted vector in full precision: the oracle of the other paths.
    fn exact(&self, search: &Search<'_>) -> Found<Vec<VectorHit>> {
        let Search { query, params, .. } = search;
        let distance = ExactQuery {
            nodes: &self.nodes,
            query,
            limit: self.nodes.len(),
        };
        let mut pool = DocPool::new(params.k);
        scan(&distance, &self.nodes, search, &mut pool)?;
        let found = pool.entries().iter();
        let mut hits: Vec<VectorHit> = found
            .map(|found| hit(query, &self.nodes, found.doc, found.node))
            .collect();
        rank(&mut hits, params.k);
        Ok(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(accept_count: usize, live_docs: usize) -> SearchPath {
        let params = search(accept_count, live_docs);
        SearchPath::choose(
            &params,
            Traversal::Binary,
            live_docs,
            accepted_share(&params),
            true,
        )
    }

    fn search(accept_count: usize, live_docs: usize) -> VectorSearch {
        VectorSearch {
            k: 10,
            watched: 10,
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
        assert_eq!(path_of(1_000, 1_000), SearchPath::Scan);
        assert_eq!(path_of(10_000, 100_000), SearchPath::Scan);
    }

    #[test]
    fn where_nothing_is_accepted_or_wanted_nothing_is_searched() {
        assert_eq!(path_of(0, 0), SearchPath::None);
        assert_eq!(path_of(0, 100_000), SearchPath::None);
        let none = VectorSearch {
            k: 0,
            ..search(100_000, 100_000)
        };
        assert_eq!(
            SearchPath::choose(&none, Traversal::Binary, 100_000, 1.0, true),
            SearchPath::None
        );
    }

    #[test]
    fn a_share_below_the_callers_threshold_is_searched_exactly() {
        let path_at = |accepted| {
            let params = VectorSearch {
                approximate_threshold: Some(0.5),
                ..search(accepted, 100_000)
            };
            SearchPath::choose(
                &params,
                Traversal::Binary,
                100_000,
                accepted_share(&params),
                true,
            )
        };
        assert_eq!(path_at(49_999), SearchPath::Exact);
        assert_ne!(path_at(50_000), SearchPath::Exact);
    }

    #[test]
    fn the_larger_the_graph_the_narrower_the_filters_that_are_walked() {
        let narrowest = |live: usize| {
            let walked = |&tenths: &usize| path_of(live * tenths / 1000, live) != SearchPath::Scan;
            (1..=1000).find(walked).unwrap_or(1001)
        };
        let shares = [20_000, 100_000, 1_000_000, 10_000_000].map(narrowest);
        assert!(shares.is_sorted_by(|a, b| a > b), "{shares:?}");
        assert!(shares[0] <= 1000 && shares[3] < 50, "{shares:?}");
    }

    #[test]
    fn a_walk_may_cost_what_the_scan_would() {
        for accepted in [50_000, 100_000] {
            let SearchPath::Walk { budget } = path_of(accepted, 100_000) else {
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
        let unlimited = SearchPath::Walk { budget: usize::MAX };
        assert_eq!(
            SearchPath::choose(&patient, Traversal::Binary, 100_000, 1.0, true),
            unlimited
        );
    }

    #[test]
    fn a_graph_that_lost_most_of_its_links_is_not_walked() {
        let params = search(100_000, 100_000);
        let path =
            |is_sound| SearchPath::choose(&params, Traversal::Binary, 100_000, 1.0, is_sound);
        assert!(matches!(path(true), SearchPath::Walk { .. }));
        assert_eq!(path(false), SearchPath::Scan);
    }

    #[test]
    fn asking_for_a_large_part_of_the_index_is_a_scan() {
        let all = VectorSearch {
            k: 10_000,
            ..search(50_000, 50_000)
        };
        assert_eq!(
            SearchPath::choose(&all, Traversal::Full, 50_000, 1.0, true),
            SearchPath::Scan
        );
    }
}
