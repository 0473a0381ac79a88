//! Pelorus `lexical`.
