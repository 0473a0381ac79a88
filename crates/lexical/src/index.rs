use std::path::Path;

use pelorus_kernels::BitSet;

use crate::error::Result;
use crate::query::{LexicalHits, LexicalQuery};

/// Limits of a [`LexicalIndex`].
#[derive(Debug, Clone)]
pub struct LexicalOptions {
    /// Most distinct text fields. Default 1,024.
    pub fields_max: usize,
    /// Documents in memory past which [`LexicalIndex::needs_flush`] says so. Default 8,192.
    pub flush_documents: usize,
    /// Bytes in memory past which [`LexicalIndex::needs_flush`] says so. Default 64 MiB.
    pub flush_bytes: usize,
}

impl Default for LexicalOptions {
    fn default() -> Self {
        LexicalOptions {
            fields_max: 1_024,
            flush_documents: 8_192,
            flush_bytes: 64 * 1024 * 1024,
        }
    }
}

/// Full-text index of one Pelorus index.
pub struct LexicalIndex {}

impl LexicalIndex {
    /// Opens or creates; `alive` = ordinals of all stored documents.
    pub fn open(_dir: &Path, _options: LexicalOptions, _alive: &BitSet) -> Result<LexicalIndex> {
        Ok(LexicalIndex {})
    }
    /// Documents below this ordinal are in the segments.
    pub fn watermark(&self) -> u32 {
        0
    }
    /// Would these attributes fit?
    pub fn check_fields(&self, _fields: &[&str]) -> Result<()> {
        Ok(())
    }
    /// Adds one document version.
    pub fn add(&self, _doc: u32, _fields: &[(&str, &str)]) -> Result<()> {
        Ok(())
    }
    /// Removes one document version.
    pub fn remove(&self, _doc: u32) {}
    /// Makes adds and removes visible.
    pub fn publish(&self) {}
    /// Is background work due?
    pub fn needs_flush(&self) -> bool {
        false
    }
    /// Background work.
    pub fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// Clean shutdown.
    pub fn close(&self) -> Result<()> {
        Ok(())
    }
    /// Search.
    pub fn search(&self, _query: &LexicalQuery, _accept: &BitSet) -> Result<LexicalHits> {
        Ok(LexicalHits::default())
    }
    /// CONTAINS.
    pub fn contains(&self, _field: &str, _value: &str) -> Result<BitSet> {
        Ok(BitSet::default())
    }
    /// Known lexical fields.
    pub fn fields(&self) -> Vec<String> {
        Vec::new()
    }
    /// Resident bytes.
    pub fn memory_bytes(&self) -> usize {
        0
    }
}
