//! Typed columns of document fields, and the meaning of filters for them.
//!
//! Documents are `u32` ordinals. A column holds whatever types its field has had, both ways: texts as
//! a dictionary of values with the documents of each, for filters, and the text of each document as
//! it was written, for facets and groups; numbers and truth values by ordinal. Removing a document
//! takes out every entry it made, so that memory follows the documents alive.
//!
//! How a document is read depends on the [`Schema`]: the names of an unstructured index are found
//! as documents come, those of a structured one are declared with type and features. An index that is kept elsewhere
//! reads documents and filters by the same rules (`typed`).
#![forbid(unsafe_code)]

mod bounds;
mod calendar;
mod cell;
mod check;
mod column;
mod column_store;
mod columns;
mod date;
mod dictionary;
mod distance;
mod error;
mod evaluate;
mod filter_matches;
mod held;
mod marks;
mod multi_vectors;
mod number_column;
mod other_type;
mod points;
mod postings;
mod range;
mod rules;
mod schema;
mod sparse;
mod sparse_vectors;
mod structured;
mod text_column;
mod text_list;
mod text_values;
mod typed;
mod unstructured;
mod value;
mod warning;

pub use calendar::Interval;
pub use columns::Columns;
pub use date::{Date, DatePart, date_of};
pub use distance::{distance_of, field_of};
pub use error::ColumnError;
pub use evaluate::Callbacks;
pub use filter_matches::FilterMatches;
pub use held::HeldValues;
pub use multi_vectors::MultiVectors;
pub use number_column::{DateColumn, NumberColumn};
pub use pelorus_filter::Number;
pub use pelorus_geo::GeoPoint;
pub use pelorus_maxsim::{MaxSim, MultiVector, MultiVectorError};
pub use pelorus_sparse::{
    ENTRIES_MAX as SPARSE_ENTRIES_MAX, SparseError, SparseIndex, SparseVector,
};
pub use schema::{FieldKind, FieldSpec, Schema};
pub use text_column::{Fold, TextId, composed};
pub use text_values::TextValues;
pub use typed::{TypedFilter, TypedRules, TypedValue};
pub use value::FieldValue;
pub use warning::Warning;
