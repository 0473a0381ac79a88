//! The number of documents that match, without their scores.

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::{BitSet, bits_of};

use crate::query::MatchProbe;
use crate::term_matches::DocumentCursor;
use crate::view::Part;

/// The terms of a query in one part.
pub(super) struct PartCount<'a> {
    pub(super) part: Part<'a>,
    pub(super) required: Vec<DocumentCursor<'a>>,
    pub(super) optional: Vec<DocumentCursor<'a>>,
    pub(super) cancellation: &'a Cancellation,
}

/// Documents counted together: a byte for each fits the first-level cache.
const WINDOW_LEN: usize = 16_384;
const WORDS: usize = WINDOW_LEN / 64;

impl PartCount<'_> {
    /// The number of accepted documents that match. The probe is answered for each.
    pub(super) fn run(
        mut self,
        accept: &BitSet,
        mut probe: Option<&mut MatchProbe<'_>>,
    ) -> Result<u64, Cancelled> {
        let mut total = 0;
        let mut marks = vec![0; WINDOW_LEN];
        let mut matching = [0; WORDS];
        let needs_optional = self.required.is_empty();
        for start in (0..self.part.end()).step_by(WINDOW_LEN) {
            self.cancellation.check()?;
            let end = start.saturating_add(WINDOW_LEN as u32);
            self.part.accepted(start, accept, &mut matching);
            for term in &mut self.required {
                term.mark_below(start, end, &mut marks);
                gather(&mut marks, &mut matching);
            }
            if needs_optional {
                for term in &mut self.optional {
                    term.mark_below(start, end, &mut marks);
                }
                gather(&mut marks, &mut matching);
            }
            let counts = matching.iter().map(|word| u64::from(word.count_ones()));
            total += counts.sum::<u64>();
            if let Some(probe) = &mut probe {
                for (i, &word) in matching.iter().enumerate().filter(|(_, word)| **word != 0) {
                    probe.add(&self.part, start + i as u32 * 64, word);
                }
            }
        }
        Ok(total)
    }
}

/// Keeps the marked members of a set, and takes the marks away.
fn gather(marks: &mut [u8], set: &mut [u64; WORDS]) {
    debug_assert_eq!(marks.len(), 64 * WORDS, "a mark for each member");
    let (chunks, _) = marks.as_chunks_mut::<64>();
    for (word, marks) in set.iter_mut().zip(chunks) {
        *word &= bits_of(marks);
        marks.fill(0);
    }
}
