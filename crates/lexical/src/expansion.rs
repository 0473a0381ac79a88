//! The words of an index that a typed word stands for besides itself.

mod choice;
mod common_words;
mod compounds;
mod near_words;
mod reach;
mod respelled;
mod shares;
mod shares_cache;
mod word_stream;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy_fst::Streamer;
use tantivy_fst::map::OpBuilder;

use choice::{RankedWord, choose};
use common_words::Beginnings;
pub(crate) use common_words::CommonWords;
use compounds::add_compounds;
pub(crate) use near_words::CORRECTED_CHARS_MAX;
use near_words::NearWords;
use reach::Holders;
pub(crate) use reach::{Reach, Sought};
use respelled::respelled;
pub(crate) use shares::{
    SHARE_WHOLE, ShareKind, has_equals, matches_with_shares, share_class, share_factor,
};
pub(crate) use shares_cache::{SharePostings, SharesCache};
use word_stream::ListStream;

use crate::analysis::Language;
use crate::error::Result;
use crate::field_table::Slot;
use crate::query::{QueryTerm, TypedWord};
use crate::typing::{Typing, Typos};
use crate::view::{Part, View};
use crate::word_list::{token_of_key, word_of_key};

/// The words that complete a typed one, and those that correct it, at most: as many as `max_expansions` of
/// Elasticsearch's prefix and fuzzy queries.
const EXPANSIONS_MAX: usize = 50;
/// The terms of a query that are expanded at most: the first ones, and the last word.
pub(crate) const EXPANDED_MAX: usize = 32;
/// Words of a beginning that are looked at one by one at most, where the most common ones may be out of reach.
const WALKED_MAX: usize = 4_096;
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

/// Finds the words that terms stand for, of those that a search reaches.
pub(crate) fn expand<'t>(
    reach: &Reach<'_>,
    terms: impl Iterator<Item = &'t mut QueryTerm>,
    typing: &Typing,
    language: Option<Language>,
) -> Result<()> {
    let is_near = |(at, term): &(usize, &'t mut QueryTerm)| {
        *at < EXPANDED_MAX || term.typed.as_ref().is_some_and(|typed| typed.is_last)
    };
    let terms: Vec<_> = terms.enumerate().filter(is_near).collect();
    let count = terms.len();
    for (_, term) in terms {
        let spellings = std::mem::take(&mut term.spellings);
        let mut expansions = respelled(reach, term, spellings, count)?;
        if let Some(typed) = term.typed.take() {
            let words = TypedTerm { term, typed, count };
            words.add_typed(&mut expansions, reach, typing)?;
            if typing.compounds {
                add_compounds(&mut expansions, reach, term, language, count)?;
            }
        }
        term.expansions = expansions;
    }
    Ok(())
}

/// A term of a query, as it was typed.
struct TypedTerm<'t> {
    term: &'t QueryTerm,
    typed: TypedWord,
    /// The terms of the query that stand for others.
    count: usize,
}

impl TypedTerm<'_> {
    /// Adds the words of the index that it begins, or that correct it.
    fn add_typed(
        &self,
        expansions: &mut Vec<Expansion>,
        reach: &Reach<'_>,
        typing: &Typing,
    ) -> Result<()> {
        let is_completed = |name: &str| typing.completes(self.typed.is_last, name);
        let completed = reach.slots(is_completed);
        if !completed.is_empty() {
            let holders = reach.holders(completed, self.count);
            let words = self.beginnings(reach, &holders)?;
            self.expand_into(expansions, words, holders.slots());
        }
        let typos = typing.typos.as_ref();
        let Some(typos) = typos.filter(|_| self.term.tokens.token_count() == 1) else {
            return Ok(());
        };
        for is_beginning in [true, false] {
            let slots =
                reach.slots(|name| typos.forgives(name) && is_completed(name) == is_beginning);
            if !slots.is_empty() {
                let holders = reach.holders(slots, self.count);
                let edits = |word: &str| typos.edits(word);
                let mut words = near_words(reach, &self.typed.words, edits, is_beginning)?;
                let words = choose(|| Ok(words.pop()), &holders, |token| self.is_own(token))?;
                self.expand_into(expansions, words, holders.slots());
            }
        }
        match expansions.is_empty() {
            true => self.add_longer(expansions, reach, typos),
            false => Ok(()),
        }
    }

    /// Adds the words that lost a character and are too short for other typos without it, unless documents hold what is
    /// left: short words are near to many.
    fn add_longer(
        &self,
        expansions: &mut Vec<Expansion>,
        reach: &Reach<'_>,
        typos: &Typos,
    ) -> Result<()> {
        let slots = reach.slots(|name| typos.forgives(name));
        let is_short = |word: &String| typos.may_lack_one(word);
        if slots.is_empty() || !self.typed.words.iter().any(is_short) || self.is_held(reach)? {
            return Ok(());
        }
        let holders = reach.holders(slots, self.count);
        let edits = |word: &str| u8::from(typos.may_lack_one(word));
        let mut words = near_words(reach, &self.typed.words, edits, false)?;
        let mut next_longer = || loop {
            let word = words.pop()?;
            let (_, _, Reverse(key)) = &word;
            let chars = String::from_utf8_lossy(word_of_key(key)).chars().count();
            if chars == typos.one_from {
                return Some(word);
            }
        };
        let words = choose(|| Ok(next_longer()), &holders, |token| self.is_own(token))?;
        self.expand_into(expansions, words, holders.slots());
        Ok(())
    }

    /// Tells whether a living document holds the term itself, in the fields that are searched.
    fn is_held(&self, reach: &Reach<'_>) -> Result<bool> {
        let holders = reach.holders(reach.slots(|_| true), self.count);
        for form in self.term.tokens.forms() {
            let Some(token) = form.tokens.last() else {
                continue;
            };
            if reach.view.documents_with(token)? > 0 && holders.holds(token)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn beginnings(&self, reach: &Reach<'_>, holders: &Holders<'_>) -> Result<Vec<RankedWord>> {
        let walked_max = match holders.is_restricted() {
            true => WALKED_MAX,
            false => usize::MAX,
        };
        let mut all = Vec::new();
        for word in &self.typed.words {
            let mut words =
                Beginnings::new(reach.view, word.as_bytes(), walked_max, reach.cancellation)?;
            let first = words.next(reach.cancellation)?;
            all.push((first, words));
        }
        let next = || {
            let best = all.iter_mut().max_by(|(a, _), (b, _)| a.cmp(b));
            let Some((head, words)) = best else {
                return Ok(None);
            };
            let word = match head {
                Some(_) => std::mem::replace(head, words.next(reach.cancellation)?),
                None => None,
            };
            Ok(word.map(|(documents, key)| (Reverse(ShareKind::Beginning), documents, key)))
        };
        choose(next, holders, |token| self.is_own(token))
    }

    /// Tells whether a token is one of the term itself.
    fn is_own(&self, token: &str) -> bool {
        let mut forms = self.term.tokens.forms().iter();
        forms.any(|form| form.tokens.last().is_some_and(|own| own == token))
    }

    /// Adds words, the best first, as expansions in some fields; the best word of a token names it.
    fn expand_into(
        &self,
        expansions: &mut Vec<Expansion>,
        words: Vec<RankedWord>,
        slots: &Arc<[Slot]>,
    ) {
        let before = expansions.len();
        for (Reverse(kind), _, Reverse(key)) in words {
            let word = String::from_utf8(word_of_key(&key).to_vec());
            let (Ok(word), Some(token)) = (word, token_of_key(&key)) else {
                continue;
            };
            for form in self.term.tokens.forms() {
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
        // Occurrences are added up in this order, whatever documents were removed.
        expansions[before..].sort_by(|a, b| (a.kind, &a.tokens).cmp(&(b.kind, &b.tokens)));
    }
}

/// A word of the index that is near a typed one.
pub(crate) struct NearWord {
    pub(crate) word: String,
    pub(crate) token: String,
}

/// The words of up to so many edits that a search reaches, at most 50: the nearest first, of equally near ones those that
/// most documents hold.
pub(crate) fn nearest_words(reach: &Reach<'_>, word: &str, edits: u8) -> Result<Vec<NearWord>> {
    let holders = reach.holders(reach.slots(|_| true), 1);
    let mut words = near_words(reach, &[word.to_owned()], |_| edits, false)?;
    let words = choose(|| Ok(words.pop()), &holders, |_| false)?.into_iter();
    let words = words.filter_map(|(_, _, Reverse(key))| {
        let word = String::from_utf8(word_of_key(&key).to_vec()).ok()?;
        let token = token_of_key(&key)?;
        Some(NearWord { word, token })
    });
    Ok(words.collect())
}

/// Tells whether any word that a search reaches begins so.
pub(crate) fn begins_a_word(reach: &Reach<'_>, beginning: &str) -> Result<bool> {
    let holders = reach.holders(reach.slots(|_| true), 1);
    let cancellation = reach.cancellation;
    let mut words = Beginnings::new(reach.view, beginning.as_bytes(), WALKED_MAX, cancellation)?;
    while let Some((_, Reverse(key))) = words.next(cancellation)? {
        let token = token_of_key(&key);
        if !holders.has_looks_left() || token.map_or(Ok(false), |token| holders.holds(&token))? {
            return Ok(true);
        }
    }
    Ok(false)
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
) -> std::result::Result<(), Cancelled> {
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

/// The words near to some typed ones, of as many edits as each may have, best first.
fn near_words<'v>(
    reach: &Reach<'v>,
    typed: &[String],
    edits: impl Fn(&str) -> u8,
    is_beginning: bool,
) -> Result<NearHeap<'v>> {
    let mut words: Vec<NearKey<'v>> = Vec::new();
    for word in typed {
        let edits = edits(word);
        if edits == 0 {
            continue;
        }
        let near = NearWords::new(word, edits, is_beginning);
        let mut of_one: Vec<NearKey<'v>> = Vec::new();
        let mut add = |key, kind, documents| of_one.push((key, kind, u64::from(documents)));
        for part in reach.view.parts() {
            match part {
                Part::Segment(part) => {
                    let list = part.segment.words.list(reach.cancellation)?;
                    near.search(list, reach.cancellation, &mut add)?;
                }
                Part::Delta(delta) => {
                    for inverted in delta.parts() {
                        near.search(inverted.words(), reach.cancellation, &mut add)?;
                    }
                }
            }
        }
        // Each list has a word once.
        merge_equal(&mut of_one, |documents, others| documents + others);
        words.append(&mut of_one);
    }
    if typed.len() > 1 {
        merge_equal(&mut words, u64::max);
    }
    let ranked = words.into_iter();
    let ranked = ranked.map(|(key, kind, documents)| (Reverse(kind), documents, Reverse(key)));
    Ok(NearHeap(ranked.collect()))
}

/// A key, its nearness and its documents.
type NearKey<'v> = (&'v [u8], ShareKind, u64);

/// Makes one of those with the same key, of the nearest kind and of documents by `sum`.
fn merge_equal(words: &mut Vec<NearKey<'_>>, sum: impl Fn(u64, u64) -> u64) {
    words.sort_unstable_by_key(|(key, kind, _)| (*key, *kind));
    words.dedup_by(|(key, _, documents), (kept, _, all)| {
        let is_same = key == kept;
        if is_same {
            *all = sum(*all, *documents);
        }
        is_same
    });
}

/// Words by their nearness and documents.
struct NearHeap<'v>(BinaryHeap<RankedKey<'v>>);

/// As [`RankedWord`].
type RankedKey<'v> = (Reverse<ShareKind>, u64, Reverse<&'v [u8]>);

impl NearHeap<'_> {
    fn pop(&mut self) -> Option<RankedWord> {
        let (kind, documents, Reverse(key)) = self.0.pop()?;
        Some((kind, documents, Reverse(key.to_vec())))
    }
}

/// The documents of a key are those of all parts.
fn visit_all(
    streams: OpBuilder<'_>,
    cancellation: &Cancellation,
    mut visit: impl FnMut(&[u8], u64),
) -> std::result::Result<(), Cancelled> {
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
