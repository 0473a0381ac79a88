//! The words of an index that a typed word stands for besides itself.

mod common_words;
mod compounds;
mod near_words;
mod respelled;
mod shares;
mod shares_cache;
mod word_stream;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy_fst::Streamer;
use tantivy_fst::map::OpBuilder;

pub(crate) use common_words::CommonWords;
use common_words::offer_beginnings;
use compounds::add_compounds;
pub(crate) use near_words::CORRECTED_CHARS_MAX;
use near_words::NearWords;
use respelled::respelled;
pub(crate) use shares::{
    SHARE_WHOLE, ShareKind, has_equals, matches_with_shares, share_class, share_factor,
};
pub(crate) use shares_cache::{SharePostings, SharesCache};
use word_stream::ListStream;

use crate::analysis::Language;
use crate::field_table::Slot;
use crate::query::{QueryTerm, TypedWord};
use crate::typing::Typing;
use crate::view::{Part, View};
use crate::word_list::{token_of_key, word_of_key};

/// The words that complete a typed one, and those that correct it, at most: as many as `max_expansions` of
/// Elasticsearch's prefix and fuzzy queries.
const EXPANSIONS_MAX: usize = 50;
/// The terms of a query that are expanded at most: the first ones, and the last word.
pub(crate) const EXPANDED_MAX: usize = 32;
/// Words between two looks at whether the search is cancelled.
const WORDS_PER_CHECK: usize = 1_024;

/// A word that a term stands for besides itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// In place of the term's own.
    pub(crate) tokens: Vec<String>,
    /// The last of them as it is written.
    pub(crate) word: String,
    pub(crate) kind: ShareKind,
    /// The fields in which it counts, ascending.
    slots: Arc<[Slot]>,
}

impl Expansion {
    pub(crate) fn stands_in(&self, slot: Slot) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }
}

/// Finds the words of a view that terms stand for.
pub(crate) fn expand<'t>(
    view: &View,
    terms: impl Iterator<Item = &'t mut QueryTerm>,
    typing: &Typing,
    language: Option<Language>,
    cancellation: &Cancellation,
) -> crate::error::Result<()> {
    let is_near = |(at, term): &(usize, &'t mut QueryTerm)| {
        *at < EXPANDED_MAX || term.typed.as_ref().is_some_and(|typed| typed.is_last)
    };
    for (_, term) in terms.enumerate().filter(is_near) {
        let spellings = std::mem::take(&mut term.spellings);
        let mut expansions = respelled(view, term, spellings, cancellation)?;
        if let Some(typed) = term.typed.take() {
            add_typed(&mut expansions, view, term, &typed, typing, cancellation)?;
            if typing.compounds {
                add_compounds(&mut expansions, view, term, language, cancellation)?;
            }
        }
        term.expansions = expansions;
    }
    Ok(())
}

/// Adds the words of the index that a typed one begins, or that correct it.
fn add_typed(
    expansions: &mut Vec<Expansion>,
    view: &View,
    term: &QueryTerm,
    typed: &TypedWord,
    typing: &Typing,
    cancellation: &Cancellation,
) -> Result<(), Cancelled> {
    let own = |token: &str| {
        let mut forms = term.tokens.forms().iter();
        forms.any(|form| form.tokens.last().is_some_and(|own| own == token))
    };
    let completed = slots_of(view, |name| typing.completes(typed.is_last, name));
    if !completed.is_empty() {
        let mut best = BestWords::default();
        for word in &typed.words {
            offer_beginnings(&mut best, view, word.as_bytes(), own, cancellation)?;
        }
        best.expand_into(expansions, term, &completed);
    }
    let typos = typing.typos.as_ref();
    let Some(typos) = typos.filter(|_| term.tokens.token_count() == 1) else {
        return Ok(());
    };
    let is_completed = |name: &str| typing.completes(typed.is_last, name);
    for is_beginning in [true, false] {
        let slots = slots_of(view, |name| {
            typos.forgives(name) && is_completed(name) == is_beginning
        });
        let mut best = BestWords::default();
        for word in typed.words.iter().filter(|_| !slots.is_empty()) {
            let edits = typos.edits(word);
            if edits == 0 {
                continue;
            }
            let near = NearWords::new(word, edits, is_beginning);
            words_near(view, &near, cancellation, |key, kind, documents| {
                best.offer(key, documents, kind, own);
            })?;
        }
        best.expand_into(expansions, term, &slots);
    }
    Ok(())
}

/// A word of the index that is near a typed one.
pub(crate) struct NearWord {
    pub(crate) word: String,
    pub(crate) token: String,
}

/// The words of up to so many edits, at most 50: the nearest first, of equally near ones those that most documents hold.
pub(crate) fn nearest_words(
    view: &View,
    word: &str,
    edits: u8,
    cancellation: &Cancellation,
) -> Result<Vec<NearWord>, Cancelled> {
    let mut best = BestWords::default();
    if edits > 0 {
        let near = NearWords::new(word, edits, false);
        words_near(view, &near, cancellation, |key, kind, documents| {
            best.offer(key, documents, kind, |_| false);
        })?;
    }
    let keys = best.0.into_sorted_vec().into_iter();
    let words = keys.filter_map(|Reverse((_, _, Reverse(key)))| {
        let word = String::from_utf8(word_of_key(&key).to_vec()).ok()?;
        let token = token_of_key(&key)?;
        Some(NearWord { word, token })
    });
    Ok(words.collect())
}

/// Tells whether any word of the index begins so.
pub(crate) fn begins_a_word(
    view: &View,
    beginning: &str,
    cancellation: &Cancellation,
) -> Result<bool, Cancelled> {
    let mut begins = false;
    words_with(view, beginning.as_bytes(), cancellation, |_, _| {
        begins = true
    })?;
    Ok(begins)
}

/// The fields of some names.
fn slots_of(view: &View, is_named: impl Fn(&str) -> bool) -> Arc<[Slot]> {
    let names = view.fields.names().iter().enumerate();
    let slots = names.filter(|(_, name)| is_named(name));
    slots.map(|(slot, _)| slot as Slot).collect()
}

/// The end of the keys that begin so.
fn end_of(beginning: &[u8]) -> Vec<u8> {
    // No letter has this byte.
    [beginning, &[u8::MAX]].concat()
}

/// Gives each key that begins so, and the documents with it, to `visit`, in order.
fn words_with(
    view: &View,
    beginning: &[u8],
    cancellation: &Cancellation,
    visit: impl FnMut(&[u8], u64),
) -> Result<(), Cancelled> {
    let end = end_of(beginning);
    let mut streams = OpBuilder::new();
    for part in view.parts() {
        match part {
            Part::Segment(part) => streams.push(part.segment.words.range(beginning, &end)),
            Part::Delta(delta) => {
                for inverted in delta.parts() {
                    streams.push(ListStream::new(inverted.words(), beginning, &end));
                }
            }
        }
    }
    visit_all(streams, cancellation, visit)
}

/// Gives each key of a word that is near, its relation and the documents with it, to `visit`.
fn words_near(
    view: &View,
    near: &NearWords,
    cancellation: &Cancellation,
    mut visit: impl FnMut(&[u8], ShareKind, u64),
) -> Result<(), Cancelled> {
    let mut words: HashMap<&[u8], (ShareKind, u64)> = HashMap::new();
    for part in view.parts() {
        let mut add = |key, kind, documents| {
            let (_, all) = words.entry(key).or_insert((kind, 0));
            *all += u64::from(documents);
        };
        match part {
            Part::Segment(part) => {
                let list = part.segment.words.list(cancellation)?;
                near.search(list, cancellation, &mut add)?;
            }
            Part::Delta(delta) => {
                for inverted in delta.parts() {
                    near.search(inverted.words(), cancellation, &mut add)?;
                }
            }
        }
    }
    for (key, (kind, documents)) in words {
        visit(key, kind, documents);
    }
    Ok(())
}

/// The documents of a key are those of all parts.
fn visit_all(
    streams: OpBuilder<'_>,
    cancellation: &Cancellation,
    mut visit: impl FnMut(&[u8], u64),
) -> Result<(), Cancelled> {
    let mut union = streams.union();
    let mut words = 0_usize;
    while let Some((key, found)) = union.next() {
        words += 1;
        if words.is_multiple_of(WORDS_PER_CHECK) {
            cancellation.check()?;
        }
        let documents = found.iter().map(|one| one.value);
        visit(key, documents.fold(0, u64::saturating_add));
    }
    Ok(())
}

/// The nearest words, of equally near ones those with the most documents, of equal ones the first.
#[derive(Default)]
struct BestWords(BinaryHeap<Reverse<RankedWord>>);

/// Its nearness, its documents and its key, so that the best is the greatest.
type RankedWord = (Reverse<ShareKind>, u64, Reverse<Vec<u8>>);

impl BestWords {
    /// Tells whether no further word of so many documents, or fewer, would be taken.
    fn is_beyond(&self, documents: u64) -> bool {
        let worst = self.0.peek();
        let is_better = |Reverse((_, fewest, _)): &Reverse<RankedWord>| *fewest > documents;
        self.0.len() == EXPANSIONS_MAX && worst.is_some_and(is_better)
    }

    fn offer(
        &mut self,
        key: &[u8],
        documents: u64,
        kind: ShareKind,
        is_own: impl Fn(&str) -> bool,
    ) {
        let is_full = self.0.len() == EXPANSIONS_MAX;
        if is_full
            && let Some(Reverse((Reverse(worst), fewest, Reverse(last)))) = self.0.peek()
            && (kind, *fewest, key) >= (*worst, documents, last.as_slice())
        {
            return;
        }
        if token_of_key(key).is_none_or(|token| is_own(&token)) {
            return;
        }
        if is_full {
            self.0.pop();
        }
        self.0
            .push(Reverse((Reverse(kind), documents, Reverse(key.to_vec()))));
    }

    /// Adds the words, the best first, as expansions of a term in some fields; the best word of a token names it.
    fn expand_into(self, expansions: &mut Vec<Expansion>, term: &QueryTerm, slots: &Arc<[Slot]>) {
        for Reverse((Reverse(kind), _, Reverse(key))) in self.0.into_sorted_vec() {
            let word = String::from_utf8(word_of_key(&key).to_vec());
            let (Ok(word), Some(token)) = (word, token_of_key(&key)) else {
                continue;
            };
            for form in term.tokens.forms() {
                let Some((_, before)) = form.tokens.split_last() else {
                    continue;
                };
                let tokens = [before, std::slice::from_ref(&token)].concat();
                let is_known = |known: &Expansion| {
                    known.tokens == tokens && slots.iter().any(|slot| known.stands_in(*slot))
                };
                if !expansions.iter().any(is_known) {
                    expansions.push(Expansion {
                        tokens,
                        word: word.clone(),
                        kind,
                        slots: slots.clone(),
                    });
                }
            }
        }
    }
}
