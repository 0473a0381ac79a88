//! Pelorus `kernels`.
