//! The scores of a term that stands for other words.
//!
//! A document has what BM25 gives it for the term itself, as in any search. To this a share of the term's inverse
//! document frequency is added, that of the documents which hold any of its words: the whole for the term itself, and
//! less for other words, by how far these are from what was typed. So whatever lengths and frequencies are, of documents
//! that differ in this term alone those with the word come first, then those that complete it, then those that correct
//! it, and a frequent beginning is worth little, like a frequent word. Elasticsearch's `blended_freq` rewrites share
//! frequencies in this way too. Within a kind, more and denser occurrences, as BM25 counts them, make more of its range.
//!
//! A share is kept as a posting whose frequency is the share and whose length is the rest of the whole, of which a
//! [`TermWeight::of_shares`] makes its part of the score.

use pelorus_cancellation::Cancellation;

use super::Expansion;
use crate::bm25::saturation;
use crate::error::Result;
use crate::field_table::Slot;
use crate::posting_list::{PlainPostings, PostingCursor, PostingList};
use crate::statistics::{FieldLength, Statistics};
use crate::term_matches::{FieldSelection, TermMatches};
use crate::view::Part;

/// The slot under which shares stand among the lists of a term: no field has it, and it is the last.
pub(crate) const SHARES: Slot = Slot::MAX;

/// The share of the term itself.
pub(crate) const SHARE_WHOLE: u32 = 1_024;

/// The relation of a word to the typed one, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShareKind {
    /// It is the word in two parts or in one, or two words in one.
    Respelled,
    /// It begins as typed.
    Beginning,
    /// It ends with the word.
    Compound,
    OneEdit,
    /// It begins with a word of one edit.
    OneEditBeginning,
    TwoEdits,
    TwoEditsBeginning,
}

impl ShareKind {
    const ALL: [ShareKind; 7] = [
        ShareKind::Respelled,
        ShareKind::Beginning,
        ShareKind::Compound,
        ShareKind::OneEdit,
        ShareKind::OneEditBeginning,
        ShareKind::TwoEdits,
        ShareKind::TwoEditsBeginning,
    ];

    /// The edits between the word, or its beginning, and what was typed.
    pub(crate) fn edits(self) -> u8 {
        match self {
            ShareKind::Respelled | ShareKind::Beginning | ShareKind::Compound => 0,
            ShareKind::OneEdit | ShareKind::OneEditBeginning => 1,
            ShareKind::TwoEdits | ShareKind::TwoEditsBeginning => 2,
        }
    }

    /// Tells whether the word goes on behind what was typed.
    pub(crate) fn is_beginning(self) -> bool {
        use ShareKind::{Compound, OneEdit, Respelled, TwoEdits};
        !matches!(self, Respelled | Compound | OneEdit | TwoEdits)
    }

    /// The least share of a document, and what it stays below.
    fn range(self) -> (u32, u32) {
        match self {
            ShareKind::Respelled | ShareKind::Beginning | ShareKind::Compound => (768, SHARE_WHOLE),
            ShareKind::OneEdit => (512, 768),
            ShareKind::OneEditBeginning => (384, 512),
            ShareKind::TwoEdits => (256, 384),
            ShareKind::TwoEditsBeginning => (128, 256),
        }
    }

    /// A share of the range, by how much there is of the words in a document: saturated frequencies, added up.
    fn share(self, occurrences: f32) -> u32 {
        let (from, to) = self.range();
        let part = occurrences / (1.0 + occurrences);
        (from + ((to - from) as f32 * part) as u32).min(to - 1)
    }
}

/// Adds to the matches of a term in a part the shares of documents that hold it or one of its expansions; gives the
/// number of these that live.
pub(crate) fn shares<'v>(
    part: &Part<'v>,
    found: &mut TermMatches<'v>,
    expansions: &[Expansion],
    scope: FieldSelection<'_>,
    statistics: &Statistics,
    cancellation: &Cancellation,
) -> Result<u32> {
    let mut held = HeldDocuments::new(part.end());
    for (_, list) in &found.lists {
        held.add_own(list.clone());
    }
    for expansion in expansions {
        cancellation.check()?;
        let others = part.tokens_matches(&expansion.tokens, scope, cancellation)?;
        for (slot, list) in others.lists {
            if expansion.stands_in(slot) {
                let average_length = statistics.average_length(slot);
                held.add(expansion.kind, list, average_length);
            }
        }
    }
    let shares = held.into_postings();
    let live = shares
        .docs
        .iter()
        .filter(|&&doc| !part.is_dead(doc))
        .count();
    if !shares.docs.is_empty() {
        found.lists.push((SHARES, PostingList::Plain(shares)));
    }
    // They list the documents of the term alone.
    found.documents = None;
    Ok(live as u32)
}

/// The documents of a part by their number: the nearest kind of word that each holds, and how much there is of all.
struct HeldDocuments {
    nearness: Vec<u8>,
    occurrences: Vec<f32>,
}

/// The nearness of the term itself; that of kinds is below, and 0 that of nothing.
const OWN: u8 = u8::MAX;

impl HeldDocuments {
    fn new(end: u32) -> HeldDocuments {
        HeldDocuments {
            nearness: vec![0; end as usize],
            occurrences: vec![0.0; end as usize],
        }
    }

    fn add_own(&mut self, list: PostingList<'_>) {
        PostingCursor::new(list).drain_docs_below(u32::MAX, |docs| {
            for &doc in docs {
                self.nearness[doc as usize] = OWN;
            }
        });
    }

    fn add(&mut self, kind: ShareKind, list: PostingList<'_>, average_length: f64) {
        let nearness = OWN - 1 - kind as u8;
        PostingCursor::new(list).drain_below(u32::MAX, |docs, frequencies, lengths| {
            for ((&doc, &frequency), &length) in docs.iter().zip(frequencies).zip(lengths) {
                let doc = doc as usize;
                self.nearness[doc] = self.nearness[doc].max(nearness);
                self.occurrences[doc] += saturation(frequency, length, average_length);
            }
        });
    }

    fn into_postings(self) -> PlainPostings {
        let mut postings = PlainPostings::default();
        for (doc, (nearness, occurrences)) in self.nearness.iter().zip(self.occurrences).enumerate()
        {
            let share = match OWN - nearness {
                0 => SHARE_WHOLE,
                OWN => continue,
                kind => ShareKind::ALL[usize::from(kind) - 1].share(occurrences),
            };
            postings.push(doc as u32, share, (SHARE_WHOLE - share) as FieldLength);
        }
        postings
    }
}
