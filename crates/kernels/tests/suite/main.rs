//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod bits;
mod dense;
mod dense_bf16;
mod dense_i8;
mod near_sets;
mod oracle;
mod quantise;
mod rng;
mod rotation;
mod sorted;
