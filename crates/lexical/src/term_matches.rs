use std::io;

use pelorus_kernels::BitSet;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

use crate::field_table::Slot;
use crate::posting_list::{PlainPostings, PostingCursor, PostingList};

/// The fields that a search looks into.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FieldSelection<'s> {
    /// Every field, with one document count per term: documents that match in any field.
    All,
    /// These, ascending, each with a document count of its own.
    Fields(&'s [Slot]),
}

impl FieldSelection<'_> {
    pub(crate) fn includes(self, slot: Slot) -> bool {
        match self {
            FieldSelection::All => true,
            FieldSelection::Fields(slots) => slots.binary_search(&slot).is_ok(),
        }
    }
}

/// The occurrences of one query term in one part of the index.
pub(crate) struct TermMatches<'a> {
    /// By ascending slot, several of one where the term has several forms, so that scores are added up in
    /// the same order in every part.
    pub(crate) lists: Vec<(Slot, PostingList<'a>)>,
    pub(crate) counts: DocumentCounts,
    /// The documents in any of the lists, where they are a list of their own.
    pub(crate) documents: Option<DocumentList<'a>>,
}

/// A list of documents, not opened yet.
pub(crate) struct DocumentList<'a> {
    pub(crate) reader: &'a InvertedIndexReader,
    pub(crate) info: TermInfo,
}

/// The documents with a term, by ascending number.
pub(crate) enum DocumentCursor<'a> {
    /// In a list of their own, from a place in its current block on.
    List(Box<BlockSegmentPostings>, usize),
    /// In each of the lists of a term.
    Lists(Vec<PostingCursor<'a>>),
}

impl<'a> DocumentCursor<'a> {
    /// The cursor of a term, in the list of its documents if there is one, or in `lists`.
    pub(crate) fn new(
        documents: Option<&DocumentList<'a>>,
        lists: impl FnOnce() -> Vec<PostingCursor<'a>>,
    ) -> io::Result<DocumentCursor<'a>> {
        let Some(DocumentList { reader, info }) = documents else {
            return Ok(DocumentCursor::Lists(lists()));
        };
        let blocks = reader.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        Ok(DocumentCursor::List(Box::new(blocks), 0))
    }

    /// Puts a 1 at the place of each document of `start..end`, and moves past these.
    pub(crate) fn mark_below(&mut self, start: u32, end: u32, marks: &mut [u8]) {
        let mut mark = |docs: &[u32]| {
            for &doc in docs {
                marks[(doc - start) as usize] = 1;
            }
        };
        match self {
            DocumentCursor::Lists(cursors) => {
                for cursor in cursors {
                    cursor.drain_docs_below(end, &mut mark);
                }
            }
            DocumentCursor::List(blocks, at) => {
                while let Some(&last) = blocks.docs().last() {
                    let rest = &blocks.docs()[*at..];
                    if last >= end {
                        let until = rest.partition_point(|&doc| doc < end);
                        mark(&rest[..until]);
                        *at += until;
                        return;
                    }
                    mark(rest);
                    blocks.advance();
                    *at = 0;
                }
            }
        }
    }
}

impl TermMatches<'_> {
    /// Leaves out the other fields. Where documents are counted over all fields they stay counted.
    pub(crate) fn retain_fields(&mut self, keep: impl Fn(Slot) -> bool) {
        self.lists.retain(|(slot, _)| keep(*slot));
        if let DocumentCounts::PerField(counts) = &mut self.counts {
            counts.retain(|(slot, _)| keep(*slot));
        }
    }
}

/// Live documents that match a term.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DocumentCounts {
    /// In any field.
    Union(u32),
    /// In each field, zero where not listed.
    PerField(Vec<(Slot, u32)>),
}

impl DocumentCounts {
    pub(crate) fn zero(scope: FieldSelection<'_>) -> DocumentCounts {
        match scope {
            FieldSelection::All => DocumentCounts::Union(0),
            FieldSelection::Fields(_) => DocumentCounts::PerField(Vec::new()),
        }
    }

    /// Counts the live documents in postings of several fields.
    pub(crate) fn of_plain(
        scope: FieldSelection<'_>,
        fields: &[(Slot, PlainPostings)],
        live: impl Fn(u32) -> bool,
    ) -> DocumentCounts {
        let live_docs = |found: &PlainPostings| -> u32 {
            found.docs.iter().filter(|&&doc| live(doc)).count() as u32
        };
        match (scope, fields) {
            (FieldSelection::Fields(_), _) => DocumentCounts::PerField(
                fields
                    .iter()
                    .map(|(slot, found)| (*slot, live_docs(found)))
                    .collect(),
            ),
            (FieldSelection::All, [(_, found)]) => DocumentCounts::Union(live_docs(found)),
            (FieldSelection::All, _) => {
                let docs = fields.iter().flat_map(|(_, found)| &found.docs).copied();
                let union: BitSet = docs.filter(|&doc| live(doc)).collect();
                DocumentCounts::Union(union.len() as u32)
            }
        }
    }

    /// Adds the counts of another part, taken in the same scope.
    pub(crate) fn add(&mut self, other: &DocumentCounts) {
        match (self, other) {
            (DocumentCounts::Union(total), DocumentCounts::Union(count)) => *total += count,
            (DocumentCounts::PerField(totals), DocumentCounts::PerField(counts)) => {
                for &(slot, count) in counts {
                    match totals.iter_mut().find(|(known, _)| *known == slot) {
                        Some((_, total)) => *total += count,
                        None => totals.push((slot, count)),
                    }
                }
            }
            _ => unreachable!("counts of one search share their scope"),
        }
    }

    /// The number of documents that match in any field, where it is known.
    pub(crate) fn documents(&self) -> Option<u32> {
        match self {
            DocumentCounts::Union(count) => Some(*count),
            DocumentCounts::PerField(counts) => match **counts {
                [] => Some(0),
                [(_, count)] => Some(count),
                _ => None,
            },
        }
    }

    /// In all fields, those that match in several counted as often.
    pub(crate) fn sum(&self) -> u64 {
        match self {
            DocumentCounts::Union(count) => u64::from(*count),
            DocumentCounts::PerField(counts) => {
                counts.iter().map(|(_, count)| u64::from(*count)).sum()
            }
        }
    }

    pub(crate) fn of(&self, slot: Slot) -> u32 {
        match self {
            DocumentCounts::Union(count) => *count,
            DocumentCounts::PerField(counts) => counts
                .iter()
                .find(|(known, _)| *known == slot)
                .map_or(0, |&(_, count)| count),
        }
    }
}

/// The order in which the scores of terms with these counts are added up, wherever a document lies and whatever else is
/// scored: first the required ones, then the others, the rarest first in each case.
pub(crate) fn addition_order(counts: &[DocumentCounts], required_count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    let (required, optional) = order.split_at_mut(required_count);
    required.sort_by_key(|&term| counts[term].sum());
    optional.sort_by_key(|&term| counts[term].sum());
    order
}
