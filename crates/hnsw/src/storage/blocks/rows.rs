//! Rows of numbers.

use std::slice;

use super::{BLOCK_ROWS, Blocks};
use crate::storage::pages::Zeroed;
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// Rows of numbers, appended one at a time and never changed.
pub(crate) struct Rows<T> {
    blocks: Blocks<T>,
    /// Rows that are written. Stored with release after a row's last byte.
    len: AtomicUsize,
    append: Mutex<()>,
}

impl<T: Zeroed> Rows<T> {
    /// No rows yet, each of `stride` elements.
    pub fn new(stride: usize) -> Self {
        Self {
            blocks: Blocks::new(stride),
            len: AtomicUsize::new(0),
            append: Mutex::new(()),
        }
    }

    /// There will be `count` rows at least: a hint.
    pub fn expect(&self, count: usize) {
        self.blocks.expect(count);
    }

    /// The number of rows.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Appends the row that `fill` makes of zeros and answers its index.
    ///
    /// # Panics
    /// If there are 2^28 rows.
    pub fn append(&self, fill: impl FnOnce(&mut [T])) -> usize {
        let _guard = self.append.lock();
        let index = self.len.load(Ordering::Relaxed);
        let row = self.blocks.find_or_make(index);
        // SAFETY: the row lies inside its block, which is zeroed and so initialised. It is not
        // shared: readers stop at `len`, and the lock keeps other writers out.
        fill(unsafe { slice::from_raw_parts_mut(row.as_ptr(), self.blocks.stride) });
        self.len.store(index + 1, Ordering::Release);
        index
    }

    /// The rows there are now, for many reads.
    #[inline(always)]
    pub fn view(&self) -> RowsView<'_, T> {
        RowsView {
            len: self.len(),
            blocks: &self.blocks,
        }
    }

    /// Row `index`, `[stride]`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&self, index: usize) -> &[T] {
        assert!(index < self.len(), "row {index} of {}", self.len());
        let row = self
            .blocks
            .find(index)
            .expect("a row below the length has a block");
        // SAFETY: the row lies inside its block, and as the length was read with acquire it was
        // written before; a written row never changes.
        unsafe { slice::from_raw_parts(row.as_ptr(), self.blocks.stride) }
    }

    /// Bytes of the rows written.
    pub fn memory_bytes(&self) -> usize {
        self.len() * self.blocks.row_bytes()
    }
}

/// The rows there were at one time.
pub(crate) struct RowsView<'a, T> {
    blocks: &'a Blocks<T>,
    len: usize,
}

impl<'a, T: Zeroed> RowsView<'a, T> {
    /// The number of rows in view.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Row `index`, `[stride]`.
    ///
    /// # Panics
    /// If there is no such row in view.
    #[inline(always)]
    pub fn row(&self, index: usize) -> &'a [T] {
        assert!(index < self.len, "row {index} of {}", self.len);
        // SAFETY: a row below the length has a block, so its place in the table exists and was set
        // before the length, which was read with acquire; a written row never changes.
        unsafe {
            let block = self.blocks.table.get_unchecked(index / BLOCK_ROWS);
            let block = block.load(Ordering::Relaxed);
            let row = block.add(index % BLOCK_ROWS * self.blocks.stride);
            slice::from_raw_parts(row, self.blocks.stride)
        }
    }
    /// The rows from `first` that share its block, at most `count`.
    ///
    /// # Panics
    /// If there is no such row in view.
    #[inline(always)]
    pub fn run(&self, first: usize, count: usize) -> slice::ChunksExact<'a, T> {
        let start = self.row(first).as_ptr();
        let count = count
            .min(self.len - first)
            .min(BLOCK_ROWS - first % BLOCK_ROWS);
        let stride = self.blocks.stride;
        // SAFETY: these rows are in view and in the block of the first, where rows follow each
        // other without gaps; a written row never changes.
        let rows = unsafe { slice::from_raw_parts(start, count * stride) };
        rows.chunks_exact(stride)
    }
}
