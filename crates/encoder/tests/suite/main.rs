//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod beside;
mod bf16;
mod checkpoints;
mod devices;
mod exports;
mod int8;
mod mutants;
mod refusals;
mod schedule;
mod support;
mod towers;
mod vectors;
