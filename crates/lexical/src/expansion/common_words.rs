//! The words that most documents hold, of all that begin alike, without a look at each of them.
//!
//! A first letter begins thousands of words, and fifty are wanted. Segments do not change, so each keeps its most common
//! words of the beginnings that many words have. These are added up in the order of their documents, until no word that
//! has not come yet can be among the best: the threshold algorithm of Fagin, Lotem and Naor, "Optimal Aggregation
//! Algorithms for Middleware" (2003).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy_fst::Streamer;

use super::{BestWords, ShareKind, WORDS_PER_CHECK, end_of, words_with};
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
    /// Tells whether these are all.
    is_whole: bool,
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
            is_whole: count <= LISTED,
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
    /// The documents of a word that does not stand before `at`, at most.
    fn documents_from(&self, at: usize) -> u64 {
        match (self.keys.get(at), self.keys.last()) {
            (Some((_, documents)), _) => *documents,
            (None, Some((_, documents))) if !self.is_whole => *documents,
            (None, _) => 0,
        }
    }

    fn memory_bytes(&self) -> usize {
        let keys = self.keys.iter();
        keys.map(|(key, _)| key.capacity() + size_of::<(Vec<u8>, u64)>())
            .sum()
    }
}

/// Offers the words that begin so to `best`: all that may be among these, and each once.
pub(super) fn offer_beginnings(
    best: &mut BestWords,
    view: &View,
    beginning: &[u8],
    is_own: impl Fn(&str) -> bool,
    cancellation: &Cancellation,
) -> Result<(), Cancelled> {
    let mut lists = Vec::new();
    let mut segments = Vec::new();
    let mut deltas: Vec<&WordList> = Vec::new();
    for part in view.parts() {
        match part {
            Part::Segment(part) => {
                let segment = &part.segment;
                let common = &segment.common_words;
                lists.push(common.of(&segment.words, beginning, cancellation)?);
                segments.push(&segment.words);
            }
            Part::Delta(delta) => deltas.extend(delta.parts().iter().map(|one| one.words())),
        }
    }
    let documents_of = |key: &[u8]| {
        let of_segments = segments.iter().map(|words| words.documents(key));
        let of_deltas = deltas.iter().map(|words| words.documents_of(key));
        of_segments.chain(of_deltas).fold(0, u64::saturating_add)
    };
    let bound_from = |at: usize| {
        lists
            .iter()
            .map(|list| list.documents_from(at))
            .sum::<u64>()
    };
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let mut at = 0;
    while at < LISTED && bound_from(at) > 0 && !best.is_beyond(bound_from(at)) {
        cancellation.check()?;
        for (key, _) in lists.iter().filter_map(|list| list.keys.get(at)) {
            if seen.insert(key) {
                best.offer(key, documents_of(key), ShareKind::Beginning, &is_own);
            }
        }
        at += 1;
    }
    let unseen = bound_from(at);
    if unseen > 0 && !best.is_beyond(unseen) {
        // Many words are about as common: each is looked at.
        return words_with(view, beginning, cancellation, |key, documents| {
            if !seen.contains(key) {
                best.offer(key, documents, ShareKind::Beginning, &is_own);
            }
        });
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
    for (key, documents) in in_deltas {
        if !best.is_beyond(documents.saturating_add(unseen)) && !seen.contains(key) {
            best.offer(key, documents_of(key), ShareKind::Beginning, &is_own);
        }
    }
    Ok(())
}
