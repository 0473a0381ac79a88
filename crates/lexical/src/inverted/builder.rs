use super::hash_index::HashIndex;
use super::{DocumentField, FieldList, Inverted, List, Term};
use crate::statistics::FieldLength;
use crate::word_list::WordList;

/// Writes an [`Inverted`] from front to back: all documents, ascending; and terms in order, of each
/// its lists by ascending field, of each its postings by ascending document.
#[derive(Default)]
pub(super) struct Builder {
    out: Inverted,
    /// The beginning of the term at hand in `out.lists`.
    term_from: usize,
    /// The beginning of the list at hand in `out.docs`.
    list_from: usize,
    /// Documents of a term of several lists.
    union: Vec<u32>,
}

/// Offsets are `u32`: a batch that is inverted together is bounded by the size of a request, and
/// merged up to some megabytes.
fn offset(len: usize) -> u32 {
    u32::try_from(len).expect("documents that are inverted together take less than 4 GiB")
}

impl Builder {
    /// With room for all that `sources` hold.
    pub(super) fn with_room_of<'s>(
        sources: impl IntoIterator<Item = &'s Inverted> + Clone,
    ) -> Builder {
        let room = |count: fn(&Inverted) -> usize| sources.clone().into_iter().map(count).sum();
        Builder {
            out: Inverted {
                documents: Vec::with_capacity(room(|one| one.documents.len())),
                field_ends: Vec::with_capacity(room(|one| one.field_ends.len())),
                fields: Vec::with_capacity(room(|one| one.fields.len())),
                text: String::with_capacity(room(|one| one.text.len())),
                terms: Vec::with_capacity(room(|one| one.terms.len())),
                index: HashIndex::default(),
                lists: Vec::with_capacity(room(|one| one.lists.len())),
                docs: Vec::with_capacity(room(|one| one.docs.len())),
                frequencies: Vec::with_capacity(room(|one| one.docs.len())),
                lengths: Vec::with_capacity(room(|one| one.docs.len())),
                positions: Vec::with_capacity(room(|one| one.positions.len())),
                words: WordList::default(),
            },
            term_from: 0,
            list_from: 0,
            union: Vec::new(),
        }
    }

    pub(super) fn push_document(
        &mut self,
        doc: u32,
        fields: impl IntoIterator<Item = DocumentField>,
    ) {
        debug_assert!(
            self.out.documents.last().is_none_or(|&last| last < doc),
            "documents ascend"
        );
        self.out.documents.push(doc);
        self.out.fields.extend(fields);
        self.out.field_ends.push(offset(self.out.fields.len()));
    }

    pub(super) fn push_posting(&mut self, doc: u32, length: FieldLength, positions: &[u32]) {
        debug_assert!(!positions.is_empty(), "a posting has an occurrence");
        self.out.docs.push(doc);
        self.out.frequencies.push(positions.len() as u32);
        self.out.lengths.push(length);
        self.out.positions.extend_from_slice(positions);
    }

    pub(super) fn push_postings(&mut self, list: &FieldList<'_>) {
        self.out.docs.extend_from_slice(list.postings.docs);
        self.out
            .frequencies
            .extend_from_slice(list.postings.frequencies);
        self.out.lengths.extend_from_slice(list.postings.lengths);
        self.out.positions.extend_from_slice(list.positions);
    }

    /// Ends the list at hand, which is none if it has no posting.
    pub(super) fn end_list(&mut self, field: u32) {
        if self.out.docs.len() > self.list_from {
            self.list_from = self.out.docs.len();
            debug_assert!(
                self.out.lists[self.term_from..]
                    .last()
                    .is_none_or(|last| last.field < field),
                "the lists of a term ascend by field"
            );
            self.out.lists.push(List {
                field,
                postings_end: offset(self.out.docs.len()),
                positions_end: offset(self.out.positions.len()),
            });
        }
    }

    /// Ends the term at hand, which is none if it has no list. `documents` hold it in any field.
    pub(super) fn end_term(&mut self, term: &str, hash: u32, documents: u32) {
        if self.out.lists.len() > self.term_from {
            self.term_from = self.out.lists.len();
            self.out.text.push_str(term);
            self.out.terms.push(Term {
                hash,
                text_end: offset(self.out.text.len()),
                lists_end: offset(self.out.lists.len()),
                documents,
            });
        }
    }

    /// As [`Builder::end_term`], counting its documents.
    pub(super) fn end_counted_term(&mut self, term: &str, hash: u32) {
        let lists = self.term_from..self.out.lists.len();
        self.union.clear();
        let documents = match lists.len() {
            0 => 0,
            1 => self.out.list(lists.start).postings.docs.len(),
            _ => {
                let docs = lists.map(|at| self.out.list(at).postings.docs);
                docs.for_each(|docs| self.union.extend_from_slice(docs));
                // Each list ascends already, which a stable sort makes use of.
                self.union.sort();
                self.union.dedup();
                self.union.len()
            }
        };
        self.end_term(term, hash, documents as u32);
    }

    pub(super) fn finish(self) -> Inverted {
        let mut out = self.out;
        out.index = HashIndex::with_room(out.terms.len());
        for (at, term) in out.terms.iter().enumerate() {
            out.index.insert(term.hash, at);
        }
        out.documents.shrink_to_fit();
        out.field_ends.shrink_to_fit();
        out.fields.shrink_to_fit();
        out.text.shrink_to_fit();
        out.terms.shrink_to_fit();
        out.lists.shrink_to_fit();
        out.docs.shrink_to_fit();
        out.frequencies.shrink_to_fit();
        out.lengths.shrink_to_fit();
        out.positions.shrink_to_fit();
        debug_assert!(out.is_whole(), "columns belong together, and ascend");
        out
    }
}
