//! Pelorus `rank`.
