//! Windows over the units of a text.
//!
//! A text becomes units (characters, words, sentences or passages) and the units become windows
//! of `split_length` that advance by `split_length - split_overlap`:
//!
//! ```text
//! units     a b c d e f g      split_length 3, split_overlap 1
//! windows   a b c
//!               c d e
//!                   e f g
//! ```
//!
//! A window is only begun when it adds a unit the one before it lacks; the last may be short.

mod units;

use std::{fmt, ops::Range, str::FromStr};

use self::units::Units;

/// The number of times that overlapping chunks may repeat a text; an overlap of 97 % needs it.
const REPEATS_MAX: usize = 32;
/// Bytes of chunks that any text may have: a short one may overlap as it likes.
const CHUNK_BYTES_FREE: usize = 256 * 1_024;

/// The unit a text is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkMethod {
    /// Unicode code points.
    Character,
    /// Treebank words; punctuation is a word and straight double quotes become `` and ''.
    Word,
    /// Sentences, as a [`SentenceRule`] says.
    Sentence,
    /// The text between blank lines (two line feeds).
    Passage,
}

impl ChunkMethod {
    /// The name used in index settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Character => "character",
            Self::Word => "word",
            Self::Sentence => "sentence",
            Self::Passage => "passage",
        }
    }
}

impl fmt::Display for ChunkMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ChunkMethod {
    type Err = ChunkError;

    fn from_str(name: &str) -> Result<Self, ChunkError> {
        match name {
            "character" => Ok(Self::Character),
            "word" => Ok(Self::Word),
            "sentence" => Ok(Self::Sentence),
            "passage" => Ok(Self::Passage),
            _ => Err(ChunkError::UnknownMethod {
                received: name.to_owned(),
            }),
        }
    }
}

/// The rule by which a text is cut into sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SentenceRule {
    /// English Punkt's rule, whatever the language.
    #[default]
    English,
    /// There, and behind the full stops of every script.
    EveryScript,
}

/// The reason that a specification or a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// The method's name is none of the four.
    #[error(
        "split method must be one of character, word, sentence, passage, received {received:?}"
    )]
    UnknownMethod {
        /// The name that came.
        received: String,
    },
    /// A window of no units would never advance.
    #[error("split length must be at least 1, received 0")]
    ZeroLength,
    /// A window that repeats all of the one before it would never advance.
    #[error(
        "split overlap must be less than the split length {split_length}, received {split_overlap}"
    )]
    OverlapNotBelowLength {
        /// Units in a window.
        split_length: usize,
        /// Units shared with the window before.
        split_overlap: usize,
    },
    /// The text falls into more windows than the caller allows.
    #[error("text splits into {received} chunks, expected at most {limit}")]
    TooManyChunks {
        /// The caller's limit.
        limit: usize,
        /// Windows the text has.
        received: usize,
    },
    /// The windows overlap so far that they repeat the text many times over.
    #[error(
        "overlapping chunks repeat the text until they hold {received} bytes, expected at most \
         {limit}"
    )]
    TooMuchOverlap {
        /// Bytes that chunks of this text may hold together.
        limit: usize,
        /// Bytes they would hold.
        received: usize,
    },
}

/// The rule by which a text is split. The fields are checked on construction, so a window always
/// advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkSpec {
    method: ChunkMethod,
    split_length: usize,
    split_overlap: usize,
    sentences: SentenceRule,
}

impl Default for ChunkSpec {
    /// Two sentences without overlap.
    fn default() -> Self {
        Self {
            method: ChunkMethod::Sentence,
            split_length: 2,
            split_overlap: 0,
            sentences: SentenceRule::default(),
        }
    }
}

impl ChunkSpec {
    /// A window of `split_length` units that shares `split_overlap` with the one before it.
    ///
    /// # Errors
    /// [`ChunkError::ZeroLength`] and [`ChunkError::OverlapNotBelowLength`].
    pub fn new(
        method: ChunkMethod,
        split_length: usize,
        split_overlap: usize,
    ) -> Result<Self, ChunkError> {
        if split_length == 0 {
            return Err(ChunkError::ZeroLength);
        }
        if split_overlap >= split_length {
            return Err(ChunkError::OverlapNotBelowLength {
                split_length,
                split_overlap,
            });
        }
        Ok(Self {
            method,
            split_length,
            split_overlap,
            sentences: SentenceRule::default(),
        })
    }

    /// The same, with sentences cut by another rule. Default [`SentenceRule::English`].
    #[must_use]
    pub fn with_sentences(self, sentences: SentenceRule) -> Self {
        Self { sentences, ..self }
    }

    /// The rule by which sentences are cut.
    pub fn sentences(&self) -> SentenceRule {
        self.sentences
    }

    /// The unit of `split_length` and `split_overlap`.
    pub fn method(&self) -> ChunkMethod {
        self.method
    }

    /// Units in a window, at least 1.
    pub fn split_length(&self) -> usize {
        self.split_length
    }

    /// Units a window shares with the one before it, less than `split_length`.
    pub fn split_overlap(&self) -> usize {
        self.split_overlap
    }

    /// The number of windows that cover `unit_count` units.
    fn window_count(&self, unit_count: usize) -> usize {
        1 + unit_count
            .saturating_sub(self.split_length)
            .div_ceil(self.step())
    }

    /// The units of each window, in order.
    fn windows(&self, unit_count: usize) -> impl Iterator<Item = Range<usize>> {
        let ChunkSpec { split_length, .. } = *self;
        let step = self.step();
        (0..self.window_count(unit_count)).map(move |window| {
            let start = window * step;
            start..start.saturating_add(split_length).min(unit_count)
        })
    }

    fn step(&self) -> usize {
        self.split_length - self.split_overlap
    }
}

/// Splits a text into chunks, in order.
///
/// A text of blanks only is the one chunk `" "`; a text of a single character is itself. The units
/// of a window are joined by one blank (characters by nothing, nor sentences that a full stop of their
/// own script parts without one), so blanks and line feeds between units are not kept. Empty chunks, which only empty passages make, are dropped.
///
/// ```
/// use pelorus_text::{ChunkMethod, ChunkSpec, chunk};
///
/// let spec = ChunkSpec::new(ChunkMethod::Word, 3, 1)?;
/// assert_eq!(chunk("some text to test chunking", &spec), ["some text to", "to test chunking"]);
/// # Ok::<(), pelorus_text::ChunkError>(())
/// ```
pub fn chunk(text: &str, spec: &ChunkSpec) -> Vec<String> {
    Units::of(text, spec).chunks(spec)
}

/// Like [`chunk`], for callers that bound the cost of one field: the windows are counted and
/// measured before any of them is built.
///
/// # Errors
/// [`ChunkError::TooManyChunks`] when the text has more than `limit` windows, and
/// [`ChunkError::TooMuchOverlap`] when they hold more than 32 times the bytes of the text and
/// 256 KiB.
pub fn chunk_within(text: &str, spec: &ChunkSpec, limit: usize) -> Result<Vec<String>, ChunkError> {
    let units = Units::of(text, spec);
    let received = spec.window_count(units.count());
    if received > limit {
        return Err(ChunkError::TooManyChunks { limit, received });
    }
    let limit = REPEATS_MAX * text.len() + CHUNK_BYTES_FREE;
    match units.chunk_bytes(spec) {
        received if received > limit => Err(ChunkError::TooMuchOverlap { limit, received }),
        _ => Ok(units.chunks(spec)),
    }
}
