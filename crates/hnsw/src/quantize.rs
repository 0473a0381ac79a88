//! Codes of vectors, and whether searches can go by them.

pub(crate) mod code_query;
pub(crate) mod codes;
pub(crate) mod quantizer;
pub(crate) mod quantizer_recall;
