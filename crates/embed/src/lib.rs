//! Pelorus `embed`.
