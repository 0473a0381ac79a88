//! Codes of vectors, and whether searches can go by them.

pub(crate) mod agreement;
pub(crate) mod bit_query;
pub(crate) mod calibration;
pub(crate) mod code_query;
pub(crate) mod codes;
pub(crate) mod deviation;
pub(crate) mod record;
