use std::ops::Range;

use super::{ChunkMethod, ChunkSpec, SentenceRule};
use crate::{
    character::is_all_blank,
    sentence::sentences,
    stop::{Piece, pieces},
    word::words,
};

/// The chunk of a text without a visible character: one, which is embedded like any other.
const BLANK_CHUNK: &str = " ";

/// A text cut into units.
pub(super) enum Units<'t> {
    /// The byte offset of each character, and of the end.
    Characters {
        text: &'t str,
        offsets: Vec<usize>,
    },
    Words(Vec<String>),
    /// Sentences or passages, as they stand in the text.
    Pieces(Vec<Piece<'t>>),
}

impl<'t> Units<'t> {
    pub(super) fn of(text: &'t str, spec: &ChunkSpec) -> Self {
        if is_all_blank(text) {
            return Self::Pieces(vec![apart(BLANK_CHUNK)]);
        }
        if text.chars().nth(1).is_none() {
            return Self::Pieces(vec![apart(text)]);
        }
        match spec.method {
            ChunkMethod::Character => {
                let starts = text.char_indices().map(|(offset, _)| offset);
                Self::Characters {
                    text,
                    offsets: starts.chain([text.len()]).collect(),
                }
            }
            ChunkMethod::Word => Self::Words(words(text)),
            ChunkMethod::Sentence => {
                let sentences = sentences(text).into_iter();
                Self::Pieces(match spec.sentences {
                    SentenceRule::English => sentences.map(apart).collect(),
                    SentenceRule::EveryScript => sentences.flat_map(pieces).collect(),
                })
            }
            ChunkMethod::Passage => Self::Pieces(text.split("\n\n").map(apart).collect()),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Characters { offsets, .. } => offsets.len() - 1,
            Self::Words(words) => words.len(),
            Self::Pieces(pieces) => pieces.len(),
        }
    }

    fn join(&self, window: Range<usize>) -> String {
        match self {
            Self::Characters { text, offsets } => {
                text[offsets[window.start]..offsets[window.end]].to_owned()
            }
            Self::Words(words) => words[window].join(" "),
            Self::Pieces(pieces) => {
                let mut joined = String::new();
                for (at, piece) in pieces[window].iter().enumerate() {
                    if at > 0 && !piece.adjoins {
                        joined.push(' ');
                    }
                    joined.push_str(piece.text);
                }
                joined
            }
        }
    }

    /// Bytes of all chunks together.
    pub(super) fn chunk_bytes(&self, spec: &ChunkSpec) -> usize {
        match self {
            Self::Characters { offsets, .. } => {
                let windows = spec.windows(self.count());
                windows
                    .map(|window| offsets[window.end] - offsets[window.start])
                    .sum()
            }
            Self::Words(words) => joined_bytes(spec, words.iter().map(|word| (1, word.len()))),
            Self::Pieces(pieces) => {
                let joint = |piece: &Piece<'_>| usize::from(!piece.adjoins);
                let lengths = pieces.iter().map(|piece| (joint(piece), piece.text.len()));
                joined_bytes(spec, lengths)
            }
        }
    }

    pub(super) fn chunks(&self, spec: &ChunkSpec) -> Vec<String> {
        let windows = spec.windows(self.count());
        windows
            .map(|window| self.join(window))
            .filter(|chunk| !chunk.is_empty())
            .collect()
    }
}

/// A piece that is joined to the one before it by a blank.
fn apart(text: &str) -> Piece<'_> {
    Piece {
        text,
        adjoins: false,
    }
}

/// Bytes of all windows over units of these lengths, each with the bytes that join it to the one before it.
fn joined_bytes(spec: &ChunkSpec, units: impl Iterator<Item = (usize, usize)>) -> usize {
    // Where each unit begins, and where it ends.
    let mut end = 0;
    let places: Vec<Range<usize>> = units
        .map(|(joint, length)| {
            let start = end + joint;
            end = start + length;
            start..end
        })
        .collect();
    let windows = spec.windows(places.len());
    windows
        .map(|window| match places.get(window.clone()) {
            Some([first, .., last]) => last.end - first.start,
            Some([only]) => only.len(),
            _ => 0,
        })
        .sum()
}
