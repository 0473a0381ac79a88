//! Pelorus `engine`.
