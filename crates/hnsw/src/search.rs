//! A search, from the choice of a way to the hits.

use pelorus_kernels::BitSet;

use crate::code_query::CodeQuery;
use crate::convergence::{Convergence, Limits, WIDTH_START};
use crate::doc_pool::DocPool;
use crate::keys::{ExactQuery, FullQuery, Keys, Query};
use crate::plan::{Plan, plan};
use crate::rescore::{hit, pool_capacity, rank, rescore};
use crate::scan::{scan, scan_nodes};
use crate::traverse::{descend_to, explore};
use crate::{VectorHit, VectorIndex, VectorSearch};

impl VectorIndex {
    /// The `k` accepted documents nearest to `query`, `[dim]`, each by its best chunk, nearest
    /// first and equal ones by document. `accept` holds the documents that are alive and pass the
    /// filter. Distances are in full precision whatever way the search took.
    ///
    /// # Panics
    /// If `query` does not have the dimension of the index.
    pub fn search(&self, query: &[f32], p: &VectorSearch, accept: &BitSet) -> Vec<VectorHit> {
        assert_eq!(query.len(), self.params.dim, "components of a query");
        if p.k == 0 || p.accept_count == 0 {
            return Vec::new();
        }
        let query = Query::new(self.params.metric, query);
        if p.exact || below_threshold(p) {
            return self.exact(&query, p, accept);
        }
        let linked = self.linked();
        let plan = plan(p, linked - self.vectors.dead().min(linked));
        let generation = self.generation.load();
        let codes = generation
            .as_deref()
            .and_then(|current| current.codes.as_ref());
        let by_codes = codes.and_then(|codes| {
            let keys = CodeQuery::new(codes, &query);
            self.approximate(&keys, &query, p, accept, plan)
        });
        by_codes.unwrap_or_else(|| self.in_full(&query, p, accept, plan))
    }

    /// Compares with every accepted vector in full precision: the oracle of the other ways.
    fn exact(&self, query: &Query<'_>, p: &VectorSearch, accept: &BitSet) -> Vec<VectorHit> {
        let limit = self.vectors.len();
        let keys = ExactQuery {
            vectors: &self.vectors,
            query,
            limit,
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

    /// Searches as planned by full vectors: there are no codes, or those around this query are too
    /// alike to tell the nearest.
    fn in_full(
        &self,
        query: &Query<'_>,
        p: &VectorSearch,
        accept: &BitSet,
        plan: Plan,
    ) -> Vec<VectorHit> {
        let keys = FullQuery {
            vectors: &self.vectors,
            query,
            limit: self.vectors.len(),
        };
        let walked = match plan {
            // A scan reads full vectors, so it may as well be exact.
            Plan::Scan => None,
            plan => self.approximate(&keys, query, p, accept, plan),
        };
        walked.unwrap_or_else(|| self.exact(query, p, accept))
    }

    /// Walks the graph or scans, as planned. What is not in the graph yet is scanned either way.
    /// None if the keys do not tell the nearest.
    fn approximate<K: Keys>(
        &self,
        keys: &K,
        query: &Query<'_>,
        p: &VectorSearch,
        accept: &BitSet,
        plan: Plan,
    ) -> Option<Vec<VectorHit>> {
        let linked = self.linked().min(keys.limit());
        let mut pool = DocPool::new(pool_capacity(p.k));
        let complete = match plan {
            Plan::Scan => false,
            Plan::Walk { budget } => {
                scan_nodes(keys, &self.vectors, accept, linked..keys.limit(), &mut pool);
                self.walk(keys, p, accept, budget, &mut pool)
            }
        };
        if !complete {
            scan(keys, &self.vectors, accept, p.accept_count, &mut pool);
        }
        rescore(keys, query, &self.vectors, &pool, p.k)
    }

    /// Walks the graph and tells whether that was enough.
    fn walk<K: Keys>(
        &self,
        keys: &K,
        p: &VectorSearch,
        accept: &BitSet,
        budget: usize,
        pool: &mut DocPool,
    ) -> bool {
        let Some(entry) = self
            .links
            .entry()
            .filter(|&entry| (entry as usize) < keys.limit())
        else {
            return false;
        };
        let limits = Limits {
            watched: pool_capacity(p.k),
            wanted: p.k.min(p.accept_count),
            ceiling: p.ef.max(p.k),
            budget,
        };
        let mut scratch = self.scratch.lock().pop().unwrap_or_default();
        let width = WIDTH_START.max(p.k).min(limits.ceiling);
        scratch.frontier.reset(width);
        let mut guide = Convergence::new(pool, &self.vectors, &self.twins, accept, limits);
        let from = descend_to(&self.links, keys, entry, 0);
        explore(&self.links, keys, from, 0, &mut scratch, &mut guide);
        let complete = !guide.fell_short();
        self.scratch.lock().push(scratch);
        complete
    }
}

/// Whether the caller's threshold asks for an exact search.
fn below_threshold(p: &VectorSearch) -> bool {
    let share = p.accept_count as f32 / p.live_docs.max(1) as f32;
    p.approximate_threshold
        .is_some_and(|threshold| share < threshold)
}
