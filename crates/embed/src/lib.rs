//! From inputs and the outputs of an embedding graph to the vectors that an index holds.
//!
//! * [`EncoderInput`] is the input of a vector; [`pointed_to`] says of a text whether it stands for a picture, film or
//!   sound.
//! * [`mean_pool`] and [`cls_pool`] reduce hidden states `[batch, len, dim]` to `[batch, dim]`.
//! * [`normalize`] gives each row unit length.
//! * [`weighted_mean`] makes one vector of several.
//! * [`random_vector`] stands in for a model.
//! * [`VectorCache`] keeps the vectors of recent queries.
//!
//! Buffers are dense, row-major f32. Nothing here is reordered by batch or thread, so the same
//! text and padding give the same bits.
#![forbid(unsafe_code)]

mod input;
mod normalize;
mod pointer;
mod pool;
mod random;
mod vector_cache;
mod weighted;

pub use input::{ChunkInput, EncoderInput, MediaInput, Medium};
pub use normalize::normalize;
pub use pointer::{Pointed, bare, data_of, fault_of, pointed_to};
pub use pool::{HiddenShape, PoolError, cls_pool, mean_pool};
pub use random::random_vector;
pub use vector_cache::{CacheUse, Eviction, VectorCache, VectorCacheBounds};
pub use weighted::weighted_mean;
