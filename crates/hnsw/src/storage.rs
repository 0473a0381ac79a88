//! Storage of nodes, in memory and on disk.
//!
//! Everything is kept by the number of a node, in arrays that grow in blocks and never move, so that
//! readers need no lock. Full vectors are rows of a file of their own, or of memory; a snapshot is one more
//! file with all the rest.

pub(crate) mod blocks;
pub(crate) mod code_memory;
pub(crate) mod full_vectors;
pub(crate) mod inspection;
pub(crate) mod node_table;
pub(crate) mod opening;
pub(crate) mod pages;
pub(crate) mod read_ahead;
pub(crate) mod row_manifest;
pub(crate) mod row_numbers;
pub(crate) mod snapshot;
