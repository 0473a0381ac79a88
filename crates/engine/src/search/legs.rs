//! The tensor and the lexical leg, alone and combined.

use std::collections::HashMap;

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalQuery, Operand};
use pelorus_rank::ScoreFloor;

use super::error::SearchError;
use super::hits::{Hit, sort_by_score};
use super::nearest::{Depth, Nearest, nearest, steps};
use super::query::Query;
use super::rescoring::Rescoring;
use crate::error::Result;
use crate::generated::{LexicalLeg, LexicalOperand, RankingMethod, RetrievalMethod};
use crate::index::Index;

/// Nearest documents whose scores a search changes and ranks anew where it does not say how many: as
/// many as a page may have. Those behind them follow in steps of their own, so that the pages of a
/// search are cut from one list.
pub(super) const CANDIDATES: usize = 1_000;

/// What every leg works on.
pub(super) struct Legs<'a> {
    pub index: &'a Index,
    pub query: &'a Query,
}

/// How many documents each leg gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caps {
    pub tensor: usize,
    pub lexical: usize,
}

impl Caps {
    pub fn both(count: usize) -> Self {
        let (tensor, lexical) = (count, count);
        Self { tensor, lexical }
    }
}

impl Legs<'_> {
    /// All that the legs find when each gives as many documents as `caps` says, ranked: what later
    /// stages rescore, sort and cut. The one place that decides which leg is asked for what; a leg
    /// that the plan does not have finds nothing.
    pub fn pool(&self, caps: Caps) -> Result<Vec<Hit>> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Tensor) => self.tensor(caps.tensor, ScoreFloor::Zero),
            (Retrieval::Lexical, Ranking::Lexical) => self.lexical(caps.lexical, ScoreFloor::Zero),
            (Retrieval::Tensor, Ranking::Lexical) => {
                self.ranked_by_bm25(self.nearest_first(caps.tensor))
            }
            (Retrieval::Lexical, Ranking::Tensor) => {
                self.ranked_by_distance(&self.matching_first(caps.lexical)?)
            }
            (Retrieval::Disjunction, Ranking::Rrf) => self.fused(caps),
            (retrieval, ranking) => Err(SearchError::Ranking { retrieval, ranking }.into()),
        }
    }

    /// The page where no stage follows, and no leg finds more for the other to rank than the page.
    pub fn page(&self) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let is_nearest = plan.retrieval_method == RetrievalMethod::Tensor
            && plan.ranking_method == RankingMethod::Tensor
            && self.rescoring_of_tensor(ScoreFloor::Zero).is_none();
        if let Some(page) = self.cross_page()? {
            Ok(page)
        } else if is_nearest {
            let leg = plan.tensor.as_ref();
            let depth = leg.and_then(|leg| leg.rerank_depth).unwrap_or(0);
            let depth = Depth::Ranked(depth.max(plan.depth()));
            Ok(plan.page(&self.nearest(self.query.tensor_leg(depth))))
        } else {
            let depth = match plan.rrf {
                Some(_) => plan.fused_depth(),
                None => plan.depth(),
            };
            Ok(plan.page(&self.pool(Caps::both(depth))?))
        }
    }

    /// The page of a leg that finds, ranked by the other; none where the plan has no two such legs,
    /// or says how many documents the one finds for the other. Ranking within the page keeps pages
    /// apart: none repeats or skips.
    pub fn cross_page(&self) -> Result<Option<Vec<Hit>>> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        if self.cross_count().is_some() {
            return Ok(None);
        }
        Ok(match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Lexical) => {
                let depth = Depth::Ranked(plan.depth());
                let page = plan.page(&self.nearest(self.query.tensor_leg(depth)));
                Some(self.ranked_by_bm25(page)?)
            }
            (Retrieval::Lexical, Ranking::Tensor) => {
                let page = plan.page(&self.matching_first(plan.depth())?);
                Some(self.ranked_by_distance(&page)?)
            }
            _ => None,
        })
    }

    /// How many documents a leg finds for the other to rank, where the plan says so.
    pub fn cross_count(&self) -> Option<usize> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        let said = match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Lexical) => plan.tensor.as_ref()?.rerank_depth,
            (Retrieval::Lexical, Ranking::Tensor) => plan.rerank_count,
            _ => None,
        };
        Some(said?.max(plan.limit))
    }

    /// The first `count` of the tensor leg's ranking, which begins alike for every count. Of scores
    /// that change, those of the nearest [`CANDIDATES`] are ranked together, or of as many as the
    /// plan says; those of the next step follow.
    fn tensor(&self, count: usize, floor: ScoreFloor) -> Result<Vec<Hit>> {
        let (Some(leg), false) = (&self.query.plan.tensor, count == 0) else {
            return Ok(Vec::new());
        };
        let Some(rescoring) = self.rescoring_of_tensor(floor) else {
            return Ok(self.nearest_first(count));
        };
        let said = leg
            .rerank_depth
            .map(|depth| depth.max(self.query.plan.limit));
        let first = said.unwrap_or(CANDIDATES);
        let depth = Depth::Stepped {
            first,
            depth: count,
        };
        let mut hits = self.nearest(self.query.tensor_leg(depth));
        let ends: Vec<usize> = steps(first, count).collect();
        hits.truncate(ends.last().copied().unwrap_or(0));
        rescoring.apply(self.index, self.query, &mut hits)?;
        let mut start = 0;
        for end in ends {
            let end = end.min(hits.len());
            sort_by_score(&mut hits[start..end]);
            start = end;
        }
        hits.truncate(count);
        Ok(hits)
    }

    /// The first `count` of the lexical leg's ranking. Modifiers have a say over every match, unless
    /// the plan limits them to the best by BM25.
    fn lexical(&self, count: usize, floor: ScoreFloor) -> Result<Vec<Hit>> {
        let (Some(leg), false) = (&self.query.plan.lexical, count == 0) else {
            return Ok(Vec::new());
        };
        let Some(rescoring) = self.rescoring_of_lexical(leg, floor) else {
            return self.matching(leg, count, self.query.view.accept());
        };
        let Some(modified) = leg.modified_count else {
            return self.rescored_matching(leg, count, &rescoring);
        };
        let mut hits = self.matching(leg, count.max(modified), self.query.view.accept())?;
        let best = modified.min(hits.len());
        rescoring.apply(self.index, self.query, &mut hits[..best])?;
        sort_by_score(&mut hits[..best]);
        hits.truncate(count);
        Ok(hits)
    }

    /// Both legs fused by reciprocal rank.
    fn fused(&self, caps: Caps) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let rrf = plan.rrf.as_ref().ok_or(SearchError::MissingRrf)?;
        let tensor = self.tensor(caps.tensor, ScoreFloor::Unbounded)?;
        let lexical = self.lexical(caps.lexical, ScoreFloor::Unbounded)?;
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.doc).collect::<Vec<u32>>();
        let (near, words) = (ids(&tensor), ids(&lexical));
        let fused = pelorus_rank::rrf(&near, &words, rrf.alpha, rrf.k);
        let hits = fused.iter().map(|hit| {
            let near = hit.tensor.map(|place| &tensor[place]);
            Hit {
                tensor_score: near.map(|near| near.score),
                lexical_score: hit.lexical.map(|place| lexical[place].score),
                nearest: near.and_then(|near| near.nearest.clone()),
                ..Hit::new(hit.doc, hit.score)
            }
        });
        Ok(hits.collect())
    }

    /// Documents that the tensor leg found, by what the lexical leg makes of their BM25, which is 0
    /// without a matching word. Of equal ones the nearer is first.
    fn ranked_by_bm25(&self, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let Some(leg) = &self.query.plan.lexical else {
            return Ok(hits);
        };
        let candidates: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let matching = match hits.len() {
            0 => Vec::new(),
            count => self.matching(leg, count, &candidates)?,
        };
        let scores: HashMap<u32, f64> = matching
            .into_iter()
            .map(|hit| (hit.doc, hit.score))
            .collect();
        for hit in &mut hits {
            hit.score = scores.get(&hit.doc).copied().unwrap_or(0.0);
        }
        if let Some(rescoring) = self.rescoring_of_lexical(leg, ScoreFloor::Zero) {
            rescoring.apply(self.index, self.query, &mut hits)?;
        }
        sort_by_score(&mut hits);
        Ok(hits)
    }

    /// Documents that the lexical leg found, by what the tensor leg makes of their true closeness,
    /// which is 0 without a vector. Of equal ones the better by words is first.
    fn ranked_by_distance(&self, candidates: &[Hit]) -> Result<Vec<Hit>> {
        let accept: BitSet = candidates.iter().map(|hit| hit.doc).collect();
        let mut hits = self.nearest(self.query.exact_ranking(&accept, candidates.len()));
        let found: BitSet = hits.iter().map(|hit| hit.doc).collect();
        let rest = candidates.iter().filter(|hit| !found.contains(hit.doc));
        hits.extend(rest.map(|hit| Hit::new(hit.doc, 0.0)));
        if let Some(rescoring) = self.rescoring_of_tensor(ScoreFloor::Zero) {
            rescoring.apply(self.index, self.query, &mut hits)?;
            sort_by_score(&mut hits);
        }
        Ok(hits)
    }

    /// The `count` nearest documents, which are the first of any greater count.
    fn nearest_first(&self, count: usize) -> Vec<Hit> {
        let mut hits = self.nearest(self.query.tensor_leg(Depth::fused(count)));
        hits.truncate(count);
        hits
    }

    /// The documents that the lexical leg finds for another to rank: by its modifiers, not by age.
    fn matching_first(&self, count: usize) -> Result<Vec<Hit>> {
        let (Some(leg), false) = (&self.query.plan.lexical, count == 0) else {
            return Ok(Vec::new());
        };
        match Rescoring::new(leg.score_modifiers.as_ref(), None, ScoreFloor::Unbounded) {
            Some(rescoring) => self.rescored_matching(leg, count, &rescoring),
            None => self.matching(leg, count, self.query.view.accept()),
        }
    }

    /// What changes the scores of the tensor leg.
    fn rescoring_of_tensor(&self, floor: ScoreFloor) -> Option<Rescoring> {
        let plan = &self.query.plan;
        let modifiers = plan.tensor.as_ref()?.score_modifiers.as_ref();
        let recency = plan.recency.as_ref().filter(|recency| recency.tensor);
        Rescoring::new(modifiers, recency, floor)
    }

    /// What changes the scores of the lexical leg.
    fn rescoring_of_lexical(&self, leg: &LexicalLeg, floor: ScoreFloor) -> Option<Rescoring> {
        let recency = self.query.plan.recency.as_ref();
        let recency = recency.filter(|recency| recency.lexical);
        Rescoring::new(leg.score_modifiers.as_ref(), recency, floor)
    }

    fn nearest(&self, search: Option<Nearest<'_>>) -> Vec<Hit> {
        search.map_or_else(Vec::new, |search| nearest(self.index, &search))
    }

    /// The `count` documents of highest BM25 among `accept`.
    pub fn matching(&self, leg: &LexicalLeg, count: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let found = self
            .index
            .lexical
            .search(&lexical_query(leg, count), accept);
        let found = found.map_err(|error| self.index.lexical_failed(error))?;
        let hits = found.hits.into_iter();
        Ok(hits
            .map(|(doc, score)| Hit::new(doc, f64::from(score)))
            .collect())
    }

    /// The best `count` of all matches by their changed scores.
    fn rescored_matching(
        &self,
        leg: &LexicalLeg,
        count: usize,
        rescoring: &Rescoring,
    ) -> Result<Vec<Hit>> {
        let query = lexical_query(leg, count);
        let accept = self.query.view.accept();
        rescoring.with_scores(self.index, self.query, |score| {
            let rescore = |doc, bm25| score(doc, f64::from(bm25));
            let found = self
                .index
                .lexical
                .search_rescored(&query, accept, None, rescore);
            let found = found.map_err(|error| self.index.lexical_failed(error))?;
            let hits = found.hits.into_iter();
            Ok(hits.map(|(doc, score)| Hit::new(doc, score)).collect())
        })
    }
}

fn lexical_query(leg: &LexicalLeg, k: usize) -> LexicalQuery {
    LexicalQuery {
        text: leg.text.clone(),
        fields: leg.fields.clone(),
        k,
        operand: match leg.operand {
            LexicalOperand::Or => Operand::Or,
            LexicalOperand::And => Operand::And,
        },
    }
}
