//! An index that OpenSearch keeps: documents as the lines of a bulk body and what is read back of them, and searches as
//! JSON, with what their answers tell. `docs/design/cluster.md` has the form of a document.
//!
//! ```text
//! DocumentBatch -> PreparedAdd -> ReadyAdd -> AddWrite            add.rs
//!                               -> ClusterUpdates                 update.rs
//! ReadyDocument -> DocumentWriter -> the lines of an action       document.rs, value_terms.rs, packed.rs
//! actions       -> Bulk -> bodies, and what became of each        bulk.rs, deletion.rs
//! _source       -> StoredSource   -> stored form and tensors      source.rs, read.rs
//! mapping       -> MappedIndex    -> definition and fields        facts.rs
//! ```
//!
//! A search alternates between here and its caller, who sends the requests ([`ClusterSearch::exchange`]): no I/O is done
//! here. OpenSearch finds candidates by words (`words`), vectors and filters (`filter`, over the terms of
//! `value_terms`, and `area`); they are ranked and rendered by the stages of `crates/engine`, which say what else they need.
#![forbid(unsafe_code)]

mod add;
mod answer;
mod area;
mod bulk;
mod definition;
mod deletion;
mod document;
mod facts;
mod filter;
pub mod layout;
mod msearch;
mod packed;
mod read;
mod refusal;
mod scan;
mod search;
mod source;
mod sparse_leg;
mod suggestion_log;
mod update;
mod value_terms;
mod version;
mod words;

pub use add::{AddWrite, Filled, Preparation, PreparedAdd, ReadyAdd};
pub use bulk::{ActionOutcome, Bulk, Settled};
pub use definition::{check_definition, check_redefinition};
pub use deletion::Deletion;
pub use document::{DocumentWriter, key};
pub use facts::{Facts, MappedIndex};
pub use filter::filter_query;
pub use msearch::{Answers, Sending, read_answers, write_searches};
pub use read::{DocumentsRead, GetDocument, GetDocuments};
pub use refusal::{Refusal, status_of};
pub use scan::{ClusterScan, PageParts};
pub use search::{ClusterRanking, ClusterSearch, Exchange, Request, Step};
pub use source::{SourceError, StoredSource};
pub use suggestion_log::{Cleaning, Proposal, Read, SuggestionLog};
pub use update::{ClusterUpdates, Merged};
pub use value_terms::{id_term, value_terms};
pub use words::similarity_script;
