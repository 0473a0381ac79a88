//! Documents that were found elsewhere, as candidates of a search that is ranked here.
//!
//! The stages run over them as over an index. They note in [`Needs`] the facts that they ask for and that are not here yet:
//! the ranking then counts for nothing, and runs anew once these were fetched.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::RwLock;
use pelorus_cancellation::Cancellation;
use pelorus_columns::Columns;
use pelorus_documents::{IndexedValues, StoredDocument};
use pelorus_filter::Filter;
use pelorus_hnsw::VectorHit;
use pelorus_kernels::BitSet;
use pelorus_lexical::{Highlighter, LexicalError, MatchProbe, TermScore};
use rustc_hash::FxHashMap;

use super::documents::{Documents, WordIndex};
use super::hits::{Hit, sort_by_score};
use super::nearest::{Nearest, nearest_of};
use super::numbers::Numbers;
use super::query::Query;
use super::rescoring::Rescoring;
use super::words::note_changed;
use crate::error::{EngineError, Result, SearchError};
use crate::generated::LexicalLeg;
use crate::index::definition::Definition;
use crate::read::view_columns::ViewColumns;

/// The first documents that a leg found, and whether these are all that it finds.
#[derive(Debug, Clone, Copy, Default)]
struct Prefix {
    len: usize,
    is_all: bool,
}

impl Prefix {
    fn holds(self, count: usize) -> bool {
        self.is_all || self.len >= count
    }
}

/// The facts that a ranking asked for and that were not here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Documents of the tensor leg, from its nearest on.
    pub nearest: Option<usize>,
    /// Documents of the lexical leg, from its best on.
    pub words: Option<usize>,
    /// Tells that the number of all documents that match the words is asked for.
    pub words_total: bool,
    /// Candidates whose nearest chunks are asked for.
    pub distances: BTreeSet<u32>,
    /// Candidates whose BM25 is asked for.
    pub bm25: BTreeSet<u32>,
    /// Candidates whose stored form is asked for.
    pub stored: BTreeSet<u32>,
    /// Tells that stages read values of every candidate, so that stored forms may come with those found. Asks for nothing
    /// by itself.
    pub values: bool,
}

impl Needs {
    pub fn is_empty(&self) -> bool {
        let nothing = Self {
            values: self.values,
            ..Self::default()
        };
        *self == nothing
    }
}

/// A chunk of a candidate, by what is known of it elsewhere.
#[derive(Debug, Clone)]
pub struct CandidateChunk {
    /// Tensor field.
    pub field: Arc<str>,
    /// Its place in the field.
    pub place: u32,
    pub distance: f32,
    /// The text that it was made of.
    pub text: String,
}

#[derive(Debug, Default)]
struct Candidate {
    id: String,
    /// Its nearest chunk of each field that was searched; none where that is not known.
    chunks: Option<Vec<CandidateChunk>>,
    /// None where it is not known; the inner one is none where it does not match the words.
    bm25: Option<Option<f32>>,
    stored: Option<Vec<u8>>,
}

/// The candidates of one search, numbered as they were found.
pub(crate) struct Candidates {
    definition: Definition,
    candidates: Vec<Candidate>,
    by_id: FxHashMap<String, u32>,
    accept: BitSet,
    columns: RwLock<Columns>,
    nearest: Prefix,
    words: Prefix,
    words_total: Option<u64>,
    needs: RefCell<Needs>,
}

impl Candidates {
    pub fn new(definition: Definition) -> Self {
        Self {
            columns: RwLock::new(Columns::new(definition.columns_schema())),
            definition,
            candidates: Vec::new(),
            by_id: FxHashMap::default(),
            accept: BitSet::default(),
            nearest: Prefix::default(),
            words: Prefix::default(),
            words_total: None,
            needs: RefCell::default(),
        }
    }

    /// The number of the candidate with an id, which is new where it was not found before.
    pub fn number(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.by_id.get(id) {
            return number;
        }
        let number = self.candidates.len() as u32;
        self.by_id.insert(id.to_owned(), number);
        self.accept.insert(number);
        self.candidates.push(Candidate {
            id: id.to_owned(),
            ..Candidate::default()
        });
        number
    }

    pub fn id(&self, number: u32) -> &str {
        &self.candidates[number as usize].id
    }

    /// Takes in the nearest chunks of a candidate, one of each field.
    pub fn set_chunks(&mut self, number: u32, chunks: Vec<CandidateChunk>) {
        self.candidates[number as usize].chunks = Some(chunks);
    }

    /// Takes in the BM25 of a candidate; none where it does not match the words.
    pub fn set_bm25(&mut self, number: u32, bm25: Option<f32>) {
        self.candidates[number as usize].bm25 = Some(bm25);
    }

    /// Takes in the stored form of a candidate.
    pub fn set_stored(&mut self, number: u32, stored: Vec<u8>) -> Result<()> {
        let document = StoredDocument::decode(&stored)?;
        let values = IndexedValues::of_stored(&self.definition.documents, &document)?.columns;
        self.columns.write().insert(number, document.id, &values);
        self.candidates[number as usize].stored = Some(stored);
        Ok(())
    }

    /// Notes that the first `asked` documents of the tensor leg were looked for, and `found` of them were there.
    pub fn note_nearest(&mut self, asked: usize, found: usize) {
        self.nearest = Prefix {
            len: asked,
            is_all: found < asked,
        };
    }

    /// The same of the lexical leg.
    pub fn note_words(&mut self, asked: usize, found: usize, total: Option<u64>) {
        self.words = Prefix {
            len: asked,
            is_all: found < asked,
        };
        self.words_total = total.or(self.words_total);
    }

    /// Documents of the tensor leg that were looked for.
    pub fn nearest_asked(&self) -> usize {
        self.nearest.len
    }

    /// Documents of the lexical leg that were looked for.
    pub fn words_asked(&self) -> usize {
        self.words.len
    }

    /// Notes that those of some candidates whose chunks were looked for in vain have none.
    pub fn note_without_chunks(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize].chunks.get_or_insert_default();
        }
    }

    /// The same of words that they do not match.
    pub fn note_without_words(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize].bm25.get_or_insert(None);
        }
    }

    /// Takes what the last ranking asked for and was not here.
    pub fn take_needs(&self) -> Needs {
        std::mem::take(&mut self.needs.borrow_mut())
    }

    fn need(&self, note: impl FnOnce(&mut Needs)) {
        note(&mut self.needs.borrow_mut());
    }

    /// Asks for the stored forms of candidates that are not here.
    pub fn need_stored(&self, docs: impl Iterator<Item = u32>) {
        let missing = docs.filter(|&doc| self.candidates[doc as usize].stored.is_none());
        self.need(|needs| needs.stored.extend(missing));
    }

    /// Asks for the values of candidates that are not here.
    fn need_values(&self, docs: impl Iterator<Item = u32>) {
        self.need(|needs| needs.values = true);
        self.need_stored(docs);
    }

    /// The BM25 of the best of `accept`, best first, equal ones by number.
    fn matches(&self, accept: &BitSet) -> Vec<Hit> {
        let mut hits: Vec<Hit> = accept
            .iter()
            .filter_map(|doc| {
                let bm25 = self.candidates.get(doc as usize)?.bm25??;
                Some(Hit::new(doc, f64::from(bm25)))
            })
            .collect();
        sort_by_score(&mut hits);
        hits
    }
}

impl Documents for Candidates {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn accept(&self) -> &BitSet {
        &self.accept
    }

    /// As far as is known: more may be found.
    fn count(&self) -> usize {
        usize::MAX
    }

    fn live(&self) -> usize {
        usize::MAX
    }

    fn refiltered(
        &self,
        _: &Query,
        _: &dyn Fn(Filter) -> Option<Filter>,
    ) -> Result<Box<dyn Documents + '_>> {
        Err(SearchError::NotOfCandidates("facets without terms of the filter").into())
    }

    fn tensor_fields(&self) -> Vec<String> {
        let chunks = self.candidates.iter().flat_map(|one| &one.chunks).flatten();
        let names: BTreeSet<&str> = chunks.map(|chunk| &*chunk.field).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn nearest(&self, search: &Nearest<'_>) -> Result<Vec<Hit>> {
        let is_whole = std::ptr::eq(search.accept, &raw const self.accept);
        let asked = search.depth.documents();
        if is_whole && !self.nearest.holds(search.largest_step()) {
            self.need(|needs| needs.nearest = needs.nearest.max(Some(search.largest_step())));
        }
        let mut by_field: BTreeMap<&str, Vec<VectorHit>> = BTreeMap::new();
        let mut known = 0;
        for doc in search.accept.iter() {
            match &self.candidates[doc as usize].chunks {
                None if !is_whole && asked >= search.accept.len() => {
                    self.need(|needs| {
                        needs.distances.insert(doc);
                    });
                }
                None => {}
                Some(chunks) => {
                    known += usize::from(!chunks.is_empty());
                    for chunk in chunks {
                        by_field.entry(&chunk.field).or_default().push(VectorHit {
                            doc,
                            chunk: chunk.place,
                            distance: chunk.distance,
                        });
                    }
                }
            }
        }
        // Documents of groups that were shown are left out: others lie deeper.
        if !is_whole && asked < search.accept.len() && known < asked && !self.nearest.is_all {
            let deeper = self.nearest.len.saturating_mul(4).max(asked);
            self.need(|needs| needs.nearest = needs.nearest.max(Some(deeper)));
        }
        Ok(nearest_of(search, self.definition.metric, by_field))
    }

    fn words(&self) -> Box<dyn WordIndex + '_> {
        Box::new(CandidateWords(self))
    }

    fn read_numbers(
        &self,
        fields: &[String],
        _: &Cancellation,
        work: &mut dyn FnMut(&Numbers<'_>) -> Result<()>,
    ) -> Result<()> {
        if !fields.is_empty() {
            self.need_values(self.accept.iter());
        }
        work(&Numbers::of(&self.columns.read(), fields))
    }

    fn read_columns(&self, work: &mut dyn FnMut(&Columns)) {
        self.need_values(self.accept.iter());
        work(&self.columns.read());
    }

    fn view_columns(&self, docs: &BitSet, _: &Cancellation) -> Result<ViewColumns<'_>> {
        self.need_values(docs.iter());
        let schema = self.definition.columns_schema();
        Ok(ViewColumns::of(self.columns.read(), schema))
    }

    fn document(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        self.need_stored(std::iter::once(doc));
        Ok(self.candidates[doc as usize].stored.clone())
    }

    fn chunk(&self, doc: u32, field: &str, chunk: u32) -> Result<Option<String>> {
        let mut chunks = self.candidates[doc as usize].chunks.iter().flatten();
        let found = chunks.find(|one| &*one.field == field && one.place == chunk);
        Ok(found.map(|found| found.text.clone()))
    }

    fn lexical_failed(&self, error: LexicalError) -> EngineError {
        error.into()
    }
}

/// The words of candidates, as they were scored elsewhere.
struct CandidateWords<'a>(&'a Candidates);

impl WordIndex for CandidateWords<'_> {
    fn search(
        &self,
        query: &Query,
        _: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        rescoring: Option<&Rescoring>,
    ) -> Result<(Vec<Hit>, u64)> {
        let Self(candidates) = self;
        let is_whole = std::ptr::eq(accept, &raw const candidates.accept);
        let mut hits = candidates.matches(accept);
        // Changed scores rank every match.
        let wanted = match (&probe, rescoring) {
            (Some(probe), _) if std::ptr::eq(probe.within, accept) => usize::MAX,
            (_, Some(_)) => usize::MAX,
            _ => count,
        };
        if is_whole {
            if !candidates.words.holds(wanted) {
                candidates.need(|needs| needs.words = needs.words.max(Some(wanted)));
            }
        } else if count >= accept.len() {
            let unknown = accept.iter();
            let unknown = unknown.filter(|&doc| candidates.candidates[doc as usize].bm25.is_none());
            let unknown: Vec<u32> = unknown.collect();
            if !candidates.words.is_all {
                candidates.need(|needs| needs.bm25.extend(unknown));
            }
        } else if hits.len() < wanted && !candidates.words.is_all {
            // Documents of groups that were shown are left out: others lie deeper.
            let deeper = candidates.words.len.saturating_mul(4).max(wanted);
            candidates.need(|needs| needs.words = needs.words.max(Some(deeper)));
        }
        let total = match (&probe, candidates.words_total) {
            (Some(_), None) => {
                candidates.need(|needs| {
                    needs.words_total = true;
                    needs.words = needs.words.max(Some(count));
                });
                0
            }
            (_, total) => total.unwrap_or(hits.len() as u64),
        };
        if let Some(probe) = probe {
            let matching = hits.iter().map(|hit| hit.doc);
            probe
                .matching
                .extend(matching.filter(|&doc| probe.within.contains(doc)));
        }
        if let Some(rescoring) = rescoring {
            // Equal scores are in the order of documents, whatever their BM25 was.
            hits.sort_unstable_by_key(|hit| hit.doc);
            rescoring.apply(*candidates, query, &mut hits)?;
            note_changed(&mut hits);
            sort_by_score(&mut hits);
        }
        hits.truncate(count);
        Ok((hits, total))
    }

    fn explain(&self, _: &Query, _: &LexicalLeg, _: &[u32]) -> Result<Vec<Vec<TermScore>>> {
        Err(SearchError::NotOfCandidates("the words of each score").into())
    }

    fn highlighter(&self, _: &LexicalLeg) -> Result<Highlighter> {
        Err(SearchError::NotOfCandidates("highlights of words").into())
    }
}
