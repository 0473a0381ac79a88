use std::cell::RefCell;

use pelorus_kernels::{BitSet, bits_of};

use super::pruning::GROUP_LEN;
use crate::term_bounds::RUN_LEN;
use crate::view::Part;

/// The number of documents that are scored together, and the form in which they are noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowKind {
    /// A few runs of documents here and there: the cost of a window itself is least.
    Narrow,
    /// For many matches. The scores fit the first-level cache.
    Dense,
    /// For few matches: a window costs about as much as some postings of every list. The scores fit
    /// the second-level cache.
    Wide,
}

/// Runs of documents that are passed over together, by a bound of their own, make one narrow window.
const NARROW_LEN: usize = GROUP_LEN * RUN_LEN;
const DENSE_LEN: usize = 4_096;
pub(super) const WIDE_LEN: usize = 65_536;
/// Matches in a dense window below which the wide one is quicker.
const DENSE_FROM: usize = 512;

impl WindowKind {
    /// For a part of `documents`, of which about `matches` will be scored.
    pub(super) fn of(documents: usize, matches: usize) -> WindowKind {
        match matches.saturating_mul(DENSE_LEN) < documents.saturating_mul(DENSE_FROM) {
            true => WindowKind::Wide,
            false => WindowKind::Dense,
        }
    }

    fn len(self) -> usize {
        match self {
            WindowKind::Narrow => NARROW_LEN,
            WindowKind::Dense => DENSE_LEN,
            WindowKind::Wide => WIDE_LEN,
        }
    }
}

/// Scores and matches of a run of consecutive documents of one part, which begins at a multiple
/// of 64.
///
/// Between windows all scores are zero and all sets empty: [`Window::drain_words`] clears the
/// touched ones, and nothing else.
pub(super) struct Window {
    start: u32,
    scores: Vec<f32>,
    /// Documents that the term at hand, or any optional term, has scored.
    scored: Vec<u64>,
    /// The same, one byte for each, until [`Window::gather`] makes bits of them; in a dense window
    /// alone. Neighbours that share a word would wait for each other, those with bytes do not.
    marks: Vec<u8>,
    /// Documents that other terms have scored.
    touched: Vec<u64>,
    /// The words of these sets that hold a document, one bit for each: few of a wide window do. Not of a dense one.
    scored_words: Vec<u64>,
    touched_words: Vec<u64>,
    /// A required term was scored.
    has_required: bool,
    /// The documents that matter, where not all do, as once a required term was scored.
    wanted: Vec<u64>,
    /// Room for the bits after them.
    kept: Vec<u64>,
    wanted_count: usize,
    is_limited: bool,
}

thread_local! {
    /// A window of each kind that this thread has used before: memory that is fresh from the system
    /// costs more than scoring a rare word.
    static USED: RefCell<[Option<Window>; 3]> = const { RefCell::new([None, None, None]) };
}

impl Window {
    /// Does `work` with a window.
    pub(super) fn with<T>(kind: WindowKind, work: impl FnOnce(&mut Window) -> T) -> T {
        // Work that needs a second window finds none here, and work that panics leaves none.
        let used = USED.with_borrow_mut(|used| used[kind as usize].take());
        let mut window = used.unwrap_or_else(|| Window::new(kind));
        let answer = work(&mut window);
        USED.with_borrow_mut(|used| used[kind as usize] = Some(window));
        answer
    }

    fn new(kind: WindowKind) -> Window {
        let len = kind.len();
        let empty = vec![0; len / 64];
        let no_words = vec![0; empty.len().div_ceil(64)];
        Window {
            start: 0,
            scores: vec![0.0; len],
            marks: vec![0; if kind == WindowKind::Dense { len } else { 0 }],
            scored: empty.clone(),
            touched: empty.clone(),
            scored_words: no_words.clone(),
            touched_words: no_words,
            has_required: false,
            kept: empty.clone(),
            wanted: empty,
            wanted_count: 0,
            is_limited: false,
        }
    }

    /// Moves to the documents around `first`, all of which matter.
    pub(super) fn begin(&mut self, first: u32) {
        self.start = first / 64 * 64;
        self.has_required = false;
        self.is_limited = false;
    }

    pub(super) fn start(&self) -> u32 {
        self.start
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// The first document past the window.
    pub(super) fn end(&self) -> u32 {
        self.start.saturating_add(self.scores.len() as u32)
    }

    /// Leaves only documents that `choose` puts into an empty set that matter; false if there are
    /// none.
    pub(super) fn limit(&mut self, choose: impl FnOnce(u32, &mut [u64])) -> bool {
        self.wanted.fill(0);
        choose(self.start, &mut self.wanted);
        self.is_limited = true;
        self.count_wanted()
    }

    /// Leaves out documents that are not accepted; false if none is left.
    pub(super) fn limit_to_accepted(&mut self, part: &Part<'_>, accept: &BitSet) -> bool {
        if !self.is_limited {
            part.accepted(self.start, accept, &mut self.wanted);
            self.is_limited = true;
        } else {
            for (i, word) in self.wanted.iter_mut().enumerate() {
                if *word != 0 {
                    *word = part.retain_accepted(*word, self.start + i as u32 * 64, accept);
                }
            }
        }
        self.count_wanted()
    }

    fn count_wanted(&mut self) -> bool {
        let words = self.wanted.iter().filter(|word| **word != 0);
        let counts = words.map(|word| word.count_ones() as usize);
        self.wanted_count = counts.sum();
        self.wanted_count > 0
    }

    /// Keeps the documents that matter and have scored at least as much as `least` says of their run; false if none is
    /// left. Only of a window in which not all matter.
    pub(super) fn keep_from(&mut self, least: impl Fn(usize) -> f32) -> bool {
        debug_assert!(self.is_limited, "not all matter");
        let first = self.start as usize / 64;
        let (chunks, _) = self.scores.as_chunks::<64>();
        for (i, (wanted, scores)) in self.wanted.iter_mut().zip(chunks).enumerate() {
            if *wanted != 0 {
                let least = least(first + i);
                let reached = scores.map(|score| u8::from(score >= least));
                *wanted &= bits_of(&reached);
            }
        }
        self.count_wanted()
    }

    /// The number of documents that matter; `None` when all do.
    pub(super) fn wanted_count(&self) -> Option<usize> {
        self.is_limited.then_some(self.wanted_count)
    }

    /// The number of words that [`Window::wanted_word`] has.
    pub(super) fn word_count(&self) -> usize {
        self.wanted.len()
    }

    /// The documents that matter, where not all do: one bit for each.
    #[inline]
    pub(super) fn wanted_word(&self, i: usize) -> u64 {
        self.wanted[i]
    }

    /// Adds to the scores of some documents in the window.
    #[inline]
    pub(super) fn add(&mut self, docs: &[u32], added: &[f32]) {
        debug_assert_eq!(docs.len(), added.len(), "a score for each document");
        // A place in a dense window is taken modulo its length.
        debug_assert!(
            docs.iter()
                .all(|&doc| doc >= self.start && ((doc - self.start) as usize) < self.scores.len()),
            "the documents are in the window"
        );
        let dense = (
            self.scores.first_chunk_mut::<DENSE_LEN>(),
            self.marks.first_chunk_mut::<DENSE_LEN>(),
        );
        if let (Some(scores), Some(marks)) = dense {
            for (&doc, &score) in docs.iter().zip(added) {
                // All are in the window: the remainder changes nothing and spares the check of bounds.
                let at = (doc - self.start) as usize % DENSE_LEN;
                scores[at] += score;
                marks[at] = 1;
            }
            return;
        }
        for (&doc, &score) in docs.iter().zip(added) {
            let at = (doc - self.start) as usize;
            self.scores[at] += score;
            self.scored[at / 64] |= 1 << (at % 64);
            self.scored_words[at / 4_096] |= 1 << (at / 64 % 64);
        }
    }

    /// Makes bits of marks.
    fn gather(&mut self) {
        let (chunks, _) = self.marks.as_chunks_mut::<64>();
        for (word, marks) in self.scored.iter_mut().zip(chunks) {
            *word = bits_of(marks);
            marks.fill(0);
        }
    }

    /// Keeps the documents that the required term at hand has scored, and the scores of other terms matter for these
    /// alone; false if none is left.
    pub(super) fn end_required(&mut self) -> bool {
        self.gather();
        self.wanted_count = match self.is_dense() {
            true => self.keep_all_words(),
            false => self.keep_scored_words(),
        };
        self.has_required = true;
        self.is_limited = true;
        self.wanted_count > 0
    }

    /// [`Window::end_required`] word by word, in a way that runs on vectors; gives how many documents are left.
    fn keep_all_words(&mut self) -> usize {
        let before = if self.is_limited { 0 } else { u64::MAX };
        let mut count = 0;
        for (i, wanted) in self.wanted.iter_mut().enumerate() {
            let scored = std::mem::take(&mut self.scored[i]);
            self.touched[i] |= scored;
            *wanted = scored & (*wanted | before);
            count += wanted.count_ones() as usize;
        }
        count
    }

    /// The same of those words alone that hold documents.
    fn keep_scored_words(&mut self) -> usize {
        let before = if self.is_limited { 0 } else { u64::MAX };
        let mut count = 0;
        self.kept.fill(0);
        for of in 0..self.scored_words.len() {
            let scored_words = std::mem::take(&mut self.scored_words[of]);
            self.touched_words[of] |= scored_words;
            for i in word_numbers(of, scored_words) {
                let scored = std::mem::take(&mut self.scored[i]);
                self.touched[i] |= scored;
                self.kept[i] = scored & (self.wanted[i] | before);
                count += self.kept[i].count_ones() as usize;
            }
        }
        std::mem::swap(&mut self.wanted, &mut self.kept);
        count
    }

    /// Visits the matches that matter, ascending, 64 documents at a time: the first of these
    /// documents, one bit for each that matches, and all their scores. Leaves the window empty.
    #[inline]
    pub(super) fn drain_words(&mut self, mut visit: impl FnMut(u32, u64, &[f32; 64])) {
        self.gather();
        if self.is_dense() {
            for i in 0..self.scored.len() {
                if self.scored[i] | self.touched[i] != 0 {
                    self.drain_word(i, &mut visit);
                }
            }
            return;
        }
        for of in 0..self.scored_words.len() {
            let scored_words = std::mem::take(&mut self.scored_words[of]);
            let touched_words = std::mem::take(&mut self.touched_words[of]);
            for i in word_numbers(of, scored_words | touched_words) {
                self.drain_word(i, &mut visit);
            }
        }
    }

    #[inline]
    fn drain_word(&mut self, i: usize, visit: &mut impl FnMut(u32, u64, &[f32; 64])) {
        let (chunks, _) = self.scores.as_chunks_mut::<64>();
        let scored = std::mem::take(&mut self.scored[i]);
        self.touched[i] = 0;
        let mut word = match self.has_required {
            true => self.wanted[i],
            false => scored,
        };
        if self.is_limited {
            word &= self.wanted[i];
        }
        if word != 0 {
            visit(self.start + i as u32 * 64, word, &chunks[i]);
        }
        chunks[i].fill(0.0);
    }

    /// Tells whether marks decide which documents are scored.
    fn is_dense(&self) -> bool {
        !self.marks.is_empty()
    }
}

/// The numbers of the words that the bits of a word stand for, the `of`-th of its set.
#[inline]
fn word_numbers(of: usize, mut words: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = words.trailing_zeros() as usize;
        words = (words != 0).then(|| words & (words - 1))?;
        Some(of * 64 + at)
    })
}
