//! How hits become a page: fusing two legs, modifying scores, cutting the page, and how several
//! query vectors become one.
//!
//! Everything here is a pure function of its arguments; values of document fields come in through
//! closures. Documents are named by the ordinal that the caller ranks by.
#![forbid(unsafe_code)]

mod fusion;
mod interpolation;
mod page;
mod score_modifiers;

pub use fusion::{Fused, RRF_WINDOW, rrf, rrf_depth};
pub use interpolation::{Interpolation, InterpolationError, interpolate};
pub use page::page;
pub use score_modifiers::{ScoreFloor, ScoreModifier, ScoreModifiers};
