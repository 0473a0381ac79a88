//! The tensor and the lexical leg, alone and combined.

use std::collections::HashMap;

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalQuery, Operand};

use super::error::SearchError;
use super::hits::Hit;
use super::nearest::{Depth, Nearest, nearest};
use super::query::Query;
use crate::error::Result;
use crate::generated::LexicalOperand;
use crate::index::Index;

/// What every leg works on.
pub(super) struct Legs<'a> {
    pub index: &'a Index,
    pub query: &'a Query,
}

impl Legs<'_> {
    /// The `depth` nearest documents.
    pub fn tensor(&self, depth: usize) -> Vec<Hit> {
        self.nearest(self.query.tensor_leg(Depth::Ranked(depth)))
    }

    /// The `depth` documents of highest BM25.
    pub fn lexical(&self, depth: usize) -> Result<Vec<Hit>> {
        self.matching(depth, self.query.view.accept())
    }

    /// The page of both legs fused by reciprocal rank. Pages of any size are cut from one list.
    pub fn fused_page(&self) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let rrf = plan.rrf.as_ref().ok_or(SearchError::MissingRrf)?;
        let depth = plan.fused_depth();
        let tensor = self.nearest(self.query.tensor_leg(Depth::Fused(depth)));
        let lexical = self.lexical(depth)?;
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.doc).collect::<Vec<u32>>();
        let (near, words) = (ids(&tensor), ids(&lexical));
        let fused = pelorus_rank::rrf(&near, &words, rrf.alpha, rrf.k);
        let hits = pelorus_rank::page(&fused, plan.offset, plan.limit)
            .iter()
            .map(|hit| {
                let near = hit.tensor.map(|place| &tensor[place]);
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
    pub fn tensor_page_by_bm25(&self) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let mut hits = plan.page(&self.tensor(plan.depth()));
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

    /// The page of the lexical ranking, its hits in the order of their exact distance.
    pub fn lexical_page_by_distance(&self) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let candidates = plan.page(&self.lexical(plan.depth())?);
        let accept: BitSet = candidates.iter().map(|hit| hit.doc).collect();
        let mut hits = self.nearest(self.query.exact_ranking(&accept, candidates.len()));
        let found: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let rest = candidates.iter().filter(|hit| !found.contains(hit.doc));
        hits.extend(rest.map(|hit| Hit::new(hit.doc, 0.0)));
        Ok(hits)
    }

    fn nearest(&self, search: Option<Nearest<'_>>) -> Vec<Hit> {
        search.map_or_else(Vec::new, |search| nearest(self.index, &search))
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
            operand: match lexical.operand {
                LexicalOperand::Or => Operand::Or,
                LexicalOperand::And => Operand::And,
            },
        };
        let found = self.index.lexical.search(&query, accept);
        let found = found.map_err(|e| self.index.lexical_failed(e))?;
        let hits = found.hits.into_iter();
        Ok(hits
            .map(|(doc, score)| Hit::new(doc, f64::from(score)))
            .collect())
    }
}
