//! Pelorus `hnsw`.
