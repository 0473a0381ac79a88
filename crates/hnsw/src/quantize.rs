//! Codes of vectors: when they are trained, what keys they give, and whether searches can go by them.
//!
//! A node has two codes of its residual, the vector less the centre of all: one sign bit a component, of which keys are
//! estimated, and one int8 a component, of which they are computed. Codes are of nodes, not of edges. Each training
//! measures how well codes order the vectors of the index; an index whose vectors they do not order does without them
//! ([`quantizer::Traversal`]).

pub(crate) mod code_query;
pub(crate) mod codes;
pub(crate) mod quantizer;
pub(crate) mod quantizer_recall;
