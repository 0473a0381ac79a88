//! The words of a search: the documents that match them, why, and their places in the texts of
//! hits.

use std::sync::Arc;

use pelorus_kernels::BitSet;
use pelorus_lexical::{Highlighter, MatchProbe, TermScore};

use super::documents::{Documents, WordIndex};
use super::explanation::Explanation;
use super::hits::Hit;
use super::query::Query;
use super::rescoring::Rescoring;
use super::sparse_words::explanation;
use super::word_highlights::WordHighlights;
use crate::error::Result;
use crate::generated::{LexicalLeg, SparseQuery};

/// The text index as one search sees it: the same words and statistics for every stage.
pub(super) struct Words<'a> {
    query: &'a Query,
    words: Box<dyn WordIndex + 'a>,
}

impl<'a> Words<'a> {
    pub fn new(documents: &'a dyn Documents, query: &'a Query) -> Self {
        Self {
            query,
            words: documents.words(),
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
        self.words
            .search(self.query, leg, count, accept, probe, rescoring)
    }

    /// Explains the BM25 of documents, which ascend.
    pub fn explain(&self, leg: &LexicalLeg, docs: &[u32]) -> Result<Vec<Vec<TermScore>>> {
        self.words.explain(self.query, leg, docs)
    }

    /// Explains the inner products of documents, which ascend, with the vector of a leg that has one.
    pub fn explain_sparse(&self, sparse: &SparseQuery, docs: &[u32]) -> Result<Vec<Explanation>> {
        let products = self.words.sparse_products(sparse, docs)?.into_iter();
        Ok(products
            .map(|products| explanation(sparse, products))
            .collect())
    }

    /// Finds the words of a leg in texts.
    pub fn highlighter(&self, leg: &LexicalLeg) -> Result<Highlighter> {
        self.words.highlighter(self.query, leg)
    }

    /// The highlights that hits show of the texts with words of the query; none where nobody asks.
    pub fn highlights(&self) -> Result<Option<Arc<WordHighlights>>> {
        if self.query.highlights().is_none() {
            return Ok(None);
        }
        let leg = self.query.plan.lexical.as_ref();
        let words = leg.map(|leg| self.highlighter(leg));
        let words = words.transpose()?;
        Ok(Some(Arc::new(WordHighlights::new(words))))
    }

    /// The query that may have been meant; none where nobody asks, or the words are right.
    pub fn did_you_mean(&self) -> Result<Option<String>> {
        let plan = &self.query.plan;
        match (&plan.lexical, &plan.did_you_mean) {
            (Some(leg), Some(text)) => self.words.corrected(self.query, leg, text),
            _ => Ok(None),
        }
    }
}

/// Notes that the lexical leg changed the scores of hits.
pub(super) fn note_changed(hits: &mut [Hit]) {
    for hit in hits {
        hit.stages.is_lexical_changed = true;
    }
}
