//! The tensor and the lexical leg, alone and combined.

mod retrieve_then_rank;
mod sorted_matches;

use std::cell::RefCell;

use pelorus_kernels::BitSet;
use pelorus_lexical::MatchProbe;
use pelorus_rank::RRF_WINDOW;

use super::collapse::{Group, Groups};
use super::documents::Documents;
use super::found_documents::{Counting, FoundDocuments};
use super::group_counts;
use super::hit_scores::HitScores;
use super::hits::{Hit, PassedStages, sort_by_score};
use super::literal_words::{COMPARED, LiteralWords};
use super::nearest::{Depth, Nearest, steps};
use super::pins::Pins;
use super::query::Query;
use super::rescoring::{Rescoring, last_rescoring};
use super::text_ranking::SignalsOf;
use super::words::{Words, note_changed};
use crate::error::{Result, SearchError};
use crate::generated::{LexicalLeg, RankingMethod, RetrievalMethod, Sort};

/// Nearest documents whose scores a search changes and ranks anew where it does not say how many: as
/// many as a page may have. Those behind them follow in steps of their own, so that the pages of a
/// search are cut from one list.
pub(super) const CANDIDATES: usize = 1_000;

/// The state that every leg works on, and the documents that they found.
pub(super) struct Legs<'a> {
    pub documents: &'a dyn Documents,
    pub query: &'a Query,
    /// The same words and statistics for every stage.
    pub words: Words<'a>,
    /// The documents that stand at places of their own.
    pub pins: Pins,
    /// None where hits are not grouped.
    groups: Option<Groups<'a>>,
    counting: Counting,
    found_documents: RefCell<FoundDocuments>,
    /// Scores that modifiers of the last stage read of the hits that it changed.
    hit_scores: RefCell<HitScores>,
}

/// The number of documents that each leg gives.
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

impl<'a> Legs<'a> {
    pub fn new(documents: &'a dyn Documents, query: &'a Query) -> Result<Self> {
        let pins = Pins::of(documents, query)?;
        Ok(Self {
            documents,
            query,
            words: Words::new(documents, query),
            groups: Groups::of(documents, query, &pins),
            pins,
            counting: Counting::of(&query.plan),
            found_documents: RefCell::default(),
            hit_scores: RefCell::default(),
        })
    }

    /// The group of a document that a leg found: the document alone where hits are not grouped.
    pub fn group(&self, doc: u32) -> Group {
        let groups = self.groups.as_ref();
        groups.map_or(Group::Alone(doc), |groups| groups.group(doc))
    }

    /// Tells whether anything of the documents found has to be known besides the page.
    pub fn are_counted(&self) -> bool {
        self.counting != Counting::Nothing
    }

    /// Notes the hits that a cut-off leaves, best first.
    pub fn note_left(&self, hits: &[Hit]) {
        self.found_documents.borrow_mut().left = ids(hits);
    }

    /// The number of hits left, and of pinned ones.
    pub fn left(&self) -> usize {
        self.found_documents.borrow().left.len() + self.pins.len()
    }

    /// The number of documents that the search found, whichever page of them is shown, or of
    /// groups.
    pub fn total(&self) -> Result<u64> {
        let cutoff = self.query.plan.relevance_cutoff.as_ref();
        if cutoff.is_some_and(|cutoff| cutoff.totals_relevant) {
            return Ok(self.left() as u64);
        }
        let retrieval = self.query.plan.retrieval_method;
        match self.counting {
            Counting::Documents => {
                let mut documents = self.found_documents.borrow().documents(retrieval);
                documents.extend(self.pins.docs());
                group_counts::total(self.documents, self.query, &documents)
            }
            Counting::Total | Counting::Nothing => {
                let total = self.found_documents.borrow().total(retrieval);
                Ok(total + self.pins.len() as u64)
            }
        }
    }

    /// The documents that the search found, or the `max_depth` best of them by what finds them. Pinned ones are the best.
    pub fn counted(&self, max_depth: Option<usize>) -> Result<BitSet> {
        let pinned = self.pins.docs();
        let mut counted: BitSet = pinned.take(max_depth.unwrap_or(usize::MAX)).collect();
        let left = max_depth.map(|depth| depth - counted.len());
        if left != Some(0) {
            counted.union_with(&self.counted_of_legs(left)?);
        }
        Ok(counted)
    }

    /// The same of what the legs found.
    fn counted_of_legs(&self, max_depth: Option<usize>) -> Result<BitSet> {
        let plan = &self.query.plan;
        let found_documents = self.found_documents.borrow();
        let cutoff = plan.relevance_cutoff.as_ref();
        if cutoff.is_some_and(|cutoff| cutoff.facets_relevant) {
            let left = found_documents.left.iter().copied();
            return Ok(left.take(max_depth.unwrap_or(usize::MAX)).collect());
        }
        let documents = found_documents.documents(plan.retrieval_method);
        let Some(max_depth) = max_depth.filter(|&depth| depth < documents.len()) else {
            return Ok(documents);
        };
        let words = |depth, accept: &BitSet| -> Result<Vec<u32>> {
            match &plan.lexical {
                Some(leg) => Ok(ids(&self.words.best(leg, depth, accept)?)),
                None => Ok(Vec::new()),
            }
        };
        let near = found_documents.tensor();
        let best: Vec<u32> = match plan.retrieval_method {
            RetrievalMethod::Tensor => near.to_vec(),
            RetrievalMethod::Lexical => words(max_depth, &documents)?,
            RetrievalMethod::Disjunction => {
                let rrf = plan.rrf.as_ref().ok_or(SearchError::MissingRrf)?;
                let depth = pelorus_rank::rrf_depth(max_depth);
                let words = words(depth, self.documents.accept())?;
                let fused = pelorus_rank::rrf(near, &words, rrf.alpha, rrf.k);
                fused.iter().map(|hit| hit.doc).collect()
            }
        };
        Ok(best.into_iter().take(max_depth).collect())
    }

    /// All that the legs find when each gives as many documents as `caps` says, ranked: what later
    /// stages rescore, sort and cut. The one place that decides which leg is asked for what; a leg
    /// that the plan does not have finds nothing.
    pub fn pool(&self, caps: Caps) -> Result<Vec<Hit>> {
        use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
        let plan = &self.query.plan;
        match (plan.retrieval_method, plan.ranking_method) {
            (Retrieval::Tensor, Ranking::Tensor) => self.tensor(caps.tensor, None),
            (Retrieval::Lexical, Ranking::Lexical) => self.lexical(caps.lexical),
            (Retrieval::Tensor, Ranking::Lexical) => match &self.groups {
                None => self.ranked_by_bm25(self.nearest_first(caps.tensor, None)?, usize::MAX),
                Some(groups) => self.near_groups_by_bm25(groups, caps.tensor),
            },
            (Retrieval::Lexical, Ranking::Tensor) => match &self.groups {
                None => self.ranked_by_distance(&self.matching_first(caps.lexical)?, usize::MAX),
                Some(groups) => self.matching_groups_by_distance(groups, caps.lexical),
            },
            (Retrieval::Disjunction, Ranking::Rrf) => self.fused(caps),
            (retrieval, ranking) => Err(SearchError::Ranking { retrieval, ranking }.into()),
        }
    }

    /// The page where no stage follows, and no leg finds more for the other to rank than the page.
    pub fn page(&self) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let is_nearest = plan.retrieval_method == RetrievalMethod::Tensor
            && plan.ranking_method == RankingMethod::Tensor
            && self.rescoring_of_tensor().is_none();
        if let Some(page) = self.cross_page()? {
            Ok(page)
        } else if is_nearest {
            let leg = plan.tensor.as_ref();
            let said = leg.and_then(|leg| leg.rerank_depth).unwrap_or(0);
            let depth = Depth::Ranked {
                page: said.max(plan.limit).max(self.query.ranked_anew()),
                depth: said.max(self.query.depth()),
            };
            Ok(self.query.cut(&self.candidates(depth, None)?))
        } else {
            let depth = match plan.rrf {
                Some(_) => self.query.fused_depth(),
                None => self.query.depth(),
            };
            Ok(self.query.cut(&self.pool(Caps::both(depth))?))
        }
    }

    /// The first `count` of the tensor leg's ranking, which begins alike for every count. Changed
    /// scores rank the nearest [`CANDIDATES`] together, or as many as the plan says; those of the
    /// next step follow. Those of `known` that are near are found in any case.
    fn tensor(&self, count: usize, known: Option<&[u32]>) -> Result<Vec<Hit>> {
        let Some(leg) = &self.query.plan.tensor else {
            return Ok(Vec::new());
        };
        let Some(rescoring) = self.rescoring_of_tensor() else {
            return self.nearest_first(count, known);
        };
        let said = leg
            .rerank_depth
            .map(|depth| depth.max(self.query.plan.limit));
        let first = said.unwrap_or(CANDIDATES);
        if count == 0 {
            // The candidates that every page counts.
            let depth = Depth::Stepped { first, depth: 1 };
            return self.count_only(|| self.candidates(depth, None));
        }
        if let Some(groups) = &self.groups {
            let mut hits = groups.collapse(first, count, false, |size, accept| {
                let mut hits = self.nearest_among(size, accept)?;
                rescoring.apply(self.documents, self.query, &mut hits)?;
                sort_by_score(&mut hits);
                Ok(hits)
            })?;
            hits.truncate(count);
            return Ok(hits);
        }
        let depth = Depth::Stepped {
            first,
            depth: count,
        };
        let mut hits = self.candidates(depth, None)?;
        let ends: Vec<usize> = steps(first, count).collect();
        hits.truncate(ends.last().copied().unwrap_or(0));
        rescoring.apply(self.documents, self.query, &mut hits)?;
        let mut start = 0;
        for end in ends {
            // Step by step, so that a deeper page never changes the order of those before it.
            let end = end.min(hits.len());
            sort_by_score(&mut hits[start..end]);
            start = end;
        }
        hits.truncate(count);
        Ok(hits)
    }

    /// The first `count` of the lexical leg's ranking. Modifiers have a say over every match, unless
    /// the plan limits them to the best by BM25.
    fn lexical(&self, count: usize) -> Result<Vec<Hit>> {
        let Some(leg) = &self.query.plan.lexical else {
            return Ok(Vec::new());
        };
        if count == 0 {
            return self.count_matches(leg);
        }
        let rescoring = self.rescoring_of_lexical(leg);
        let literal = LiteralWords::of(leg);
        self.collapsed(count, |count, accept| {
            match (&rescoring, leg.modified_count) {
                (None, _) => self.decided(leg, literal.as_ref(), count, accept, None),
                (Some(rescoring), None) => {
                    self.decided(leg, literal.as_ref(), count, accept, Some(rescoring))
                }
                (Some(rescoring), Some(modified)) => {
                    let mut hits = self.found(leg, count.max(modified), accept, None)?;
                    let best = modified.min(hits.len());
                    rescoring.apply(self.documents, self.query, &mut hits[..best])?;
                    note_changed(&mut hits[..best]);
                    sort_by_score(&mut hits[..best]);
                    hits.truncate(count);
                    Ok(hits)
                }
            }
        })
    }

    /// No hits of a leg, which counts its finds even where nothing of that is wanted.
    fn count_only(&self, find: impl FnOnce() -> Result<Vec<Hit>>) -> Result<Vec<Hit>> {
        if self.are_counted() {
            find()?;
        }
        Ok(Vec::new())
    }

    /// [`Legs::count_only`] of the lexical leg: as many match, whatever changes their scores.
    fn count_matches(&self, leg: &LexicalLeg) -> Result<Vec<Hit>> {
        self.count_only(|| self.collapsed(1, |count, accept| self.found(leg, count, accept, None)))
    }

    /// Runs `find`, and keeps the best of each group where hits are grouped.
    fn collapsed(
        &self,
        count: usize,
        find: impl Fn(usize, &BitSet) -> Result<Vec<Hit>>,
    ) -> Result<Vec<Hit>> {
        match &self.groups {
            _ if count == 0 => Ok(Vec::new()),
            None => find(count, self.documents.accept()),
            Some(groups) => {
                let mut hits = groups.collapse(RRF_WINDOW, count, true, find)?;
                hits.truncate(count);
                Ok(hits)
            }
        }
    }

    /// Both legs fused by reciprocal rank.
    fn fused(&self, caps: Caps) -> Result<Vec<Hit>> {
        let plan = &self.query.plan;
        let rrf = plan.rrf.as_ref().ok_or(SearchError::MissingRrf)?;
        let mut lexical = self.lexical(self.asked_of_words(caps))?;
        // The same documents for every page.
        let known: Vec<u32> = ids(&lexical[..RRF_WINDOW.min(lexical.len())]);
        let tensor = self.tensor(caps.tensor, Some(&known))?;
        if self.counting == Counting::Total {
            self.note_in_both(&lexical, self.asked_of_words(caps))?;
        }
        lexical.truncate(caps.lexical);
        let (near, words) = (ids(&tensor), ids(&lexical));
        debug_assert!(
            are_distinct(&near) && are_distinct(&words),
            "a ranking has a document once"
        );
        let fused = match &self.groups {
            None => pelorus_rank::rrf(&near, &words, rrf.alpha, rrf.k),
            Some(groups) => {
                let group = |doc| groups.group(doc);
                pelorus_rank::rrf_of_groups(&near, &words, rrf.alpha, rrf.k, group)
            }
        };
        let hits = fused.iter().map(|hit| {
            let near = hit.tensor.map(|place| &tensor[place]);
            let by_words = |is_passed: fn(&PassedStages) -> bool| {
                let place = hit.lexical;
                place.is_some_and(|place| is_passed(&lexical[place].stages))
            };
            Hit {
                tensor_score: near.map(|near| near.score),
                lexical_score: hit.lexical.map(|place| lexical[place].score),
                nearest: near.and_then(|near| near.nearest.clone()),
                stages: PassedStages {
                    tensor_place: hit.tensor,
                    lexical_place: hit.lexical,
                    is_lexical_changed: by_words(|stages| stages.is_lexical_changed),
                    is_text_ranked: by_words(|stages| stages.is_text_ranked),
                    ..PassedStages::default()
                },
                ..Hit::new(hit.doc, hit.score)
            }
        });
        Ok(hits.collect())
    }

    /// The number of documents that the lexical leg finds for a fused ranking: at least those whose ranks may add to
    /// one of the tensor leg, unless nothing is to be found at all.
    fn asked_of_words(&self, caps: Caps) -> usize {
        match caps.tensor.max(caps.lexical) {
            0 if self.counting == Counting::Nothing => 0,
            _ => caps.lexical.max(RRF_WINDOW),
        }
    }

    /// Notes which of the tensor leg's finds match the words, of which a search for the best `asked` found `hits`.
    fn note_in_both(&self, hits: &[Hit], asked: usize) -> Result<()> {
        let Some(leg) = &self.query.plan.lexical else {
            return Ok(());
        };
        let mut found_documents = self.found_documents.borrow_mut();
        let mut matching: BitSet = hits.iter().map(|hit| hit.doc).collect();
        // With fewer than asked for, these are all that match.
        if hits.len() >= asked {
            let near = found_documents.tensor().iter().copied();
            let unknown: BitSet = near.filter(|&doc| !matching.contains(doc)).collect();
            let others = self.words.best(leg, unknown.len(), &unknown)?;
            matching.extend(others.iter().map(|hit| hit.doc));
        }
        found_documents.lexical.union_with(&matching);
        Ok(())
    }

    /// The `count` nearest documents, which are the first of any greater count.
    fn nearest_first(&self, count: usize, known: Option<&[u32]>) -> Result<Vec<Hit>> {
        if count == 0 {
            return self.count_only(|| self.nearest_first(1, known));
        }
        let plan = &self.query.plan;
        let depth = match &plan.sort {
            Some(sort) if plan.relevance_cutoff.is_none() => Depth::Stepped {
                first: sorted_together(sort),
                depth: count,
            },
            _ => Depth::Fused(count),
        };
        let mut hits = self.candidates(depth, known)?;
        hits.truncate(count);
        Ok(hits)
    }

    /// The candidates of the tensor leg: at least as many as wanted or all there are, and the
    /// nearest of each group. Without groups those of `known` that are near are found in any case.
    fn candidates(&self, depth: Depth, known: Option<&[u32]>) -> Result<Vec<Hit>> {
        let looked_for = match self.counting {
            Counting::Nothing => depth,
            Counting::Total | Counting::Documents => depth.counting(self.counted_near()),
        };
        let Some(leg) = self.query.tensor_leg(self.documents, looked_for) else {
            return Ok(Vec::new());
        };
        match &self.groups {
            None => Ok(self.record_found(self.nearest(Some(Nearest { known, ..leg }))?)),
            Some(groups) => {
                let find = |size, accept: &BitSet| self.nearest_among(size, accept);
                // An empty page counts what every other page counts, and so looks for it too.
                let (first, least) = match self.counting {
                    Counting::Nothing => (RRF_WINDOW, 0),
                    Counting::Total | Counting::Documents => {
                        (self.counted_near().max(RRF_WINDOW), 1)
                    }
                };
                groups.collapse(first, depth.documents().max(least), leg.exact, find)
            }
        }
    }

    /// The number of nearest documents that are counted, whichever page is shown: as many as the plan says or, where it
    /// does not, as the search ranks together for the first page of any size.
    fn counted_near(&self) -> usize {
        let plan = &self.query.plan;
        let said = plan.tensor.as_ref().and_then(|leg| leg.rerank_depth);
        if let Some(said) = said.filter(|&depth| depth > 0) {
            return said;
        }
        let is_changed = match plan.ranking_method {
            RankingMethod::Lexical => self.groups.is_some(),
            RankingMethod::Tensor | RankingMethod::Rrf => self.rescoring_of_tensor().is_some(),
        };
        let last = match (&plan.relevance_cutoff, &plan.sort) {
            (Some(_), _) => 0,
            (None, Some(sort)) => sorted_together(sort),
            (None, None) if last_rescoring(plan).is_none() => 0,
            (None, None) => {
                let depth = plan.rescoring.as_ref().and_then(|stage| stage.depth);
                depth.unwrap_or(CANDIDATES)
            }
        };
        let leg = if is_changed { CANDIDATES } else { RRF_WINDOW };
        leg.max(last)
    }

    /// The `count` nearest of some documents.
    fn nearest_among(&self, count: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let Some(leg) = self.query.tensor_leg(self.documents, Depth::once(count)) else {
            return Ok(Vec::new());
        };
        Ok(self.record_found(self.nearest(Some(Nearest {
            accept,
            count: accept.len(),
            ..leg
        }))?))
    }

    fn record_found(&self, hits: Vec<Hit>) -> Vec<Hit> {
        if self.are_counted() {
            let counted = hits.iter().take(self.counted_near());
            let mut found_documents = self.found_documents.borrow_mut();
            found_documents.note_near(counted.map(|hit| hit.doc));
        }
        hits
    }

    /// The changes to scores of the tensor leg.
    pub fn rescoring_of_tensor(&self) -> Option<Rescoring> {
        let plan = &self.query.plan;
        let modifiers = plan.tensor.as_ref()?.score_modifiers.as_ref();
        let recency = plan.recency.as_ref().filter(|recency| recency.tensor);
        Rescoring::new(modifiers, recency)
    }

    /// The changes to scores of the lexical leg.
    pub fn rescoring_of_lexical(&self, leg: &LexicalLeg) -> Option<Rescoring> {
        let recency = self.query.plan.recency.as_ref();
        let recency = recency.filter(|recency| recency.lexical);
        Rescoring::new(leg.score_modifiers.as_ref(), recency)
    }

    /// The rescoring of the scores that the legs end in. Where it reads scores of hits, it knows those of the hits that
    /// were noted.
    pub fn last_rescoring(&self) -> Option<Rescoring> {
        let mut rescoring = last_rescoring(&self.query.plan)?;
        rescoring.hit_scores = self.hit_scores.borrow().clone();
        Some(rescoring)
    }

    /// Notes the scores of hits that the modifiers of the last stage read.
    pub fn note_hit_scores(&self, scores: HitScores) {
        self.hit_scores.borrow_mut().extend(scores);
    }

    /// The exact ranking of some documents by a tensor field.
    pub fn nearest_in(&self, field: &str, accept: &BitSet) -> Result<Vec<Hit>> {
        let ranking = self
            .query
            .exact_ranking(self.documents, accept, accept.len());
        self.nearest(ranking.map(|ranking| Nearest {
            field: Some(field),
            ..ranking
        }))
    }

    fn nearest(&self, search: Option<Nearest<'_>>) -> Result<Vec<Hit>> {
        search.map_or_else(|| Ok(Vec::new()), |search| self.documents.nearest(&search))
    }

    /// The `count` documents of highest BM25, or the best of so many groups.
    pub fn probed(&self, leg: &LexicalLeg, count: usize) -> Result<Vec<Hit>> {
        self.collapsed(count, |count, accept| self.words.best(leg, count, accept))
    }

    /// As [`Legs::found`], the very characters of the query deciding between equal scores, and the best ranked anew by
    /// their texts where that is asked for.
    fn decided(
        &self,
        leg: &LexicalLeg,
        literal: Option<&LiteralWords>,
        count: usize,
        accept: &BitSet,
        rescoring: Option<&Rescoring>,
    ) -> Result<Vec<Hit>> {
        // Once groups were shown the others follow, by their scores alone.
        let is_first = || accept.len() == self.documents.accept().len();
        let texts = leg.text_ranking.as_ref().filter(|_| is_first());
        let ranked = texts.map_or(0, |ranking| ranking.candidates);
        let compared = literal.map_or(0, |_| COMPARED);
        let mut hits = self.found(leg, count.max(ranked).max(compared), accept, rescoring)?;
        if let Some(literal) = literal {
            literal.decide(self.documents, self.query, leg, &mut hits)?;
        }
        let best = ranked.min(hits.len());
        if best > 0
            && let Some(mut signals) = SignalsOf::leg(self, leg)?
        {
            signals.rank(&mut hits[..best])?;
        }
        hits.truncate(count);
        Ok(hits)
    }

    /// Finds the best `count` of all matches of the lexical leg among `accept`, by their changed
    /// scores where they are to be.
    fn found(
        &self,
        leg: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        rescoring: Option<&Rescoring>,
    ) -> Result<Vec<Hit>> {
        let no_document = BitSet::default();
        let within = match self.counting {
            Counting::Nothing => {
                let (hits, _) = self.words.search(leg, count, accept, None, rescoring)?;
                return Ok(hits);
            }
            Counting::Total => &no_document,
            Counting::Documents => accept,
        };
        let matching = BitSet::default();
        let mut probe = MatchProbe { within, matching };
        let (hits, total) = self
            .words
            .search(leg, count, accept, Some(&mut probe), rescoring)?;
        let matching = probe.matching;
        let mut found_documents = self.found_documents.borrow_mut();
        found_documents.lexical_total = total;
        found_documents.lexical.union_with(&matching);
        Ok(hits)
    }
}

/// The number of documents of each leg that are sorted together, where no cut-off says it.
pub(super) fn sorted_together(sort: &Sort) -> usize {
    sort.candidates.unwrap_or(CANDIDATES)
}

fn are_distinct(docs: &[u32]) -> bool {
    docs.iter().copied().collect::<BitSet>().len() == docs.len()
}

fn ids(hits: &[Hit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.doc).collect()
}
