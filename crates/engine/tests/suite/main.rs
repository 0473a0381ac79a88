//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod audit;
mod backups;
mod cancelled_searches;
mod changed_scores;
mod compaction;
mod context;
mod counting;
mod counting_during_updates;
mod date_facets;
mod documents;
mod echoes;
mod expiry;
mod field_types;
mod fresh_vectors;
mod fused_pages;
mod late_interaction;
mod limits;
mod memory;
mod model;
mod numeric_type;
mod one_copy;
mod ranking;
mod readings;
mod redefinition;
mod refused_filters;
mod registry;
mod restart;
mod search_during_writes;
mod searching;
mod spaces;
mod sparse_vectors;
mod suggestions;
#[path = "../support/mod.rs"]
mod support;
mod text_fields;
mod updates;
