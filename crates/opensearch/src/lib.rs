//! An index that OpenSearch keeps: the fields that it has, and the filters of searches in its query DSL.
//!
//! The values of a document are terms of one field (`value_terms`), over which `filter` writes a typed filter. No I/O is
//! done here.
#![forbid(unsafe_code)]

mod filter;
pub mod layout;
mod value_terms;

pub use filter::filter_query;
pub use value_terms::{id_term, value_terms};
