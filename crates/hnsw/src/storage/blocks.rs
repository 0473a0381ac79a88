//! Memory that grows without moving.
//!
//! [`Rows`] holds write-once rows of plain numbers (vectors, codes), [`Cells`] rows of atomics
//! (links, document ids). Both live in blocks of [`BLOCK_ROWS`] rows that stay where they are
//! until the whole is dropped, so readers need no lock while a writer appends.

use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

use bytemuck::Zeroable;

use crate::storage::code_memory::CodeMemory;
use crate::storage::pages::{HUGE_BYTES, Pages, Zeros};
use crate::sync::{AtomicPtr, AtomicU32, AtomicUsize, Mutex, Ordering, UNDER_SHUTTLE};

/// Rows of one block.
const BLOCK_ROWS: usize = if UNDER_SHUTTLE { 4 } else { 4096 };
/// Blocks of one array at most, which bounds it to 2^28 rows.
const BLOCK_COUNT_MAX: usize = if UNDER_SHUTTLE { 1 << 6 } else { 1 << 16 };

/// Blocks made at once at most, where one does not fill a huge page.
const GROUP_MAX: usize = 8;

/// An element of blocks: it starts as zero bytes, and threads share it.
pub(crate) trait Element: Zeroable + Send + Sync {}

impl<T: Zeroable + Send + Sync> Element for T {}

/// The blocks themselves: a table of pointers, each null until its first row is asked for.
///
/// The first blocks are made one by one, so that a small index stays small, others in groups that
/// fill huge pages. A group gets these at once for rows that are sure to come, else when it is full:
/// the first touch of a huge page takes all of it.
struct Blocks<T> {
    /// Elements of one row.
    stride: usize,
    /// The budget of their memory; none for what is in memory in any case.
    memory: Option<CodeMemory>,
    /// Bytes in files.
    in_files: AtomicUsize,
    table: Zeros<AtomicPtr<T>>,
    /// There will be so many rows at least.
    expected: AtomicUsize,
    groups: Mutex<Groups>,
}

/// The memory that the table points into.
#[derive(Default)]
struct Groups {
    pages: Vec<Pages>,
    /// The last ones wait to be full before they become huge.
    settled: usize,
    /// The system cannot make pages huge that are in use, so it is asked for such before.
    ask_early: bool,
}

impl Groups {
    /// Adds pages of which `expected` bytes are sure to be written. Those before are full.
    fn push(&mut self, made: Pages, bytes: usize, expected: usize) {
        for full in &self.pages[self.settled..] {
            self.ask_early |= !full.become_huge();
        }
        self.settled = self.pages.len();
        made.prefer_huge(if self.ask_early { bytes } else { expected });
        self.pages.push(made);
    }
}

impl<T: Element> Blocks<T> {
    fn new(stride: usize) -> Self {
        assert!(stride > 0, "a row has at least one element");
        Self {
            stride,
            memory: None,
            in_files: AtomicUsize::new(0),
            table: Zeros::new(BLOCK_COUNT_MAX),
            expected: AtomicUsize::new(0),
            groups: Mutex::default(),
        }
    }

    fn row_bytes(&self) -> usize {
        self.stride * size_of::<T>()
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
        assert!(
            index < BLOCK_ROWS * BLOCK_COUNT_MAX,
            "row {index} of at most 2^28"
        );
        self.find(index).unwrap_or_else(|| self.make(index))
    }

    #[cold]
    fn make(&self, index: usize) -> NonNull<T> {
        let mut groups = self.groups.lock();
        if let Some(row) = self.find(index) {
            return row;
        }
        let expected = self.expected.load(Ordering::Relaxed);
        let blocks = self.group_of(index / BLOCK_ROWS, expected.div_ceil(BLOCK_ROWS));
        let block_bytes = BLOCK_ROWS * self.row_bytes();
        let bytes = blocks.len() * block_bytes;
        let made = match &self.memory {
            None => Pages::zeroed(bytes),
            Some(memory) => memory.pages(bytes),
        };
        if made.is_file() {
            self.in_files.fetch_add(bytes, Ordering::Relaxed);
        }
        for (i, slot) in self.table[blocks.clone()].iter().enumerate() {
            // SAFETY: the pages have room for all blocks, and suit any element's alignment.
            let start = unsafe { made.start().add(i * block_bytes).cast::<T>() };
            slot.store(start.as_ptr(), Ordering::Release);
        }
        let sure = expected.saturating_mul(self.row_bytes());
        let sure = sure.saturating_sub(blocks.start * block_bytes);
        groups.push(made, bytes, sure.min(bytes));
        self.find(index).expect("the block was just made")
    }

    /// The blocks that are made together with a missing one: as many as fill whole huge pages, or
    /// come near to it. Those of the first huge page each alone, unless all of them are `expected`.
    fn group_of(&self, block: usize, expected: usize) -> Range<usize> {
        let block_bytes = BLOCK_ROWS * self.row_bytes();
        let first = HUGE_BYTES.div_ceil(block_bytes).min(BLOCK_COUNT_MAX);
        if block < first {
            let is_missing = |slot: &AtomicPtr<T>| slot.load(Ordering::Relaxed).is_null();
            return match expected >= first && self.table[..first].iter().all(is_missing) {
                true => 0..first,
                false => block..block + 1,
            };
        }
        let whole = 1
            << HUGE_BYTES
                .trailing_zeros()
                .saturating_sub(block_bytes.trailing_zeros());
        let group = first.max(whole.min(GROUP_MAX)).min(BLOCK_COUNT_MAX);
        let start = block / group * group;
        start.max(first)..(start + group).min(BLOCK_COUNT_MAX)
    }

    /// Bytes of the first `rows` rows that are memory of this process, about.
    fn memory_bytes(&self, rows: usize) -> usize {
        let in_files = self.in_files.load(Ordering::Relaxed);
        (rows * self.row_bytes()).saturating_sub(in_files)
    }

    /// Tells whether some are in files.
    fn has_files(&self) -> bool {
        self.in_files.load(Ordering::Relaxed) > 0
    }

    /// There will be `rows` rows at least.
    fn expect(&self, rows: usize) {
        if self.expected.load(Ordering::Relaxed) < rows {
            self.expected.fetch_max(rows, Ordering::Relaxed);
        }
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
        self.blocks.memory_bytes(self.len.load(Ordering::Relaxed))
    }
}

/// Rows of numbers, appended one at a time and never changed.
pub(crate) struct Rows<T> {
    blocks: Blocks<T>,
    /// Rows that are written. Stored with release after a row's last byte.
    len: AtomicUsize,
    append: Mutex<()>,
}

impl<T: Element> Rows<T> {
    /// No rows yet, each of `stride` elements.
    pub fn new(stride: usize) -> Self {
        Self {
            blocks: Blocks::new(stride),
            len: AtomicUsize::new(0),
            append: Mutex::new(()),
        }
    }

    /// The same in memory as far as its budget goes, and in a file beyond.
    pub fn budgeted(stride: usize, memory: CodeMemory) -> Self {
        let mut rows = Self::new(stride);
        rows.blocks.memory = Some(memory);
        rows
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

    /// Writes the row that `fill` makes of zeros ahead of those that count, to be [counted](Self::count_to) with all
    /// before it.
    ///
    /// # Panics
    /// If `index` is past 2^28 rows.
    ///
    /// # Safety
    /// Until it counts nobody appends, and no other call writes the same row.
    pub unsafe fn write_ahead(&self, index: usize, fill: impl FnOnce(&mut [T])) {
        debug_assert!(index >= self.len(), "row {index} counts already");
        let row = self.blocks.find_or_make(index);
        // SAFETY: the row lies inside its block, which is zeroed and so initialised. Readers stop at `len`, and the
        // caller keeps other writers out.
        fill(unsafe { slice::from_raw_parts_mut(row.as_ptr(), self.blocks.stride) });
    }

    /// Counts the first `len` rows, which were written by calls that this thread knows to have ended.
    ///
    /// # Safety
    /// Each of them was written.
    pub unsafe fn count_to(&self, len: usize) {
        debug_assert!(len >= self.len(), "rows no longer count");
        self.len.store(len, Ordering::Release);
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

    /// Tells whether reading a row may take as long as the disk does.
    pub fn has_files(&self) -> bool {
        self.blocks.has_files()
    }

    /// Bytes of the rows written.
    pub fn memory_bytes(&self) -> usize {
        self.blocks.memory_bytes(self.len())
    }
}

/// The rows there were at one time.
pub(crate) struct RowsView<'a, T> {
    blocks: &'a Blocks<T>,
    len: usize,
}

impl<'a, T: Element> RowsView<'a, T> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

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
            assert!(rows.row(index).as_ptr().addr().is_multiple_of(64));
        }
    }

    #[test]
    fn groups_of_later_blocks_do_not_overlap() {
        // Five blocks and a third fill a huge page, 128 or two.
        let cases = [24, 1, 3 << 6].map(|stride| [0, 3, 10, 20].map(|expected| (stride, expected)));
        for (stride, expected) in cases.into_iter().flatten() {
            let cells = Cells::new(stride);
            cells.expect(expected * BLOCK_ROWS + 1);
            let rows = (0..40).flat_map(|block| [block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS - 1]);
            for row in rows.clone() {
                cells
                    .row_to_write(row)
                    .iter()
                    .for_each(|cell| cell.store(row as u32, Ordering::Relaxed));
            }
            for row in rows {
                let mut cells = cells.row(row).unwrap().iter();
                assert!(cells.all(|cell| cell.load(Ordering::Relaxed) == row as u32));
            }
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
