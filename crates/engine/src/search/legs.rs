//! The tensor and the lexical leg, alone and combined.

use std::collections::HashMap;

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalQuery, Operand};

use super::hits::Hit;
use super::nearest::nearest;
use super::plan::{HybridPlan, Plan};
use super::query::Query;
use crate::error::Result;
use crate::index::Index;

/// What every leg works on.
pub(super) struct Legs<'a> {
    pub index: &'a Index,
    pub query: &'a Query,
    /// What the tensor leg found, [`Plan::tensor_depth`] documents or, to be fused, more.
    pub tensor: Vec<Hit>,
}

impl Legs<'_> {
    /// The `depth` documents of highest BM25.
    pub fn lexical(&self, depth: usize) -> Result<Vec<Hit>> {
        self.matching(depth, self.query.scope.accept())
    }

    /// The page of both legs fused by reciprocal rank. Pages of any size are cut from one list.
    pub fn fused_page(self, hybrid: &HybridPlan) -> Result<Vec<Hit>> {
        let Plan { limit, offset, .. } = self.query.plan;
        let lexical = if hybrid.alpha < 1.0 {
            self.lexical(self.query.plan.fused_depth())?
        } else {
            Vec::new()
        };
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.doc).collect::<Vec<u32>>();
        let (near, words) = (ids(&self.tensor), ids(&lexical));
        let fused = pelorus_rank::rrf(&near, &words, hybrid.alpha, hybrid.rrf_k);
        let hits = pelorus_rank::page(&fused, offset, limit).iter().map(|hit| {
            let near = hit.tensor.map(|place| &self.tensor[place]);
            Hit {
                doc: hit.doc,
                score: hit.score,
                tensor_score: near.map(|near| near.score as f32),
                lexical_score: hit.lexical.map(|place| lexical[place].score as f32),
                nearest: near.and_then(|near| near.nearest.clone()),
            }
        });
        Ok(hits.collect())
    }

    /// The page of the tensor ranking, its hits in the order of their BM25; those without a
    /// matching word follow. Ranking within the page keeps pages apart: none repeats or skips.
    pub fn tensor_page_by_words(&self) -> Result<Vec<Hit>> {
        let mut hits = self.query.plan.page(&self.tensor);
        let candidates: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let matching = self.matching(hits.len(), &candidates)?;
        let scores: HashMap<u32, f64> = matching
            .into_iter()
            .map(|hit| (hit.doc, hit.score))
            .collect();
        for hit in &mut hits {
            hit.score = scores.get(&hit.doc).copied().unwrap_or(0.0);
        }
        // Stable: hits without a word keep their tensor order.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(hits)
    }

    /// The page of the lexical ranking, its hits in the order of their true closeness.
    pub fn lexical_page_by_closeness(&self) -> Result<Vec<Hit>> {
        let candidates = self
            .query
            .plan
            .page(&self.lexical(self.query.plan.depth())?);
        let accept: BitSet = candidates.iter().map(|hit| hit.doc).collect();
        let mut hits = nearest(self.index, &self.query.ranking(&accept, candidates.len()));
        let found: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let rest = candidates.iter().filter(|hit| !found.contains(hit.doc));
        hits.extend(rest.map(|hit| Hit::new(hit.doc, 0.0)));
        Ok(hits)
    }

    fn matching(&self, depth: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let Some(lexical) = self.query.plan.lexical.as_ref() else {
            return Ok(Vec::new());
        };
        if depth == 0 {
            return Ok(Vec::new());
        }
        let query = LexicalQuery {
            text: lexical.text.clone(),
            fields: lexical.fields.clone(),
            k: depth,
            operand: Operand::Or,
        };
        let found = self.index.lexical.search(&query, accept);
        let found = found.map_err(|e| self.index.lexical_failed(e))?;
        let hits = found.hits.into_iter();
        Ok(hits
            .map(|(doc, score)| Hit::new(doc, f64::from(score)))
            .collect())
    }
}
