//! The newest documents, in memory, searchable until a segment takes them over.

use std::sync::Arc;

use pelorus_cancellation::{Cancellation, Cancelled};

use crate::dead_set::DeadSet;
use crate::expansion::Sought;
use crate::field_table::Slot;
use crate::inverted::{FieldList, Inverted, PostingSlices, merge, term_hash};
use crate::phrase::Phrase;
use crate::posting_list::{PlainPostings, PostingList};
use crate::statistics::FieldLength;
use crate::term_matches::{DocumentCounts, FieldSelection, TermMatches};

/// Documents in memory as one view has them: parts that were inverted together or merged since,
/// oldest first. Cheap to clone.
///
/// The local number of a document is its ordinal minus `base`.
#[derive(Clone)]
pub(crate) struct Delta {
    base: u32,
    /// Local numbers are below this.
    end: u32,
    parts: Vec<Arc<Inverted>>,
    pub(crate) dead: Arc<DeadSet>,
}

/// Parts of about one size that are merged as soon as there are so many.
const MERGED_AT_ONCE: usize = 4;

/// Parts from this size on are not merged any more: a merge takes about 2 ns a byte, and whoever
/// publishes waits for it. So of n bytes there are n / 4 MiB parts, and three or fewer of each
/// smaller size, sizes being powers of four: about a dozen parts, some thirty at most.
const MERGED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A search for one document costs about as much as passing this many.
const SEARCH_COST: usize = 16;

impl Delta {
    /// An empty delta for ordinals from `base` on.
    pub(crate) fn new(base: u32) -> Delta {
        Delta {
            base,
            end: 0,
            parts: Vec::new(),
            dead: Arc::default(),
        }
    }

    pub(crate) fn ordinal(&self, local: u32) -> u32 {
        self.base + local
    }

    /// The first ordinal that is larger than all here.
    pub(crate) fn end_ordinal(&self) -> u32 {
        self.base + self.end
    }

    /// Local numbers are below this.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts, with documents by local number and slots for fields.
    pub(crate) fn parts(&self) -> &[Arc<Inverted>] {
        &self.parts
    }

    /// Appends documents numbered by their ordinals, which are larger than all before.
    pub(crate) fn push(&mut self, mut part: Inverted) {
        part.rebase(self.base);
        let Some(&last) = part.documents().last() else {
            return;
        };
        debug_assert!(
            part.documents()[0] >= self.end,
            "documents of a part are larger than all before"
        );
        self.end = last + 1;
        self.parts.push(Arc::new(part));
        while let Some(from) = first_to_merge(&self.parts) {
            let sources: Vec<&Inverted> = self.parts[from..].iter().map(|part| &**part).collect();
            let merged = Arc::new(merge(&sources));
            self.parts.splice(from.., [merged]);
        }
    }

    /// Local number and lengths of a document, if it is here.
    pub(crate) fn find(&self, ordinal: u32) -> Option<(u32, Vec<(Slot, FieldLength)>)> {
        let local = ordinal.checked_sub(self.base)?;
        let ends_before = |part: &Arc<Inverted>| part.documents().last() < Some(&local);
        let part = self.parts.get(self.parts.partition_point(ends_before))?;
        let row = part.documents().binary_search(&local).ok()?;
        Some((local, part.field_lengths(row).collect()))
    }

    pub(crate) fn document_count(&self) -> usize {
        self.parts.iter().map(|part| part.documents().len()).sum()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let parts = self.parts.iter().map(|part| part.memory_bytes());
        parts.sum::<usize>() + self.dead.memory_bytes()
    }

    /// Returns the matches of the tokens of a query term.
    pub(crate) fn matches(
        &self,
        (tokens, slop): (&[String], u32),
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'_>, Cancelled> {
        match tokens {
            [token] => Ok(self.token_matches(token, scope)),
            _ => self.phrase_matches(&Phrase::new(tokens, slop), scope, cancellation),
        }
    }

    /// The number of documents that hold a token, dead ones included.
    pub(crate) fn documents_with(&self, token: &str) -> u32 {
        let hash = term_hash(token);
        let found = self
            .parts
            .iter()
            .filter_map(|part| Some((part, part.find(hash, token)?)));
        found.map(|(part, term)| part.documents_with(term)).sum()
    }

    /// Tells whether a document that is sought holds a token in some fields.
    pub(crate) fn holds(&self, token: &str, slots: &[Slot], sought: &mut Sought<'_>) -> bool {
        let hash = term_hash(token);
        for part in &self.parts {
            let Some(term) = part.find(hash, token) else {
                continue;
            };
            for list in in_scope(part, term, FieldSelection::Fields(slots)) {
                let docs = list.postings.docs;
                let found = docs
                    .iter()
                    .position(|&doc| sought.includes(doc, |doc| self.ordinal(doc)));
                sought.passed += found.unwrap_or(docs.len());
                if found.is_some() {
                    return true;
                }
            }
        }
        false
    }

    fn token_matches(&self, token: &str, scope: FieldSelection<'_>) -> TermMatches<'_> {
        let hash = term_hash(token);
        let mut fields: Vec<(Slot, Vec<PostingSlices<'_>>)> = Vec::new();
        let mut documents = 0;
        for part in &self.parts {
            let Some(term) = part.find(hash, token) else {
                continue;
            };
            // No document is in two parts, so that counts of parts add up.
            documents += part.documents_with(term);
            for list in in_scope(part, term, scope) {
                let slot = list.field as Slot;
                match fields.binary_search_by_key(&slot, |(slot, _)| *slot) {
                    Ok(at) => fields[at].1.push(list.postings),
                    Err(at) => fields.insert(at, (slot, vec![list.postings])),
                }
            }
        }
        let counts = match scope {
            FieldSelection::All => {
                let runs = fields.iter().flat_map(|(_, runs)| runs);
                DocumentCounts::Union(documents - self.dead_in(runs))
            }
            FieldSelection::Fields(_) => DocumentCounts::PerField(
                fields
                    .iter()
                    .map(|(slot, runs)| {
                        let documents: usize = runs.iter().map(|run| run.docs.len()).sum();
                        (*slot, documents as u32 - self.dead_in(runs.iter()))
                    })
                    .collect(),
            ),
        };
        let list = |(slot, runs)| (slot, PostingList::Runs(runs));
        TermMatches {
            lists: fields.into_iter().map(list).collect(),
            counts,
            documents: None,
        }
    }

    /// Dead documents in any of the lists.
    fn dead_in<'r>(&self, runs: impl Iterator<Item = &'r PostingSlices<'r>> + Clone) -> u32 {
        if self.dead.is_empty() {
            return 0;
        }
        let (count, postings) = runs.clone().fold((0, 0), |(count, postings), run| {
            (count + 1, postings + run.docs.len())
        });
        if self.dead.len() * count * SEARCH_COST < postings {
            let holds = |local: &&u32| runs.clone().any(|run| run.contains(**local));
            return self.dead.log().iter().filter(holds).count() as u32;
        }
        let docs = runs.flat_map(|run| run.docs).copied();
        let mut dead: Vec<u32> = docs.filter(|&local| self.dead.contains(local)).collect();
        dead.sort_unstable();
        dead.dedup();
        dead.len() as u32
    }

    fn phrase_matches(
        &self,
        phrase: &Phrase<'_>,
        scope: FieldSelection<'_>,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'_>, Cancelled> {
        let mut fields: Vec<(Slot, PlainPostings)> = Vec::new();
        for part in &self.parts {
            phrase_in_part(part, phrase, scope, &mut fields, cancellation)?;
        }
        let counts = DocumentCounts::of_plain(scope, &fields, |local| !self.dead.contains(local));
        let list = |(slot, found)| (slot, PostingList::Plain(found));
        Ok(TermMatches {
            lists: fields.into_iter().map(list).collect(),
            counts,
            documents: None,
        })
    }
}

/// The first of the parts to be merged next, which reach to the newest one.
fn first_to_merge(parts: &[Arc<Inverted>]) -> Option<usize> {
    let class = |part: &Arc<Inverted>| part.memory_bytes().ilog2() / MERGED_AT_ONCE.ilog2();
    let newest = parts.last().filter(|part| is_small(part))?;
    let is_merged = |part: &&Arc<Inverted>| is_small(part) && class(part) <= class(newest);
    let count = parts.iter().rev().take_while(is_merged).count();
    (count >= MERGED_AT_ONCE).then(|| parts.len() - count)
}

fn is_small(part: &Inverted) -> bool {
    part.memory_bytes() < MERGED_BYTES_MAX
}

fn in_scope<'p>(
    part: &'p Inverted,
    term: usize,
    scope: FieldSelection<'_>,
) -> impl Iterator<Item = FieldList<'p>> {
    part.lists(term)
        .filter(move |list| scope.includes(list.field as Slot))
}

/// Appends to `fields`, ascending by slot, where the phrase occurs in a part.
fn phrase_in_part(
    part: &Inverted,
    phrase: &Phrase<'_>,
    scope: FieldSelection<'_>,
    fields: &mut Vec<(Slot, PlainPostings)>,
    cancellation: &Cancellation,
) -> Result<(), Cancelled> {
    let find = |token: &&str| part.find(term_hash(token), token);
    let Some(terms) = phrase
        .distinct()
        .iter()
        .map(find)
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(());
    };
    let Some((&first, others)) = terms.split_first() else {
        return Ok(());
    };
    for lead in in_scope(part, first, scope) {
        let in_field = |&term: &usize| part.lists(term).find(|list| list.field == lead.field);
        let Some(others) = others.iter().map(in_field).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let slot = lead.field as Slot;
        let mut found = None;
        let visit = |doc, frequency, length| {
            let at = *found.get_or_insert_with(|| {
                let at = fields.binary_search_by_key(&slot, |(slot, _)| *slot);
                at.unwrap_or_else(|at| {
                    fields.insert(at, (slot, PlainPostings::default()));
                    at
                })
            });
            fields[at].1.push(doc, frequency, length);
        };
        phrase_in_field(phrase, &lead, &others, visit, cancellation)?;
    }
    Ok(())
}

/// Visits the documents of `lead` in which the phrase occurs, with its frequency.
fn phrase_in_field(
    phrase: &Phrase<'_>,
    lead: &FieldList<'_>,
    others: &[FieldList<'_>],
    mut visit: impl FnMut(u32, u32, FieldLength),
    cancellation: &Cancellation,
) -> Result<(), Cancelled> {
    let mut ended = Ok(());
    let mut cursors: Vec<PositionCursor<'_>> = others.iter().map(PositionCursor::new).collect();
    let mut positions = Vec::with_capacity(others.len() + 1);
    lead.for_each(|doc, length, of_lead| {
        positions.clear();
        positions.push(of_lead);
        positions.extend(
            cursors
                .iter_mut()
                .map_while(|cursor| cursor.positions_in(doc)),
        );
        if positions.len() == others.len() + 1 && ended.is_ok() {
            match phrase.count(&positions, cancellation) {
                Ok(0) => {}
                Ok(frequency) => visit(doc, frequency, length),
                Err(cancelled) => ended = Err(cancelled),
            }
        }
    });
    ended
}

/// A place in a list with positions that only moves forward.
struct PositionCursor<'a> {
    docs: &'a [u32],
    frequencies: &'a [u32],
    positions: &'a [u32],
}

impl<'a> PositionCursor<'a> {
    fn new(list: &FieldList<'a>) -> PositionCursor<'a> {
        PositionCursor {
            docs: list.postings.docs,
            frequencies: list.postings.frequencies,
            positions: list.positions,
        }
    }

    /// The positions in a document that is not below those asked for before.
    fn positions_in(&mut self, doc: u32) -> Option<&'a [u32]> {
        let passed = self.docs.partition_point(|&other| other < doc);
        let skipped: u32 = self.frequencies[..passed].iter().sum();
        self.docs = &self.docs[passed..];
        self.frequencies = &self.frequencies[passed..];
        self.positions = &self.positions[skipped as usize..];
        let is_here = self.docs.first() == Some(&doc);
        is_here.then(|| &self.positions[..self.frequencies[0] as usize])
    }
}
