//! Full-text search of Pelorus: BM25 over tantivy postings and an in-memory delta.
//!
//! How the engine uses it:
//! 1. [`LexicalIndex::open`] with the set of ordinals that are stored now, then add every stored
//!    document from [`LexicalIndex::watermark`] on, in ascending order, and publish.
//! 2. For each committed batch: [`LexicalIndex::add`] **every** document, also one without text
//!    (it counts in N), [`LexicalIndex::remove`] replaced and deleted ordinals (no text needed:
//!    lengths are kept here), then [`LexicalIndex::publish`].
//! 3. In the background, while [`LexicalIndex::needs_flush`]: [`LexicalIndex::flush`].
//! 4. On a clean stop [`LexicalIndex::close`].
#![forbid(unsafe_code)]

mod analysis;
mod bm25;
mod dead_set;
mod delta;
mod error;
mod field_table;
mod index;
mod manifest;
mod merge_policy;
mod phrase;
mod posting_list;
mod query;
mod search;
mod segment;
mod statistics;
mod term_matches;
mod view;

pub use error::{LexicalError, Result};
pub use index::{LexicalIndex, LexicalOptions};
pub use query::{LexicalHits, LexicalQuery, Operand};
