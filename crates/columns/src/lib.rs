//! Pelorus `columns`.
