//! Rows of bytes, in memory or in a file, that never move and never change.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use memmap2::MmapRaw;
use parking_lot::Mutex;

use super::row_file::{self, RowFile};
use super::run_sums::{self, FullVectorsError, RunSums, SummedRows};
use crate::storage::pages::{HUGE_BYTES, Pages, Zeros};
use crate::storage::read_ahead::ask_for;

/// Rows of one run: they share a checksum, and lie together in memory.
pub(crate) const RUN_ROWS: usize = 1024;
/// Runs at most, which bounds an array to 2^28 rows.
const RUN_COUNT_MAX: usize = 1 << 18;

/// Rows of bytes, appended one at a time while others read.
///
/// A table holds where each run begins. Runs are made in groups, each one allocation or one map
/// that stays until the whole is dropped; so a row that was found stays where it is.
pub(super) struct ByteRows {
    /// Bytes of one row.
    stride: usize,
    /// The first byte of each run, null until a row of its group is written.
    table: Zeros<AtomicPtr<u8>>,
    /// Rows that are written. Stored with release after a row's last byte.
    len: AtomicUsize,
    home: Home,
    writer: Mutex<Writer>,
    sync_failed: AtomicBool,
    /// Rows that were written before a sync of their file.
    synced: AtomicUsize,
}

/// The place to which rows are written.
enum Home {
    Memory,
    File(Box<dyn RowFile>),
}

/// The state of the one thread that appends.
#[derive(Default)]
struct Writer {
    /// The memory that the table points into.
    regions: Vec<Region>,
    /// Runs that have a region.
    run_count: usize,
    sums: RunSums,
}

enum Region {
    Pages(Pages),
    Map(MmapRaw),
}

impl ByteRows {
    /// No rows yet, in memory.
    pub fn in_memory(stride: usize) -> Self {
        Self::new(stride, Home::Memory)
    }

    /// No rows yet, in a new file.
    pub fn create(path: &Path, stride: usize) -> io::Result<Self> {
        let file = row_file::create(path)?;
        Ok(Self::new(stride, Home::File(Box::new(file))))
    }

    /// The first `len` rows of a file, whose [`sums`](Self::sums) they must have; later ones are
    /// cut off. Hands them to `each` as [`run_sums::verify`] does.
    pub fn open(
        path: &Path,
        stride: usize,
        len: usize,
        sums: &[u32],
        each: impl Fn(usize, &[u8]) + Sync,
    ) -> Result<Self, FullVectorsError> {
        let file = row_file::open(path)?;
        compare(&file, stride, len, sums, each)?;
        file.set_len(len as u64 * stride as u64)?;
        Ok(Self::resume(file, stride, len, RunSums::resume(len, sums))?)
    }

    /// The first `len` rows of a file that has so many, whose sums are `sums`.
    pub fn resume(file: File, stride: usize, len: usize, sums: RunSums) -> io::Result<Self> {
        let mut rows = Self::new(stride, Home::File(Box::new(file)));
        let mut writer = Writer {
            sums,
            ..Writer::default()
        };
        rows.make_runs(&mut writer, len.div_ceil(RUN_ROWS))?;
        rows.writer = Mutex::new(writer);
        rows.len = AtomicUsize::new(len);
        Ok(rows)
    }

    #[cfg(test)]
    pub fn in_file(file: Box<dyn RowFile>, stride: usize) -> Self {
        Self::new(stride, Home::File(file))
    }

    fn new(stride: usize, home: Home) -> Self {
        assert!(stride > 0, "a row has at least one byte");
        Self {
            stride,
            table: Zeros::new(RUN_COUNT_MAX),
            len: AtomicUsize::new(0),
            home,
            writer: Mutex::default(),
            sync_failed: AtomicBool::new(false),
            synced: AtomicUsize::new(0),
        }
    }

    /// Makes the next `count` runs.
    fn make_runs(&self, writer: &mut Writer, count: usize) -> io::Result<()> {
        let runs = writer.run_count..writer.run_count + count;
        if runs.end > RUN_COUNT_MAX {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "at most 2^28 vectors",
            ));
        }
        if runs.is_empty() {
            return Ok(());
        }
        let run_bytes = RUN_ROWS * self.stride;
        let region = match &self.home {
            Home::Memory => {
                let pages = Pages::zeroed(count * run_bytes);
                if runs.start > 0 {
                    pages.prefer_huge(count * run_bytes);
                }
                Region::Pages(pages)
            }
            Home::File(file) => {
                let [start, end] = [runs.start, runs.end].map(|run| run as u64 * run_bytes as u64);
                Region::Map(file.map(start..end)?)
            }
        };
        let start = match &region {
            Region::Pages(pages) => pages.start().as_ptr(),
            Region::Map(map) => map.as_ptr().cast_mut(),
        };
        for (i, slot) in self.table[runs.clone()].iter().enumerate() {
            // SAFETY: the region was made with room for `count` runs.
            slot.store(unsafe { start.add(i * run_bytes) }, Ordering::Release);
        }
        writer.regions.push(region);
        writer.run_count = runs.end;
        Ok(())
    }

    /// The number of runs to make after `made`: one at first, so that a small index stays small;
    /// later a huge page of them, or an eighth of what there is, so that even large ones have few
    /// maps.
    fn runs_to_make(&self, made: usize) -> usize {
        match made {
            0 => 1,
            _ => (HUGE_BYTES / (RUN_ROWS * self.stride))
                .max(made / 8)
                .clamp(1, (RUN_COUNT_MAX - made).max(1)),
        }
    }

    /// Appends a row, `[stride]`, and answers its index.
    ///
    /// # Errors
    /// Errors of growing or writing the file. Nothing was appended then; it may be tried again.
    pub fn append(&self, row: &[u8]) -> io::Result<usize> {
        assert_eq!(row.len(), self.stride, "bytes of a row");
        let mut writer = self.writer.lock();
        let index = self.len.load(Ordering::Relaxed);
        if index / RUN_ROWS == writer.run_count {
            let count = self.runs_to_make(writer.run_count);
            self.make_runs(&mut writer, count)?;
        }
        match &self.home {
            Home::File(file) => file.write_all_at(row, index as u64 * self.stride as u64)?,
            Home::Memory => {
                let start = self.start_of(index).as_ptr();
                // SAFETY: the row lies inside its run, which is ours to write. It is not shared:
                // readers stop at `len`, and the lock keeps other writers out.
                unsafe { start.copy_from_nonoverlapping(row.as_ptr(), self.stride) };
            }
        }
        writer.sums.add(row);
        self.len.store(index + 1, Ordering::Release);
        Ok(index)
    }

    /// The start of a row whose run exists.
    #[inline(always)]
    fn start_of(&self, index: usize) -> NonNull<u8> {
        let run = self.table[index / RUN_ROWS].load(Ordering::Acquire);
        let run = NonNull::new(run).expect("the run of a row that is written");
        // SAFETY: the run holds RUN_ROWS rows of `stride` bytes.
        unsafe { run.add(index % RUN_ROWS * self.stride) }
    }

    /// The number of rows.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Row `index`, `[stride]`. It begins on a multiple of the largest power of two, up to 64,
    /// that divides the stride.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&self, index: usize) -> &[u8] {
        self.rows(index..index + 1)
    }

    /// Asks the system to bring a row from its file into memory, unless it is there, and does not wait for it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn ask_for(&self, index: usize) {
        if let Home::File(_) = self.home {
            ask_for(self.row(index));
        }
    }

    /// Rows of one run, one after the other.
    #[inline(always)]
    fn rows(&self, rows: Range<usize>) -> &[u8] {
        let len = self.len();
        assert!(rows.end <= len, "row {} of {len}", rows.end - 1);
        debug_assert!(rows.start / RUN_ROWS == (rows.end - 1) / RUN_ROWS);
        let start = self.start_of(rows.start);
        // SAFETY: the rows lie inside their run. As the length was read with acquire they were
        // written before, and nobody writes them again: `append` only writes at the length. In a
        // file they are part of it as long as nobody shortens it. `open` does, before it maps, and
        // the file's lock keeps a second opening away; other processes are kept out of the whole
        // data directory by its own lock. Unlinking leaves the mapped file whole. A map shows the
        // bytes written at a position because both are the system's one cache of the file.
        unsafe { slice::from_raw_parts(start.as_ptr(), rows.len() * self.stride) }
    }

    /// The checksums of the first `len` rows: one for each run, of the last also if it is not
    /// complete. All but that one are known without reading anything.
    ///
    /// # Panics
    /// If there are fewer rows.
    pub fn sums(&self, len: usize) -> Vec<u32> {
        assert!(len <= self.len(), "{len} rows of {}", self.len());
        let mut sums = self.writer.lock().sums.complete()[..len / RUN_ROWS].to_vec();
        let rest = sums.len() * RUN_ROWS..len;
        if !rest.is_empty() {
            sums.push(crc32fast::hash(self.rows(rest)));
        }
        sums
    }

    /// Returns once every row below the [`len`](Self::len) of before the call is on stable storage.
    ///
    /// # Errors
    /// Errors of the system; from then on always, because it may have dropped bytes that it could
    /// not write.
    pub fn sync(&self) -> io::Result<()> {
        let Home::File(file) = &self.home else {
            return Ok(());
        };
        if self.sync_failed.load(Ordering::Acquire) {
            return Err(io::Error::other(
                "an earlier sync of the full vectors failed",
            ));
        }
        let rows = self.len();
        file.sync()
            .inspect_err(|_| self.sync_failed.store(true, Ordering::Release))?;
        self.synced.fetch_max(rows, Ordering::Release);
        Ok(())
    }

    /// Tells whether every row that is written is on stable storage, as far as a file keeps them and
    /// [`sync`](Self::sync) was asked.
    pub fn is_synced(&self) -> bool {
        matches!(self.home, Home::Memory) || self.synced.load(Ordering::Acquire) == self.len()
    }

    /// Lets another opening have the file, which shortens it no more than to the rows that are there
    /// now. Nothing may be appended from here on.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn unlock(&self) -> io::Result<()> {
        match &self.home {
            Home::File(file) => file.unlock(),
            Home::Memory => Ok(()),
        }
    }

    /// Tells whether the rows have a file that can be synced: none in memory, nor one that failed
    /// to be.
    pub fn has_sound_file(&self) -> bool {
        matches!(self.home, Home::File(_)) && !self.sync_failed.load(Ordering::Acquire)
    }

    /// Writes the first `len` rows to `out`, one after the other, as they were appended.
    ///
    /// # Errors
    /// Errors of writing, and as [`verify`](Self::verify).
    ///
    /// # Panics
    /// If there are fewer rows.
    pub fn copy_to(&self, len: usize, out: &mut impl Write) -> io::Result<()> {
        self.each_run(len, |rows| out.write_all(rows))
    }

    /// Compares the rows of each complete run below `len` with its checksum. A disk that lost
    /// written bytes shows others once the system needed the memory of its cache.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if they differ.
    ///
    /// # Panics
    /// If there are fewer rows.
    pub fn verify(&self, len: usize) -> io::Result<()> {
        match self.home {
            Home::Memory => Ok(()),
            Home::File(_) => self.each_run(len, |_| Ok(())),
        }
    }

    /// Hands the rows of each run below `len` to `take`, once they were compared.
    fn each_run(
        &self,
        len: usize,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        for (run, sum) in self.sums(len).into_iter().enumerate() {
            let start = run * RUN_ROWS;
            let rows = self.rows(start..len.min(start + RUN_ROWS));
            if crc32fast::hash(rows) != sum {
                let error = FullVectorsError::Damaged { run };
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
            take(rows)?;
        }
        Ok(())
    }

    /// Bytes of the rows.
    pub fn stored_bytes(&self) -> usize {
        self.len() * self.stride
    }

    /// Bytes of the rows that are memory of this process.
    pub fn resident_bytes(&self) -> usize {
        match self.home {
            Home::Memory => self.stored_bytes(),
            Home::File(_) => 0,
        }
    }
}

/// Compares the first `len` rows of a file with their checksums, and hands them to `each`, as [`run_sums::verify`] does.
pub(crate) fn compare(
    file: &File,
    stride: usize,
    len: usize,
    sums: &[u32],
    each: impl Fn(usize, &[u8]) + Sync,
) -> Result<(), FullVectorsError> {
    let (expected, received) = (len.div_ceil(RUN_ROWS), sums.len());
    if expected != received {
        return Err(FullVectorsError::SumCount { expected, received });
    }
    let (expected, received) = (len as u64 * stride as u64, file.metadata()?.len());
    if expected > received {
        return Err(FullVectorsError::TooShort { expected, received });
    }
    let rows = SummedRows {
        count: len,
        bytes: stride,
        sums,
    };
    run_sums::verify(file, rows, each)
}
