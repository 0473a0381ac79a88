//! A search, from the choice of a way to the hits.

use pelorus_kernels::BitSet;

use crate::bit_query::BitKeys;
use crate::calibration::Order;
use crate::code_query::CodeQuery;
use crate::core::Core;
use crate::doc_pool::DocPool;
use crate::interleave::{LANES, Lane, run};
use crate::keys::{ExactQuery, FullQuery, Keys, Query};
use crate::plan::{Plan, plan};
use crate::rescore::{hit, pool_capacity, rank, rescore};
use crate::scan::{scan, scan_nodes};
use crate::{VectorHit, VectorSearch};

/// One of several searches that are run together.
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    /// `[dim]`.
    pub query: &'a [f32],
    /// What is asked for.
    pub search: &'a VectorSearch,
    /// The documents that are alive and pass the filter.
    pub accept: &'a BitSet,
}

impl Core {
    /// Answers each of the requests, their walks interleaved.
    pub fn search_many(&self, requests: &[SearchRequest<'_>]) -> Vec<Vec<VectorHit>> {
        let generation = self.generation.load();
        let generation = generation.as_deref();
        let order = generation.map_or(Order::Full, |generation| generation.order);
        let codes = generation.and_then(|generation| generation.codes.as_ref());
        let mut answers = Vec::with_capacity(requests.len());
        for requests in requests.chunks(LANES) {
            let searches: Vec<Search<'_>> = requests.iter().map(|r| self.begin(r, order)).collect();
            let queries = searches.iter().map(|search| &search.query);
            answers.extend(match codes {
                Some(codes) if order == Order::Bits => {
                    self.together(&searches, queries.map(|query| BitKeys::new(codes, query)))
                }
                Some(codes) => {
                    self.together(&searches, queries.map(|query| CodeQuery::new(codes, query)))
                }
                None => searches.iter().map(|search| self.in_full(search)).collect(),
            });
        }
        answers
    }

    fn begin<'a>(&self, request: &SearchRequest<'a>, order: Order) -> Search<'a> {
        let SearchRequest {
            query,
            search,
            accept,
        } = *request;
        assert_eq!(query.len(), self.params.dim, "components of a query");
        let linked = self.linked();
        let way = if search.k == 0 || search.accept_count == 0 {
            Way::Nothing
        } else if search.exact || below_threshold(search) {
            Way::Exact
        } else {
            let living = linked - self.vectors.dead().min(linked);
            Way::Approximate(plan(search, order, living))
        };
        Search {
            query: Query::new(self.params.metric, query),
            p: search,
            accept,
            way,
        }
    }

    /// Searches by codes, their walks interleaved.
    fn together<K: Keys>(
        &self,
        searches: &[Search<'_>],
        keys: impl Iterator<Item = K>,
    ) -> Vec<Vec<VectorHit>> {
        let keys: Vec<K> = keys.collect();
        let each = || searches.iter().zip(&keys);
        let mut lanes: Vec<Option<Lane<'_, K>>> = each()
            .map(|(search, keys)| self.lane(search, keys))
            .collect();
        run(&mut lanes);
        each()
            .zip(lanes)
            .map(|((search, keys), lane)| {
                self.answer(search, keys, lane)
                    .unwrap_or_else(|| self.in_full(search))
            })
            .collect()
    }

    /// The walk of a search that is to walk, the nodes that are not in the graph yet looked at.
    fn lane<'a, K: Keys>(&'a self, search: &'a Search<'_>, keys: &'a K) -> Option<Lane<'a, K>> {
        let Way::Approximate(Plan::Walk { budget }) = search.way else {
            return None;
        };
        let entry = self.links.entry()?;
        if entry as usize >= keys.limit() {
            return None;
        }
        let linked = self.linked().min(keys.limit());
        let mut pool = DocPool::new(pool_capacity(search.p.k));
        scan_nodes(
            keys,
            &self.vectors,
            search.accept,
            linked..keys.limit(),
            &mut pool,
        );
        let scratch = self.scratch.take();
        Some(Lane::new(self, search, keys, entry, budget, pool, scratch))
    }

    /// What a search by codes found. None if codes do not tell the nearest.
    fn answer<K: Keys>(
        &self,
        search: &Search<'_>,
        keys: &K,
        lane: Option<Lane<'_, K>>,
    ) -> Option<Vec<VectorHit>> {
        let Search { p, accept, .. } = search;
        match search.way {
            Way::Nothing => return Some(Vec::new()),
            Way::Exact => return Some(self.exact(search)),
            Way::Approximate(_) => {}
        }
        let (mut pool, complete) = match lane {
            Some(lane) => {
                let (pool, complete, scratch) = lane.finish();
                self.scratch.give(scratch, self.vectors.len());
                (pool, complete)
            }
            None => (DocPool::new(pool_capacity(p.k)), false),
        };
        if !complete {
            scan(keys, &self.vectors, accept, p.accept_count, &mut pool);
        }
        rescore(keys, &search.query, &self.vectors, &mut pool, p.k)
    }

    /// Searches by full vectors: there are no codes, or those around this query are too alike to
    /// tell the nearest.
    fn in_full(&self, search: &Search<'_>) -> Vec<VectorHit> {
        let keys = FullQuery {
            vectors: &self.vectors,
            query: &search.query,
            limit: self.vectors.len(),
        };
        let mut lanes = [self.lane(search, &keys)];
        if lanes[0].is_none() {
            // A scan reads full vectors, so it may as well be exact.
            return match search.way {
                Way::Nothing => Vec::new(),
                _ => self.exact(search),
            };
        }
        run(&mut lanes);
        let [lane] = lanes;
        self.answer(search, &keys, lane)
            .unwrap_or_else(|| self.exact(search))
    }

    /// Compares with every accepted vector in full precision: the oracle of the other ways.
    fn exact(&self, search: &Search<'_>) -> Vec<VectorHit> {
        let Search {
            query, p, accept, ..
        } = search;
        let keys = ExactQuery {
            vectors: &self.vectors,
            query,
            limit: self.vectors.len(),
        };
        let mut pool = DocPool::new(p.k);
        scan(&keys, &self.vectors, accept, p.accept_count, &mut pool);
        let found = pool.entries().iter();
        let mut hits: Vec<VectorHit> = found
            .map(|found| hit(query, &self.vectors, found.doc, found.node))
            .collect();
        rank(&mut hits, p.k);
        hits
    }
}

/// A search that was begun.
pub(crate) struct Search<'a> {
    pub query: Query<'a>,
    pub p: &'a VectorSearch,
    pub accept: &'a BitSet,
    way: Way,
}

/// How a search is answered.
enum Way {
    Nothing,
    Exact,
    Approximate(Plan),
}

/// Whether the caller's threshold asks for an exact search.
fn below_threshold(p: &VectorSearch) -> bool {
    let share = p.accept_count as f32 / p.live_docs.max(1) as f32;
    p.approximate_threshold
        .is_some_and(|threshold| share < threshold)
}
