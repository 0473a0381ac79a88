//! A search whose documents are found elsewhere: what to look for there, and the ranking of what was found.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::{TypedFilter, TypedRules};
use pelorus_hnsw::Metric;

use super::answer::Answer;
use super::candidates::{CandidateChunk, Candidates, Needs};
use super::documents::Documents;
use super::query::{PageRange, Query};
use super::{answer, query_vector, render};
use crate::error::{EngineError, FilterError, Result, SearchError};
use crate::generated::{EngineOptions, LexicalLeg, SearchPlan, TensorLeg};
use crate::index::definition::Definition;
use crate::search::context::WeightedRows;

/// A search of an index that is kept elsewhere. Its caller fetches what [`CandidateSearch::step`] asks for and puts it
/// in, until that answers; ranking and rendering are those of [`Engine::search`](crate::Engine::search).
pub struct CandidateSearch {
    query: Query,
    filter: Option<TypedFilter>,
    candidates: Candidates,
    answer: Option<Answer>,
}

/// The next thing that a search asks of its caller.
#[derive(Debug)]
pub enum CandidateStep {
    /// To fetch what ranking or rendering lacks.
    Fetch(Needs),
    /// Nothing: this is the body.
    Done(Vec<u8>),
}

impl CandidateSearch {
    /// Begins the search of a plan in the index `name`, whose stored definition is `definition`.
    ///
    /// # Errors
    /// Those of a search, for what needs no document.
    pub fn begin(
        name: &str,
        definition: &[u8],
        options: &[u8],
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let definition = Definition::parse(name, definition)?;
        let options: EngineOptions = serde_json::from_slice(options)
            .map_err(|error| EngineError::request("engine options", error))?;
        let plan = SearchPlan::parse(plan)?;
        refuse_what_is_missing(&plan)?;
        let filter = options.filter(plan.filter.as_deref())?;
        let filter = match filter {
            Some(filter) => {
                let rules = TypedRules::new(definition.columns_schema());
                Some(rules.filter(&filter).map_err(FilterError::Columns)?)
            }
            None => None,
        };
        let vector = match &plan.tensor {
            Some(leg) => Some(query_vector::combine(
                definition.documents.dimensions,
                leg,
                vectors,
                &WeightedRows::default(),
            )?),
            None => None,
        };
        Ok(Self {
            query: Query {
                plan: Arc::new(plan),
                cancellation: cancellation.clone(),
                range: PageRange::Page,
                vector,
            },
            filter,
            candidates: Candidates::new(definition),
            answer: None,
        })
    }

    /// The filter that every document found has to pass.
    pub fn filter(&self) -> Option<&TypedFilter> {
        self.filter.as_ref()
    }

    /// The tensor leg with the vector that it looks for.
    pub fn tensor_leg(&self) -> Option<(&TensorLeg, &[f32])> {
        self.query
            .plan
            .tensor
            .as_ref()
            .zip(self.query.vector.as_deref())
    }

    pub fn lexical_leg(&self) -> Option<&LexicalLeg> {
        self.query.plan.lexical.as_ref()
    }

    pub fn metric(&self) -> Metric {
        self.candidates.definition().metric
    }

    /// The number of the candidate with an id, which is new where it was not found before.
    pub fn candidate(&mut self, id: &str) -> u32 {
        self.candidates.number(id)
    }

    /// The id of a candidate.
    pub fn id(&self, candidate: u32) -> &str {
        self.candidates.id(candidate)
    }

    /// Takes in the nearest chunks of a candidate, one of each field.
    pub fn set_chunks(&mut self, candidate: u32, chunks: Vec<CandidateChunk>) {
        self.candidates.set_chunks(candidate, chunks);
    }

    /// Takes in the BM25 of a candidate; none where it does not match the words.
    pub fn set_bm25(&mut self, candidate: u32, bm25: Option<f32>) {
        self.candidates.set_bm25(candidate, bm25);
    }

    /// Takes in the stored form of a candidate.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn set_stored(&mut self, candidate: u32, stored: Vec<u8>) -> Result<()> {
        self.candidates.set_stored(candidate, stored)
    }

    /// Documents of the tensor leg that were looked for.
    pub fn nearest_asked(&self) -> usize {
        self.candidates.nearest_asked()
    }

    /// Documents of the lexical leg that were looked for.
    pub fn words_asked(&self) -> usize {
        self.candidates.words_asked()
    }

    /// Notes that those of some candidates whose chunks were looked for in vain have none.
    pub fn note_without_chunks(&mut self, docs: &[u32]) {
        self.candidates.note_without_chunks(docs);
    }

    /// The same of words that they do not match.
    pub fn note_without_words(&mut self, docs: &[u32]) {
        self.candidates.note_without_words(docs);
    }

    /// Notes that `asked` documents of the tensor leg were looked for, and `found` of them were there.
    pub fn note_nearest(&mut self, asked: usize, found: usize) {
        self.candidates.note_nearest(asked, found);
    }

    /// The same of the lexical leg, with the number of all that match where it was counted.
    pub fn note_words(&mut self, asked: usize, found: usize, total: Option<u64>) {
        self.candidates.note_words(asked, found, total);
    }

    /// Ranks what was found, and writes the answer unless something is missing for it.
    ///
    /// # Errors
    /// Those of a search.
    pub fn step(&mut self) -> Result<CandidateStep> {
        if self.answer.is_none() {
            let answer = answer(&self.candidates, &self.query);
            let needs = self.candidates.take_needs();
            if !needs.is_empty() {
                return Ok(CandidateStep::Fetch(needs));
            }
            self.answer = Some(answer?);
        }
        let Some(answer) = &self.answer else {
            return Err(EngineError::MissingDocument { doc: 0 });
        };
        // Rendering would ask for one document after the other.
        let shown = answer.page.hits.iter();
        self.candidates
            .need_stored(shown.map(|hit| hit.variant.unwrap_or(hit.doc)));
        let needs = self.candidates.take_needs();
        if !needs.is_empty() {
            return Ok(CandidateStep::Fetch(needs));
        }
        render::render(&self.candidates, &self.query, answer).map(CandidateStep::Done)
    }
}

/// Refuses a plan with parts that candidates cannot tell yet.
fn refuse_what_is_missing(plan: &SearchPlan) -> Result<()> {
    let probes_others = plan.relevance_cutoff.as_ref().is_some_and(|cutoff| {
        let asked = |leg: &LexicalLeg| {
            let operand = std::mem::discriminant(&leg.operand);
            let words = (leg.text.clone(), leg.fields.clone(), leg.language.clone());
            (operand, words)
        };
        plan.lexical.as_ref().map(asked) != Some(asked(&cutoff.probe))
    });
    let missing = [
        (
            probes_others,
            "relevance by other words than those searched",
        ),
        (plan.context.is_some(), "vectors of stored documents"),
        (plan.explain, "explanations of scores"),
        (plan.lexical_highlights.is_some(), "highlights of words"),
    ];
    match missing.into_iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(SearchError::NotOfCandidates(what).into()),
        None => Ok(()),
    }
}
