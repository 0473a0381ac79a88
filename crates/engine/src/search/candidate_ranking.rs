//! The ranking of documents that were found elsewhere, kept for pages to come.

use std::collections::HashMap;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;

use super::answer::Answer;
use super::candidate_index::CandidateIndex;
use super::candidate_search::CandidateSearch;
use super::candidates::{CandidateChunk, Candidates};
use super::hits::Hit;
use super::query::Query;
use super::ranked_hits::RankedHits;
use super::stages::Page;
use crate::error::Result;

/// The hits of a search of an index that is kept elsewhere, best first. Their documents are fetched with each page.
pub struct CandidateRanking {
    index: Arc<CandidateIndex>,
    query: Query,
    hits: RankedHits,
    /// The first page's answer besides its hits; it has none itself.
    first: Answer,
    /// Ids of candidates by number; those that are no hits are empty.
    ids: Vec<String>,
    /// The nearest chunks of hits, where highlights show them.
    chunks: HashMap<u32, CandidateChunk>,
    memory_bytes: usize,
}

impl CandidateRanking {
    pub(super) fn of(query: &Query, candidates: &Candidates, mut first: Answer) -> Self {
        let hits = std::mem::take(&mut first.page.hits);
        let mut ids = vec![String::new(); candidates.len()];
        let mut chunks = HashMap::new();
        for hit in &hits {
            for doc in [Some(hit.doc), hit.variant].into_iter().flatten() {
                candidates.id(doc).clone_into(&mut ids[doc as usize]);
            }
            let chunk = hit.nearest.as_ref().filter(|_| query.plan.show_highlights);
            let chunk = chunk.and_then(|near| candidates.chunk(hit.doc, &near.field));
            chunks.extend(chunk.map(|chunk| (hit.doc, chunk.clone())));
        }
        let hits = RankedHits::of(&hits);
        let texts = ids.iter().map(String::len).sum::<usize>();
        let chunk_texts = chunks.values().flat_map(|chunk| &chunk.text);
        let chunk_texts = chunk_texts.map(|text| text.text.len());
        let chunk_texts = chunk_texts.sum::<usize>() + chunks.len() * size_of::<CandidateChunk>();
        let memory_bytes = hits.memory_bytes()
            + first.facets.as_ref().map_or(0, Vec::len)
            + ids.len() * size_of::<String>()
            + texts
            + chunk_texts;
        Self {
            index: candidates.index().clone(),
            query: query.for_pages(&Cancellation::never()),
            hits,
            first,
            ids,
            chunks,
            memory_bytes,
        }
    }

    /// The number of hits.
    pub fn count(&self) -> usize {
        self.hits.len()
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Begins a page: `limit` hits from place `start` on, or the rest of them. Facets, total and what else a search tells
    /// of its ranking come with the first page, where `start` is 0.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn page(
        &self,
        start: usize,
        limit: usize,
        cancellation: &Cancellation,
    ) -> Result<CandidateSearch> {
        cancellation.check()?;
        let mut candidates = Candidates::new(self.index.clone(), None)?;
        let mut hits = self.hits.page(start, limit);
        for hit in &mut hits {
            self.renumber(hit, &mut candidates);
        }
        let answer = match start {
            0 => Answer {
                page: Page {
                    hits,
                    ..self.first.page.clone()
                },
                ..self.first.clone()
            },
            _ => Answer {
                page: Page::of(hits),
                group_hits: None,
                explanations: None,
                highlights: None,
                did_you_mean: None,
                facets: None,
                total_hits: None,
                warnings: Vec::new(),
            },
        };
        let query = self.query.for_pages(cancellation);
        Ok(CandidateSearch::of_page(query, candidates, answer))
    }

    /// Makes the documents of a hit candidates of a page.
    fn renumber(&self, hit: &mut Hit, candidates: &mut Candidates) {
        let mut add = |doc: u32| candidates.number(0, &self.ids[doc as usize]);
        let chunk = self.chunks.get(&hit.doc);
        hit.doc = add(hit.doc);
        hit.variant = hit.variant.map(add);
        if let Some(chunk) = chunk {
            candidates.set_chunks(hit.doc, vec![chunk.clone()]);
        }
    }
}
