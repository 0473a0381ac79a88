//! Token ids for embedding graphs.

use std::fmt;

use tokenizers::{PostProcessor, TruncationDirection, TruncationParams, TruncationStrategy};

use crate::character::is_blank;
use crate::clean::Cleaning;
use crate::cut::cut_before;
use crate::head::{TOKEN_BYTES, leading_words, without_endless_runs};
use crate::vocabulary::Vocabulary;

/// The reason that a tokenizer was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The file is not a `tokenizer.json` this version reads.
    #[error("tokenizer file is not readable: {message}")]
    Unreadable {
        /// The parser's message.
        message: String,
    },
    /// The limit leaves no room for text.
    #[error("token limit must exceed the {special_tokens} special tokens, received {max_tokens}")]
    LimitTooSmall {
        /// The limit that came.
        max_tokens: usize,
        /// Special tokens around each text.
        special_tokens: usize,
    },
    /// A text has no token in this vocabulary, and the vocabulary no token for such a case.
    #[error("text cannot be encoded: {message}")]
    Encode {
        /// The vocabulary's message.
        message: String,
    },
}

/// One text as a graph takes it, without padding: the attention mask is all ones and the type ids
/// are all zero, so neither is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Token ids with the special tokens, at most the model's limit.
    pub ids: Vec<u32>,
}

/// A part of a text that a model reads whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'t> {
    /// The part of the text that is in it, without the prefix.
    pub text: &'t str,
    /// The encoding of the prefix and the text.
    pub encoding: Encoding,
}

/// A model's tokenizer. Immutable, so any number of threads may share it.
///
/// Encoding runs on the calling thread alone. The library behind it would spread a batch over a
/// global thread pool of its own; that is never entered here, because the caller already works on
/// as many threads as it wants and a second pool would fight it for the same cores.
pub struct Tokenizer {
    vocabulary: Vocabulary,
    max_tokens: usize,
    pad_id: u32,
    cleaning: Cleaning,
    /// The token whose id becomes 0.
    omitted: Option<u32>,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`. `max_tokens` is the model's limit with special tokens counted;
    /// it replaces the truncation the file declares (often the value of some training run), and
    /// padding is off.
    ///
    /// # Errors
    /// [`TokenizerError::Unreadable`] and [`TokenizerError::LimitTooSmall`].
    pub fn from_bytes(json: &[u8], max_tokens: usize) -> Result<Self, TokenizerError> {
        let unreadable = |message: String| TokenizerError::Unreadable { message };
        let json = std::str::from_utf8(json).map_err(|error| unreadable(error.to_string()))?;
        let mut vocabulary: Vocabulary =
            serde_json::from_str(json).map_err(|error| unreadable(error.to_string()))?;
        let post_processor = vocabulary.get_post_processor();
        let special_tokens = post_processor.map_or(0, |processor| processor.added_tokens(false));
        if max_tokens <= special_tokens {
            return Err(TokenizerError::LimitTooSmall {
                max_tokens,
                special_tokens,
            });
        }
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length: max_tokens,
            strategy: TruncationStrategy::LongestFirst,
            stride: 0,
        };
        vocabulary
            .with_truncation(Some(truncation))
            .map_err(|error| unreadable(error.to_string()))?;
        let pad_id = pad_id(&vocabulary);
        vocabulary.with_padding(None);
        Ok(Self {
            vocabulary,
            max_tokens,
            pad_id,
            cleaning: Cleaning::None,
            omitted: None,
        })
    }

    /// The same tokenizer, with texts cleaned first. Default [`Cleaning::None`].
    #[must_use]
    pub fn with_cleaning(self, cleaning: Cleaning) -> Self {
        Self { cleaning, ..self }
    }

    /// The same tokenizer, with id 0 in place of the separator `[SEP]`, where the vocabulary has
    /// one: CLIPA was trained so.
    #[must_use]
    pub fn with_separator_omitted(self) -> Self {
        let omitted = self.vocabulary.token_to_id("[SEP]");
        Self { omitted, ..self }
    }

    /// The id that fills a text up to the length of its batch: the one that the file declares, else
    /// that of a token for padding, else 0.
    pub fn pad_id(&self) -> u32 {
        self.pad_id
    }

    /// The most ids an [`Encoding`] has.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// Encodes one text with special tokens. A longer one loses its end, never its closing
    /// special token. Megabytes cost no more than the part that is kept: of a run of characters
    /// without a blank the first 64 per token count.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`].
    pub fn encode(&self, text: &str) -> Result<Encoding, TokenizerError> {
        Ok(self.encode_telling(text)?.0)
    }

    /// Encodes a text of which the first `prefix` bytes are a prefix: whole where it is short enough, or else
    /// in parts, each with the prefix, of which none loses its end. Blanks where it is cut are in none of them.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`].
    pub fn encode_in_parts<'t>(
        &self,
        text: &'t str,
        prefix: usize,
    ) -> Result<Vec<Part<'t>>, TokenizerError> {
        let (prefix, mut rest) = text.split_at(prefix);
        let with_prefix = |part: &str| self.encode_telling(&format!("{prefix}{part}"));
        let mut parts = Vec::new();
        loop {
            let window = rest.floor_char_boundary(self.max_tokens.saturating_mul(TOKEN_BYTES));
            let end = if window == rest.len() {
                let (encoding, is_whole) = with_prefix(rest)?;
                if is_whole {
                    parts.push(Part {
                        text: rest,
                        encoding,
                    });
                    return Ok(parts);
                }
                self.longest_head(prefix, rest)?
            } else {
                self.longest_head(prefix, &rest[..window])?
            };
            let mut end = if end == 0 { 0 } else { cut_before(rest, end) };
            // A word that is torn may have a token more than the word.
            while end > 0 && !with_prefix(rest[..end].trim_end_matches(is_blank))?.1 {
                end = rest.floor_char_boundary(end - 1);
            }
            if end == 0 {
                // The prefix leaves no room: what there is of it is all that can be read.
                let (encoding, _) = with_prefix(rest)?;
                parts.push(Part {
                    text: rest,
                    encoding,
                });
                return Ok(parts);
            }
            let text = rest[..end].trim_end_matches(is_blank);
            if !text.is_empty() {
                let (encoding, _) = with_prefix(text)?;
                parts.push(Part { text, encoding });
            }
            rest = rest[end..].trim_start_matches(is_blank);
            if rest.is_empty() {
                return Ok(parts);
            }
        }
    }

    /// Encodes two texts that a model reads together, with the special tokens of a pair. Where they are longer than the
    /// model reads, the longer one loses its end, then both. Megabytes cost no more than the part that is kept.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`].
    pub fn encode_pair(&self, first: &str, second: &str) -> Result<Encoding, TokenizerError> {
        let ids = self.pair(first, second)?.get_ids().to_vec();
        Ok(Encoding { ids })
    }

    /// The id of the token that ends the first text of a pair, where those behind it have another type; none where the
    /// tokenizer tells no types apart.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`].
    pub fn pair_separator(&self) -> Result<Option<u32>, TokenizerError> {
        let encoded = self.pair("a", "b")?;
        let types = encoded.get_type_ids();
        let first_of_second = types.iter().position(|&kind| kind != 0);
        let last_of_first = first_of_second.and_then(|place| place.checked_sub(1));
        Ok(last_of_first.map(|place| encoded.get_ids()[place]))
    }

    fn pair(&self, first: &str, second: &str) -> Result<tokenizers::Encoding, TokenizerError> {
        let head = |text: &str| {
            let text = self.cleaning.clean(text);
            let words = leading_words(&text, self.max_tokens);
            without_endless_runs(words, self.max_tokens)
        };
        let encoded = self
            .vocabulary
            .encode_fast((head(first), head(second)), true);
        encoded.map_err(|error| TokenizerError::Encode {
            message: error.to_string(),
        })
    }

    /// Bytes of the longest head of a text that fits with its prefix, found by halves.
    fn longest_head(&self, prefix: &str, text: &str) -> Result<usize, TokenizerError> {
        let fits = |end: usize| {
            let encoded = self.encode_telling(&format!("{prefix}{}", &text[..end]));
            encoded.map(|(_, is_whole)| is_whole)
        };
        if fits(text.len())? {
            return Ok(text.len());
        }
        let (mut fitting, mut excess) = (0_usize, text.len());
        loop {
            let middle = text.floor_char_boundary(fitting.midpoint(excess));
            let middle = match middle > fitting {
                true => middle,
                false => text.ceil_char_boundary(fitting + 1),
            };
            if middle >= excess {
                return Ok(fitting);
            }
            match fits(middle)? {
                true => fitting = middle,
                false => excess = middle,
            }
        }
    }

    /// The encoding, and whether it is that of the whole text.
    fn encode_telling(&self, text: &str) -> Result<(Encoding, bool), TokenizerError> {
        let text = &*self.cleaning.clean(text);
        let head = leading_words(text, self.max_tokens);
        let mut encoded = None;
        if head.len() < text.len() {
            let of_head = self.encode_whole(head)?;
            encoded = Some(of_head).filter(|e| !e.get_overflowing().is_empty());
        }
        let encoded = match encoded {
            Some(encoded) => encoded,
            None => self.encode_whole(&without_endless_runs(text, self.max_tokens))?,
        };
        let is_whole = encoded.get_overflowing().is_empty();
        let mut ids = encoded.get_ids().to_vec();
        if let Some(omitted) = self.omitted {
            for id in ids.iter_mut().filter(|id| **id == omitted) {
                *id = 0;
            }
        }
        Ok((Encoding { ids }, is_whole))
    }

    fn encode_whole(&self, text: &str) -> Result<tokenizers::Encoding, TokenizerError> {
        let encoded = self.vocabulary.encode_fast(text, true);
        encoded.map_err(|error| TokenizerError::Encode {
            message: error.to_string(),
        })
    }
}

/// Names of padding among the families of tokenizers.
const PADS: [&str; 2] = ["<pad>", "[PAD]"];

fn pad_id(vocabulary: &Vocabulary) -> u32 {
    let declared = vocabulary.get_padding().map(|padding| padding.pad_id);
    let named = || PADS.iter().find_map(|pad| vocabulary.token_to_id(pad));
    declared.or_else(named).unwrap_or(0)
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer")
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}
