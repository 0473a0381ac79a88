//! The scores of a term that stands for other words.
//!
//! A document has what BM25 gives it for the term itself, as in any search. To this a share of the term's inverse
//! document frequency is added, that of the documents which hold any of its words: the whole for the term itself, and
//! less for other words, by how far these are from what was typed. So whatever lengths and frequencies are, of documents
//! that differ in this term alone those with the word come first, then those that complete it, then those that correct
//! it, and a frequent beginning is worth little, like a frequent word. Elasticsearch's `blended_freq` rewrites share
//! frequencies in this way too. Within a kind, more and denser occurrences, as BM25 counts them, make more of its range.
//!
//! Corrections count by whether the typed word can be right. If documents hold it, it is taken to be: corrections weigh next
//! to nothing, so that who makes no typos has nearly the ranking of a search that forgives none. If nothing is written or begins
//! as typed, the nearest words weigh what the word itself would, so that a typo does not hide behind the other words.
//!
//! A share weighs what the field does in which the document has its nearest word, the heaviest of several.
//!
//! A share is a posting whose frequency is the share and whose length is the rest of the whole, of which a
//! [`TermWeight::of_shares`] makes its part of the score. Segments keep those of common beginnings (`shares_cache`).

use std::cmp::Ordering;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;

use super::shares_cache::{SharePostings, SharesKey, live_count};
use crate::bm25::{K1, saturation};
use crate::error::Result;
use crate::field_table::{SLOTS_MAX, Slot};
use crate::field_weights::FieldWeights;
use crate::posting_list::{PostingCursor, PostingList};
use crate::query::QueryTerm;
use crate::term_matches::{FieldSelection, TermMatches};
use crate::view::{Part, View};

/// The slot under which shares of the lightest fields stand among the lists of a term, and others by the class of their
/// weight below it: no field has one of these, and they are the last.
const SHARES: Slot = Slot::MAX;

/// The class of the weight of shares; `None` for a field.
pub(crate) fn share_class(slot: Slot) -> Option<u16> {
    (usize::from(slot) >= SLOTS_MAX).then_some(SHARES - slot)
}

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

    fn is_correction(self) -> bool {
        self.edits() > 0
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
            ShareKind::OneEdit => (192, 768),
            ShareKind::OneEditBeginning => (144, 192),
            ShareKind::TwoEdits => (48, 144),
            ShareKind::TwoEditsBeginning => (4, 48),
        }
    }
}

/// The share of corrections beside words that are written or begin as typed, of what it would be otherwise.
const DOUBTED: u32 = 4;
/// The factor of shares whose term documents hold, and all other words of which are corrections.
const KNOWN_FACTOR: f64 = 1.0 / 16.0;

/// Tells whether a term stands for words that were as likely meant: it may be no word at all, but the beginning of one. So
/// its own occurrences are as telling as all together are, however few they are.
pub(crate) fn has_equals(term: &QueryTerm) -> bool {
    let mut kinds = term.expansions.iter().map(|expansion| expansion.kind);
    kinds.any(|kind| !kind.is_correction())
}

/// The factor of the shares of a term, which documents hold or do not.
pub(crate) fn share_factor(term: &QueryTerm, is_held: bool) -> f64 {
    let nearest = term.expansions.iter().map(|expansion| expansion.kind).min();
    match nearest.filter(|kind| kind.is_correction()) {
        None => 1.0,
        Some(_) if is_held => KNOWN_FACTOR,
        Some(kind) => {
            let middle = |kind: ShareKind| f64::from(kind.range().0 + kind.range().1) / 2.0;
            (K1 + 1.0) * middle(ShareKind::OneEdit) / middle(kind)
        }
    }
}

/// The kind of a word, and whether it is a correction beside words that are written or begin as typed: by a number, the
/// nearest highest, as [`HeldDocuments`] has it.
#[derive(Clone, Copy)]
struct Nearness {
    kind: ShareKind,
    is_doubted: bool,
}

impl Nearness {
    fn of(kind: ShareKind, is_doubted: bool) -> u8 {
        let doubted = if is_doubted {
            ShareKind::ALL.len() as u8
        } else {
            0
        };
        OWN - 1 - kind as u8 - doubted
    }

    fn from_number(number: u8) -> Nearness {
        let place = usize::from(OWN - 1 - number);
        Nearness {
            kind: ShareKind::ALL[place % ShareKind::ALL.len()],
            is_doubted: place >= ShareKind::ALL.len(),
        }
    }

    /// A share of the range, by how much there is of the words in a document: saturated frequencies, added up.
    fn share(self, occurrences: f32) -> u32 {
        let (from, to) = self.kind.range();
        let by = if self.is_doubted { DOUBTED } else { 1 };
        let (from, to) = (from / by, to / by);
        let part = occurrences / (1.0 + occurrences);
        (from + ((to - from) as f32 * part) as u32).min(to - 1)
    }
}

/// The occurrences of a term in a part, among them the shares of the documents that hold it or one of its expansions, where
/// it has some; and the number of these documents that live.
pub(crate) fn matches_with_shares<'v>(
    view: &View,
    part: &Part<'v>,
    term: &QueryTerm,
    scope: FieldSelection<'_>,
    weights: &FieldWeights,
    cancellation: &Cancellation,
) -> Result<(TermMatches<'v>, u32)> {
    let mut found = part.matches(&term.tokens, scope, cancellation)?;
    if term.expansions.is_empty() {
        return Ok((found, 0));
    }
    let mut key = SharesKey::default();
    let own = found.lists.iter().map(|(slot, list)| {
        let class = weights.class(*slot);
        key.add((OWN, *slot, class), 0.0, list);
        OwnWord {
            class,
            cursor: PostingCursor::new(list.clone()),
        }
    });
    let is_right = has_equals(term);
    let mut held = HeldDocuments::new(own.collect(), part.end(), weights.class_count());
    for expansion in &term.expansions {
        cancellation.check()?;
        let others = part.tokens_matches(&expansion.tokens, scope, cancellation)?;
        for (slot, list) in others.lists {
            if expansion.stands_in(slot) {
                let kind = expansion.kind;
                let nearness = Nearness::of(kind, is_right && kind.is_correction());
                let class = weights.class(slot);
                let average_length = coarse(view.statistics.average_length(slot));
                key.add((nearness, slot, class), average_length, &list);
                held.others.push(OtherWord {
                    nearness,
                    average_length,
                    class,
                    cursor: PostingCursor::new(list),
                });
            }
        }
    }
    // Corrections beside words that are as likely meant would make a rare word look common.
    let counted_from = if is_right {
        ShareKind::Beginning.range().0
    } else {
        0
    };
    let make = || held.postings((weights.class_count(), counted_from), cancellation);
    let (shares, live) = match part {
        Part::Segment(part) => part.segment.shares.get_or_make(key, part, make)?,
        Part::Delta(delta) => {
            let shares: Arc<[_]> = make()?.into_iter().map(Arc::new).collect();
            let live = live_count(&shares, &delta.dead);
            (shares, live)
        }
    };
    // By ascending slot.
    for (class, shares) in shares.iter().enumerate().rev() {
        if !shares.docs.is_empty() {
            let slot = SHARES - class as Slot;
            found
                .lists
                .push((slot, PostingList::Shares(shares.clone())));
        }
    }
    // They list the documents of the term alone.
    found.documents = None;
    Ok((found, live))
}

/// An average length that stays the same over most writes, so that shares can be kept: rounded down to a sixteenth of the
/// power of two below it.
fn coarse(average_length: f64) -> f64 {
    const KEPT_BITS: u32 = 4;
    let dropped = f64::MANTISSA_DIGITS - 1 - KEPT_BITS;
    f64::from_bits(average_length.to_bits() >> dropped << dropped)
}

/// Documents that are looked at together: what is known of them stays in the second cache of a core.
const WINDOW_LEN: u32 = 16_384;

/// The documents of a window by their number behind its start: the nearest kind of word that each holds, and how much there
/// is of all.
struct HeldDocuments<'v> {
    own: Vec<OwnWord<'v>>,
    others: Vec<OtherWord<'v>>,
    /// A bit for each document that holds anything: of the rest nothing has to be read or cleared.
    held: Vec<u64>,
    nearness: Vec<u8>,
    /// The class of the heaviest field with a word of that kind; empty where all weigh the same.
    classes: Vec<u16>,
    occurrences: Vec<f32>,
}

/// The occurrences of the term itself in one field.
struct OwnWord<'v> {
    class: u16,
    cursor: PostingCursor<'v>,
}

/// The occurrences of a word that a term stands for in one field.
struct OtherWord<'v> {
    nearness: u8,
    average_length: f64,
    class: u16,
    cursor: PostingCursor<'v>,
}

/// The nearness of the term itself; that of kinds is below, and 0 that of nothing.
const OWN: u8 = u8::MAX;

impl<'v> HeldDocuments<'v> {
    fn new(own: Vec<OwnWord<'v>>, documents: u32, class_count: usize) -> Self {
        let len = documents.min(WINDOW_LEN) as usize;
        let classes = if class_count > 1 { len } else { 0 };
        HeldDocuments {
            own,
            others: Vec::new(),
            held: vec![0; len.div_ceil(64)],
            nearness: vec![0; len],
            classes: vec![0; classes],
            occurrences: vec![0.0; len],
        }
    }

    /// The documents that hold anything, with their shares, by the class of their weights.
    fn postings(
        mut self,
        (class_count, counted_from): (usize, u32),
        cancellation: &Cancellation,
    ) -> Result<Vec<SharePostings>> {
        let mut postings = Vec::new();
        postings.resize_with(class_count, || SharePostings::counting_from(counted_from));
        while let Some(start) = self.next() {
            cancellation.check()?;
            self.read(start);
            self.each_share(start, |doc, share, class| {
                postings[usize::from(class)].push(doc, share);
            });
        }
        Ok(postings)
    }

    /// The next document that holds anything.
    fn next(&self) -> Option<u32> {
        let own = self.own.iter().map(|own| &own.cursor);
        let others = self.others.iter().map(|other| &other.cursor);
        own.chain(others).filter_map(PostingCursor::doc).min()
    }

    /// Reads what documents of the window from `start` on hold.
    fn read(&mut self, start: u32) {
        let end = start.saturating_add(self.nearness.len() as u32);
        for own in &mut self.own {
            own.cursor.drain_docs_below(end, |docs| {
                for &doc in docs {
                    let doc = (doc - start) as usize;
                    self.held[doc / 64] |= 1 << (doc % 64);
                    note_class(&mut self.classes, &self.nearness, doc, (OWN, own.class));
                    self.nearness[doc] = OWN;
                }
            });
        }
        for other in &mut self.others {
            let nearness = other.nearness;
            other.cursor.drain_below(end, |docs, frequencies, lengths| {
                for ((&doc, &frequency), &length) in docs.iter().zip(frequencies).zip(lengths) {
                    let doc = (doc - start) as usize;
                    self.held[doc / 64] |= 1 << (doc % 64);
                    note_class(
                        &mut self.classes,
                        &self.nearness,
                        doc,
                        (nearness, other.class),
                    );
                    self.nearness[doc] = self.nearness[doc].max(nearness);
                    self.occurrences[doc] += saturation(frequency, length, other.average_length);
                }
            });
        }
    }

    /// Gives each document of the window that holds anything, its share, and the class of its weight; clears the window.
    fn each_share(&mut self, start: u32, mut visit: impl FnMut(u32, u32, u16)) {
        for (word, bits) in self.held.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let nearness = std::mem::take(&mut self.nearness[at]);
                let occurrences = std::mem::take(&mut self.occurrences[at]);
                let share = match OWN - nearness {
                    0 => SHARE_WHOLE,
                    _ => Nearness::from_number(nearness).share(occurrences),
                };
                let class = self.classes.get(at).copied().unwrap_or_default();
                visit(start + at as u32, share, class);
            }
        }
    }
}

/// Notes the class of a word of a document, unless nearer ones are known of it.
#[inline]
fn note_class(classes: &mut [u16], nearness: &[u8], doc: usize, (near, class): (u8, u16)) {
    if classes.is_empty() {
        return;
    }
    match near.cmp(&nearness[doc]) {
        Ordering::Less => {}
        Ordering::Equal => classes[doc] = classes[doc].max(class),
        Ordering::Greater => classes[doc] = class,
    }
}
