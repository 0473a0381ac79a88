use super::window::Window;
use crate::bm25::TermWeight;
use crate::field_table::Slot;
use crate::posting_list::{BLOCK_LEN, PostingCursor, PostingList};

/// One query term in all searched fields of one part, moving forward over its documents.
pub(super) struct TermScan<'a> {
    fields: Vec<(PostingCursor<'a>, TermWeight)>,
}

impl<'a> TermScan<'a> {
    pub(super) fn new(
        lists: Vec<(Slot, PostingList<'a>)>,
        weight: impl Fn(Slot) -> TermWeight,
    ) -> TermScan<'a> {
        let cursor = |(slot, list)| (PostingCursor::new(list), weight(slot));
        TermScan {
            fields: lists.into_iter().map(cursor).collect(),
        }
    }

    /// The next document that holds the term.
    pub(super) fn doc(&self) -> Option<u32> {
        self.fields
            .iter()
            .filter_map(|(cursor, _)| cursor.doc())
            .min()
    }

    pub(super) fn advance_to(&mut self, target: u32) {
        for (cursor, _) in &mut self.fields {
            cursor.advance_to(target);
        }
    }

    /// Scores the documents inside the window and moves past it.
    pub(super) fn score_into(&mut self, window: &mut Window) {
        let mut block_scores = [0.0; BLOCK_LEN];
        for (cursor, weight) in &mut self.fields {
            cursor.drain_below(window.end(), |docs, frequencies, lengths| {
                // Scored block by block first, as that loop runs on vectors.
                for (from, docs) in docs.chunks(BLOCK_LEN).enumerate() {
                    let range = from * BLOCK_LEN..from * BLOCK_LEN + docs.len();
                    let scores = &mut block_scores[..docs.len()];
                    weight.score_block(&frequencies[range.clone()], &lengths[range], scores);
                    for (&doc, &score) in docs.iter().zip(&*scores) {
                        window.add(doc, score);
                    }
                }
            });
        }
    }
}
