//! The way of hits to a page: fusing two legs, modifying scores, by recency too, sorting, cutting
//! off irrelevant hits, keeping hits that are alike apart, cutting the page; and the combination of several query vectors.
//!
//! Everything here is a pure function of its arguments; values of document fields come in through
//! closures. Documents are named by the ordinal that the caller ranks by.
#![forbid(unsafe_code)]

mod cutoff;
mod diversity;
mod fusion;
mod interpolation;
mod page;
mod recency;
mod recency_steps;
mod score_modifiers;
mod sort_key;

pub use cutoff::RelevanceCutoff;
pub use diversity::MarginalRelevance;
pub use fusion::{Fused, RRF_WINDOW, rrf, rrf_depth, rrf_of_groups};
pub use interpolation::{Interpolation, InterpolationError, interpolate};
pub use page::page;
pub use recency::{Falloff, Recency, Slope};
pub use recency_steps::RecencySteps;
pub use score_modifiers::{Modification, ScoreModifier, ScoreModifiers};
pub use sort_key::SortKey;
