/// Documents scored together. The scores fit the first-level cache.
const WINDOW_LEN: usize = 4_096;
const WORDS: usize = WINDOW_LEN / 64;

/// Scores and matches of a run of consecutive documents of one part.
pub(super) struct Window {
    start: u32,
    scores: Box<[f32; WINDOW_LEN]>,
    /// Documents that the term at hand, or any optional term, has scored.
    scored: [u64; WORDS],
    /// Documents that match all required terms so far; `None` before the first.
    required: Option<[u64; WORDS]>,
}

impl Window {
    pub(super) fn new() -> Window {
        Window {
            start: 0,
            scores: Box::new([0.0; WINDOW_LEN]),
            scored: [0; WORDS],
            required: None,
        }
    }

    pub(super) fn begin(&mut self, start: u32) {
        self.start = start;
        self.scores.fill(0.0);
        self.scored.fill(0);
        self.required = None;
    }

    pub(super) fn start(&self) -> u32 {
        self.start
    }

    /// The first document past the window.
    pub(super) fn end(&self) -> u32 {
        self.start.saturating_add(WINDOW_LEN as u32)
    }

    #[inline]
    pub(super) fn add(&mut self, doc: u32, score: f32) {
        let at = (doc - self.start) as usize % WINDOW_LEN;
        self.scores[at] += score;
        self.scored[at / 64] |= 1 << (at % 64);
    }

    pub(super) fn begin_required(&mut self) {
        self.scored.fill(0);
    }

    /// Keeps the documents that the required term at hand has scored; false if none is left.
    pub(super) fn end_required(&mut self) -> bool {
        let scored = std::mem::replace(&mut self.scored, [0; WORDS]);
        let required = match &self.required {
            None => scored,
            Some(before) => std::array::from_fn(|i| before[i] & scored[i]),
        };
        self.required = Some(required);
        required.iter().any(|&word| word != 0)
    }

    /// Visits the matches, ascending, 64 documents at a time: the first of these documents, one
    /// bit for each that matches, and all their scores. With `needs_optional` a match of all
    /// required terms must be a match of an optional one too.
    #[inline]
    pub(super) fn for_each_word(
        &self,
        needs_optional: bool,
        mut visit: impl FnMut(u32, u64, &[f32; 64]),
    ) {
        let (chunks, _) = self.scores.as_chunks::<64>();
        for (i, scores) in chunks.iter().enumerate() {
            let word = match &self.required {
                None => self.scored[i],
                Some(required) if needs_optional => required[i] & self.scored[i],
                Some(required) => required[i],
            };
            if word != 0 {
                visit(self.start + i as u32 * 64, word, scores);
            }
        }
    }
}
