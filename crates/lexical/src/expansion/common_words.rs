//! The words that most documents hold, of all that begin alike, without a look at each of them.
//!
//! A first letter begins thousands of words, and fifty are wanted. Segments do not change, so each keeps its most common
//! words of the beginnings that many words have. These are added up in the order of their documents, until no word that
//! has not come yet can be among the best: the threshold algorithm of Fagin, Lotem and Naor, "Optimal Aggregation
//! Algorithms for Middleware" (2003).

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy_fst::Streamer;

use super::{WORDS_PER_CHECK, end_of, words_with};
use crate::segment::SegmentWords;
use crate::view::{Part, View};
use crate::word_list::WordList;

/// Words of a beginning that a segment lists.
const LISTED: usize = 256;
/// Words from which on a list is kept: fewer are soon walked.
const KEPT_FROM: usize = 512;
/// Beginnings whose lists are kept; past this many the memory starts afresh.
const BEGINNINGS_MAX: usize = 512;

/// The lists that a segment keeps.
#[derive(Default)]
pub(crate) struct CommonWords {
    known: Mutex<HashMap<Box<[u8]>, Arc<CommonList>>>,
}

/// The keys of a beginning with the most documents, the first ones foremost.
struct CommonList {
    keys: Vec<(Vec<u8>, u64)>,
    /// All keys of the beginning.
    count: usize,
}

impl CommonWords {
    fn of(
        &self,
        words: &SegmentWords,
        beginning: &[u8],
        cancellation: &Cancellation,
    ) -> Result<Arc<CommonList>, Cancelled> {
        if let Some(list) = self.known.lock().get(beginning) {
            return Ok(list.clone());
        }
        let mut best: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>> = BinaryHeap::new();
        let mut stream = words.range(beginning, &end_of(beginning));
        let mut count = 0_usize;
        while let Some((key, documents)) = stream.next() {
            count += 1;
            if count.is_multiple_of(WORDS_PER_CHECK) {
                cancellation.check()?;
            }
            // The first keys of as many documents stay.
            let least = best.peek().map_or(0, |Reverse((least, _))| *least);
            if best.len() < LISTED || documents > least {
                if best.len() == LISTED {
                    best.pop();
                }
                best.push(Reverse((documents, Reverse(key.to_vec()))));
            }
        }
        let keys = best.into_sorted_vec().into_iter();
        let list = Arc::new(CommonList {
            keys: keys
                .map(|Reverse((documents, Reverse(key)))| (key, documents))
                .collect(),
            count,
        });
        if count >= KEPT_FROM {
            let mut known = self.known.lock();
            if known.len() >= BEGINNINGS_MAX {
                known.clear();
            }
            known.insert(beginning.into(), list.clone());
        }
        Ok(list)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let known = self.known.lock();
        known.values().map(|list| list.memory_bytes()).sum()
    }
}

impl CommonList {
    /// Tells whether it has all keys.
    fn is_whole(&self) -> bool {
        self.keys.len() == self.count
    }

    /// The documents of a word that does not stand before `at`, at most.
    fn documents_from(&self, at: usize) -> u64 {
        match (self.keys.get(at), self.keys.last()) {
            (Some((_, documents)), _) => *documents,
            (None, Some((_, documents))) if !self.is_whole() => *documents,
            (None, _) => 0,
        }
    }

    fn memory_bytes(&self) -> usize {
        let keys = self.keys.iter();
        keys.map(|(key, _)| key.capacity() + size_of::<(Vec<u8>, u64)>())
            .sum()
    }
}

/// The documents of a word and its key, so that the best is the greatest.
type CountedKey = (u64, Reverse<Vec<u8>>);

/// The words that begin so, those that most documents hold first, of equally common ones the first.
pub(super) struct Beginnings<'v> {
    view: &'v View,
    beginning: Vec<u8>,
    lists: Vec<(&'v SegmentWords, Arc<CommonList>)>,
    deltas: Vec<&'v WordList>,
    /// The documents of deltas with each of their words that has not come yet.
    in_deltas: BinaryHeap<(u64, Reverse<&'v [u8]>)>,
    /// The place in all lists up to which words have come.
    at: usize,
    seen: HashSet<Vec<u8>>,
    /// Words that have come and were not given yet.
    waiting: BinaryHeap<(u64, Reverse<Cow<'v, [u8]>>)>,
    /// Tells whether no further ones come.
    is_through: bool,
    /// Words that are walked at most, where the lists have too few.
    walked_max: usize,
}

impl<'v> Beginnings<'v> {
    pub(super) fn new(
        view: &'v View,
        beginning: &[u8],
        walked_max: usize,
        cancellation: &Cancellation,
    ) -> Result<Beginnings<'v>, Cancelled> {
        let mut lists = Vec::new();
        let mut deltas: Vec<&WordList> = Vec::new();
        for part in view.parts() {
            match part {
                Part::Segment(part) => {
                    let words = &part.segment.words;
                    let common = &part.segment.common_words;
                    lists.push((words, common.of(words, beginning, cancellation)?));
                }
                Part::Delta(delta) => deltas.extend(delta.parts().iter().map(|one| one.words())),
            }
        }
        let end = end_of(beginning);
        let mut in_deltas: HashMap<&[u8], u64> = HashMap::new();
        for words in &deltas {
            for at in words.lower_bound(beginning)..words.lower_bound(&end) {
                if at.is_multiple_of(WORDS_PER_CHECK) {
                    cancellation.check()?;
                }
                *in_deltas.entry(words.key(at)).or_default() += u64::from(words.documents(at));
            }
        }
        let in_deltas = in_deltas.into_iter();
        Ok(Beginnings {
            view,
            beginning: beginning.to_vec(),
            lists,
            deltas,
            in_deltas: in_deltas
                .map(|(key, documents)| (documents, Reverse(key)))
                .collect(),
            at: 0,
            seen: HashSet::new(),
            waiting: BinaryHeap::new(),
            is_through: false,
            walked_max,
        })
    }

    /// The next word, and the documents that hold it.
    pub(super) fn next(
        &mut self,
        cancellation: &Cancellation,
    ) -> Result<Option<CountedKey>, Cancelled> {
        loop {
            let unseen = self.documents_of_unseen();
            let is_next = |(documents, _): &(u64, _)| unseen == 0 || *documents > unseen;
            if self.waiting.peek().is_some_and(is_next) {
                let word = self.waiting.pop();
                return Ok(
                    word.map(|(documents, Reverse(key))| (documents, Reverse(key.into_owned())))
                );
            }
            if unseen == 0 {
                return Ok(None);
            }
            cancellation.check()?;
            self.advance(cancellation)?;
        }
    }

    /// The documents of a word that has not come yet, at most.
    fn documents_of_unseen(&self) -> u64 {
        if self.is_through {
            return 0;
        }
        let of_deltas = self.in_deltas.peek().map_or(0, |(documents, _)| *documents);
        of_deltas.saturating_add(self.unseen_in_lists())
    }

    fn unseen_in_lists(&self) -> u64 {
        let lists = self.lists.iter();
        let unseen = lists.map(|(_, list)| list.documents_from(self.at));
        unseen.fold(0, u64::saturating_add)
    }

    fn documents_of(&self, key: &[u8]) -> u64 {
        let of_segments = self.lists.iter().map(|(words, _)| words.documents(key));
        let of_deltas = self.deltas.iter().map(|words| words.documents_of(key));
        of_segments.chain(of_deltas).fold(0, u64::saturating_add)
    }

    /// Takes the next word of each list, or all that is left where a list does not know its next.
    fn advance(&mut self, cancellation: &Cancellation) -> Result<(), Cancelled> {
        let mut lists = self.lists.iter();
        if lists.any(|(_, list)| !list.is_whole() && list.keys.len() <= self.at) {
            self.is_through = true;
            return self.walk_rest(cancellation);
        }
        if self.unseen_in_lists() == 0 {
            // Deltas alone have further words.
            self.is_through = true;
            let (seen, rest) = (&self.seen, std::mem::take(&mut self.in_deltas));
            let rest = rest
                .into_iter()
                .filter(|(_, Reverse(key))| !seen.contains(*key));
            let rest =
                rest.map(|(documents, Reverse(key))| (documents, Reverse(Cow::Borrowed(key))));
            self.waiting.extend(rest);
            return Ok(());
        }
        let lists = self.lists.iter();
        let keys = lists.filter_map(|(_, list)| list.keys.get(self.at));
        let mut keys: Vec<Vec<u8>> = keys.map(|(key, _)| key.clone()).collect();
        keys.extend(self.in_deltas.pop().map(|(_, Reverse(key))| key.to_vec()));
        for key in keys {
            if !self.seen.contains(&key) {
                self.waiting
                    .push((self.documents_of(&key), Reverse(Cow::Owned(key.clone()))));
                self.seen.insert(key);
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Many words are about as common: each is looked at, unless they are too many.
    fn walk_rest(&mut self, cancellation: &Cancellation) -> Result<(), Cancelled> {
        let in_segments = self.lists.iter().map(|(_, list)| list.count);
        if in_segments.sum::<usize>() > self.walked_max {
            return Ok(());
        }
        let (seen, waiting) = (&self.seen, &mut self.waiting);
        words_with(
            self.view,
            &self.beginning,
            cancellation,
            |key, documents| {
                if !seen.contains(key) {
                    waiting.push((documents, Reverse(Cow::Owned(key.to_vec()))));
                }
            },
        )
    }
}
