//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cancellation;
mod common_beginnings;
mod compounds;
mod corrections;
mod damage;
mod field_weights;
mod full_disk;
mod highlights;
mod languages;
mod large;
mod long_queries;
mod matching;
mod model;
mod parts;
mod prefixes;
mod query_terms;
mod reached_words;
mod reopening;
mod retiring;
mod scores;
mod segmentation;
mod shortcuts;
mod slop;
mod spellings;
mod stop_words;
mod support;
mod text_signals;
mod typos;
mod visibility;
