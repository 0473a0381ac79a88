//! Codes of vectors, and whether searches can go by them.

pub(crate) mod agreement;
pub(crate) mod calibration;
pub(crate) mod code_query;
pub(crate) mod codes;
