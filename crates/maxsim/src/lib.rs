//! Many vectors of one document, and MaxSim, by which late interaction scores them.
//!
//! Models such as ColBERT make a vector of each token of a text. A [`MultiVector`] keeps those of one document, of length 1
//! each, in a byte a component ([int8 rows](pelorus_kernels::write_int8_row)). [`MaxSim`] holds those of a query, and scores a
//! document by the sum, over the query's vectors, of the greatest inner product with any vector of the document: Khattab and
//! Zaharia, "ColBERT", SIGIR 2020, section 3.3. Inner products are sums of integers, so that scores are the same on every
//! machine.
//!
//! ```
//! use pelorus_maxsim::{MaxSim, MultiVector};
//!
//! # fn main() -> Result<(), pelorus_maxsim::MultiVectorError> {
//! let document = MultiVector::new(&[vec![1.0, 0.0], vec![0.0, 2.0]])?;
//! let query = MaxSim::new(&MultiVector::new(&[vec![3.0, 0.0], vec![-1.0, 0.0]])?);
//! let score = query.score(&document).unwrap_or_default();
//! assert!((score - (1.0 + 0.0)).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod maxsim;
mod multi_vector;

pub use maxsim::{GreatestProduct, MaxSim};
pub use multi_vector::{
    DIMENSIONS_MAX, DIMENSIONS_MIN, MultiVector, MultiVectorError, VECTORS_MAX,
};
