//! Pelorus `filter`.
