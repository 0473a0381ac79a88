//! Pelorus `text`.
