//! Copies of an index in pieces, from which it is made anew: here, on another machine, by a later version.
//!
//! A piece has rows of the store by ordinal, not pages of its file: documents of some thousand ordinals, then their
//! tensors with the vectors themselves, wherever rows of them are kept. Where a piece begins and ends depends on the
//! ordinals and bytes in it alone, so that rows which did not change are the same pieces again: a later backup has
//! nothing of them to store. Graphs, columns and postings are in no piece; they are made of the rows when the index is
//! opened.
//!
//! ```text
//! piece       "PIX" | version | kind | rows
//! settings    JSON, zero byte, the record of the index in the store, without its name
//! documents   rows: ordinal u32 | length u32 | document      little-endian
//! tensors     rows: ordinal u32 | length u32 | tensors       of the documents before them, each once, in their order
//! suggestions rows: length u32 | key | length u32 | query
//! ```

mod reading;
mod restoring;

pub use reading::IndexBackup;
pub use restoring::IndexRestore;

use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 3] = b"PIX";
/// Another one where earlier versions could not read the rows.
const VERSION: u8 = 1;

/// The contents of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Settings = 1,
    Documents = 2,
    Tensors = 3,
    Suggestions = 4,
}

/// The counts of an index, by which a copy is known to be whole.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    documents: u64,
    suggestions: u64,
    /// Bytes of the record behind these counts.
    record_bytes: usize,
}

fn piece_of(kind: Kind) -> Vec<u8> {
    let mut piece = MAGIC.to_vec();
    piece.extend([VERSION, kind as u8]);
    piece
}
