//! The words of a search: the documents that match them, why, and their places in the texts of
//! hits.

use std::sync::Arc;

use pelorus_kernels::BitSet;
use pelorus_lexical::{Language, LexicalQuery, LexicalReader, MatchProbe, Operand, TermScore};

use super::hits::Hit;
use super::match_scores::with_match_scores;
use super::query::Query;
use super::rescoring::Rescoring;
use super::word_highlights::WordHighlights;
use crate::error::Result;
use crate::generated::{LexicalLeg, LexicalOperand};
use crate::index::Index;

/// The text index as one search sees it: the same words and statistics for every stage.
pub(super) struct Words<'a> {
    index: &'a Index,
    query: &'a Query,
    reader: LexicalReader<'a>,
}

impl<'a> Words<'a> {
    pub fn new(index: &'a Index, query: &'a Query) -> Self {
        Self {
            index,
            query,
            reader: index.lexical.reader(),
        }
    }

    /// The `count` documents of highest BM25 among `accept`.
    pub fn best(&self, leg: &LexicalLeg, count: usize, accept: &BitSet) -> Result<Vec<Hit>> {
        let (hits, _) = self.search(leg, count, accept, None, None)?;
        Ok(hits)
    }

    /// Finds the matches of the words of a leg; with a probe alone it also tells how many documents match.
    pub fn search(
        &self,
        leg: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        rescoring: Option<&Rescoring>,
    ) -> Result<(Vec<Hit>, u64)> {
        let query = lexical_query(leg, count);
        let (reader, cancellation) = (&self.reader, &self.query.cancellation);
        let failed = |error| self.index.lexical_failed(error);
        let Some(rescoring) = rescoring else {
            let (hits, total) = match probe {
                None => {
                    let hits = reader.search_top(&query, accept, cancellation);
                    (hits.map_err(failed)?, 0)
                }
                Some(_) => {
                    let found = reader.search_probing(&query, accept, probe, cancellation);
                    let found = found.map_err(failed)?;
                    (found.hits, found.total)
                }
            };
            let hits = hits.into_iter();
            let hits = hits.map(|(doc, score)| Hit::new(doc, f64::from(score)));
            return Ok((hits.collect(), total));
        };
        with_match_scores(rescoring, self.index, self.query, |scores| {
            let (hits, total) = match probe {
                None => {
                    let hits = reader.search_top_rescored(&query, accept, cancellation, scores);
                    (hits.map_err(failed)?, 0)
                }
                Some(_) => {
                    let found = reader.search_rescored(&query, accept, probe, cancellation, scores);
                    let found = found.map_err(failed)?;
                    (found.hits, found.total)
                }
            };
            let hits = hits.into_iter();
            let mut hits: Vec<Hit> = hits.map(|(doc, score)| Hit::new(doc, score)).collect();
            note_changed(&mut hits);
            Ok((hits, total))
        })
    }

    /// Explains the BM25 of documents, which ascend.
    pub fn explain(&self, leg: &LexicalLeg, docs: &[u32]) -> Result<Vec<Vec<TermScore>>> {
        let query = lexical_query(leg, docs.len());
        let explained = self.reader.explain(&query, docs, &self.query.cancellation);
        explained.map_err(|error| self.index.lexical_failed(error))
    }

    /// The highlights that hits show of the texts with words of the query; none where nobody asks.
    pub fn highlights(&self) -> Result<Option<Arc<WordHighlights>>> {
        if self.query.highlights().is_none() {
            return Ok(None);
        }
        let leg = self.query.plan.lexical.as_ref();
        let words = leg.map(|leg| self.reader.highlighter(&lexical_query(leg, 0)));
        let words = words.transpose();
        let words = words.map_err(|error| self.index.lexical_failed(error))?;
        Ok(Some(Arc::new(WordHighlights::new(words))))
    }
}

/// Notes that the lexical leg changed the scores of hits.
pub(super) fn note_changed(hits: &mut [Hit]) {
    for hit in hits {
        hit.stages.is_lexical_changed = true;
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
        language: leg.language.as_deref().map(Language::from_tag),
    }
}
