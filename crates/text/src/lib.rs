//! Text on its way into a model: splitting a field into chunks, and a chunk into token ids.
//!
//! * [`chunk`] and [`chunk_within`] cut a text into windows of characters, words, sentences or
//!   passages, as a [`ChunkSpec`] says.
//! * [`Tokenizer`] turns chunks into the ids an embedding graph takes, truncated to the model's own limit or cut into
//!   parts below it; for joint models of texts and pictures [`Cleaning`] names the steps before that.
//!
//! Sentences follow Punkt with its published English tables, words follow the Treebank
//! conventions; both agree piece for piece with NLTK 3.9.2, which `tests/fixtures` hold as oracle. Sentences of other
//! scripts are cut behind their own full stops besides, where [`SentenceRule`] says so.
//! Everything is a pure function of its input, safe to share between threads, and linear in the
//! length of the text.
#![forbid(unsafe_code)]

mod character;
mod chunk;
mod clean;
mod cut;
mod head;
mod sentence;
mod stop;
mod tokenizer;
mod vocabulary;
mod word;

pub use chunk::{ChunkError, ChunkMethod, ChunkSpec, SentenceRule, chunk, chunk_within};
pub use clean::Cleaning;
pub use sentence::sentences;
pub use tokenizer::{Encoding, Part, Tokenizer, TokenizerError};
pub use word::words;
