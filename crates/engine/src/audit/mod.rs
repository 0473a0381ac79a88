//! The audit: every document is in each structure where it should be, and in no other.
//!
//! A [round](round) passes over all ordinals of an index in small slices: the store says what a document is, and the set
//! of living versions, columns, postings and vectors are compared with that. A slice runs beside writes, so what it finds
//! is a suspicion. The writer looks at suspects again between two commits, when all structures are those of one
//! sequence: only what still differs then is a [difference](Structure). Data derived from the documents are made anew
//! from the store then, as after a panic; the index is yellow until that is done.
//!
//! The [auditor](auditor) is a thread of low priority that takes one slice after the other and sleeps ninety-nine times as
//! long in between.

pub(crate) mod auditor;
mod document;
pub(crate) mod figures;
mod round;

use std::fmt;

/// A structure in which each document has its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Structure {
    /// The set of living versions.
    Ordinals,
    Columns,
    /// Words and their places.
    Text,
    Vectors,
    /// Links between vectors.
    Graph,
}

impl Structure {
    pub const ALL: [Self; 5] = [
        Self::Ordinals,
        Self::Columns,
        Self::Text,
        Self::Vectors,
        Self::Graph,
    ];
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ordinals => "the set of documents",
            Self::Columns => "columns",
            Self::Text => "text index",
            Self::Vectors => "vectors",
            Self::Graph => "graph",
        })
    }
}

#[cfg(test)]
mod tests;
