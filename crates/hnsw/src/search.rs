//! A search, from the choice of a way to the hits.

pub(crate) mod beam;
pub(crate) mod doc_pool;
pub(crate) mod early_stop;
pub(crate) mod plan;
pub(crate) mod rescore;
pub(crate) mod scan;
pub(crate) mod visited;
pub(crate) mod walk;

use pelorus_kernels::BitSet;

use crate::distance::{Estimator, ExactQuery, FullQuery, Query};
use crate::graph::Graph;
use crate::quantize::code_query::BinaryQuery;
use crate::quantize::code_query::Int8Query;
use crate::quantize::quantizer::Traversal;
use crate::search::doc_pool::DocPool;
use crate::search::plan::{Plan, plan};
use crate::search::rescore::{hit, pool_capacity, rank, rescore};
use crate::search::scan::{scan, scan_nodes};
use crate::{VectorHit, VectorSearch};

impl Graph {
    /// Answers a search, by the way that costs least.
    pub fn search(&self, query: &[f32], params: &VectorSearch, accept: &BitSet) -> Vec<VectorHit> {
        assert_eq!(query.len(), self.params.dim, "components of a query");
        if params.k == 0 || params.accept_count == 0 {
            return Vec::new();
        }
        let search = Search {
            query: Query::new(self.params.metric, query),
            params,
            accept,
        };
        if params.exact || below_threshold(params) {
            return self.exact(&search);
        }
        let quantizer = self.quantizer.load();
        let quantizer = quantizer.as_deref();
        let traversal = quantizer.map_or(Traversal::Full, |quantizer| quantizer.traversal);
        let linked = self.linked();
        let plan = plan(params, traversal, linked - self.nodes.dead().min(linked));
        let codes = quantizer.and_then(|quantizer| quantizer.codes.as_ref());
        let found = match codes {
            Some(codes) if traversal == Traversal::Binary => {
                self.by_codes(&search, plan, &BinaryQuery::new(codes, &search.query))
            }
            Some(codes) => self.by_codes(&search, plan, &Int8Query::new(codes, &search.query)),
            None => None,
        };
        found.unwrap_or_else(|| self.in_full(&search, plan))
    }

    /// Searches by codes. None if those around the query are too alike to tell the nearest.
    fn by_codes<D: Estimator>(
        &self,
        search: &Search<'_>,
        plan: Plan,
        distance: &D,
    ) -> Option<Vec<VectorHit>> {
        let walked = self.walked(search, plan, distance);
        let walked =
            walked.unwrap_or_else(|| (DocPool::new(pool_capacity(search.params.k)), false));
        self.ranked(search, distance, walked)
    }

    /// Searches by full vectors: there are no codes, or they do not tell the nearest.
    fn in_full(&self, search: &Search<'_>, plan: Plan) -> Vec<VectorHit> {
        let distance = FullQuery {
            nodes: &self.nodes,
            query: &search.query,
            limit: self.nodes.len(),
        };
        let walked = self.walked(search, plan, &distance);
        let found = walked.and_then(|walked| self.ranked(search, &distance, walked));
        // A scan reads full vectors, so it may as well be exact.
        found.unwrap_or_else(|| self.exact(search))
    }

    /// What a scan of the nodes that are not in the graph yet and a walk of the others find, and
    /// whether that is enough. None where there is nothing to walk or the plan is a scan.
    fn walked<D: Estimator>(
        &self,
        search: &Search<'_>,
        plan: Plan,
        distance: &D,
    ) -> Option<(DocPool, bool)> {
        let Plan::Walk { budget } = plan else {
            return None;
        };
        let entry = self.links.entry()?;
        if entry as usize >= distance.limit() {
            return None;
        }
        let linked = self.linked().min(distance.limit());
        let mut pool = DocPool::new(pool_capacity(search.params.k));
        let tail = linked..distance.limit();
        scan_nodes(distance, &self.nodes, search.accept, tail, &mut pool);
        Some(self.walk(search, distance, entry, budget, pool))
    }

    /// The hits among what was found, after a scan of everything where that is not enough. None if
    /// the keys do not tell the nearest.
    fn ranked<D: Estimator>(
        &self,
        search: &Search<'_>,
        distance: &D,
        (mut pool, complete): (DocPool, bool),
    ) -> Option<Vec<VectorHit>> {
        let Search { params, accept, .. } = search;
        if !complete {
            scan(
                distance,
                &self.nodes,
                accept,
                params.accept_count,
                &mut pool,
            );
        }
        rescore(distance, &search.query, &self.nodes, &mut pool, params.k)
    }

    /// Compares with every accepted vector in full precision: the oracle of the other ways.
    fn exact(&self, search: &Search<'_>) -> Vec<VectorHit> {
        let Search {
            query,
            params,
            accept,
        } = search;
        let distance = ExactQuery {
            nodes: &self.nodes,
            query,
            limit: self.nodes.len(),
        };
        let mut pool = DocPool::new(params.k);
        scan(
            &distance,
            &self.nodes,
            accept,
            params.accept_count,
            &mut pool,
        );
        let found = pool.entries().iter();
        let mut hits: Vec<VectorHit> = found
            .map(|found| hit(query, &self.nodes, found.doc, found.node))
            .collect();
        rank(&mut hits, params.k);
        hits
    }
}

/// A search, as all ways of answering it need it.
pub(crate) struct Search<'a> {
    pub query: Query<'a>,
    pub params: &'a VectorSearch,
    pub accept: &'a BitSet,
}

/// Whether the caller's threshold asks for an exact search.
fn below_threshold(params: &VectorSearch) -> bool {
    let share = params.accept_count as f32 / params.live_docs.max(1) as f32;
    params
        .approximate_threshold
        .is_some_and(|threshold| share < threshold)
}
