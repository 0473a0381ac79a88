//! The filter language of a search request: text in, a [`Filter`] tree out, and back to text.
//!
//! The parser makes one pass over the text with an explicit stack, so neither nesting nor length
//! can cost more than linear time, and everything it accepts is bounded by the `_MAX` constants.
//! `NOT` binds tightest, then `AND`, then `OR`. The *meaning* of a filter for stored documents is
//! no concern of this crate.
//!
//! ```
//! let filter = pelorus_filter::parse("NOT a:1 AND price:[* TO 9.5]").expect("a valid filter");
//! assert_eq!(filter.to_string(), "NOT a:1 AND price:[* TO 9.5]");
//! ```
#![forbid(unsafe_code)]

mod comparison;
mod display;
mod error;
mod filter;
mod limit;
mod look_alikes;
mod moment;
mod number;
mod parser;
mod range_limits;
mod scanner;
mod spelled_number;
mod spelled_range;
mod within;

pub use display::written_field;
pub use error::{AreaFault, FilterError, RangeError, Reason};
pub use filter::Filter;
pub use limit::{Decimal, Limit};
pub use look_alikes::spelled_comparison;
pub use moment::{End, Moment};
pub use number::Number;
pub use parser::{ListLimit, parse, parse_within};
pub use spelled_number::{plain_spelling, spelled_number};
pub use spelled_range::spelled_range;

pub(crate) use spelled_number::looks_numeric;

/// Longest filter text, in bytes: room for a full `IN` list of UUIDs.
pub const TEXT_BYTES_MAX: usize = 512 * 1024;
/// Longest text before the `*` of a prefix, in bytes.
pub const PREFIX_BYTES_MAX: usize = 1024;
/// Most parentheses open at once.
pub const DEPTH_MAX: usize = 64;
/// Most terms in one filter; an `IN` list is one term.
pub const CLAUSES_MAX: usize = 1024;
/// Most items in one `IN` list, unless the caller of [`parse_within`] says otherwise.
pub const LIST_VALUES_MAX: usize = 10_000;
