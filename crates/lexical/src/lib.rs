//! Full-text search of Pelorus: BM25 over text fields, exact and visible at once.
//!
//! Documents are analysed (`analysis`) and inverted (`inverted`) in batches, by the thread that brings them:
//! [`LexicalIndex::invert`]. The documents of a batch that [`LexicalIndex::add_batch`] adds are found in memory
//! (`delta`) once they are published, and moved by [`LexicalIndex::flush`], in the background, to a segment on disk
//! (`segment`), where tantivy keeps postings and positions. A query is split at its quotes and analysed (`query`), its
//! terms are looked up in every part of the `view` that a [`LexicalReader`] has, counted over all of them, and the
//! documents scored (`search`, `bm25`), but for those that bounds (`term_bounds`) keep from the best. `explain` tells
//! the parts of a score, `audit` compares postings with documents, and `highlight` the places of a query's words in a text.
//!
//! How an engine uses it:
//! 1. [`LexicalIndex::open`] with the ordinals that are stored now. Then add every stored document
//!    from [`LexicalIndex::watermark`] on, in ascending order, and publish.
//! 2. Before a batch is committed, on any thread: [`LexicalIndex::invert`] its documents, also
//!    those without text. Once it is: [`LexicalIndex::add_batch`] with the ordinals of those that
//!    were stored, [`LexicalIndex::remove`] replaced and deleted ordinals, then
//!    [`LexicalIndex::publish`].
//! 3. In the background, while [`LexicalIndex::needs_flush`]: [`LexicalIndex::maintain`].
//! 4. On a clean stop [`LexicalIndex::close`]; before the directory is given to another index
//!    [`LexicalIndex::retire`].
//!
//! Invariants:
//! - A search reads one immutable view, in which each live document is in exactly one part and
//!   the statistics are those of exactly the live documents, so scores do not change when a
//!   document moves from memory to disk or a dead one is purged.
//! - Files are derived data. They are written without waiting for the disk, trusted only if every byte agrees with its
//!   checksum, and wiped otherwise. Documents that cannot be written stay in memory.
//! - Deleted documents stay in postings until a merge; the caller's set of accepted documents
//!   keeps them out of answers.
//!
//! ```
//! use pelorus_kernels::BitSet;
//! use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand};
//!
//! # fn main() -> pelorus_lexical::Result<()> {
//! # let dir = tempfile::tempdir().expect("a temporary directory");
//! let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
//! let batch = index.invert([
//!     vec![("title", "A red dog"), ("body", "It barks.")],
//!     vec![("title", "A blue cat")],
//! ]);
//! index.add_batch(&batch, &[Some(0), Some(1)])?;
//! index.publish();
//!
//! let query = LexicalQuery {
//!     text: "barking dogs".to_owned(),
//!     fields: None,
//!     k: 10,
//!     operand: Operand::Or,
//!     ..LexicalQuery::default()
//! };
//! let alive: BitSet = [0, 1].into_iter().collect();
//! let found = index.search(&query, &alive)?;
//! assert_eq!((found.total, found.hits[0].0), (1, 0));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod analysis;
mod audit;
mod bm25;
mod correction;
mod dead_set;
mod delta;
mod error;
mod expansion;
mod explain;
mod field_table;
mod field_weights;
mod highlight;
mod index;
mod inverted;
mod letters;
mod manifest;
mod merge_policy;
mod phrase;
mod places;
mod positions;
mod posting_list;
mod query;
mod reader;
mod rescore;
mod search;
mod segment;
mod statistics;
mod term_bounds;
mod term_matches;
mod text_signals;
mod typing;
mod view;
mod word_list;

pub use analysis::{FieldAnalysis, Language, Segmentation, Stemming, WordAnalyzer, fold_text};
pub use audit::TextAudit;
pub use bm25::{B as BM25_B, K1 as BM25_K1};
pub use error::{LexicalError, Result};
pub use explain::{MatchedWord, TermScore, TermShare};
pub use highlight::{Fragment, FragmentBounds, Highlighter};
pub use index::{LexicalIndex, LexicalOptions};
pub use inverted::InvertedBatch;
pub use manifest::verify;
pub use merge_policy::MergePolicy;
pub use places::PlaceAnalyzer;
pub use query::{
    LexicalHits, LexicalQuery, MatchProbe, Operand, QueryTerms, RescoredHits, SearchForm,
    SearchTerm, StopWords, TextFields,
};
pub use reader::LexicalReader;
pub use rescore::{Ceiling, RESCORED_TOGETHER, Rescore};
pub use text_signals::{SignalReader, TextSignals};
pub use typing::{PrefixWords, Typing, Typos};
