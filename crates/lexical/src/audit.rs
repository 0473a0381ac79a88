//! Comparison of the postings with the texts of documents.
//!
//! Looking up each term of each document would miss what a document should not hold. So all postings of some documents
//! are summed up by document, term by term and in small steps, and each sum is compared with that of the document's own
//! terms: a sum of hashes, one for each term in a field with its positions, and one for the length of each field. The
//! texts of an ordinal never change, so that a state of the index serves however much is written meanwhile.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use crate::error::{Result, catch_panic};
use crate::field_table::Slot;
use crate::index::LexicalIndex;
use crate::inverted::{Inverted, InvertedBatch};
use crate::statistics::FieldLength;
use crate::view::{Part, View};

/// A comparison of the postings of some documents, in one state of the index.
pub struct TextAudit {
    dir: PathBuf,
    view: Arc<View>,
    documents: Range<u32>,
    /// By document.
    sums: Vec<u64>,
    place: Place,
}

/// The place of the next term.
#[derive(Default)]
struct Place {
    /// The part of the view.
    part: usize,
    step: Step,
}

/// The next step within a part.
#[derive(Default)]
enum Step {
    #[default]
    Begin,
    /// Behind this term of the fields of a segment.
    Terms(Vec<u8>),
    /// Behind this token of a segment, among those of any field.
    Tokens(Vec<u8>),
    /// From this term of this part of a delta on.
    Delta { part: usize, term: usize },
}

impl LexicalIndex {
    /// Begins to compare the postings of `documents`, as searches see them now. The files of this state stay until the
    /// comparison is dropped.
    pub fn audit(&self, documents: Range<u32>) -> TextAudit {
        TextAudit {
            dir: self.directory().to_owned(),
            view: self.view(),
            sums: vec![0; documents.len()],
            documents,
            place: Place::default(),
        }
    }

    /// Tells whether searches find a document now, as far as it has words.
    pub fn is_living(&self, doc: u32) -> bool {
        is_living(&self.view(), doc).is_some()
    }
}

impl TextAudit {
    /// Sums up the postings of about `terms` more terms; false once none is left.
    ///
    /// # Errors
    /// If a segment cannot be read.
    pub fn advance(&mut self, terms: usize) -> Result<bool> {
        let Self {
            dir,
            view,
            documents,
            sums,
            place,
        } = self;
        let Some(part) = view.parts().nth(place.part) else {
            return Ok(false);
        };
        let mut sums = Sums { documents, sums };
        let next = catch_panic(dir, || sums.take_step(part, &place.step, terms))?;
        *place = match next {
            Some(step) => Place {
                part: place.part,
                step,
            },
            None => Place {
                part: place.part + 1,
                step: Step::Begin,
            },
        };
        Ok(true)
    }

    /// The documents of a batch, with these ordinals, that this state shows and whose postings are not those of the
    /// batch. To be asked when nothing is left to sum up.
    pub fn differing(&self, batch: &InvertedBatch, ordinals: &[u32]) -> Vec<u32> {
        debug_assert_eq!(ordinals.len(), batch.document_count());
        let slots: Vec<Option<Slot>> = batch
            .names()
            .iter()
            .map(|name| self.view.fields.slot(name))
            .collect();
        let in_segment: Vec<Option<bool>> = ordinals
            .iter()
            .map(|&doc| is_living(&self.view, doc))
            .collect();
        let expected = sums_of(batch.inverted(), &slots, &in_segment);
        let rows = ordinals.iter().zip(&expected).zip(in_segment);
        rows.filter_map(|((&doc, &expected), living)| {
            let at = doc.checked_sub(self.documents.start)? as usize;
            let received = *self.sums.get(at)?;
            (living.is_some() && expected != Some(received)).then_some(doc)
        })
        .collect()
    }
}

/// Tells whether a living document is in a segment; none where it does not live in this view.
fn is_living(view: &View, doc: u32) -> Option<bool> {
    view.parts().find_map(|part| {
        let local = part.local(doc)?;
        let (dead, in_segment) = match part {
            Part::Segment(part) => (&part.dead, true),
            Part::Delta(delta) => (&delta.dead, false),
        };
        (!dead.contains(local)).then_some(in_segment)
    })
}

/// The sums of the rows of a batch; none where a document has a field that the index does not know.
fn sums_of(
    inverted: &Inverted,
    slots: &[Option<Slot>],
    in_segment: &[Option<bool>],
) -> Vec<Option<u64>> {
    let mut sums = vec![Some(0_u64); in_segment.len()];
    let mut add = |row: u32, hash: Option<u64>| {
        let sum = &mut sums[row as usize];
        *sum = sum.zip(hash).map(|(sum, hash)| sum.wrapping_add(hash));
    };
    for (row, _) in (0..).zip(in_segment) {
        for field in inverted.fields(row as usize) {
            if field.length > 0 {
                let slot = slots[field.field as usize];
                add(row, slot.map(|slot| length_hash(slot, field.length)));
            }
        }
    }
    let mut rows_with = Vec::new();
    for term in 0..inverted.term_count() {
        let token = inverted.term(term);
        rows_with.clear();
        for list in inverted.lists(term) {
            let term = slots[list.field as usize].map(|slot| term_hash(token.as_bytes(), slot));
            list.for_each(|row, _, positions| {
                add(row, term.map(|term| posting_hash(term, positions)));
                rows_with.push(row);
            });
        }
        rows_with.sort_unstable();
        rows_with.dedup();
        let token = token_hash(token.as_bytes());
        for &row in &rows_with {
            if in_segment[row as usize] == Some(true) {
                add(row, Some(token));
            }
        }
    }
    sums
}

/// The sums of some documents, as far as they have come.
struct Sums<'s> {
    documents: &'s Range<u32>,
    sums: &'s mut [u64],
}

impl Sums<'_> {
    fn add(&mut self, ordinal: u32, hash: u64) {
        if self.documents.contains(&ordinal) {
            let sum = &mut self.sums[(ordinal - self.documents.start) as usize];
            *sum = sum.wrapping_add(hash);
        }
    }

    /// Takes one step in a part; gives the next one, none at its end.
    fn take_step(&mut self, part: Part<'_>, step: &Step, terms: usize) -> Result<Option<Step>> {
        let Some(last) = part.end().checked_sub(1) else {
            return Ok(None);
        };
        if part.ordinal(last) < self.documents.start || part.ordinal(0) >= self.documents.end {
            return Ok(None);
        }
        match (part, step) {
            (Part::Segment(part), Step::Begin) => {
                for local in locals(&part.segment, self.documents) {
                    let ordinal = part.segment.ordinal(local);
                    for (slot, length) in part.segment.document_lengths(local) {
                        self.add(ordinal, length_hash(slot, length));
                    }
                }
                Ok(Some(Step::Terms(Vec::new())))
            }
            (Part::Segment(part), Step::Terms(after)) => {
                let segment = &part.segment;
                let within = locals(segment, self.documents);
                let last =
                    segment.for_each_posting(after, terms, within, |key, positions, local| {
                        if let Some((token, slot)) = key {
                            let hash = posting_hash(term_hash(token, slot), positions);
                            self.add(segment.ordinal(local), hash);
                        }
                    })?;
                Ok(Some(match last {
                    Some(last) => Step::Terms(last),
                    None => Step::Tokens(Vec::new()),
                }))
            }
            (Part::Segment(part), Step::Tokens(after)) => {
                let segment = &part.segment;
                let within = locals(segment, self.documents);
                let last = segment.for_each_document(after, terms, within, |token, local| {
                    self.add(segment.ordinal(local), token_hash(token));
                })?;
                Ok(last.map(Step::Tokens))
            }
            (Part::Delta(delta), Step::Delta { part, term }) => {
                let Some(inverted) = delta.parts().get(*part) else {
                    return Ok(None);
                };
                let end = inverted.term_count().min(term.saturating_add(terms));
                for term in *term..end {
                    let token = inverted.term(term).as_bytes();
                    for list in inverted.lists(term) {
                        let term = term_hash(token, list.field as Slot);
                        list.for_each(|local, _, positions| {
                            self.add(delta.ordinal(local), posting_hash(term, positions));
                        });
                    }
                }
                Ok(Some(match end < inverted.term_count() {
                    true => Step::Delta {
                        part: *part,
                        term: end,
                    },
                    false => Step::Delta {
                        part: part + 1,
                        term: 0,
                    },
                }))
            }
            (Part::Delta(delta), _) => {
                for inverted in delta.parts() {
                    for (row, &local) in inverted.documents().iter().enumerate() {
                        for (slot, length) in inverted.field_lengths(row) {
                            if length > 0 {
                                self.add(delta.ordinal(local), length_hash(slot, length));
                            }
                        }
                    }
                }
                Ok(Some(Step::Delta { part: 0, term: 0 }))
            }
            (Part::Segment(_), Step::Delta { .. }) => Ok(None),
        }
    }
}

/// The local numbers of the documents of a segment that are among some.
fn locals(segment: &crate::segment::TextSegment, documents: &Range<u32>) -> Range<u32> {
    segment.lower_bound(documents.start)..segment.lower_bound(documents.end)
}

fn keyed() -> &'static RandomState {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    &KEY
}

fn term_hash(token: &[u8], slot: Slot) -> u64 {
    keyed().hash_one((token, slot))
}

fn token_hash(token: &[u8]) -> u64 {
    keyed().hash_one(token)
}

fn length_hash(slot: Slot, length: FieldLength) -> u64 {
    keyed().hash_one((slot, length))
}

/// The hash of a term's occurrences in a field of a document.
fn posting_hash(term: u64, positions: &[u32]) -> u64 {
    let folded = positions.iter().fold(term, |hash, &position| {
        (hash ^ u64::from(position))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    });
    mixed(folded)
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). Without it hashes of neighbouring positions differ by nearly
/// one number whatever the term is, and two terms that changed places would leave the sum of a document as it was.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::{posting_hash, term_hash};

    #[test]
    fn terms_that_change_places_change_the_sum() {
        for n in 0..10_000_u32 {
            let [one, other] = [n, n + 1].map(|n| term_hash(&n.to_le_bytes(), 0));
            let sum = |one_at, other_at| {
                posting_hash(one, &[one_at]).wrapping_add(posting_hash(other, &[other_at]))
            };
            let at = n % 50;
            assert_ne!(sum(at, at + 1), sum(at + 1, at), "{n}");
        }
    }
}
