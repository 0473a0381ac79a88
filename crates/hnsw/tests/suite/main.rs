//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cancellation;
mod damage;
mod effort;
mod extremes;
mod failures;
mod full_disk;
mod growth;
mod haste;
mod known;
mod model;
mod numeric_types;
mod recall;
mod rows;
mod shapes;
mod snapshots;
#[path = "../support/mod.rs"]
mod support;
