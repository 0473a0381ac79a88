use std::ops::Range;

use super::{ChunkMethod, ChunkSpec};
use crate::{character::is_all_blank, sentence::sentences, word::words};

/// What a text without a visible character becomes: one chunk, which is embedded like any other.
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
    Pieces(Vec<&'t str>),
}

impl<'t> Units<'t> {
    pub(super) fn of(text: &'t str, method: ChunkMethod) -> Self {
        if is_all_blank(text) {
            return Self::Pieces(vec![BLANK_CHUNK]);
        }
        if text.chars().nth(1).is_none() {
            return Self::Pieces(vec![text]);
        }
        match method {
            ChunkMethod::Character => {
                let starts = text.char_indices().map(|(offset, _)| offset);
                Self::Characters {
                    text,
                    offsets: starts.chain([text.len()]).collect(),
                }
            }
            ChunkMethod::Word => Self::Words(words(text)),
            ChunkMethod::Sentence => Self::Pieces(sentences(text)),
            ChunkMethod::Passage => Self::Pieces(text.split("\n\n").collect()),
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
            Self::Pieces(pieces) => pieces[window].join(" "),
        }
    }

    /// Bytes of all chunks together.
    pub(super) fn chunk_bytes(&self, spec: &ChunkSpec) -> usize {
        let (offsets, joint) = match self {
            Self::Characters { offsets, .. } => (offsets, 0),
            Self::Words(words) => (&joined_offsets(words.iter().map(String::len)), 1),
            Self::Pieces(pieces) => (&joined_offsets(pieces.iter().map(|piece| piece.len())), 1),
        };
        let windows = spec.windows(self.count());
        windows
            .map(|window| (offsets[window.end] - offsets[window.start]).saturating_sub(joint))
            .sum()
    }

    pub(super) fn chunks(&self, spec: &ChunkSpec) -> Vec<String> {
        let windows = spec.windows(self.count());
        windows
            .map(|window| self.join(window))
            .filter(|chunk| !chunk.is_empty())
            .collect()
    }
}

/// Where pieces of these lengths begin once they are joined by one byte each, and the end.
fn joined_offsets(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut offsets = vec![0];
    let mut end = 0;
    offsets.extend(lengths.map(|length| {
        end += length + 1;
        end
    }));
    offsets
}
