//! Sparse vectors, such as SPLADE makes of texts, and the exact search for those of the greatest inner product.
//!
//! A [`SparseVector`] has a weight for each of a few of 2^32 indices. A [`SparseIndex`] keeps the vectors of documents by
//! index, in memory, with the greatest weight of every 64 consecutive documents: from these follows the most that a
//! document of a block can score, and blocks that cannot reach the page are never looked at. The result is that of a look
//! at every document, to the last bit of the scores.
//!
//! ```
//! use pelorus_kernels::BitSet;
//! use pelorus_sparse::{SparseIndex, SparseVector};
//!
//! # fn main() -> Result<(), pelorus_sparse::SparseError> {
//! let mut index = SparseIndex::default();
//! index.insert(0, &SparseVector::new(vec![(3, 1.0), (7, 0.5)])?);
//! index.insert(1, &SparseVector::new(vec![(7, 2.0)])?);
//! let query = SparseVector::new(vec![(7, 2.0)])?;
//! let go_on = || Ok::<(), std::convert::Infallible>(());
//! let found = index.search(&query, 10, &BitSet::full(2), &go_on).unwrap_or_default();
//! assert_eq!(found, [(1, 4.0), (0, 1.0)]);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod cursor;
mod index;
mod postings;
mod search;
mod vector;

pub use index::SparseIndex;
pub use vector::{ENTRIES_MAX, SparseError, SparseVector};
