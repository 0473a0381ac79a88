//! The Node binding.
