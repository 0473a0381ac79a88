//! A search whose documents are found elsewhere: what to look for there, and the ranking of what was found.

use std::collections::HashMap;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::{TypedFilter, composed};
use pelorus_documents::FieldTensors;
use pelorus_lexical::TermScore;

use super::answer::Answer;
use super::candidate_index::CandidateIndex;
use super::candidate_ranking::CandidateRanking;
use super::candidates::{CandidateChunk, Candidates, ChunkText, Needs};
use super::context::{ContextRows, WeightedRows};
use super::query::{PageRange, Query};
use super::{answer, check, query_vector, render};
use crate::error::{Result, SearchError};
use crate::generated::{LexicalLeg, SearchPlan, TensorLeg};
use crate::read::within::Within;

/// A search of an index that is kept elsewhere. Its caller fetches what [`CandidateSearch::step`] asks for and puts it
/// in, until that answers; ranking and rendering are those of [`Engine::search`](crate::Engine::search).
///
/// Candidates belong to sets, one for each filter. Set 0 is that of the search; facets that leave terms of it out add
/// others.
pub struct CandidateSearch {
    query: Query,
    candidates: Candidates,
    /// The vectors of the query, until those of its context are here.
    waiting: Option<WaitingVectors>,
    answer: Option<Answer>,
    /// Tells whether its answer is the ranking of all its pages.
    is_ranking: bool,
    /// Tells whether it writes a page of a kept ranking.
    is_page: bool,
}

/// The vectors of a query, and those of its context as far as they are here.
struct WaitingVectors {
    /// `[weights, dimensions]`
    rows: Vec<f32>,
    /// By composed id; none until they were asked for.
    context: Option<HashMap<String, Vec<FieldTensors>>>,
    /// The documents that the caller reaches; none for all.
    within: Option<Within>,
}

/// The next thing that a search asks of its caller.
pub enum CandidateStep {
    /// To fetch what ranking or rendering lacks, for each of some sets.
    Fetch(Vec<(usize, Needs)>),
    /// Nothing: this is the body.
    Done(Vec<u8>),
    /// Nothing: this is the ranking of all pages.
    Ranked(Box<CandidateRanking>),
}

impl CandidateSearch {
    /// Begins the search of a plan.
    ///
    /// # Errors
    /// Those of a search, for what needs no document.
    pub fn begin(
        index: &Arc<CandidateIndex>,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        Self::of_range(index, plan, vectors, PageRange::Page, cancellation)
    }

    /// Begins the search of a plan for all its pages.
    ///
    /// # Errors
    /// As [`CandidateSearch::begin`].
    pub fn begin_ranking(
        index: &Arc<CandidateIndex>,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        Self::of_range(index, plan, vectors, PageRange::Pages, cancellation)
    }

    fn of_range(
        index: &Arc<CandidateIndex>,
        plan: &[u8],
        vectors: &[f32],
        range: PageRange,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        cancellation.check()?;
        let plan = SearchPlan::parse(plan)?;
        check::check(&**index, &plan)?;
        let filter = plan.filter_changed_by(&index.options, Some)?;
        let within = Within::read(plan.within.as_deref())?;
        let warnings = match &filter {
            Some(filter) if within.is_none() => index.filter_warnings(filter),
            _ => Vec::new(),
        };
        let query = Query {
            plan: Arc::new(plan),
            cancellation: cancellation.clone(),
            range,
            warnings,
            vector: None,
            group_plan: None,
        };
        Ok(Self {
            query,
            candidates: Candidates::new(index.clone(), filter)?,
            waiting: Some(WaitingVectors {
                rows: vectors.to_vec(),
                context: None,
                within,
            }),
            answer: None,
            is_ranking: range == PageRange::Pages,
            is_page: false,
        })
    }

    /// Begins to write a page of a ranking, whose candidates are known.
    pub(super) fn of_page(query: Query, candidates: Candidates, answer: Answer) -> Self {
        Self {
            query,
            candidates,
            waiting: None,
            answer: Some(answer),
            is_ranking: false,
            is_page: true,
        }
    }

    pub fn index(&self) -> &Arc<CandidateIndex> {
        self.candidates.index()
    }

    /// Tells whether the search is after all its pages.
    pub fn is_ranking(&self) -> bool {
        self.is_ranking
    }

    /// The filter that every document of a set has to pass.
    pub fn filter(&self, set: usize) -> Option<&TypedFilter> {
        self.candidates.filter(set)
    }

    /// Ids of documents that are not in a set, whatever its filter lets pass.
    pub fn excluded(&self, set: usize) -> impl Iterator<Item = &str> {
        let plan = &self.query.plan;
        let context = plan.context.as_ref();
        let context = context.filter(|context| context.exclude_input_documents);
        let documents = context.into_iter().flat_map(|context| &context.documents);
        let documents = documents.map(|document| &document.id);
        let pinned = plan.pinned.iter().map(|pinned| &pinned.id);
        let pinned = pinned.filter(move |_| !self.candidates.is_of_pins(set));
        let excluded = documents.chain(&plan.hidden).chain(pinned);
        excluded.map(String::as_str)
    }

    pub fn has_tensor_leg(&self) -> bool {
        self.query.plan.tensor.is_some()
    }

    /// The tensor leg with the vector that it looks for; none as long as that waits for others.
    pub fn tensor_leg(&self) -> Option<(&TensorLeg, &[f32])> {
        let leg = self.query.plan.tensor.as_ref();
        leg.zip(self.query.vector.as_deref())
    }

    pub fn lexical_leg(&self) -> Option<&LexicalLeg> {
        self.query.plan.lexical.as_ref()
    }

    /// Tells whether the words of the query are to be corrected.
    pub fn asks_for_correction(&self) -> bool {
        self.query.plan.did_you_mean.is_some()
    }

    /// Tells whether hits show further documents of their groups.
    pub fn shows_groups(&self) -> bool {
        let collapse = self.query.plan.collapse.as_ref();
        collapse.is_some_and(|collapse| collapse.others > 0)
    }

    /// The words that tell how many documents are relevant, where they are others than those searched.
    pub fn probe(&self) -> Option<&LexicalLeg> {
        other_probe(&self.query.plan)
    }

    /// The end of the page: as many hits have to be known.
    pub fn page_end(&self) -> usize {
        let plan = &self.query.plan;
        plan.offset.saturating_add(plan.limit)
    }

    /// Tells whether the nearest chunks of candidates are told in the answer, which else shows those of its page at most.
    pub fn explains(&self) -> bool {
        self.query.plan.explain
    }

    /// Tells whether the page shows the texts of nearest chunks.
    pub fn shows_texts(&self) -> bool {
        self.query.plan.show_highlights
    }

    /// The number of the candidate of a set with an id, which is new where it was not found before. An id is the one that
    /// the document has where it was found.
    pub fn candidate(&mut self, set: usize, id: &str) -> u32 {
        self.candidates.number(set, id)
    }

    /// The number of a candidate that was found before.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.candidates.find(id)
    }

    /// Notes that stored forms of some candidates were looked for. Those that are not here by now were deleted since they
    /// were found, and are ranked no more.
    ///
    /// # Errors
    /// When a page of a kept ranking lacks a document.
    pub fn note_stored(&mut self, docs: &[u32]) -> Result<()> {
        if !self.candidates.take_out_lost(docs) {
            return Ok(());
        }
        match self.is_page {
            true => Err(SearchError::ClusterAnswer("document that a kept ranking has").into()),
            false => {
                self.answer = None;
                Ok(())
            }
        }
    }

    /// The id of a candidate.
    pub fn id(&self, candidate: u32) -> &str {
        self.candidates.id(candidate)
    }

    /// Takes in the nearest chunks of a candidate, one of each field.
    pub fn set_chunks(&mut self, candidate: u32, chunks: Vec<CandidateChunk>) {
        self.candidates.set_chunks(candidate, chunks);
    }

    /// Takes in the distance of a candidate's nearest chunk in a field, whose text may be asked for later.
    pub fn set_distance(&mut self, candidate: u32, field: &str, distance: f32) {
        self.candidates.set_distance(candidate, field, distance);
    }

    /// Takes in the text of a candidate's nearest chunk in a field, whose distance is known.
    pub fn set_text(&mut self, candidate: u32, field: &str, text: ChunkText) {
        self.candidates.set_text(candidate, field, text);
    }

    /// Takes in the score of a candidate in the lexical leg; none where it does not match.
    pub fn set_bm25(&mut self, candidate: u32, bm25: Option<f64>) {
        self.candidates.set_bm25(candidate, bm25);
    }

    /// Takes in the BM25 of a candidate by the words of the probe.
    pub fn set_probe_bm25(&mut self, candidate: u32, bm25: f32) {
        self.candidates.set_probe_bm25(candidate, bm25);
    }

    /// Takes in the terms that the BM25 of a candidate adds up from.
    pub fn set_term_scores(&mut self, candidate: u32, scores: Vec<TermScore>) {
        self.candidates.set_term_scores(candidate, scores);
    }

    /// Takes in the vectors of a candidate.
    pub fn set_vectors(&mut self, candidate: u32, tensors: Vec<FieldTensors>) {
        self.candidates.set_vectors(candidate, tensors);
    }

    /// Takes in the stored form of a candidate.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn set_stored(&mut self, candidate: u32, stored: Vec<u8>) -> Result<()> {
        self.candidates.set_stored(candidate, stored)
    }

    /// Takes in the tensors of a document that was asked for by its id, with its stored form.
    ///
    /// # Errors
    /// When that cannot be read, and for a filter of the caller that has no meaning for the index.
    pub fn set_tensors(
        &mut self,
        id: &str,
        stored: &[u8],
        tensors: Vec<FieldTensors>,
    ) -> Result<()> {
        let index = Arc::clone(self.candidates.index());
        let Some(waiting) = &mut self.waiting else {
            return Ok(());
        };
        if let Some(within) = &waiting.within
            && !within.has(&index.definition, stored)?
        {
            return Ok(());
        }
        if let Some(context) = &mut waiting.context {
            context.insert(composed(id).into_owned(), tensors);
        }
        Ok(())
    }

    /// Notes that every document that passes the filter of a set is a candidate.
    pub fn note_all(&mut self, set: usize) {
        self.candidates.note_all(set);
    }

    /// Documents of a set's tensor leg that were looked for.
    pub fn nearest_asked(&self, set: usize) -> usize {
        self.candidates.nearest_asked(set)
    }

    /// Documents of a set's lexical leg that were looked for.
    pub fn words_asked(&self, set: usize) -> usize {
        self.candidates.words_asked(set)
    }

    /// The same of the probe.
    pub fn probe_asked(&self, set: usize) -> usize {
        self.candidates.probe_asked(set)
    }

    /// Notes that `asked` documents of a set's probe were looked for, and `found` of them were there.
    pub fn note_probe(&mut self, set: usize, asked: usize, found: usize) {
        self.candidates.note_probe(set, asked, found);
    }

    /// Notes that those of some candidates whose chunks were looked for in vain have none.
    pub fn note_without_chunks(&mut self, docs: &[u32]) {
        self.candidates.note_without_chunks(docs);
    }

    /// The same of texts of chunks.
    pub fn note_without_texts(&mut self, docs: &[u32]) {
        self.candidates.note_without_texts(docs);
    }

    /// The same of vectors.
    pub fn note_without_vectors(&mut self, docs: &[u32]) {
        self.candidates.note_without_vectors(docs);
    }

    /// The same of words that they do not match.
    pub fn note_without_words(&mut self, docs: &[u32]) {
        self.candidates.note_without_words(docs);
    }

    /// The same of terms that explain nothing.
    pub fn note_without_term_scores(&mut self, docs: &[u32]) {
        self.candidates.note_without_term_scores(docs);
    }

    /// Notes that `asked` documents of a set's tensor leg were looked for, and `found` of them were there.
    pub fn note_nearest(&mut self, set: usize, asked: usize, found: usize) {
        self.candidates.note_nearest(set, asked, found);
    }

    /// The same of the lexical leg, with the number of all that match where it was counted.
    pub fn note_words(&mut self, set: usize, asked: usize, found: usize, total: Option<u64>) {
        self.candidates.note_words(set, asked, found, total);
    }

    /// Ranks what was found, and answers unless something is missing for it.
    ///
    /// # Errors
    /// Those of a search.
    pub fn step(&mut self) -> Result<CandidateStep> {
        self.query.cancellation.check()?;
        if let Some(needs) = self.combine_vectors()? {
            return Ok(CandidateStep::Fetch(vec![(0, needs)]));
        }
        let answer = match self.answer.take() {
            Some(answer) => answer,
            None => match self.rank()? {
                Ranked::Lacks(needs) => return Ok(CandidateStep::Fetch(needs)),
                Ranked::Whole(answer) => answer,
            },
        };
        if self.is_ranking {
            let ranking = CandidateRanking::of(&self.query, &self.candidates, answer);
            return Ok(CandidateStep::Ranked(Box::new(ranking)));
        }
        let documents = self.candidates.found();
        // Rendering would ask for one document after the other.
        let hits = answer.page.hits.iter();
        documents.need_stored(hits.flat_map(|hit| [Some(hit.doc), hit.variant]).flatten());
        if self.query.plan.show_highlights {
            documents.need_texts(&answer.page.hits);
        }
        let needs = self.candidates.take_needs();
        if !needs.is_empty() {
            self.answer = Some(answer);
            return Ok(CandidateStep::Fetch(needs));
        }
        render::render(&documents, &self.query, &answer).map(CandidateStep::Done)
    }

    fn rank(&mut self) -> Result<Ranked> {
        loop {
            let answer = answer(&self.candidates.found(), &self.query);
            // Those that begin ask for their documents when the ranking runs again.
            if self.candidates.add_missing_sets()? {
                self.candidates.take_needs();
                continue;
            }
            let needs = self.candidates.take_needs();
            return match needs.is_empty() {
                true => answer.map(Ranked::Whole),
                false => Ok(Ranked::Lacks(needs)),
            };
        }
    }

    /// Makes the one vector that is looked for, unless documents of the context are missing for it.
    fn combine_vectors(&mut self) -> Result<Option<Needs>> {
        let Some(mut waiting) = self.waiting.take() else {
            return Ok(None);
        };
        let plan = self.query.plan.clone();
        let dimensions = self.index().dimensions();
        let mut rows = WeightedRows::default();
        if let Some(context) = &plan.context {
            let documents = || ContextRows::documents(context);
            if waiting.context.is_none() && documents().next().is_some() {
                waiting.context = Some(HashMap::new());
                self.waiting = Some(waiting);
                return Ok(Some(Needs {
                    tensors: documents().map(|one| one.id.clone()).collect(),
                    ..Needs::default()
                }));
            }
            let known = waiting.context.unwrap_or_default();
            let mut found = ContextRows::new(context, dimensions);
            for document in documents() {
                let tensors = known.get(&*composed(&document.id));
                found.add(document, tensors.map(Vec::as_slice))?;
            }
            rows = found.finish()?;
        }
        if let Some(leg) = &plan.tensor {
            let vector = query_vector::combine(dimensions, leg, &waiting.rows, &rows)?;
            self.query.vector = Some(vector);
        }
        Ok(None)
    }
}

/// The answer of a ranking, or what it lacks.
enum Ranked {
    Whole(Answer),
    Lacks(Vec<(usize, Needs)>),
}

/// The probe of a plan whose relevance is told by other words than those searched.
pub(super) fn other_probe(plan: &SearchPlan) -> Option<&LexicalLeg> {
    let asked = |leg: &LexicalLeg| {
        let operand = std::mem::discriminant(&leg.operand);
        let words = (leg.text.clone(), leg.fields.clone(), leg.language.clone());
        (operand, words)
    };
    let probe = &plan.relevance_cutoff.as_ref()?.probe;
    (plan.lexical.as_ref().map(asked) != Some(asked(probe))).then_some(probe)
}
