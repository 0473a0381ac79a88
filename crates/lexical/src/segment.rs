//! Immutable parts of the index on disk.
//!
//! Each segment is a directory of its own that holds a tantivy index of exactly one tantivy
//! segment, so that which segments exist, which are merged and which documents a merge leaves out
//! is decided here and written in one place, the manifest.
//!
//! All fields share one tantivy field: a term is the token, a zero byte and the slot of the field.
//! Compared with one tantivy field for each of ours this needs no pool of fields sized in advance,
//! no bytes for documents that lack one, and finds every field that holds a token with
//! one range of the dictionary. A second tantivy field lists for each token the documents that
//! hold it anywhere: its length is the document count that scores over all fields need.
//! A file of ours beside tantivy's lists the words of the texts (`words`), to complete and correct those of queries.

mod dead_counts;
mod holding;
mod lengths;
mod lookup;
mod merge;
mod schema;
mod segment_file;
mod text_segment;
mod token_ends;
mod unsynced_directory;
mod words;
mod write;

pub(crate) use lengths::Lengths;
pub(crate) use merge::{MergeSource, merge_segments};
pub(crate) use segment_file::SegmentFile;
pub(crate) use text_segment::TextSegment;
pub(crate) use token_ends::{HEAD_MIN, ends_with};
pub(crate) use unsynced_directory::UnsyncedDirectory;
pub(crate) use words::SegmentWords;
pub(crate) use write::write_segment;
