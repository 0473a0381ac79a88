//! Documents as one view shows them: their columns, filters, and reading them back.

pub(crate) mod attributes;
pub(crate) mod filter_cache;
pub(crate) mod filtered_view;
pub(crate) mod readings;
mod request_filter;
pub(crate) mod response;
pub(crate) mod retrieve;
pub(crate) mod revisions;
pub(crate) mod scan;
pub(crate) mod view;
pub(crate) mod view_columns;
pub(crate) mod within;
