//! The documents that a search ranks, as its stages read them.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::{Columns, MultiVector};
use pelorus_documents::FieldTensors;
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;
use pelorus_lexical::{Highlighter, LexicalError, MatchProbe, TermScore};

use super::hits::Hit;
use super::nearest::Nearest;
use super::numbers::Numbers;
use super::pins::Pin;
use super::query::Query;
use super::rescoring::Rescoring;
use super::sparse_words::SparseProduct;
use crate::error::{EngineError, Result};
use crate::generated::{LexicalLeg, SparseQuery};
use crate::index::definition::Definition;
use crate::read::view_columns::ViewColumns;

/// The documents of one state of an index, each with a number of its own, of which some may be hits. Every stage of one
/// search reads the same state.
pub(super) trait Documents {
    fn definition(&self) -> &Definition;

    /// The documents that may be hits.
    fn accept(&self) -> &BitSet;

    /// The number of these.
    fn count(&self) -> usize;

    /// The pinned documents that pass the filter, in the order of their places. They are not among those that may be
    /// hits by themselves.
    fn pins(&self, query: &Query) -> Result<Vec<Pin>>;

    /// Tells that searches among `rest` look for the best of all documents but those of groups that were shown; none when
    /// that is over.
    fn note_rest(&self, _rest: Option<&BitSet>) {}

    /// The number of all documents.
    fn live(&self) -> usize;

    /// Runs `work` with the same state, with a filter made of the search's own.
    fn with_filter(
        &self,
        query: &Query,
        change: &dyn Fn(Filter) -> Option<Filter>,
        work: &mut dyn FnMut(&dyn Documents) -> Result<()>,
    ) -> Result<()>;

    /// Runs `work` with the same state, of which `docs` alone may be hits.
    fn among(
        &self,
        docs: &BitSet,
        work: &mut dyn FnMut(&dyn Documents) -> Result<()>,
    ) -> Result<()>;

    /// The tensor fields that documents have.
    fn tensor_fields(&self) -> Vec<String>;

    /// The nearest documents, best first.
    fn nearest(&self, search: &Nearest<'_>) -> Result<Vec<Hit>>;

    /// The words of these documents: the same statistics for every stage that asks.
    fn words(&self) -> Box<dyn WordIndex + '_>;

    /// Runs `work` with the numbers that documents have in `fields`.
    fn read_numbers(
        &self,
        fields: &[String],
        cancellation: &Cancellation,
        work: &mut dyn FnMut(&Numbers<'_>) -> Result<()>,
    ) -> Result<()>;

    /// Runs `work` with the columns of what no update changes: ids, and the field that an index groups by.
    fn read_columns(&self, work: &mut dyn FnMut(&Columns));

    /// The documents of the groups of some hits by a field that may be hits, whether they are or not.
    fn members(&self, field: &str, hits: &[Hit]) -> BitSet;

    /// The columns of `docs`.
    fn view_columns(&self, docs: &BitSet, cancellation: &Cancellation) -> Result<ViewColumns<'_>>;

    /// The stored form of a document.
    fn document(&self, doc: u32) -> Result<Option<Vec<u8>>>;

    /// The vectors of a document, those of damaged fields left out.
    fn tensors(&self, doc: u32) -> Result<Vec<FieldTensors>>;

    /// The vectors of some documents in a field of which each may have many; none where it has none there.
    fn multi_vectors(&self, field: &str, docs: &[u32]) -> Result<Vec<Option<Arc<MultiVector>>>>;

    /// The text of a chunk of a document.
    fn chunk(&self, doc: u32, field: &str, chunk: u32) -> Result<Option<String>>;

    /// An error of the postings as the caller is told it.
    fn lexical_failed(&self, error: LexicalError) -> EngineError;
}

/// The words of documents.
pub(super) trait WordIndex {
    /// Finds the best `count` matches of the words of a leg, or of its sparse vector, among `accept`; with a probe alone it also tells how many
    /// documents match.
    fn search(
        &self,
        query: &Query,
        leg: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        rescoring: Option<&Rescoring>,
    ) -> Result<(Vec<Hit>, u64)>;

    /// Explains the BM25 of documents, which ascend.
    fn explain(&self, query: &Query, leg: &LexicalLeg, docs: &[u32])
    -> Result<Vec<Vec<TermScore>>>;

    /// The parts of the scores of documents, which ascend, where a sparse vector stands in place of words.
    fn sparse_products(
        &self,
        sparse: &SparseQuery,
        docs: &[u32],
    ) -> Result<Vec<Vec<SparseProduct>>>;

    /// Finds the words of a leg in texts.
    fn highlighter(&self, query: &Query, leg: &LexicalLeg) -> Result<Highlighter>;

    /// Corrects the words of a text that is searched as a leg is; none where all stay.
    fn corrected(&self, query: &Query, leg: &LexicalLeg, text: &str) -> Result<Option<String>>;
}

/// Runs `work` with the numbers that documents have in `fields`.
pub(super) fn with_numbers<T>(
    documents: &dyn Documents,
    query: &Query,
    fields: &[String],
    work: impl FnOnce(&Numbers<'_>) -> Result<T>,
) -> Result<T> {
    let mut work = Some(work);
    let mut done = None;
    documents.read_numbers(fields, &query.cancellation, &mut |numbers| {
        let work = work.take().expect("numbers are read once");
        done = Some(work(numbers)?);
        Ok(())
    })?;
    Ok(done.expect("numbers are read or there is an error"))
}
