//! How hits become a page: fusing two legs, modifying scores, cutting the page, and how several
//! query vectors become one.
//!
//! Everything here is a pure function of its arguments; values of document fields come in through
//! closures. Documents are named by the ordinal that the caller ranks by.
#![forbid(unsafe_code)]

mod fused_pages;
mod fusion;
mod interpolation;
mod page;
mod score_modifiers;

pub use fused_pages::rrf_page;
pub use fusion::rrf;
pub use interpolation::{Interpolation, InterpolationError, interpolate};
pub use page::page;
pub use score_modifiers::{ScoreFloor, ScoreModifier, ScoreModifiers};
