//! Searches of an index that OpenSearch keeps: what is asked of it, as JSON, and what its answers tell.
//!
//! A search alternates between here and its caller, who sends the requests ([`ClusterSearch::step`]): no I/O is done
//! here. OpenSearch finds candidates by words (`words`), vectors and filters (`filter`, over the terms of
//! `value_terms`); they are ranked and rendered by the stages of `crates/engine`, which say what else they need.
#![forbid(unsafe_code)]

mod filter;
pub mod layout;
mod search;
mod value_terms;
mod words;

pub use filter::filter_query;
pub use search::{ClusterSearch, Request, SearchedFields, Step};
pub use value_terms::{id_term, value_terms};
pub use words::similarity_script;
