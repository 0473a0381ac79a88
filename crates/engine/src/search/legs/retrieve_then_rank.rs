//! A leg that finds for the other to rank.

use pelorus_kernels::BitSet;
use rustc_hash::FxHashMap;

use super::{CANDIDATES, Legs};
use crate::error::Result;
use crate::generated::{RankingMethod, RetrievalMethod};
use crate::search::collapse::Groups;
use crate::search::hits::{Hit, sort_by_score};
use crate::search::nearest::Depth;
use crate::search::rescoring::Rescoring;
use crate::search::words::note_changed;

impl Legs<'_> {
    /// The page of a leg that finds, ranked by the other; none where the plan has no two such legs, says how many
    /// documents the one finds for the other, or groups hits: which document of a group is its best is told by the
    /// rank, so that pages of groups are cut behind it. Ranking within the page keeps pages apart: none repeats or
    /// skips. Each of several pages is ranked by itself.
    pub fn cross_page(&self) -> Result<Option<Vec<Hit>>> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        if self.cross_count().is_some() || self.groups.is_some() {
            return Ok(None);
        }
        Ok(match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Lexical) => {
                let depth = Depth::Ranked {
                    page: plan.limit,
                    depth: self.query.depth(),
                };
                let page = self.query.cut(&self.candidates(depth, None)?);
                Some(self.ranked_by_bm25(page, plan.limit)?)
            }
            (Retrieval::Lexical, Ranking::Tensor) => {
                let page = self.query.cut(&self.matching_first(self.query.depth())?);
                Some(self.ranked_by_distance(&page, plan.limit)?)
            }
            _ => None,
        })
    }

    /// The number of documents that a leg finds for the other to rank, where the plan says so or needs more than a page.
    pub fn cross_count(&self) -> Option<usize> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        let said = match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Lexical) => plan.tensor.as_ref()?.rerank_depth,
            (Retrieval::Lexical, Ranking::Tensor) => plan.rerank_count,
            _ => return None,
        };
        // Where the first hits are ranked anew they are those of one list, whatever the page.
        let together = (self.query.ranked_anew() > 0).then_some(CANDIDATES);
        Some(said.or(together)?.max(plan.limit))
    }

    /// The first `count` groups by the BM25 of the tensor leg's finds, each by the document that ranks best.
    pub(super) fn near_groups_by_bm25(
        &self,
        groups: &Groups<'_>,
        count: usize,
    ) -> Result<Vec<Hit>> {
        let find = |size, accept: &BitSet| {
            self.ranked_by_bm25(self.nearest_among(size, accept)?, usize::MAX)
        };
        let mut hits = groups.collapse(self.cross_step(), count.max(1), false, find)?;
        hits.truncate(count);
        Ok(hits)
    }

    /// The first `count` groups by the distance of the lexical leg's finds, each by the document that ranks best.
    pub(super) fn matching_groups_by_distance(
        &self,
        groups: &Groups<'_>,
        count: usize,
    ) -> Result<Vec<Hit>> {
        let find = |size, accept: &BitSet| {
            self.ranked_by_distance(&self.matching_among(size, accept)?, usize::MAX)
        };
        let mut hits = groups.collapse(self.cross_step(), count.max(1), true, find)?;
        hits.truncate(count);
        Ok(hits)
    }

    /// The number of documents that one leg finds at first for the other to rank and group.
    fn cross_step(&self) -> usize {
        self.cross_count().unwrap_or(CANDIDATES)
    }

    /// Documents that the tensor leg found, by the lexical leg's score from their BM25, which is 0 without a matching
    /// word. Among equal ones the nearer is first. So many are ranked `together`, the nearest first.
    pub(super) fn ranked_by_bm25(&self, mut hits: Vec<Hit>, together: usize) -> Result<Vec<Hit>> {
        let Some(leg) = &self.query.plan.lexical else {
            return Ok(hits);
        };
        let candidates: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let matching = match hits.len() {
            0 => Vec::new(),
            count => self.words.best(leg, count, &candidates)?,
        };
        let scores: FxHashMap<u32, f64> = matching
            .into_iter()
            .map(|hit| (hit.doc, hit.score))
            .collect();
        for hit in &mut hits {
            hit.score = scores.get(&hit.doc).copied().unwrap_or(0.0);
        }
        if let Some(rescoring) = self.rescoring_of_lexical(leg) {
            rescoring.apply(self.documents, self.query, &mut hits)?;
            note_changed(&mut hits);
        }
        hits.chunks_mut(together.max(1)).for_each(sort_by_score);
        Ok(hits)
    }

    /// Documents that the lexical leg found, by the tensor leg's score from their true closeness,
    /// which is 0 without a vector. Among equal ones the better by words is first. So many are
    /// ranked `together`, the best by words first.
    pub(super) fn ranked_by_distance(
        &self,
        candidates: &[Hit],
        together: usize,
    ) -> Result<Vec<Hit>> {
        let together = together.max(1);
        let accept: BitSet = candidates.iter().map(|hit| hit.doc).collect();
        let near = self.nearest(self.query.exact_ranking(
            self.documents,
            &accept,
            candidates.len(),
        ))?;
        let places: FxHashMap<u32, usize> = near.iter().map(|hit| hit.doc).zip(0..).collect();
        let place = |hit: &&Hit| places.get(&hit.doc).copied().unwrap_or(usize::MAX);
        let mut hits = Vec::with_capacity(candidates.len());
        for page in candidates.chunks(together) {
            let mut page: Vec<&Hit> = page.iter().collect();
            // Stable: documents without a vector stay in the order of their words, behind the others.
            page.sort_by_key(place);
            let ranked = page.into_iter().map(|hit| match near.get(place(&hit)) {
                Some(near) => near.clone(),
                None => Hit::new(hit.doc, 0.0),
            });
            hits.extend(ranked);
        }
        if let Some(rescoring) = self.rescoring_of_tensor() {
            rescoring.apply(self.documents, self.query, &mut hits)?;
            hits.chunks_mut(together).for_each(sort_by_score);
        }
        Ok(hits)
    }

    /// The documents that the lexical leg finds for another to rank: by its modifiers, not by age.
    pub(super) fn matching_first(&self, count: usize) -> Result<Vec<Hit>> {
        match &self.query.plan.lexical {
            Some(leg) if count == 0 => self.count_matches(leg),
            _ => self.collapsed(count, |count, accept| self.matching_among(count, accept)),
        }
    }

    /// The same of some documents.
    fn matching_among(&self, count: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let Some(leg) = &self.query.plan.lexical else {
            return Ok(Vec::new());
        };
        let rescoring = Rescoring::new(leg.score_modifiers.as_ref(), None);
        self.found(leg, count, accept, rescoring.as_ref())
    }
}
