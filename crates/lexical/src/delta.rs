use std::collections::HashMap;

use parking_lot::{RwLock, RwLockReadGuard};

use crate::dead_set::DeadSet;
use crate::field_table::Slot;
use crate::packed_tokens::unpack;
use crate::phrase::Phrase;
use crate::posting_list::{PlainPostings, PostingList};
use crate::segment::{TextDocument, TextField};
use crate::statistics::FieldLength;
use crate::term_matches::{DocumentCounts, FieldSelection, TermMatches};

/// The newest documents, inverted in memory, searchable until a segment takes them over.
///
/// The local number of a document is its ordinal minus `base`. One writer appends; readers name
/// the end of what they may see, so that documents appended later do not show in their view.
pub(crate) struct Delta {
    base: u32,
    inner: RwLock<DeltaInner>,
}

#[derive(Default)]
pub(crate) struct DeltaInner {
    documents: Vec<TextDocument>,
    terms: HashMap<Box<str>, Vec<FieldPostings>>,
    memory_bytes: usize,
}

/// A term's entry in the map beside its text: key, value and what the map leaves empty.
const TERM_BYTES: usize = 64;

/// Occurrences of one term in one field, by ascending document.
struct FieldPostings {
    slot: Slot,
    postings: Vec<DeltaPosting>,
    positions: Vec<u32>,
}

struct DeltaPosting {
    local: u32,
    frequency: u32,
    /// Index of the first of `frequency` positions.
    positions_from: u32,
    length: FieldLength,
}

impl Delta {
    /// An empty delta for ordinals from `base` on.
    pub(crate) fn new(base: u32) -> Delta {
        Delta {
            base,
            inner: RwLock::default(),
        }
    }

    pub(crate) fn base(&self) -> u32 {
        self.base
    }

    /// Appends a document whose ordinal is larger than all before.
    pub(crate) fn push(&self, document: TextDocument) {
        let local = document.ordinal - self.base;
        self.inner.write().push(local, document);
    }

    /// Local number and lengths of a document, if it is here.
    pub(crate) fn find(&self, ordinal: u32) -> Option<(u32, Vec<(Slot, FieldLength)>)> {
        let inner = self.inner.read();
        let at = inner
            .documents
            .binary_search_by_key(&ordinal, |d| d.ordinal)
            .ok()?;
        Some((ordinal - self.base, inner.documents[at].lengths().collect()))
    }

    pub(crate) fn doc_count(&self) -> usize {
        self.inner.read().documents.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.inner.read().memory_bytes
    }

    /// The documents, ascending. Nothing can be appended while the guard lives.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, DeltaInner> {
        self.inner.read()
    }

    /// Where the tokens of a query term occur among local numbers below `end`; copied, so that
    /// the writer waits no longer than the copy takes.
    pub(crate) fn matches(
        &self,
        tokens: &[String],
        scope: FieldSelection<'_>,
        end: u32,
        dead: &DeadSet,
    ) -> TermMatches<'static> {
        let mut fields = match tokens {
            [token] => self.inner.read().token_fields(token, scope, end),
            _ => self
                .inner
                .read()
                .phrase_fields(&Phrase::new(tokens), scope, end),
        };
        fields.sort_unstable_by_key(|(slot, _)| *slot);
        let counts = DocumentCounts::of_plain(scope, &fields, |local| !dead.contains(local));
        let lists = fields
            .into_iter()
            .map(|(slot, found)| (slot, PostingList::Plain(found)));
        TermMatches {
            lists: lists.collect(),
            counts,
        }
    }
}

impl DeltaInner {
    pub(crate) fn documents(&self) -> &[TextDocument] {
        &self.documents
    }

    fn push(&mut self, local: u32, document: TextDocument) {
        for field in &document.fields {
            for (position, token) in unpack(&field.tokens) {
                self.push_token(local, field.slot, field.length, position as u32, token);
            }
            self.memory_bytes += field.tokens.len() + size_of::<TextField>();
        }
        self.memory_bytes += size_of::<TextDocument>();
        self.documents.push(document);
    }

    fn push_token(
        &mut self,
        local: u32,
        slot: Slot,
        length: FieldLength,
        position: u32,
        token: &str,
    ) {
        let added_bytes = match self.terms.get_mut(token) {
            Some(fields) => push_position(fields, slot, local, length, position),
            None => {
                let mut fields = Vec::new();
                let added_bytes = push_position(&mut fields, slot, local, length, position);
                self.terms.insert(token.into(), fields);
                added_bytes + token.len() + TERM_BYTES
            }
        };
        self.memory_bytes += added_bytes;
    }

    fn fields_of(
        &self,
        token: &str,
        scope: FieldSelection<'_>,
    ) -> impl Iterator<Item = &FieldPostings> {
        let fields = self.terms.get(token).map_or(&[][..], Vec::as_slice);
        fields
            .iter()
            .filter(move |field| scope.includes(field.slot))
    }

    fn token_fields(
        &self,
        token: &str,
        scope: FieldSelection<'_>,
        end: u32,
    ) -> Vec<(Slot, PlainPostings)> {
        let mut fields = Vec::new();
        for field in self.fields_of(token, scope) {
            let mut found = PlainPostings::default();
            for posting in field.visible(end) {
                found.push(posting.local, posting.frequency, posting.length);
            }
            if !found.docs.is_empty() {
                fields.push((field.slot, found));
            }
        }
        fields
    }

    fn phrase_fields(
        &self,
        phrase: &Phrase<'_>,
        scope: FieldSelection<'_>,
        end: u32,
    ) -> Vec<(Slot, PlainPostings)> {
        let Some((first, others)) = phrase.distinct().split_first() else {
            return Vec::new();
        };
        let mut fields = Vec::new();
        for lead in self.fields_of(first, scope) {
            let in_field = |token: &&str| {
                self.terms
                    .get(*token)?
                    .iter()
                    .find(|field| field.slot == lead.slot)
            };
            let Some(others) = others.iter().map(in_field).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let found = phrase_in_field(phrase, lead, &others, end);
            if !found.docs.is_empty() {
                fields.push((lead.slot, found));
            }
        }
        fields
    }
}

/// Adds an occurrence to the fields of a term and tells by how many bytes they grew.
fn push_position(
    fields: &mut Vec<FieldPostings>,
    slot: Slot,
    local: u32,
    length: FieldLength,
    position: u32,
) -> usize {
    let mut added_bytes = size_of::<u32>();
    let at = fields
        .iter()
        .position(|field| field.slot == slot)
        .unwrap_or_else(|| {
            fields.push(FieldPostings {
                slot,
                postings: Vec::new(),
                positions: Vec::new(),
            });
            added_bytes += size_of::<FieldPostings>();
            fields.len() - 1
        });
    let field = &mut fields[at];
    match field.postings.last_mut() {
        Some(last) if last.local == local => last.frequency += 1,
        _ => {
            field.postings.push(DeltaPosting {
                local,
                frequency: 1,
                positions_from: field.positions.len() as u32,
                length,
            });
            added_bytes += size_of::<DeltaPosting>();
        }
    }
    field.positions.push(position);
    added_bytes
}

impl FieldPostings {
    fn visible(&self, end: u32) -> &[DeltaPosting] {
        &self.postings[..self.postings.partition_point(|posting| posting.local < end)]
    }

    fn positions(&self, posting: &DeltaPosting) -> &[u32] {
        &self.positions[posting.positions_from as usize..][..posting.frequency as usize]
    }

    fn positions_in(&self, local: u32) -> Option<&[u32]> {
        let at = self
            .postings
            .binary_search_by_key(&local, |posting| posting.local)
            .ok()?;
        Some(self.positions(&self.postings[at]))
    }
}

fn phrase_in_field(
    phrase: &Phrase<'_>,
    lead: &FieldPostings,
    others: &[&FieldPostings],
    end: u32,
) -> PlainPostings {
    let mut found = PlainPostings::default();
    for posting in lead.visible(end) {
        let mut positions = vec![lead.positions(posting)];
        positions.extend(
            others
                .iter()
                .map_while(|field| field.positions_in(posting.local)),
        );
        if positions.len() == others.len() + 1 {
            let frequency = phrase.count(&positions);
            if frequency > 0 {
                found.push(posting.local, frequency, posting.length);
            }
        }
    }
    found
}
