//! The answers to a search's requests.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pelorus_engine::{CandidateChunk, ChunkText, EngineError, Result, SearchError};
use serde_json::Value;

use super::{Asked, ClusterSearch, LegWords, Question, WINDOW};
use crate::layout::{ID, STORED, chunks_path, distance};
use crate::source::StoredSource;
use crate::words::{read_statistics, term_scores};

impl ClusterSearch {
    /// Takes an answer in.
    pub(super) fn take(&mut self, Asked { set, question }: &Asked, answer: &Value) -> Result<()> {
        let counted = match question {
            Question::Statistics => self.words.as_mut(),
            Question::ProbeStatistics => self.probe.as_mut(),
            _ => None,
        };
        if let Some(words) = counted {
            let read = read_statistics(&words.terms, words.scope, answer);
            words.statistics = Some(read.ok_or_else(unreadable)?);
            return Ok(());
        }
        let hits = answer["hits"]["hits"].as_array().ok_or_else(unreadable)?;
        for hit in hits {
            match question {
                Question::Tensors => self.take_tensors(hit)?,
                question => self.take_candidate(*set, question, hit)?,
            }
        }
        match question {
            Question::Nearest { count } | Question::NearestOf { count, .. } => {
                let found = self.found.entry(*set).or_default();
                *found = hits.len().max(*found);
                let found = *found;
                let asked = self.counted(*count, found);
                self.search.note_nearest(*set, asked, found);
            }
            Question::Words { count } => {
                let total = answer["hits"]["total"]["value"].as_u64();
                let asked = self.counted(*count, hits.len());
                self.search.note_words(*set, asked, hits.len(), total);
            }
            Question::Probe { count } => {
                let asked = self.counted(*count, hits.len());
                self.search.note_probe(*set, asked, hits.len());
            }
            Question::Distances(docs) => self.search.note_without_chunks(docs),
            Question::Bm25(docs) => self.search.note_without_words(docs),
            Question::Explanations(docs) => self.search.note_without_term_scores(docs),
            Question::Stored(docs) => self.search.note_stored(docs)?,
            Question::Vectors(docs) => self.search.note_without_vectors(docs),
            Question::Texts(docs) => {
                self.search.note_without_texts(docs);
                self.search.note_stored(docs)?;
            }
            Question::All if hits.len() >= WINDOW => {
                let missing = "groups of more than 100,000 documents on one page";
                return Err(SearchError::NotOfCandidates(missing.to_owned()).into());
            }
            Question::All => self.search.note_all(*set),
            Question::Statistics | Question::ProbeStatistics | Question::Tensors => {}
        }
        Ok(())
    }

    /// The number of documents that count as asked for: for a ranking of all pages more than there are, where the
    /// cluster gives no more.
    fn counted(&self, asked: usize, found: usize) -> usize {
        match asked == WINDOW && self.search.is_ranking() {
            true => found + 1,
            false => asked,
        }
    }

    fn take_candidate(&mut self, set: usize, question: &Question, hit: &Value) -> Result<()> {
        let id = hit["_id"].as_str().ok_or_else(unreadable)?;
        let doc = match question {
            // Candidates of one set may be asked for by another's stages.
            Question::Stored(_) | Question::Vectors(_) | Question::Texts(_) => {
                self.search.find(id).ok_or_else(unreadable)?
            }
            _ => self.search.candidate(set, id),
        };
        if let Some(stored) = hit["_source"][STORED].as_str() {
            let stored = BASE64_STANDARD.decode(stored).map_err(|_| unreadable())?;
            self.search.set_stored(doc, stored)?;
        }
        match question {
            Question::Nearest { .. } | Question::Distances(_) => {
                let chunks = self.chunks(hit)?;
                self.search.set_chunks(doc, chunks);
            }
            Question::NearestOf { field, .. } => {
                let score = hit["_score"].as_f64().ok_or_else(unreadable)?;
                let distance = self.distance(score);
                self.search.set_distance(doc, field, distance);
            }
            Question::Texts(_) => {
                for CandidateChunk { field, text, .. } in self.chunks(hit)? {
                    self.search.set_text(doc, &field, text.unwrap_or_default());
                }
            }
            Question::Words { .. } | Question::Bm25(_) => {
                let score = match self.sparse {
                    // Their scores have 32 bits, their sort values have 64.
                    Some(_) => hit["sort"][0].as_f64(),
                    None => hit["_score"].as_f64().map(|score| f64::from(score as f32)),
                };
                self.search
                    .set_bm25(doc, Some(score.ok_or_else(unreadable)?));
            }
            Question::Probe { .. } => {
                let score = hit["_score"].as_f64().ok_or_else(unreadable)?;
                self.search.set_probe_bm25(doc, score as f32);
            }
            Question::Explanations(_) => {
                let words = self.words.as_ref().and_then(LegWords::counted);
                if let Some((terms, statistics)) = words {
                    let scores = term_scores(terms, statistics, &hit["_explanation"]);
                    self.search
                        .set_term_scores(doc, scores.ok_or_else(unreadable)?);
                }
            }
            Question::Vectors(_) => {
                let source = source_of(hit)?;
                let tensors = source.tensors(self.search.index().dimensions());
                let tensors = tensors.map_err(|_| unreadable())?;
                self.search.set_vectors(doc, tensors);
            }
            Question::Statistics
            | Question::ProbeStatistics
            | Question::Stored(_)
            | Question::Tensors
            | Question::All => {}
        }
        Ok(())
    }

    fn take_tensors(&mut self, hit: &Value) -> Result<()> {
        let id = hit["_source"][ID].as_str().ok_or_else(unreadable)?;
        let source = source_of(hit)?;
        let tensors = source.tensors(self.search.index().dimensions());
        let tensors = tensors.map_err(|_| unreadable())?;
        self.search.set_tensors(id, &source.document()?, tensors)
    }

    /// The nearest chunk of each field of a hit.
    fn chunks(&self, hit: &Value) -> Result<Vec<CandidateChunk>> {
        let mut chunks = Vec::new();
        for field in self.tensor_fields() {
            let path = chunks_path(field);
            let inner = &hit["inner_hits"][&path]["hits"]["hits"][0];
            if inner.is_null() {
                continue;
            }
            let score = inner["_score"].as_f64().ok_or_else(unreadable)?;
            let text = inner["_source"]["text"].as_str();
            chunks.push(CandidateChunk {
                field: field.into(),
                distance: self.distance(score),
                text: Some(ChunkText {
                    place: inner["_nested"]["offset"].as_u64().ok_or_else(unreadable)? as u32,
                    text: text.unwrap_or_default().to_owned(),
                }),
            });
        }
        Ok(chunks)
    }

    /// The distance to the vector of the search that a score stands for.
    fn distance(&self, score: f64) -> f32 {
        let vector = self.search.tensor_leg();
        let vector = vector.map_or(&[][..], |(_, vector)| vector);
        let squared_length = vector.iter().map(|x| x * x).sum();
        distance(self.search.index().metric(), score as f32, squared_length)
    }
}

fn source_of(hit: &Value) -> Result<StoredSource> {
    serde_json::from_value(hit["_source"].clone()).map_err(|_| unreadable())
}

pub(super) fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("documents that can be read").into()
}
