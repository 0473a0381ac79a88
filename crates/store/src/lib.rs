//! Pelorus `store`.
