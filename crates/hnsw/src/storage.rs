//! Where vectors are kept, in memory and on disk.

pub(crate) mod blocks;
pub(crate) mod full_vectors;
pub(crate) mod node_table;
pub(crate) mod pages;
pub(crate) mod snapshot;
