//! Documents that were found elsewhere, as candidates of a search that is ranked here.
//!
//! The stages run over them as over an index. They note in [`Needs`] the facts that they ask for and that are not here yet:
//! the ranking then counts for nothing, and runs anew once these were fetched.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::RwLock;
use pelorus_cancellation::Cancellation;
use pelorus_columns::{Columns, MultiVector, TypedFilter, composed};
use pelorus_documents::{FieldTensors, IndexedValues, StoredDocument};
use pelorus_filter::Filter;
use pelorus_hnsw::VectorHit;
use pelorus_kernels::BitSet;
use pelorus_lexical::{Highlighter, LexicalError, MatchProbe, TermScore};
use rustc_hash::FxHashMap;

use super::candidate_index::CandidateIndex;
use super::candidate_search::other_probe;
use super::documents::{Documents, WordIndex};
use super::hits::{Hit, sort_by_score};
use super::lexical_query::lexical_query;
use super::nearest::{Nearest, nearest_of};
use super::numbers::Numbers;
use super::pins::Pin;
use super::query::Query;
use super::rescoring::Rescoring;
use super::sparse_words::{self, SparseProduct};
use super::words::note_changed;
use crate::error::{EngineError, Result, SearchError};
use crate::generated::{LexicalLeg, SparseQuery};
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
    /// Documents of the probe for relevance by other words, from its best on.
    pub probe: Option<usize>,
    /// Tells that the number of all documents that match the words is asked for.
    pub words_total: bool,
    /// Candidates whose nearest chunks are asked for.
    pub distances: BTreeSet<u32>,
    /// Candidates whose BM25 is asked for.
    pub bm25: BTreeSet<u32>,
    /// Candidates whose stored form is asked for.
    pub stored: BTreeSet<u32>,
    /// Candidates whose BM25 is to be explained.
    pub explained: BTreeSet<u32>,
    /// Candidates whose vectors are asked for.
    pub vectors: BTreeSet<u32>,
    /// Candidates the texts of whose nearest chunks are asked for.
    pub texts: BTreeSet<u32>,
    /// Ids of documents whose tensors are asked for.
    pub tensors: Vec<String>,
    /// Tells that every document that passes the filter is asked for.
    pub all: bool,
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

/// The nearest chunk of a candidate in a field, by what is known of it elsewhere.
#[derive(Debug, Clone)]
pub struct CandidateChunk {
    /// Tensor field.
    pub field: Arc<str>,
    pub distance: f32,
    /// None as long as its distance alone was told.
    pub text: Option<ChunkText>,
}

/// The text that a chunk was made of.
#[derive(Debug, Clone, Default)]
pub struct ChunkText {
    /// Its place in the field.
    pub place: u32,
    pub text: String,
}

#[derive(Debug, Default)]
struct Candidate {
    /// The id that it has where it was found.
    id: String,
    /// Its nearest chunk of each field that was searched; none where that is not known.
    chunks: Option<Vec<CandidateChunk>>,
    /// Its score in the lexical leg. None where it is not known; the inner one is none where it does not match.
    bm25: Option<Option<f64>>,
    /// The same by the words of the probe.
    probe_bm25: Option<f32>,
    /// The terms that its BM25 adds up from; none where they are not known.
    term_scores: Option<Vec<TermScore>>,
    stored: Option<Vec<u8>>,
    /// Its vectors; none where they are not known.
    tensors: Option<Vec<FieldTensors>>,
}

/// The candidates of one search, numbered as they were found.
pub(super) struct Candidates {
    index: Arc<CandidateIndex>,
    candidates: Vec<Candidate>,
    by_id: FxHashMap<String, u32>,
    columns: RwLock<Columns>,
    /// By filter, that of the search first; facets may leave terms of it out.
    sets: Vec<CandidateSet>,
    /// Sets that the last ranking asked for and that are not there.
    missing: RefCell<Vec<AskedSet>>,
}

/// A set that a ranking asks for.
#[derive(Debug, Clone, PartialEq)]
struct AskedSet {
    filter: Option<Filter>,
    /// Tells that its documents are those pinned, which are in no other.
    is_of_pins: bool,
}

impl AskedSet {
    fn of(filter: Option<Filter>) -> Self {
        Self {
            filter,
            is_of_pins: false,
        }
    }
}

/// The candidates that pass one filter, as far as they are known.
struct CandidateSet {
    asked: AskedSet,
    typed: Option<TypedFilter>,
    accept: BitSet,
    nearest: Prefix,
    words: Prefix,
    probe: Prefix,
    words_total: Option<u64>,
    /// Tells whether every document that passes is a candidate.
    is_whole: bool,
    /// The address of the candidates without the groups that were shown, while a search is among these.
    rest: Cell<usize>,
    needs: RefCell<Needs>,
}

impl Candidates {
    /// No candidates yet of a filter.
    ///
    /// # Errors
    /// When the index cannot be asked for a term of the filter.
    pub fn new(index: Arc<CandidateIndex>, filter: Option<Filter>) -> Result<Self> {
        let mut candidates = Self {
            columns: RwLock::new(index.definition.columns()),
            index,
            candidates: Vec::new(),
            by_id: FxHashMap::default(),
            sets: Vec::new(),
            missing: RefCell::default(),
        };
        candidates.add_set(AskedSet::of(filter))?;
        Ok(candidates)
    }

    fn add_set(&mut self, asked: AskedSet) -> Result<()> {
        let typed = asked.filter.as_ref();
        let typed = typed.map(|filter| self.index.typed_filter(filter));
        let typed = typed.transpose()?;
        self.sets.push(CandidateSet {
            asked,
            typed,
            accept: BitSet::default(),
            nearest: Prefix::default(),
            words: Prefix::default(),
            probe: Prefix::default(),
            words_total: None,
            is_whole: false,
            rest: Cell::default(),
            needs: RefCell::default(),
        });
        Ok(())
    }

    /// Begins the sets that the last ranking lacked, and tells whether it lacked any.
    pub fn add_missing_sets(&mut self) -> Result<bool> {
        let missing = self.missing.take();
        let lacked = !missing.is_empty();
        for asked in missing {
            if !self.sets.iter().any(|set| set.asked == asked) {
                self.add_set(asked)?;
            }
        }
        Ok(lacked)
    }

    /// The set that is asked for; none as long as it is not there, and then it is missing.
    fn set_of(&self, asked: AskedSet) -> Option<&CandidateSet> {
        let set = self.sets.iter().find(|set| set.asked == asked);
        if set.is_none() {
            self.missing.borrow_mut().push(asked);
        }
        set
    }

    /// Tells whether the documents of a set are those pinned.
    pub fn is_of_pins(&self, set: usize) -> bool {
        self.sets[set].asked.is_of_pins
    }

    pub fn index(&self) -> &Arc<CandidateIndex> {
        &self.index
    }

    /// The candidates of the search's own filter.
    pub fn found(&self) -> FoundCandidates<'_> {
        let (all, set) = (self, &self.sets[0]);
        FoundCandidates { all, set }
    }

    /// The filter of a set.
    pub fn filter(&self, set: usize) -> Option<&TypedFilter> {
        self.sets[set].typed.as_ref()
    }

    /// The number of the candidate with an id, which is new where it was not found before.
    pub fn number(&mut self, set: usize, id: &str) -> u32 {
        let number = match self.by_id.get(id) {
            Some(&number) => number,
            None => {
                let number = self.candidates.len() as u32;
                self.by_id.insert(id.to_owned(), number);
                self.candidates.push(Candidate {
                    id: id.to_owned(),
                    ..Candidate::default()
                });
                number
            }
        };
        self.sets[set].accept.insert(number);
        number
    }

    /// The number of the candidate with an id, of whichever set.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// Takes candidates out of all sets that were looked for by their ids and are not there any more. Tells whether there
    /// were any.
    pub fn take_out_lost(&mut self, docs: &[u32]) -> bool {
        let is_lost = |doc: &u32| self.candidates[*doc as usize].stored.is_none();
        let lost: Vec<u32> = docs.iter().copied().filter(is_lost).collect();
        for set in &mut self.sets {
            for &doc in &lost {
                set.accept.remove(doc);
            }
        }
        !lost.is_empty()
    }

    pub fn id(&self, number: u32) -> &str {
        &self.candidates[number as usize].id
    }

    /// The number of candidates of all sets.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// The nearest chunk of a candidate in a field, as far as its chunks are known.
    pub fn chunk(&self, number: u32, field: &str) -> Option<&CandidateChunk> {
        let candidate = &self.candidates[number as usize];
        let mut chunks = candidate.chunks.iter().flatten();
        chunks.find(|chunk| &*chunk.field == field)
    }

    /// Takes in the nearest chunks of a candidate, one of each field.
    pub fn set_chunks(&mut self, number: u32, chunks: Vec<CandidateChunk>) {
        self.candidates[number as usize].chunks = Some(chunks);
    }

    /// Takes in the distance of a candidate's nearest chunk in a field.
    pub fn set_distance(&mut self, number: u32, field: &str, distance: f32) {
        let chunks = self.candidates[number as usize]
            .chunks
            .get_or_insert_default();
        match chunks.iter_mut().find(|chunk| &*chunk.field == field) {
            Some(chunk) => chunk.distance = distance,
            None => chunks.push(CandidateChunk {
                field: field.into(),
                distance,
                text: None,
            }),
        }
    }

    /// Takes in the text of a candidate's nearest chunk in a field, whose distance is known.
    pub fn set_text(&mut self, number: u32, field: &str, text: ChunkText) {
        let mut chunks = self.candidates[number as usize].chunks.iter_mut().flatten();
        if let Some(chunk) = chunks.find(|chunk| &*chunk.field == field) {
            chunk.text = Some(text);
        }
    }

    /// Takes in the score of a candidate in the lexical leg; none where it does not match.
    pub fn set_bm25(&mut self, number: u32, bm25: Option<f64>) {
        self.candidates[number as usize].bm25 = Some(bm25);
    }

    /// Takes in the BM25 of a candidate by the words of the probe.
    pub fn set_probe_bm25(&mut self, number: u32, bm25: f32) {
        self.candidates[number as usize].probe_bm25 = Some(bm25);
    }

    /// Takes in the terms that the BM25 of a candidate adds up from.
    pub fn set_term_scores(&mut self, number: u32, scores: Vec<TermScore>) {
        self.candidates[number as usize].term_scores = Some(scores);
    }

    /// Takes in the vectors of a candidate.
    pub fn set_vectors(&mut self, number: u32, tensors: Vec<FieldTensors>) {
        self.candidates[number as usize].tensors = Some(tensors);
    }

    /// Takes in the stored form of a candidate.
    pub fn set_stored(&mut self, number: u32, stored: Vec<u8>) -> Result<()> {
        let candidate = &mut self.candidates[number as usize];
        if candidate.stored.is_some() {
            return Ok(());
        }
        let document = StoredDocument::decode(&stored)?;
        let schema = &self.index.definition.documents;
        let values = IndexedValues::of_stored(schema, &document)?.columns;
        self.columns.write().insert(number, document.id, &values);
        candidate.stored = Some(stored);
        Ok(())
    }

    /// Notes that the first `asked` documents of a set's tensor leg were looked for, and `found` of them were there.
    pub fn note_nearest(&mut self, set: usize, asked: usize, found: usize) {
        self.sets[set].nearest = Prefix {
            len: asked,
            is_all: found < asked,
        };
    }

    /// The same of the lexical leg.
    pub fn note_words(&mut self, set: usize, asked: usize, found: usize, total: Option<u64>) {
        let set = &mut self.sets[set];
        set.words = Prefix {
            len: asked,
            is_all: found < asked,
        };
        set.words_total = total.or(set.words_total);
    }

    /// Notes that every document that passes the filter of a set is a candidate.
    pub fn note_all(&mut self, set: usize) {
        self.sets[set].is_whole = true;
    }

    /// Documents of a set's tensor leg that were looked for.
    pub fn nearest_asked(&self, set: usize) -> usize {
        self.sets[set].nearest.len
    }

    /// Documents of a set's lexical leg that were looked for.
    pub fn words_asked(&self, set: usize) -> usize {
        self.sets[set].words.len
    }

    /// Documents of a set's probe that were looked for.
    pub fn probe_asked(&self, set: usize) -> usize {
        self.sets[set].probe.len
    }

    /// Notes that the first `asked` documents of a set's probe were looked for, and `found` of them were there.
    pub fn note_probe(&mut self, set: usize, asked: usize, found: usize) {
        self.sets[set].probe = Prefix {
            len: asked,
            is_all: found < asked,
        };
    }

    /// Notes that those of some candidates whose chunks were looked for in vain have none.
    pub fn note_without_chunks(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize].chunks.get_or_insert_default();
        }
    }

    /// The same of texts of chunks, which have none then.
    pub fn note_without_texts(&mut self, docs: &[u32]) {
        for &doc in docs {
            for chunk in self.candidates[doc as usize].chunks.iter_mut().flatten() {
                chunk.text.get_or_insert_default();
            }
        }
    }

    /// The same of vectors.
    pub fn note_without_vectors(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize]
                .tensors
                .get_or_insert_default();
        }
    }

    /// The same of words that they do not match.
    pub fn note_without_words(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize].bm25.get_or_insert(None);
        }
    }

    /// The same of terms that explain nothing.
    pub fn note_without_term_scores(&mut self, docs: &[u32]) {
        for &doc in docs {
            self.candidates[doc as usize]
                .term_scores
                .get_or_insert_default();
        }
    }

    /// Takes what the last ranking asked for and was not here, by set.
    pub fn take_needs(&self) -> Vec<(usize, Needs)> {
        let sets = self.sets.iter().enumerate();
        let needs = sets.map(|(at, set)| (at, set.needs.take()));
        needs.filter(|(_, needs)| !needs.is_empty()).collect()
    }
}

/// The candidates of one set.
#[derive(Clone, Copy)]
pub(super) struct FoundCandidates<'a> {
    all: &'a Candidates,
    set: &'a CandidateSet,
}

impl FoundCandidates<'_> {
    fn candidate(&self, doc: u32) -> &Candidate {
        &self.all.candidates[doc as usize]
    }

    fn need(&self, note: impl FnOnce(&mut Needs)) {
        note(&mut self.set.needs.borrow_mut());
    }

    /// Asks for the stored forms of candidates that are not here.
    pub fn need_stored(&self, docs: impl Iterator<Item = u32>) {
        let missing = docs.filter(|&doc| self.candidate(doc).stored.is_none());
        self.need(|needs| needs.stored.extend(missing));
    }

    /// Asks for the texts of the nearest chunks of hits that are not here.
    pub fn need_texts(&self, hits: &[Hit]) {
        let missing = hits.iter().filter(|hit| {
            let nearest = hit.nearest.as_ref();
            let chunk = nearest.and_then(|near| self.all.chunk(hit.doc, &near.field));
            chunk.is_some_and(|chunk| chunk.text.is_none())
        });
        self.need(|needs| needs.texts.extend(missing.map(|hit| hit.doc)));
    }

    /// Asks for the values of candidates that are not here.
    fn need_values(&self, docs: impl Iterator<Item = u32>) {
        self.need(|needs| needs.values = true);
        self.need_stored(docs);
    }

    /// The number of candidates that a search for the best of all leaves out; none of a search of some alone.
    fn left_out(&self, accept: &BitSet) -> Option<usize> {
        let is_rest = std::ptr::from_ref(accept).addr() == self.set.rest.get();
        match is_rest || std::ptr::eq(accept, &raw const self.set.accept) {
            true => Some(self.set.accept.len() - accept.len()),
            false => None,
        }
    }

    /// The filter of the set and another one.
    fn also(&self, other: Filter) -> Filter {
        let filters = self.set.asked.filter.iter().cloned().chain([other]);
        Filter::all_of(filters.collect())
    }

    /// A set of which every document is asked for; none as long as it is not there.
    fn whole_set_of(&self, asked: AskedSet) -> Option<&CandidateSet> {
        let set = self.all.set_of(asked)?;
        if !set.is_whole {
            set.needs.borrow_mut().all = true;
        }
        Some(set)
    }

    /// The BM25 of the best of `accept`, best first, equal ones by number.
    fn matches(&self, accept: &BitSet) -> Vec<Hit> {
        let mut hits: Vec<Hit> = accept
            .iter()
            .filter_map(|doc| Some(Hit::new(doc, self.candidate(doc).bm25??)))
            .collect();
        sort_by_score(&mut hits);
        hits
    }
}

impl Documents for FoundCandidates<'_> {
    fn definition(&self) -> &Definition {
        &self.all.index.definition
    }

    fn accept(&self) -> &BitSet {
        &self.set.accept
    }

    /// As far as is known: more may be found.
    fn count(&self) -> usize {
        usize::MAX
    }

    /// As far as is known. They make a set of their own, by their ids.
    fn pins(&self, query: &Query) -> Result<Vec<Pin>> {
        let pinned = &query.plan.pinned;
        let of_ids = Filter::In {
            field: "_id".to_owned(),
            values: pinned.iter().map(|one| one.id.clone()).collect(),
        };
        let asked = AskedSet {
            filter: Some(self.also(of_ids)),
            is_of_pins: true,
        };
        let Some(set) = self.whole_set_of(asked) else {
            return Ok(Vec::new());
        };
        self.need_stored(set.accept.iter());
        let mut by_id = FxHashMap::default();
        for doc in set.accept.iter() {
            if let Some(stored) = &self.candidate(doc).stored {
                by_id.insert(composed(StoredDocument::decode(stored)?.id), doc);
            }
        }
        let pins = pinned.iter().filter_map(|one| {
            let (doc, place) = (*by_id.get(&*composed(&one.id))?, one.place);
            Some(Pin { doc, place })
        });
        Ok(pins.collect())
    }

    fn live(&self) -> usize {
        usize::MAX
    }

    fn note_rest(&self, rest: Option<&BitSet>) {
        let address = rest.map_or(0, |rest| std::ptr::from_ref(rest).addr());
        self.set.rest.set(address);
    }

    fn with_filter(
        &self,
        query: &Query,
        change: &dyn Fn(Filter) -> Option<Filter>,
        work: &mut dyn FnMut(&dyn Documents) -> Result<()>,
    ) -> Result<()> {
        let all = self.all;
        let filter = query.plan.filter_changed_by(&all.index.options, change)?;
        match all.set_of(AskedSet::of(filter)) {
            Some(set) => work(&FoundCandidates { all, set }),
            None => Ok(()),
        }
    }

    /// Groups are not looked into: what they hold besides their hits is not there.
    fn among(&self, _: &BitSet, _: &mut dyn FnMut(&dyn Documents) -> Result<()>) -> Result<()> {
        Err(SearchError::NotOfCandidates("further documents of groups".to_owned()).into())
    }

    fn tensor_fields(&self) -> Vec<String> {
        let candidates = self.all.candidates.iter();
        let chunks = candidates.flat_map(|one| &one.chunks).flatten();
        let names: BTreeSet<&str> = chunks.map(|chunk| &*chunk.field).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn nearest(&self, search: &Nearest<'_>) -> Result<Vec<Hit>> {
        let set = self.set;
        let left_out = self.left_out(search.accept);
        if let Some(left_out) = left_out {
            // Those of groups that were shown may all be among the nearest.
            let wanted = search.largest_step().saturating_add(left_out);
            if !set.nearest.holds(wanted) {
                self.need(|needs| needs.nearest = needs.nearest.max(Some(wanted)));
            }
        }
        let mut by_field: BTreeMap<&str, Vec<VectorHit>> = BTreeMap::new();
        for doc in search.accept.iter() {
            match &self.candidate(doc).chunks {
                None if left_out.is_none() => {
                    self.need(|needs| {
                        needs.distances.insert(doc);
                    });
                }
                None => {}
                Some(chunks) => {
                    for chunk in chunks {
                        by_field.entry(&chunk.field).or_default().push(VectorHit {
                            doc,
                            chunk: chunk.text.as_ref().map_or(0, |text| text.place),
                            distance: chunk.distance,
                        });
                    }
                }
            }
        }
        Ok(nearest_of(search, self.definition().metric, by_field))
    }

    fn words(&self) -> Box<dyn WordIndex + '_> {
        Box::new(CandidateWords(*self))
    }

    fn read_numbers(
        &self,
        fields: &[String],
        _: &Cancellation,
        work: &mut dyn FnMut(&Numbers<'_>) -> Result<()>,
    ) -> Result<()> {
        if !fields.is_empty() {
            self.need_values(self.set.accept.iter());
        }
        work(&Numbers::of(&self.all.columns.read(), fields))
    }

    fn read_columns(&self, work: &mut dyn FnMut(&Columns)) {
        self.need_values(self.set.accept.iter());
        work(&self.all.columns.read());
    }

    /// Those of a set of their own.
    fn members(&self, field: &str, hits: &[Hit]) -> BitSet {
        self.need_values(hits.iter().map(|hit| hit.doc));
        if hits
            .iter()
            .any(|hit| self.candidate(hit.doc).stored.is_none())
        {
            return BitSet::default();
        }
        let columns = self.all.columns.read();
        let Some(texts) = columns.texts(field) else {
            return BitSet::default();
        };
        let names = hits
            .iter()
            .filter_map(|hit| Some(texts.text(texts.single(hit.doc)?)));
        let names: BTreeSet<&str> = names.collect();
        if names.is_empty() {
            return BitSet::default();
        }
        let of_groups = Filter::In {
            field: field.to_owned(),
            values: names.into_iter().map(str::to_owned).collect(),
        };
        let asked = AskedSet::of(Some(self.also(of_groups)));
        let set = self.whole_set_of(asked);
        set.map_or_else(BitSet::default, |set| set.accept.clone())
    }

    fn view_columns(&self, docs: &BitSet, _: &Cancellation) -> Result<ViewColumns<'_>> {
        self.need_values(docs.iter());
        let schema = self.definition().columns_schema();
        Ok(ViewColumns::of(self.all.columns.read(), schema))
    }

    fn document(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        self.need_stored(std::iter::once(doc));
        Ok(self.candidate(doc).stored.clone())
    }

    fn tensors(&self, doc: u32) -> Result<Vec<FieldTensors>> {
        let known = self.candidate(doc).tensors.clone();
        Ok(known.unwrap_or_else(|| {
            self.need(|needs| {
                needs.vectors.insert(doc);
            });
            Vec::new()
        }))
    }

    fn multi_vectors(&self, field: &str, docs: &[u32]) -> Result<Vec<Option<Arc<MultiVector>>>> {
        let of_document = |&doc: &u32| {
            let Some(bytes) = self.document(doc)? else {
                return Ok(None);
            };
            let document = StoredDocument::decode(&bytes)?;
            let values = IndexedValues::of_stored(&self.definition().documents, &document)?;
            Ok(values.multi_vectors(field).cloned())
        };
        docs.iter().map(of_document).collect()
    }

    /// The text of the nearest one: no other is known.
    fn chunk(&self, doc: u32, field: &str, _: u32) -> Result<Option<String>> {
        let found = self.all.chunk(doc, field).and_then(|one| one.text.as_ref());
        Ok(found.map(|found| found.text.clone()))
    }

    fn lexical_failed(&self, error: LexicalError) -> EngineError {
        error.into()
    }
}

/// The words of candidates, as they were scored elsewhere.
struct CandidateWords<'a>(FoundCandidates<'a>);

impl CandidateWords<'_> {
    /// The best `count` of `accept` by the words of the probe.
    fn probed(&self, count: usize, accept: &BitSet) -> Vec<Hit> {
        let Self(candidates) = self;
        let bm25 = |doc: u32| candidates.candidate(doc).probe_bm25;
        let mut hits: Vec<Hit> = accept
            .iter()
            .filter_map(|doc| Some(Hit::new(doc, f64::from(bm25(doc)?))))
            .collect();
        sort_by_score(&mut hits);
        let wanted = count.saturating_add(candidates.left_out(accept).unwrap_or(0));
        if !candidates.set.probe.holds(wanted) {
            candidates.need(|needs| needs.probe = needs.probe.max(Some(wanted)));
        }
        hits.truncate(count);
        hits
    }
}

impl WordIndex for CandidateWords<'_> {
    fn search(
        &self,
        query: &Query,
        leg: &LexicalLeg,
        count: usize,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        rescoring: Option<&Rescoring>,
    ) -> Result<(Vec<Hit>, u64)> {
        if other_probe(&query.plan).is_some_and(|other| std::ptr::eq(other, leg)) {
            let hits = self.probed(count, accept);
            let total = hits.len() as u64;
            return Ok((hits, total));
        }
        let Self(candidates) = self;
        let mut hits = candidates.matches(accept);
        // Changed scores rank every match.
        let wanted = match (&probe, rescoring) {
            (Some(probe), _) if std::ptr::eq(probe.within, accept) => usize::MAX,
            (_, Some(_)) => usize::MAX,
            _ => count,
        };
        if let Some(left_out) = candidates.left_out(accept) {
            // Those of groups that were shown may all be among the best.
            let wanted = wanted.saturating_add(left_out);
            if !candidates.set.words.holds(wanted) {
                candidates.need(|needs| needs.words = needs.words.max(Some(wanted)));
            }
        } else if count >= accept.len() {
            let unknown = accept.iter();
            let unknown = unknown.filter(|&doc| candidates.candidate(doc).bm25.is_none());
            let unknown: Vec<u32> = unknown.collect();
            if !candidates.set.words.is_all {
                candidates.need(|needs| needs.bm25.extend(unknown));
            }
        } else if hits.len() < wanted && !candidates.set.words.is_all {
            // Those that are missing lie deeper.
            let deeper = candidates.set.words.len.saturating_mul(4).max(wanted);
            candidates.need(|needs| needs.words = needs.words.max(Some(deeper)));
        }
        let total = match (&probe, candidates.set.words_total) {
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
            rescoring.apply(candidates, query, &mut hits)?;
            note_changed(&mut hits);
            sort_by_score(&mut hits);
        }
        hits.truncate(count);
        Ok((hits, total))
    }

    fn explain(&self, _: &Query, _: &LexicalLeg, docs: &[u32]) -> Result<Vec<Vec<TermScore>>> {
        let explained = docs.iter().map(|&doc| {
            let scores = self.0.candidate(doc).term_scores.clone();
            scores.unwrap_or_else(|| {
                self.0.need(|needs| {
                    needs.explained.insert(doc);
                });
                Vec::new()
            })
        });
        Ok(explained.collect())
    }

    fn sparse_products(
        &self,
        sparse: &SparseQuery,
        docs: &[u32],
    ) -> Result<Vec<Vec<SparseProduct>>> {
        self.0.need_values(docs.iter().copied());
        sparse_words::products(&self.0.all.columns.read(), sparse, docs)
    }

    fn highlighter(&self, _: &Query, leg: &LexicalLeg) -> Result<Highlighter> {
        let index = self.0.all.index();
        let words = index
            .text_fields()
            .highlighter(&lexical_query(leg, 0), index.analyses());
        Ok(words?)
    }

    /// Whoever keeps the words has to have refused it.
    fn corrected(&self, _: &Query, _: &LexicalLeg, _: &str) -> Result<Option<String>> {
        Ok(None)
    }
}
