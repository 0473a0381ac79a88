//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod beyond_the_table;
mod bounds;
mod conformance_parse;
mod extensions;
mod fields;
mod look_alikes;
mod properties;
mod ranges;
mod without;
