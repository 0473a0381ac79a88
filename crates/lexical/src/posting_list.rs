use std::sync::Arc;

use tantivy::postings::BlockSegmentPostings;

use crate::expansion::SharePostings;
use crate::inverted::PostingSlices;
use crate::segment::Lengths;
use crate::statistics::FieldLength;

/// The documents that hold one term in one field, ascending by local number, with frequencies.
#[derive(Clone)]
pub(crate) enum PostingList<'a> {
    /// Compressed blocks of a segment.
    Blocks {
        blocks: Box<BlockSegmentPostings>,
        lengths: &'a Lengths,
        /// Their beginning in the segment's file.
        offset: usize,
    },
    /// As they lie in memory: some runs, one behind the other, none of them empty.
    Runs(Vec<PostingSlices<'a>>),
    /// Found as a phrase.
    Plain(PlainPostings),
    /// Made of a term that stands for other words as well.
    Shares(Arc<SharePostings>),
}

impl PostingList<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            PostingList::Blocks { blocks, .. } => blocks.doc_freq() as usize,
            PostingList::Runs(runs) => runs.iter().map(|run| run.docs.len()).sum(),
            PostingList::Plain(plain) => plain.docs.len(),
            PostingList::Shares(shares) => shares.docs.len(),
        }
    }

    /// The number that tells the list from others of its segment and field, its beginning in the file where it is stored;
    /// `None` of a list that was made for one search.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            PostingList::Blocks { offset, .. } => Some(*offset),
            PostingList::Shares(shares) => shares.number,
            PostingList::Runs(_) | PostingList::Plain(_) => None,
        }
    }
}

/// Three parallel columns.
#[derive(Debug, Default, Clone)]
pub(crate) struct PlainPostings {
    pub(crate) docs: Vec<u32>,
    pub(crate) frequencies: Vec<u32>,
    pub(crate) lengths: Vec<FieldLength>,
}

impl PlainPostings {
    pub(crate) fn push(&mut self, doc: u32, frequency: u32, length: FieldLength) {
        debug_assert!(
            self.docs.last().is_none_or(|&last| last < doc),
            "postings ascend"
        );
        debug_assert!(frequency > 0, "a posting has an occurrence");
        self.docs.push(doc);
        self.frequencies.push(frequency);
        self.lengths.push(length);
    }
}

/// Documents in a block of compressed postings.
pub(crate) const BLOCK_LEN: usize = 128;

/// A place in a posting list that only moves forward.
#[derive(Clone)]
pub(crate) struct PostingCursor<'a> {
    list: PostingList<'a>,
    /// Index in the current block; past its end only when the list is exhausted.
    at: usize,
    /// The run of the current block.
    run: usize,
}

impl<'a> PostingCursor<'a> {
    pub(crate) fn new(list: PostingList<'a>) -> PostingCursor<'a> {
        PostingCursor {
            list,
            at: 0,
            run: 0,
        }
    }

    pub(crate) fn list(&self) -> &PostingList<'a> {
        &self.list
    }

    /// The document the cursor stands on, `None` at the end.
    #[inline]
    pub(crate) fn doc(&self) -> Option<u32> {
        self.block().get(self.at).copied()
    }

    /// Moves to the first document not below `target`.
    pub(crate) fn advance_to(&mut self, target: u32) {
        let block = self.block();
        if block.get(self.at).is_none_or(|&doc| doc >= target) {
            return;
        }
        if block.last().is_some_and(|&last| last >= target) {
            self.at += count_below(&block[self.at..], target);
            return;
        }
        self.at = match &mut self.list {
            PostingList::Blocks { blocks, .. } => blocks.seek(target),
            PostingList::Runs(runs) => {
                let is_below = |run: &PostingSlices<'_>| run.docs.last() < Some(&target);
                self.run += runs[self.run..].partition_point(is_below);
                let run = runs.get(self.run);
                run.map_or(0, |run| run.docs.partition_point(|&doc| doc < target))
            }
            PostingList::Plain(plain) => plain.docs.len(),
            PostingList::Shares(shares) => shares.docs.len(),
        };
    }

    /// Frequency and length of the posting the cursor stands on.
    #[inline]
    pub(crate) fn posting(&self) -> (u32, FieldLength) {
        match &self.list {
            PostingList::Blocks {
                blocks, lengths, ..
            } => (blocks.freq(self.at), lengths.get(blocks.doc(self.at))),
            PostingList::Runs(runs) => {
                let run = runs[self.run];
                (run.frequencies[self.at], run.lengths[self.at])
            }
            PostingList::Plain(plain) => (plain.frequencies[self.at], plain.lengths[self.at]),
            PostingList::Shares(shares) => shares.posting(self.at),
        }
    }

    /// Visits the postings below `end` as (docs, frequencies, lengths) slices and moves past them.
    #[inline]
    pub(crate) fn drain_below(
        &mut self,
        end: u32,
        mut visit: impl FnMut(&[u32], &[u32], &[FieldLength]),
    ) {
        let mut gathered = [0; BLOCK_LEN];
        while let Some(until) = self.below(end) {
            let range = self.at..until;
            match &self.list {
                PostingList::Blocks {
                    blocks, lengths, ..
                } => {
                    let docs = &blocks.docs()[range.clone()];
                    let gathered = &mut gathered[..docs.len()];
                    lengths.gather(docs, gathered);
                    visit(docs, &blocks.freqs()[range], gathered);
                }
                PostingList::Runs(runs) => {
                    let run = runs[self.run];
                    visit(
                        &run.docs[range.clone()],
                        &run.frequencies[range.clone()],
                        &run.lengths[range],
                    );
                }
                PostingList::Plain(plain) => visit(
                    &plain.docs[range.clone()],
                    &plain.frequencies[range.clone()],
                    &plain.lengths[range],
                ),
                PostingList::Shares(shares) => shares.each_block(range, &mut visit),
            }
            if !self.pass(until) {
                return;
            }
        }
    }

    /// As [`PostingCursor::drain_below`], the documents alone.
    #[inline]
    pub(crate) fn drain_docs_below(&mut self, end: u32, mut visit: impl FnMut(&[u32])) {
        while let Some(until) = self.below(end) {
            visit(&self.block()[self.at..until]);
            if !self.pass(until) {
                return;
            }
        }
    }

    /// The end of the postings below `end` in the current block; `None` at the end of the list.
    #[inline]
    fn below(&self, end: u32) -> Option<usize> {
        let block = self.block();
        Some(match *block.last()? {
            last if last < end => block.len(),
            _ => self.at + count_below(&block[self.at..], end),
        })
    }

    /// Moves to a place in the current block, or to the next block from its end: true if there may
    /// be one.
    #[inline]
    fn pass(&mut self, until: usize) -> bool {
        let is_through = until == self.block().len();
        self.at = until;
        if is_through {
            match &mut self.list {
                PostingList::Blocks { blocks, .. } => {
                    blocks.advance();
                    self.at = 0;
                }
                PostingList::Runs(_) => {
                    self.run += 1;
                    self.at = 0;
                }
                PostingList::Plain(_) | PostingList::Shares(_) => return false,
            }
        }
        is_through
    }

    #[inline]
    fn block(&self) -> &[u32] {
        match &self.list {
            PostingList::Blocks { blocks, .. } => blocks.docs(),
            PostingList::Runs(runs) => runs.get(self.run).map_or(&[], |run| run.docs),
            PostingList::Plain(plain) => &plain.docs,
            PostingList::Shares(shares) => &shares.docs,
        }
    }
}

/// The number of ascending documents below `target`. In a long list most searches end near its beginning.
#[inline]
fn count_below(docs: &[u32], target: u32) -> usize {
    let mut end = BLOCK_LEN;
    while docs.get(end).is_some_and(|&doc| doc < target) {
        end *= 2;
    }
    docs[..docs.len().min(end)].partition_point(|&doc| doc < target)
}
