//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod compact_copy;
mod damage;
mod full_disk;
mod kill;
mod model;
mod pending_commit;
mod refusals;
mod reopening;
