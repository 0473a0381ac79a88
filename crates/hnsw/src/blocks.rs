//! Memory that grows without moving.
//!
//! [`Rows`] holds write-once rows of plain numbers (vectors, codes), [`Cells`] rows of atomics
//! (links, document ids). Both live in blocks of [`BLOCK_ROWS`] rows that stay where they are
//! until the whole is dropped, so readers need no lock while a writer appends. A block comes from
//! the allocator zeroed: pages no row has touched cost no memory.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Rows of one block.
const BLOCK_ROWS: usize = 4096;
/// Blocks of one array at most, which bounds it to 2^28 rows.
const BLOCK_COUNT_MAX: usize = 1 << 16;
/// A cache line; also the widest vector register.
const ALIGN_BYTES: usize = 64;

/// A type whose values may be read concurrently, need no drop, and may start as zero bytes.
///
/// # Safety
/// The all-zero bit pattern must be a valid value of the implementing type, and the type must not
/// implement `Drop`.
unsafe trait Zeroed: Send + Sync {}

// SAFETY: zero bytes are 0.0, and a float has no drop.
unsafe impl Zeroed for f32 {}
// SAFETY: zero bytes are 0, and an integer has no drop.
unsafe impl Zeroed for i8 {}
// SAFETY: an atomic has the representation of its integer and no drop.
unsafe impl Zeroed for AtomicU32 {}

/// The blocks themselves: a table of pointers, each null until its first row is asked for.
struct Blocks<T> {
    /// Elements of one row.
    stride: usize,
    table: Box<[AtomicPtr<T>]>,
    owned: PhantomData<T>,
}

impl<T: Zeroed> Blocks<T> {
    fn new(stride: usize) -> Self {
        assert!(stride > 0, "a row has at least one element");
        let table = Box::<[AtomicPtr<T>]>::new_zeroed_slice(BLOCK_COUNT_MAX);
        // SAFETY: a zeroed AtomicPtr is a null pointer.
        let table = unsafe { table.assume_init() };
        Self {
            stride,
            table,
            owned: PhantomData,
        }
    }

    fn layout(&self) -> Layout {
        let layout = Layout::array::<T>(BLOCK_ROWS * self.stride).expect("a block fits in memory");
        layout
            .align_to(ALIGN_BYTES)
            .expect("the alignment is a power of two")
    }

    /// The first element of row `index`, if its block exists.
    #[inline(always)]
    fn find(&self, index: usize) -> Option<NonNull<T>> {
        let block = NonNull::new(self.table.get(index / BLOCK_ROWS)?.load(Ordering::Acquire))?;
        // SAFETY: the block holds BLOCK_ROWS rows of `stride` elements.
        Some(unsafe { block.add(index % BLOCK_ROWS * self.stride) })
    }

    /// The first element of row `index`, whose block is made if it is missing.
    ///
    /// # Panics
    /// If `index` is past 2^28 rows.
    fn find_or_make(&self, index: usize) -> NonNull<T> {
        if let Some(row) = self.find(index) {
            return row;
        }
        let slot = &self.table[index / BLOCK_ROWS];
        // SAFETY: the layout has a size, as the stride is not zero.
        let fresh: *mut T = unsafe { alloc_zeroed(self.layout()) }.cast();
        if fresh.is_null() {
            handle_alloc_error(self.layout());
        }
        let exchange =
            slot.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire);
        if exchange.is_err() {
            // SAFETY: another thread was first, so nobody has seen `fresh`.
            unsafe { dealloc(fresh.cast(), self.layout()) };
        }
        self.find(index).expect("the block was just made")
    }
}

impl<T> Drop for Blocks<T> {
    fn drop(&mut self) {
        let layout = Layout::array::<T>(BLOCK_ROWS * self.stride)
            .and_then(|layout| layout.align_to(ALIGN_BYTES))
            .expect("the layout was valid when the block was made");
        for block in &mut self.table {
            let block = *block.get_mut();
            if !block.is_null() {
                // SAFETY: the block was allocated with this layout and has this one owner.
                unsafe { dealloc(block.cast(), layout) };
            }
        }
    }
}

/// Rows of numbers, appended one at a time and never changed.
pub(crate) struct Rows<T> {
    blocks: Blocks<T>,
    /// Rows that are written. Stored with release after a row's last byte.
    len: AtomicUsize,
    append: Mutex<()>,
}

#[expect(private_bounds, reason = "the types that fit are chosen here")]
impl<T: Zeroed> Rows<T> {
    /// No rows yet, each of `stride` elements.
    pub fn new(stride: usize) -> Self {
        Self {
            blocks: Blocks::new(stride),
            len: AtomicUsize::new(0),
            append: Mutex::new(()),
        }
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
        self.len() * self.blocks.stride * size_of::<T>()
    }
}

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
        self.len.load(Ordering::Relaxed) * self.blocks.stride * size_of::<AtomicU32>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn rows_stay_where_they_are_while_blocks_are_added() {
        let rows = Rows::<f32>::new(3);
        rows.append(|row| row.fill(7.0));
        let first = rows.row(0).as_ptr();
        for i in 1..2 * BLOCK_ROWS + 10 {
            assert_eq!(rows.append(|row| row[1] = i as f32), i);
        }
        assert_eq!((rows.row(0), rows.row(0).as_ptr()), (&[7.0; 3][..], first));
        assert_eq!(rows.row(BLOCK_ROWS), [0.0, BLOCK_ROWS as f32, 0.0]);
        assert_eq!(rows.memory_bytes(), rows.len() * 12);
    }

    #[test]
    fn blocks_begin_on_a_cache_line() {
        let rows = Rows::<i8>::new(64);
        for _ in 0..3 {
            let index = rows.append(|_| ());
            assert!(rows.row(index).as_ptr().addr().is_multiple_of(ALIGN_BYTES));
        }
    }

    #[test]
    #[should_panic(expected = "row 1 of 1")]
    fn a_row_past_the_end_is_refused() {
        let rows = Rows::<f32>::new(1);
        rows.append(|_| ());
        rows.row(1);
    }

    #[test]
    fn cells_are_zero_until_written() {
        let cells = Cells::new(2);
        assert!(cells.row(5).is_none() && cells.get(1 << 40) == 0);
        cells.set(BLOCK_ROWS + 1, 9);
        assert_eq!((cells.get(BLOCK_ROWS + 1), cells.get(BLOCK_ROWS)), (9, 0));
    }

    #[test]
    fn a_reader_sees_only_complete_rows() {
        let rows = Arc::new(Rows::<f32>::new(16));
        let reader = thread::spawn({
            let rows = rows.clone();
            move || {
                while rows.len() < 20_000 {
                    if let Some(last) = rows.len().checked_sub(1) {
                        assert_eq!(rows.row(last), [last as f32; 16]);
                    }
                }
            }
        });
        for i in 0..20_000 {
            rows.append(|row| row.fill(i as f32));
        }
        reader.join().unwrap();
    }
}
