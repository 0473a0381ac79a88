//! Documents inverted in memory: for each term the documents that hold it, in flat arrays.
//!
//! An [`Inverted`] never changes. A batch is inverted by the thread that brings it ([`InvertedBatch`]); adding it to an
//! index gives its rows their numbers and its fields their slots, and many small ones are merged into few large ones
//! ([`merge`]).

mod batch;
mod builder;
mod hash_index;
mod merge;
mod term_merge;

pub use batch::InvertedBatch;
pub(crate) use hash_index::HashIndex;
pub(crate) use merge::merge;
pub(crate) use term_merge::TermMerge;

use std::ops::Range;
use std::sync::LazyLock;

use self::builder::Builder;
use crate::field_table::Slot;
use crate::statistics::FieldLength;
use crate::word_list::WordList;

/// Consecutive documents and the terms they hold. Three levels, each a range of the next: a term
/// has a list for each field that holds it, a list has postings, a posting has positions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inverted {
    /// Numbers of the documents, ascending.
    documents: Vec<u32>,
    /// The ends of each document's fields.
    field_ends: Vec<u32>,
    fields: Vec<DocumentField>,
    /// The terms one behind the other, sorted.
    text: String,
    terms: Vec<Term>,
    index: HashIndex,
    lists: Vec<List>,
    /// For each posting: its document, the frequency of the term in the document's field, and the
    /// length of the field.
    docs: Vec<u32>,
    frequencies: Vec<u32>,
    lengths: Vec<FieldLength>,
    /// As many for each posting as its frequency says, ascending.
    positions: Vec<u32>,
    /// The words that the terms stand for.
    words: WordList,
}

/// A field of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentField {
    /// In a batch the number of the name, in an index the slot.
    pub(crate) field: u32,
    pub(crate) length: FieldLength,
}

#[derive(Debug, Clone, Copy)]
struct Term {
    hash: u32,
    text_end: u32,
    lists_end: u32,
    /// Documents that hold it in any field.
    documents: u32,
}

/// The postings of a term in a field. Lists of a term ascend by field.
#[derive(Debug, Clone, Copy)]
struct List {
    field: u32,
    postings_end: u32,
    positions_end: u32,
}

/// Postings of one term in one field: three parallel columns, ascending by document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostingSlices<'a> {
    pub(crate) docs: &'a [u32],
    pub(crate) frequencies: &'a [u32],
    pub(crate) lengths: &'a [FieldLength],
}

/// A list with the positions of its postings, one posting's behind the other's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldList<'a> {
    pub(crate) field: u32,
    pub(crate) postings: PostingSlices<'a>,
    pub(crate) positions: &'a [u32],
}

impl Inverted {
    pub(crate) fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// The fields of the document at `row` in [`Inverted::documents`].
    pub(crate) fn fields(&self, row: usize) -> &[DocumentField] {
        &self.fields[span(&self.field_ends, row)]
    }

    /// As [`Inverted::fields`], where fields are slots.
    pub(crate) fn field_lengths(
        &self,
        row: usize,
    ) -> impl Iterator<Item = (Slot, FieldLength)> + '_ {
        let fields = self.fields(row).iter();
        fields.map(|one| (one.field as Slot, one.length))
    }

    /// The term `token`, if any document holds it. `hash` is its [`term_hash`].
    pub(crate) fn find(&self, hash: u32, token: &str) -> Option<usize> {
        let is_same = |term: usize| self.terms[term].hash == hash && self.term(term) == token;
        self.index.find(hash, is_same)
    }

    pub(crate) fn term_count(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn term(&self, term: usize) -> &str {
        let from = term.checked_sub(1).map_or(0, |at| self.terms[at].text_end);
        &self.text[from as usize..self.terms[term].text_end as usize]
    }

    /// The words of the documents as they are written.
    pub(crate) fn words(&self) -> &WordList {
        &self.words
    }

    /// The number of documents that hold a term in any field.
    pub(crate) fn documents_with(&self, term: usize) -> u32 {
        self.terms[term].documents
    }

    /// The lists of a term, by ascending field.
    pub(crate) fn lists(&self, term: usize) -> impl Iterator<Item = FieldList<'_>> + Clone {
        self.list_range(term).map(|at| self.list(at))
    }

    fn list_range(&self, term: usize) -> Range<usize> {
        let from = term.checked_sub(1).map_or(0, |at| self.terms[at].lists_end);
        from as usize..self.terms[term].lists_end as usize
    }

    fn list(&self, at: usize) -> FieldList<'_> {
        let (postings_from, positions_from) = match at.checked_sub(1) {
            None => (0, 0),
            Some(before) => {
                let List {
                    postings_end,
                    positions_end,
                    ..
                } = self.lists[before];
                (postings_end as usize, positions_end as usize)
            }
        };
        let list = self.lists[at];
        let postings = postings_from..list.postings_end as usize;
        FieldList {
            field: list.field,
            postings: PostingSlices {
                docs: &self.docs[postings.clone()],
                frequencies: &self.frequencies[postings.clone()],
                lengths: &self.lengths[postings],
            },
            positions: &self.positions[positions_from..list.positions_end as usize],
        }
    }

    /// The number of occurrences of all terms, in all fields of all documents.
    pub(crate) fn occurrence_count(&self) -> usize {
        self.positions.len()
    }

    /// The same documents with other numbers and fields, without those that `number` maps to none.
    /// Numbers must ascend as before, fields be distinct as before.
    pub(crate) fn renumbered(
        &self,
        number: impl Fn(u32) -> Option<u32>,
        field: impl Fn(u32) -> u32,
    ) -> Inverted {
        let documents = self.documents.iter().map(|&doc| number(doc));
        let is_whole = self.fields.iter().all(|one| one.length > 0);
        // The usual batch keeps all its documents and its order: numbers change, and nothing moves.
        match documents.collect::<Option<Vec<u32>>>() {
            Some(documents) if is_whole && self.keeps_order(&field) => {
                self.relabelled(documents, number, field)
            }
            _ => self.rebuilt(number, field),
        }
    }

    /// Tells whether the lists of each term are in order as well when fields are these.
    fn keeps_order(&self, field: impl Fn(u32) -> u32) -> bool {
        let mut fields: Vec<u32> = self.fields.iter().map(|one| one.field).collect();
        fields.sort_unstable();
        fields.dedup();
        fields.is_sorted_by_key(|&one| field(one))
    }

    /// As [`Inverted::renumbered`] where nothing is left out and nothing changes its place.
    fn relabelled(
        &self,
        documents: Vec<u32>,
        number: impl Fn(u32) -> Option<u32>,
        field: impl Fn(u32) -> u32,
    ) -> Inverted {
        let mut out = Inverted {
            documents,
            ..self.clone()
        };
        out.fields
            .iter_mut()
            .for_each(|one| one.field = field(one.field));
        out.lists
            .iter_mut()
            .for_each(|list| list.field = field(list.field));
        for doc in &mut out.docs {
            *doc = number(*doc).expect("every document has a number");
        }
        debug_assert!(out.is_whole(), "numbers ascend as before");
        out
    }

    /// Tells whether each level is a range of the next, and documents and the postings of each list ascend.
    fn is_whole(&self) -> bool {
        let ascend = |docs: &[u32]| docs.is_sorted_by(|a, b| a < b);
        let occurrences: u64 = self.frequencies.iter().copied().map(u64::from).sum();
        let postings = self.lists.last().map_or(0, |list| list.postings_end);
        let lists = self.terms.last().map_or(0, |term| term.lists_end);
        self.field_ends.len() == self.documents.len()
            && self.frequencies.len() == self.docs.len()
            && self.lengths.len() == self.docs.len()
            && self.positions.len() as u64 == occurrences
            && self.docs.len() == postings as usize
            && self.lists.len() == lists as usize
            && ascend(&self.documents)
            && (0..self.lists.len()).all(|at| ascend(self.list(at).postings.docs))
    }

    /// As [`Inverted::renumbered`], posting by posting.
    fn rebuilt(&self, number: impl Fn(u32) -> Option<u32>, field: impl Fn(u32) -> u32) -> Inverted {
        let mut out = Builder::with_room_of([self]);
        for (row, &doc) in self.documents.iter().enumerate() {
            if let Some(doc) = number(doc) {
                let fields = self.fields(row).iter().filter(|one| one.length > 0);
                out.push_document(
                    doc,
                    fields.map(|one| DocumentField {
                        field: field(one.field),
                        length: one.length,
                    }),
                );
            }
        }
        let mut lists: Vec<(u32, FieldList<'_>)> = Vec::new();
        for term in 0..self.term_count() {
            lists.clear();
            lists.extend(self.lists(term).map(|list| (field(list.field), list)));
            lists.sort_unstable_by_key(|(field, _)| *field);
            for (field, list) in &lists {
                list.for_each(|doc, length, positions| {
                    if let Some(doc) = number(doc) {
                        out.push_posting(doc, length, positions);
                    }
                });
                out.end_list(*field);
            }
            out.end_counted_term(self.term(term), self.terms[term].hash);
        }
        let mut out = out.finish();
        out.words = match out.documents.len() == self.documents.len() {
            true => self.words.clone(),
            false => self
                .words
                .of_tokens(|token| out.find(term_hash(token), token).is_some()),
        };
        out
    }

    /// Takes `base` off the number of each document.
    pub(crate) fn rebase(&mut self, base: u32) {
        debug_assert!(
            self.documents.first().is_none_or(|&first| first >= base),
            "no document is below the base"
        );
        for doc in self.documents.iter_mut().chain(&mut self.docs) {
            *doc -= base;
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Inverted>()
            + self.text.capacity()
            + self.index.memory_bytes()
            + bytes_of(&self.documents)
            + bytes_of(&self.field_ends)
            + bytes_of(&self.fields)
            + bytes_of(&self.terms)
            + bytes_of(&self.lists)
            + bytes_of(&self.docs)
            + bytes_of(&self.frequencies)
            + bytes_of(&self.lengths)
            + bytes_of(&self.positions)
            + self.words.memory_bytes()
    }
}

impl<'a> FieldList<'a> {
    /// Visits each posting: its document, the length of the field there, the positions.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32, FieldLength, &'a [u32])) {
        let mut positions = self.positions;
        let PostingSlices {
            docs,
            frequencies,
            lengths,
        } = self.postings;
        for ((&doc, &frequency), &length) in docs.iter().zip(frequencies).zip(lengths) {
            let (here, rest) = positions.split_at(frequency as usize);
            visit(doc, length, here);
            positions = rest;
        }
        debug_assert!(positions.is_empty(), "each position is of a posting");
    }
}

impl PostingSlices<'_> {
    pub(crate) fn contains(&self, doc: u32) -> bool {
        self.docs.binary_search(&doc).is_ok()
    }
}

/// Hash of a term. Its key is drawn at random when the process starts, so that nobody can choose
/// words that collide.
pub(crate) fn term_hash(token: &str) -> u32 {
    bytes_hash(token.as_bytes())
}

/// The same of any bytes.
pub(crate) fn bytes_hash(bytes: &[u8]) -> u32 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    let mut hasher = KEY.build_hasher();
    hasher.write(bytes);
    hasher.finish() as u32
}

/// The part of a column of rows that end at `ends`.
fn span(ends: &[u32], row: usize) -> Range<usize> {
    let from = row.checked_sub(1).map_or(0, |before| ends[before]);
    from as usize..ends[row] as usize
}

fn bytes_of<T>(column: &Vec<T>) -> usize {
    column.capacity() * size_of::<T>()
}

#[cfg(test)]
mod tests;
