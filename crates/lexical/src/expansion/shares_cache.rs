//! Shares that a segment keeps: what common beginnings of words stand for is read from many postings, and asked for with
//! every first letter that anybody types.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::shares::SHARE_WHOLE;
use crate::dead_set::DeadSet;
use crate::error::Result;
use crate::field_table::Slot;
use crate::posting_list::{BLOCK_LEN, PostingList};
use crate::statistics::FieldLength;
use crate::view::SegmentPart;

/// The documents of a part with a share in a term, ascending, the dead ones among them.
#[derive(Default)]
pub(crate) struct SharePostings {
    pub(crate) docs: Vec<u32>,
    shares: Vec<u16>,
    /// The least share of a document that is counted among those that match the term.
    counted_from: u16,
    /// The documents that are counted, dead or not.
    counted: usize,
    /// Tells kept ones from others of the segment.
    pub(crate) number: Option<usize>,
}

impl SharePostings {
    pub(crate) fn counting_from(share: u32) -> SharePostings {
        SharePostings {
            counted_from: share as u16,
            ..SharePostings::default()
        }
    }

    pub(crate) fn push(&mut self, doc: u32, share: u32) {
        debug_assert!(
            self.docs.last().is_none_or(|&last| last < doc),
            "postings ascend"
        );
        debug_assert!((1..=SHARE_WHOLE).contains(&share), "a part of the whole");
        self.docs.push(doc);
        self.shares.push(share as u16);
        self.counted += usize::from(share as u16 >= self.counted_from);
    }

    /// A share as frequency and length.
    #[inline]
    pub(crate) fn posting(&self, at: usize) -> (u32, FieldLength) {
        let share = self.shares[at];
        (u32::from(share), SHARE_WHOLE as FieldLength - share)
    }

    /// Shows `visit` documents, frequencies and lengths of a range, block by block.
    #[inline]
    pub(crate) fn each_block(
        &self,
        range: Range<usize>,
        visit: &mut impl FnMut(&[u32], &[u32], &[FieldLength]),
    ) {
        let (mut frequencies, mut lengths) = ([0; BLOCK_LEN], [0; BLOCK_LEN]);
        let docs = self.docs[range.clone()].chunks(BLOCK_LEN);
        for (docs, shares) in docs.zip(self.shares[range].chunks(BLOCK_LEN)) {
            let parts = frequencies.iter_mut().zip(&mut lengths);
            for (&share, (frequency, length)) in shares.iter().zip(parts) {
                *frequency = u32::from(share);
                *length = SHARE_WHOLE as FieldLength - share;
            }
            visit(docs, &frequencies[..docs.len()], &lengths[..docs.len()]);
        }
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.docs) + size_of_val(&*self.shares)
    }

    /// The number of documents of the log of a set, or of its end, that are counted here.
    fn count_of(&self, set: &DeadSet, log: &[u32]) -> usize {
        if log.len() == set.len() && log.len() * SEEK_COST > self.docs.len() {
            let postings = self.docs.iter().zip(&self.shares);
            let dead =
                |(doc, share): &(&u32, &u16)| **share >= self.counted_from && set.contains(**doc);
            return postings.filter(dead).count();
        }
        let is_counted = |doc: &&u32| {
            let at = self.docs.binary_search(doc);
            at.is_ok_and(|at| self.shares[at] >= self.counted_from)
        };
        log.iter().filter(is_counted).count()
    }
}

/// The number of counted documents that are not in a set.
pub(super) fn live_count(shares: &[Arc<SharePostings>], dead: &DeadSet) -> u32 {
    let of_one = |one: &Arc<SharePostings>| one.counted - one.count_of(dead, dead.log());
    shares.iter().map(of_one).sum::<usize>() as u32
}

/// A search for one document costs about as much as passing this many in order.
const SEEK_COST: usize = 64;

/// Shares by the class of their weights.
pub(super) type SharesByClass = Arc<[Arc<SharePostings>]>;

/// A list that shares are made of: its nearness, its field and the class of its weight, its number, and the average length
/// of the field, bit by bit.
type KeyWord = ((u8, Slot, u16), usize, u64);

/// All that shares depend on.
#[derive(Default)]
pub(crate) struct SharesKey {
    words: Vec<KeyWord>,
    postings: usize,
    /// A list was made for this search, as for a phrase.
    has_passing: bool,
}

impl SharesKey {
    /// Adds a list by its nearness, its field and the class of its weight.
    pub(crate) fn add(&mut self, of: (u8, Slot, u16), average_length: f64, list: &PostingList<'_>) {
        self.postings += list.len();
        match list.number() {
            Some(number) => self.words.push((of, number, average_length.to_bits())),
            None => self.has_passing = true,
        }
    }
}

/// Postings from which on shares are kept: fewer are soon read.
const KEPT_FROM: usize = 4_096;
/// The room for shares, for each document of the segment: that of some hundred common beginnings.
const BYTES_PER_DOCUMENT: usize = 48;

/// The shares of a segment that were asked for last.
#[derive(Default)]
pub(crate) struct SharesCache {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    shares: HashMap<Box<[KeyWord]>, Kept>,
    bytes: usize,
    /// The number of looks so far, which tell when shares were used.
    looks: u64,
    /// Shares kept so far.
    numbers: usize,
}

struct Kept {
    postings: SharesByClass,
    bytes: usize,
    used: u64,
    /// Entries of the dead set's log that are accounted for, and how many of these documents are here.
    log_len: usize,
    dead: usize,
}

impl SharesCache {
    /// The shares of a key by the class of their weights, which `make` makes of its lists, and the number of their counted
    /// documents that live.
    pub(crate) fn get_or_make(
        &self,
        key: SharesKey,
        part: &SegmentPart,
        make: impl FnOnce() -> Result<Vec<SharePostings>>,
    ) -> Result<(SharesByClass, u32)> {
        if key.has_passing || key.postings < KEPT_FROM {
            let postings: Arc<[_]> = make()?.into_iter().map(Arc::new).collect();
            let live = live_count(&postings, &part.dead);
            return Ok((postings, live));
        }
        let words: Box<[_]> = key.words.into();
        let known = self.known.lock().get(&words);
        let (postings, log_len, dead) = match known {
            Some(known) => known,
            None => {
                let room = part.segment.doc_count() as usize * BYTES_PER_DOCUMENT;
                let postings = make()?;
                (self.known.lock().keep(words.clone(), postings, room), 0, 0)
            }
        };
        let dead = self.dead(&words, &postings, &part.dead, (log_len, dead));
        let documents: usize = postings.iter().map(|one| one.counted).sum();
        Ok((postings, (documents - dead) as u32))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.lock().bytes
    }

    /// The number of dead documents, continued from that of an earlier state of the set.
    fn dead(
        &self,
        words: &[KeyWord],
        postings: &SharesByClass,
        set: &DeadSet,
        (log_len, dead): (usize, usize),
    ) -> usize {
        let count_of = |log| postings.iter().map(|one| one.count_of(set, log)).sum();
        let now = match set.log().get(log_len..) {
            Some([]) => return dead,
            Some(log) => dead + count_of(log),
            // A newer view has been here, and this older one counts for itself.
            None => return count_of(set.log()),
        };
        let mut known = self.known.lock();
        let kept = known.shares.get_mut(words);
        let kept = kept.filter(|kept| Arc::ptr_eq(&kept.postings, postings));
        if let Some(kept) = kept.filter(|kept| kept.log_len < set.len()) {
            (kept.log_len, kept.dead) = (set.len(), now);
        }
        now
    }
}

impl Known {
    fn get(&mut self, words: &[KeyWord]) -> Option<(SharesByClass, usize, usize)> {
        self.looks += 1;
        let kept = self.shares.get_mut(words)?;
        kept.used = self.looks;
        Some((kept.postings.clone(), kept.log_len, kept.dead))
    }

    /// Keeps postings, if there is room for them, in place of those that were used longest ago.
    fn keep(
        &mut self,
        words: Box<[KeyWord]>,
        mut postings: Vec<SharePostings>,
        room: usize,
    ) -> SharesByClass {
        let bytes: usize = postings.iter().map(SharePostings::memory_bytes).sum();
        let bytes = bytes + size_of_val(&*words) + size_of::<Kept>();
        if bytes > room {
            return postings.into_iter().map(Arc::new).collect();
        }
        if let Some(before) = self.shares.remove(&words) {
            self.bytes -= before.bytes;
        }
        while self.bytes + bytes > room {
            let oldest = self.shares.iter().min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(words, _)| words.clone()) else {
                break;
            };
            if let Some(kept) = self.shares.remove(&oldest) {
                self.bytes -= kept.bytes;
            }
        }
        self.numbers += 1;
        for one in &mut postings {
            // The classes are told apart by their slots.
            one.number = Some(self.numbers);
            one.docs.shrink_to_fit();
            one.shares.shrink_to_fit();
        }
        let postings: Arc<[_]> = postings.into_iter().map(Arc::new).collect();
        let kept = Kept {
            postings: postings.clone(),
            bytes,
            used: self.looks,
            log_len: 0,
            dead: 0,
        };
        self.bytes += bytes;
        self.shares.insert(words, kept);
        postings
    }
}
