use pelorus_cancellation::{Cancellation, Cancelled};

use super::DOCUMENTS_PER_CHECK;
use super::window::Window;
use crate::bm25::TermWeight;
use crate::field_table::Slot;
use crate::posting_list::{BLOCK_LEN, PostingCursor, PostingList};
use crate::term_bounds::TermKey;

/// One query term in all searched fields of one part, moving forward over its documents.
#[derive(Clone)]
pub(super) struct TermScan<'a> {
    lists: Vec<ListScan<'a>>,
}

#[derive(Clone)]
struct ListScan<'a> {
    slot: Slot,
    cursor: PostingCursor<'a>,
    weight: TermWeight,
    postings: usize,
}

/// The costs of reaching a posting of a limited window, where one of many that are scored in order
/// costs 1: estimates.
const RUN_COST: usize = 8;
const LOOK_UP_COST: usize = 6;

impl<'a> TermScan<'a> {
    pub(super) fn new(
        lists: Vec<(Slot, PostingList<'a>)>,
        weight: impl Fn(Slot) -> TermWeight,
    ) -> TermScan<'a> {
        let scan = |(slot, list): (Slot, PostingList<'a>)| ListScan {
            slot,
            postings: list.len(),
            cursor: PostingCursor::new(list),
            weight: weight(slot),
        };
        TermScan {
            lists: lists.into_iter().map(scan).collect(),
        }
    }

    /// The key that tells the term from others of the segment; `None` where a list of it was made for
    /// this search. Where fields weigh otherwise against each other it is another one, so that searches of
    /// other weights leave it its bounds.
    pub(super) fn key(&self) -> Option<TermKey> {
        let first = self.lists.first().map_or(1.0, |list| list.weight.field());
        let key = |list: &ListScan<'_>| {
            let relative = (list.weight.field() / first).to_bits();
            Some((list.slot, relative, list.cursor.list().number()?))
        };
        self.lists.iter().map(key).collect()
    }

    pub(super) fn weights(&self) -> Box<[TermWeight]> {
        self.lists.iter().map(|list| list.weight).collect()
    }

    pub(super) fn list_count(&self) -> usize {
        self.lists.len()
    }

    pub(super) fn postings(&self) -> usize {
        self.lists.iter().map(|list| list.postings).sum()
    }

    /// The next document that holds the term.
    pub(super) fn doc(&self) -> Option<u32> {
        let docs = self.lists.iter().filter_map(|list| list.cursor.doc());
        docs.min()
    }

    /// Shows `visit` all documents and the term's scores in them, list by list, block by block.
    pub(super) fn score_blocks(
        &mut self,
        cancellation: &Cancellation,
        mut visit: impl FnMut(&[u32], &[f32]),
    ) -> Result<(), Cancelled> {
        for list in &mut self.lists {
            // A short list is not taken apart: its blocks span many documents.
            let step = match list.postings <= DOCUMENTS_PER_CHECK {
                true => u32::MAX,
                false => DOCUMENTS_PER_CHECK as u32,
            };
            let mut end = step;
            while list.cursor.doc().is_some() {
                list.each_block_below(end, &mut visit);
                cancellation.check()?;
                end = end.saturating_add(step);
            }
        }
        Ok(())
    }

    /// Moves to the first document not below `from` that holds the term.
    pub(super) fn seek(&mut self, from: u32) -> Option<u32> {
        let mut first = None;
        for list in &mut self.lists {
            list.cursor.advance_to(from);
            let doc = list.cursor.doc();
            first = match (first, doc) {
                (Some(first), Some(doc)) => Some(u32::min(first, doc)),
                (first, doc) => first.or(doc),
            };
        }
        first
    }

    /// Adds the term's score in `doc`, which is not below those asked for before; false where the document does not
    /// hold it.
    pub(super) fn add_score(&mut self, doc: u32, score: &mut f32) -> bool {
        let mut holds = false;
        for list in &mut self.lists {
            list.cursor.advance_to(doc);
            if list.cursor.doc() == Some(doc) {
                let (frequency, length) = list.cursor.posting();
                *score += list.weight.score(frequency, length);
                holds = true;
            }
        }
        holds
    }

    /// The same places once more.
    pub(super) fn cursors(&self) -> Vec<PostingCursor<'a>> {
        self.lists.iter().map(|list| list.cursor.clone()).collect()
    }

    /// Scores documents inside the window, among them all that matter, and moves past it or to its
    /// end. The part has so many documents.
    pub(super) fn score_into(&mut self, window: &mut Window, documents: usize) {
        for list in &mut self.lists {
            list.cursor.advance_to(window.start());
            let Some(wanted) = window.wanted_count() else {
                list.score_all(window.end(), window);
                continue;
            };
            let postings = list.postings * window.len() / documents.max(1);
            // In the worst case each document that matters is a run of its own.
            let words = wanted.min(window.word_count());
            let by_run = words * RUN_COST + postings * words / window.word_count();
            let by_document = wanted * LOOK_UP_COST;
            if postings <= by_run.min(by_document) {
                list.score_all(window.end(), window);
            } else if by_run < by_document {
                list.score_runs(window);
            } else {
                list.score_each(window);
            }
        }
    }
}

impl ListScan<'_> {
    fn score_all(&mut self, end: u32, window: &mut Window) {
        self.each_block_below(end, |docs, scores| window.add(docs, scores));
    }

    /// Shows `visit` the documents below `end` and the list's scores in them, and moves past them.
    #[inline]
    fn each_block_below(&mut self, end: u32, mut visit: impl FnMut(&[u32], &[f32])) {
        let weight = self.weight;
        let mut block_scores = [0.0; BLOCK_LEN];
        self.cursor.drain_below(end, |docs, frequencies, lengths| {
            // Scored block by block first, as that loop runs on vectors.
            for (from, docs) in docs.chunks(BLOCK_LEN).enumerate() {
                let range = from * BLOCK_LEN..from * BLOCK_LEN + docs.len();
                let scores = &mut block_scores[..docs.len()];
                weight.score_block(&frequencies[range.clone()], &lengths[range], scores);
                visit(docs, scores);
            }
        });
    }

    /// Scores runs of 64 documents that hold some that matter.
    fn score_runs(&mut self, window: &mut Window) {
        let mut i = 0;
        while i < window.word_count() {
            if window.wanted_word(i) == 0 {
                i += 1;
                continue;
            }
            let from = i;
            while i < window.word_count() && window.wanted_word(i) != 0 {
                i += 1;
            }
            self.cursor.advance_to(window.start() + from as u32 * 64);
            self.score_all(window.start() + i as u32 * 64, window);
        }
    }

    /// Looks up each document that matters.
    fn score_each(&mut self, window: &mut Window) {
        for i in 0..window.word_count() {
            let mut rest = window.wanted_word(i);
            while rest != 0 {
                let doc = window.start() + i as u32 * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                self.cursor.advance_to(doc);
                match self.cursor.doc() {
                    None => return,
                    Some(found) if found == doc => {
                        let (frequency, length) = self.cursor.posting();
                        window.add(&[doc], &[self.weight.score(frequency, length)]);
                    }
                    Some(_) => {}
                }
            }
        }
    }
}
