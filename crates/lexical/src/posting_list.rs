use tantivy::postings::BlockSegmentPostings;

use crate::inverted::PostingSlices;
use crate::segment::Lengths;
use crate::statistics::FieldLength;

/// The documents that hold one term in one field, ascending by local number, with frequencies.
pub(crate) enum PostingList<'a> {
    /// Compressed blocks of a segment.
    Blocks {
        blocks: Box<BlockSegmentPostings>,
        lengths: &'a Lengths,
    },
    /// As they lie in memory: some runs, one behind the other, none of them empty.
    Runs(Vec<PostingSlices<'a>>),
    /// Found as a phrase.
    Plain(PlainPostings),
}

/// Three parallel columns.
#[derive(Debug, Default)]
pub(crate) struct PlainPostings {
    pub(crate) docs: Vec<u32>,
    pub(crate) frequencies: Vec<u32>,
    pub(crate) lengths: Vec<FieldLength>,
}

impl PlainPostings {
    pub(crate) fn push(&mut self, doc: u32, frequency: u32, length: FieldLength) {
        self.docs.push(doc);
        self.frequencies.push(frequency);
        self.lengths.push(length);
    }
}

/// Documents in a block of compressed postings.
pub(crate) const BLOCK_LEN: usize = 128;

/// A place in a posting list that only moves forward.
pub(crate) struct PostingCursor<'a> {
    list: PostingList<'a>,
    /// Index in the current block; past its end only when the list is exhausted.
    at: usize,
    /// Which run is the current block.
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
            self.at += block[self.at..].partition_point(|&doc| doc < target);
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
        };
    }

    /// Visits the postings below `end` as (docs, frequencies, lengths) slices and moves past them.
    #[inline]
    pub(crate) fn drain_below(
        &mut self,
        end: u32,
        mut visit: impl FnMut(&[u32], &[u32], &[FieldLength]),
    ) {
        let mut gathered = [0; BLOCK_LEN];
        loop {
            let block = self.block();
            let until = match block.last() {
                None => return,
                Some(&last) if last < end => block.len(),
                Some(_) => self.at + block[self.at..].partition_point(|&doc| doc < end),
            };
            let block_len = block.len();
            let range = self.at..until;
            match &self.list {
                PostingList::Blocks { blocks, lengths } => {
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
                PostingList::Plain(plain) => {
                    let lengths = &plain.lengths[range.clone()];
                    visit(
                        &plain.docs[range.clone()],
                        &plain.frequencies[range],
                        lengths,
                    );
                }
            }
            self.at = until;
            if until < block_len {
                return;
            }
            match &mut self.list {
                PostingList::Blocks { blocks, .. } => {
                    blocks.advance();
                    self.at = 0;
                }
                PostingList::Runs(_) => {
                    self.run += 1;
                    self.at = 0;
                }
                PostingList::Plain(_) => return,
            }
        }
    }

    #[inline]
    fn block(&self) -> &[u32] {
        match &self.list {
            PostingList::Blocks { blocks, .. } => blocks.docs(),
            PostingList::Runs(runs) => runs.get(self.run).map_or(&[], |run| run.docs),
            PostingList::Plain(plain) => &plain.docs,
        }
    }
}
