//! The documents of one view of an index of this engine.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::{Columns, MultiVector};
use pelorus_documents::{FieldTensors, decode_chunk, decode_tensors};
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    Highlighter, LexicalError, LexicalQuery, LexicalReader, MatchProbe, TermScore,
};

use super::collapse;
use super::documents::{Documents, WordIndex};
use super::hits::Hit;
use super::lexical_query::lexical_query;
use super::match_scores::with_match_scores;
use super::nearest::{Nearest, nearest};
use super::numbers::{Numbers, with_index_numbers};
use super::pins::Pin;
use super::query::Query;
use super::rescoring::Rescoring;
use super::sparse_words::{self, SparseProduct};
use super::words::note_changed;
use crate::background::row_references::{StoredTensors, stored_tensors};
use crate::error::{EngineError, Result};
use crate::generated::{LexicalLeg, SearchPlan, SparseQuery};
use crate::index::Index;
use crate::index::definition::Definition;
use crate::read::filtered_view::FilteredView;
use crate::read::view_columns::ViewColumns;

/// The documents of a view that pass a filter.
pub(super) struct IndexDocuments<'a> {
    pub index: &'a Index,
    pub view: FilteredView,
    /// Documents that are no hits, whatever the filter lets pass.
    excluded: Vec<u32>,
    pins: Vec<Pin>,
}

impl<'a> IndexDocuments<'a> {
    /// The documents of a view but for those that are `excluded`. Those that are pinned by a plan stand apart.
    pub fn new(
        index: &'a Index,
        mut view: FilteredView,
        excluded: Vec<u32>,
        plan: &SearchPlan,
    ) -> Self {
        view.leave_out(&excluded);
        let pins = plan.pinned.iter().filter_map(|pinned| {
            let doc = index.version_of(view.view(), &pinned.id)?;
            let place = pinned.place;
            view.accept().contains(doc).then_some(Pin { doc, place })
        });
        let pins: Vec<Pin> = pins.collect();
        let apart: Vec<u32> = pins.iter().map(|pin| pin.doc).collect();
        view.leave_out(&apart);
        Self {
            index,
            view,
            excluded,
            pins,
        }
    }

    /// All documents of a view, to be shown.
    pub fn shown(index: &'a Index, view: FilteredView) -> Self {
        Self {
            index,
            view,
            excluded: Vec::new(),
            pins: Vec::new(),
        }
    }
}

impl Documents for IndexDocuments<'_> {
    fn definition(&self) -> &Definition {
        &self.index.definition
    }

    fn accept(&self) -> &BitSet {
        self.view.accept()
    }

    fn count(&self) -> usize {
        self.view.count()
    }

    fn pins(&self, _: &Query) -> Result<Vec<Pin>> {
        Ok(self.pins.clone())
    }

    fn live(&self) -> usize {
        self.view.live()
    }

    fn with_filter(
        &self,
        query: &Query,
        change: &dyn Fn(Filter) -> Option<Filter>,
        work: &mut dyn FnMut(&dyn Documents) -> Result<()>,
    ) -> Result<()> {
        let filter = query.plan.filter_changed_by(self.index.limits(), change)?;
        let view = self.view.view();
        let view = self
            .index
            .filtered_view_in(view, filter.as_ref(), &query.cancellation)?;
        let excluded = self.excluded.clone();
        work(&IndexDocuments::new(
            self.index,
            view,
            excluded,
            &query.plan,
        ))
    }

    fn among(
        &self,
        docs: &BitSet,
        work: &mut dyn FnMut(&dyn Documents) -> Result<()>,
    ) -> Result<()> {
        work(&IndexDocuments {
            index: self.index,
            view: self.view.among(docs.clone()),
            excluded: Vec::new(),
            pins: Vec::new(),
        })
    }

    fn tensor_fields(&self) -> Vec<String> {
        self.index.vectors.names()
    }

    fn nearest(&self, search: &Nearest<'_>) -> Result<Vec<Hit>> {
        nearest(self.index, search)
    }

    fn words(&self) -> Box<dyn WordIndex + '_> {
        Box::new(IndexWords {
            documents: self,
            reader: self.index.lexical.reader().within(self.view.passing()),
        })
    }

    fn read_numbers(
        &self,
        fields: &[String],
        cancellation: &Cancellation,
        work: &mut dyn FnMut(&Numbers<'_>) -> Result<()>,
    ) -> Result<()> {
        with_index_numbers(self, fields, cancellation, work)
    }

    fn read_columns(&self, work: &mut dyn FnMut(&Columns)) {
        work(&self.index.columns.read());
    }

    fn members(&self, field: &str, hits: &[Hit]) -> BitSet {
        collapse::members(self, field, hits)
    }

    fn view_columns(&self, docs: &BitSet, cancellation: &Cancellation) -> Result<ViewColumns<'_>> {
        self.index
            .view_columns(self.view.view(), docs, cancellation)
    }

    fn document(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        Ok(self.view.snapshot().document(doc)?)
    }

    fn tensors(&self, doc: u32) -> Result<Vec<FieldTensors>> {
        let found = stored_tensors(self.index, self.view.snapshot(), doc)?;
        let StoredTensors { bytes, damaged } = found.unwrap_or_default();
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        let mut tensors = decode_tensors(&bytes, self.index.definition.documents.dimensions)?;
        tensors.retain(|tensor| !damaged.contains(&tensor.field));
        Ok(tensors)
    }

    /// No revision changes the vectors of a document, so that the columns show those of every view.
    fn multi_vectors(&self, field: &str, docs: &[u32]) -> Result<Vec<Option<Arc<MultiVector>>>> {
        let columns = self.index.columns.read();
        let vectors = columns.multi_vectors(field);
        let of_document = |&doc: &u32| vectors?.get(doc).cloned();
        Ok(docs.iter().map(of_document).collect())
    }

    fn chunk(&self, doc: u32, field: &str, chunk: u32) -> Result<Option<String>> {
        let Some(bytes) = self.view.snapshot().tensors(doc)? else {
            return Ok(None);
        };
        let dimensions = self.index.definition.documents.dimensions;
        let text = decode_chunk(&bytes, dimensions, field, chunk)?;
        Ok(text.map(str::to_owned))
    }

    fn lexical_failed(&self, error: LexicalError) -> EngineError {
        self.index.lexical_failed(error)
    }
}

/// The text index as one search sees it.
struct IndexWords<'a> {
    documents: &'a IndexDocuments<'a>,
    reader: LexicalReader<'a>,
}

impl WordIndex for IndexWords<'_> {
    fn search(
        &self,
        query: &Query,
        leg: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        rescoring: Option<&Rescoring>,
    ) -> Result<(Vec<Hit>, u64)> {
        if let Some(sparse) = &leg.sparse {
            let documents = self.documents;
            return sparse_words::search(documents, query, sparse, count, accept, probe, rescoring);
        }
        let words = lexical_query(leg, count);
        let (reader, cancellation) = (&self.reader, &query.cancellation);
        let failed = |error| self.documents.lexical_failed(error);
        let Some(rescoring) = rescoring else {
            let (hits, total) = match probe {
                None => {
                    let hits = reader.search_top(&words, accept, cancellation);
                    (hits.map_err(failed)?, 0)
                }
                Some(_) => {
                    let found = reader.search_probing(&words, accept, probe, cancellation);
                    let found = found.map_err(failed)?;
                    (found.hits, found.total)
                }
            };
            let hits = hits.into_iter();
            let hits = hits.map(|(doc, score)| Hit::new(doc, f64::from(score)));
            return Ok((hits.collect(), total));
        };
        with_match_scores(rescoring, self.documents, query, |scores| {
            let (hits, total) = match probe {
                None => {
                    let hits = reader.search_top_rescored(&words, accept, cancellation, scores);
                    (hits.map_err(failed)?, 0)
                }
                Some(_) => {
                    let found = reader.search_rescored(&words, accept, probe, cancellation, scores);
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

    fn explain(
        &self,
        query: &Query,
        leg: &LexicalLeg,
        docs: &[u32],
    ) -> Result<Vec<Vec<TermScore>>> {
        let words = lexical_query(leg, docs.len());
        let explained = self.reader.explain(&words, docs, &query.cancellation);
        explained.map_err(|error| self.documents.lexical_failed(error))
    }

    fn sparse_products(
        &self,
        sparse: &SparseQuery,
        docs: &[u32],
    ) -> Result<Vec<Vec<SparseProduct>>> {
        sparse_words::products(&self.documents.index.columns.read(), sparse, docs)
    }

    fn highlighter(&self, query: &Query, leg: &LexicalLeg) -> Result<Highlighter> {
        let words = lexical_query(leg, 0);
        let words = self.reader.highlighter(&words, &query.cancellation);
        words.map_err(|error| self.documents.lexical_failed(error))
    }

    fn corrected(&self, query: &Query, leg: &LexicalLeg, text: &str) -> Result<Option<String>> {
        let words = LexicalQuery {
            text: text.to_owned(),
            ..lexical_query(leg, 0)
        };
        let corrected = self.reader.corrected(&words, &query.cancellation);
        corrected.map_err(|error| self.documents.lexical_failed(error))
    }
}
