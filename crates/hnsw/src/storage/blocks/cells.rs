//! Rows of atomics.

use std::slice;

use super::Blocks;
use crate::sync::{AtomicU32, AtomicUsize, Ordering};

/// Rows of atomic `u32`, zero until stored to.
pub(crate) struct Cells {
    blocks: Blocks<AtomicU32>,
    /// One past the last row that was asked for in order to be written.
    len: AtomicUsize,
}

impl Cells {
    /// No rows yet, each of `stride` cells.
    pub fn new(stride: usize) -> Self {
        Self {
            blocks: Blocks::new(stride),
            len: AtomicUsize::new(0),
        }
    }

    /// There will be `count` rows at least: a hint.
    pub fn expect(&self, count: usize) {
        self.blocks.expect(count);
    }

    /// Row `index`, or none where nothing near it was ever written: its cells are all zero.
    #[inline(always)]
    pub fn row(&self, index: usize) -> Option<&[AtomicU32]> {
        let row = self.blocks.find(index)?;
        // SAFETY: the row lies inside its block, which was made zeroed; only atomics follow.
        Some(unsafe { slice::from_raw_parts(row.as_ptr(), self.blocks.stride) })
    }

    /// Row `index`, to be stored to.
    ///
    /// # Panics
    /// If `index` is past 2^28 rows.
    pub fn row_to_write(&self, index: usize) -> &[AtomicU32] {
        let row = self.blocks.find_or_make(index);
        self.len.fetch_max(index + 1, Ordering::Relaxed);
        // SAFETY: as in `row`.
        unsafe { slice::from_raw_parts(row.as_ptr(), self.blocks.stride) }
    }

    /// The first cell of row `index`, zero where nothing was written.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        self.row(index)
            .map_or(0, |row| row[0].load(Ordering::Acquire))
    }

    /// Stores to the first cell of row `index`.
    pub fn set(&self, index: usize, value: u32) {
        self.row_to_write(index)[0].store(value, Ordering::Release);
    }

    /// Bytes of the rows up to the last one written.
    pub fn memory_bytes(&self) -> usize {
        self.len.load(Ordering::Relaxed) * self.blocks.row_bytes()
    }
}
