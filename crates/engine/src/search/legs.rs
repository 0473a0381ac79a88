//! The tensor and the lexical leg, alone and combined.

use std::collections::HashMap;

use pelorus_hnsw::VectorSearch;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalQuery, Operand};

use super::hits::{Hit, sort};
use super::plan::{HybridPlan, Plan};
use crate::error::Result;
use crate::index::Index;
use crate::scope::Scope;

/// Depths of the tensor leg are rounded up to a multiple of this: three pages of the default size.
const TENSOR_DEPTH_STEP: usize = 30;

/// What every leg works on.
pub(super) struct Legs<'a> {
    pub index: &'a Index,
    pub plan: &'a Plan,
    pub scope: &'a Scope,
    pub query: Option<&'a [f32]>,
}

impl Legs<'_> {
    /// The `depth` documents whose nearest chunk is nearest to the query.
    pub fn tensor(&self, depth: usize) -> Result<Vec<Hit>> {
        let exact = self
            .plan
            .tensor
            .as_ref()
            .is_some_and(|tensor| !tensor.approximate);
        Ok(self.nearest(depth, exact, self.scope.accept(), self.scope.count()))
    }

    /// The `depth` documents of highest BM25.
    pub fn lexical(&self, depth: usize) -> Result<Vec<Hit>> {
        self.matching(depth, self.scope.accept())
    }

    /// The page of both legs fused by reciprocal rank, such that pages neither skip nor repeat
    /// a document.
    pub fn fused_page(&self, hybrid: &HybridPlan) -> Result<Vec<Hit>> {
        let Plan { limit, offset, .. } = *self.plan;
        // Whole pages down to the last rank that the page needs.
        let depth = self.plan.depth().next_multiple_of(limit.max(1));
        let tensor = if hybrid.alpha > 0.0 {
            self.tensor(depth)?
        } else {
            Vec::new()
        };
        let lexical = if hybrid.alpha < 1.0 {
            self.lexical(depth)?
        } else {
            Vec::new()
        };
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.doc).collect::<Vec<u32>>();
        let (alpha, k) = (hybrid.alpha, hybrid.rrf_k);
        let page = pelorus_rank::rrf_page(&ids(&tensor), &ids(&lexical), alpha, k, limit, offset);
        let by_doc = |hits: Vec<Hit>| -> HashMap<u32, Hit> {
            hits.into_iter().map(|hit| (hit.doc, hit)).collect()
        };
        let (mut tensor, lexical) = (by_doc(tensor), by_doc(lexical));
        let hits = page.into_iter().map(|(doc, score)| {
            let near = tensor.remove(&doc);
            Hit {
                doc,
                score,
                tensor_score: near.as_ref().map(|hit| hit.score as f32),
                lexical_score: lexical.get(&doc).map(|hit| hit.score as f32),
                nearest: near.and_then(|hit| hit.nearest),
            }
        });
        Ok(hits.collect())
    }

    /// The page of the tensor ranking, its hits in the order of their BM25; those without a
    /// matching word follow. Ranking within the page keeps pages apart: none repeats or skips.
    pub fn tensor_page_by_words(&self) -> Result<Vec<Hit>> {
        let mut hits = self.cut(&self.tensor(self.plan.depth())?);
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
        let candidates = self.cut(&self.lexical(self.plan.depth())?);
        let accept: BitSet = candidates.iter().map(|hit| hit.doc).collect();
        let mut hits = self.nearest(candidates.len(), true, &accept, candidates.len());
        let found: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let rest = candidates.iter().filter(|hit| !found.contains(hit.doc));
        hits.extend(rest.map(|hit| Hit::new(hit.doc, 0.0)));
        Ok(hits)
    }

    /// The hits of the page.
    pub fn cut(&self, ranked: &[Hit]) -> Vec<Hit> {
        pelorus_rank::page(ranked, self.plan.offset, self.plan.limit).to_vec()
    }

    fn nearest(&self, depth: usize, exact: bool, accept: &BitSet, count: usize) -> Vec<Hit> {
        let (Some(query), true) = (self.query, depth > 0 && count > 0) else {
            return Vec::new();
        };
        let tensor = self.plan.tensor.as_ref();
        let search = VectorSearch {
            // Approximate search finds a slightly different set for every depth; a common one
            // lets neighbouring pages agree on what came before.
            k: depth.next_multiple_of(TENSOR_DEPTH_STEP).min(count),
            ef: self.plan.ef(),
            stops_early: true,
            exact,
            approximate_threshold: tensor.and_then(|tensor| tensor.approximate_threshold),
            accept_count: count,
            live_docs: self.scope.live(),
        };
        let metric = self.index.definition.metric;
        let mut best: HashMap<u32, (f32, Hit)> = HashMap::new();
        for (name, field) in self.index.vectors.fields() {
            let wanted = tensor.and_then(|tensor| tensor.fields.as_ref());
            if wanted.is_some_and(|fields| !fields.contains(&name)) {
                continue;
            }
            for hit in field.index.search(query, &search, accept) {
                let nearer = best
                    .get(&hit.doc)
                    .is_none_or(|(distance, _)| hit.distance < *distance);
                if nearer {
                    let score = f64::from(metric.score(hit.distance));
                    let nearest = Some((name.clone(), hit.chunk));
                    let found = Hit {
                        nearest,
                        ..Hit::new(hit.doc, score)
                    };
                    best.insert(hit.doc, (hit.distance, found));
                }
            }
        }
        let mut hits: Vec<Hit> = best.into_values().map(|(_, hit)| hit).collect();
        sort(&mut hits);
        hits.truncate(depth);
        hits
    }

    fn matching(&self, depth: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let Some(lexical) = self.plan.lexical.as_ref() else {
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
        let found = self.index.lexical.search(&query, accept)?;
        let hits = found.hits.into_iter();
        Ok(hits
            .map(|(doc, score)| Hit::new(doc, f64::from(score)))
            .collect())
    }
}
