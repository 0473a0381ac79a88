//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod conformance_unstructured;
mod dates;
mod distances;
mod filter_matches;
mod folded_texts;
mod held;
mod multi_vectors;
mod oracle;
mod other_types;
mod sparse_vectors;
mod spelled_otherwise;
mod structured;
mod typed;
