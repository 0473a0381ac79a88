//! Vectors in full precision, by node: written once, read without locks.
//!
//! They are the largest part of an index and the least often read, so an index on disk keeps them
//! in a file (`row_file`) and leaves it to the system which of its pages are in memory; one without
//! a directory keeps them in memory. Either way they are rows of bytes that never move
//! (`byte_rows`), in runs with a checksum each (`run_sums`), so that a snapshot only names how many
//! rows there are and what their checksums are.
//!
//! The file is the rows and nothing else, one after the other, components in little-endian order.

mod byte_rows;
mod numeric_type;
pub(crate) mod row_file;
pub(crate) mod run_sums;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::Instant;

use pelorus_kernels::{bf16_to_f32, kernels, read_int8_row, split_int8_row};

use byte_rows::ByteRows;
pub(crate) use byte_rows::RUN_ROWS;
pub use numeric_type::{NumericType, UnknownNumericType};
pub use run_sums::FullVectorsError;
use run_sums::RunSums;

use crate::storage::code_memory::CodeMemory;
use crate::storage::read_ahead::ReadAhead;

/// Components of a vector at most.
pub(crate) const DIM_MAX: usize = 4096;
/// Bytes of a row at most, of a type that is not [`NumericType::Float`].
const NARROW_ROW_MAX: usize = DIM_MAX * size_of::<u16>();

// Rows are written and read as they are in memory.
const _: () = assert!(cfg!(target_endian = "little"), "a big-endian machine");

/// Full vectors, appended by one at a time while any number read.
pub(crate) struct FullVectors {
    dim: usize,
    numeric: NumericType,
    rows: ByteRows,
    /// The folder of their file; none in memory.
    folder: Option<PathBuf>,
    ahead: ReadAhead,
}

impl FullVectors {
    /// No vectors yet, kept in memory.
    ///
    /// # Panics
    /// If `dim` is not 1 to 4096; so do the other ways of making them.
    pub fn in_memory(dim: usize, numeric: NumericType) -> Self {
        Self::over(dim, numeric, ByteRows::in_memory(stride(dim, numeric)))
    }

    /// No vectors yet, kept in a new file in place of the one that has its name. Its directory is
    /// not synced.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn create(path: &Path, dim: usize, numeric: NumericType) -> io::Result<Self> {
        let rows = ByteRows::create(path, stride(dim, numeric))?;
        Ok(Self::over(dim, numeric, rows).beside(path))
    }

    /// The first `len` vectors of a file, whose [`checksums`](Self::checksums) were `sums`. They
    /// are all read and compared; bytes past them are cut off. Hands them to `each` as [`compare`] does.
    ///
    /// # Errors
    /// If they are not those that were written, as they also are not with another `dim` or
    /// numeric type. The file is unchanged then.
    pub fn open(
        path: &Path,
        dim: usize,
        numeric: NumericType,
        len: usize,
        sums: &[u32],
        each: impl Fn(usize, &[f32]) + Sync,
    ) -> Result<Self, FullVectorsError> {
        let each = vectors_of(dim, numeric, each);
        let rows = ByteRows::open(path, stride(dim, numeric), len, sums, each)?;
        Ok(Self::over(dim, numeric, rows).beside(path))
    }

    /// The first `len` vectors of a locked file at `path` that has so many, whose checksums are `sums`.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn resume(
        file: File,
        path: &Path,
        dim: usize,
        numeric: NumericType,
        len: usize,
        sums: RunSums,
    ) -> io::Result<Self> {
        let rows = ByteRows::resume(file, stride(dim, numeric), len, sums)?;
        Ok(Self::over(dim, numeric, rows).beside(path))
    }

    fn over(dim: usize, numeric: NumericType, rows: ByteRows) -> Self {
        Self {
            dim,
            numeric,
            rows,
            folder: None,
            ahead: ReadAhead::default(),
        }
    }

    fn beside(mut self, path: &Path) -> Self {
        self.folder = path.parent().map(Path::to_owned);
        self
    }

    /// The place of codes of these vectors.
    pub fn code_memory(&self) -> CodeMemory {
        CodeMemory::new(self.folder.as_deref())
    }

    /// Appends a vector, `[dim]`, and answers its node.
    ///
    /// # Errors
    /// Errors of the system, such as a full disk. Nothing was appended then, and it may be
    /// tried again.
    ///
    /// # Panics
    /// If the vector has another length.
    pub fn append(&self, vector: &[f32]) -> io::Result<usize> {
        assert_eq!(vector.len(), self.dim, "components of a vector");
        match self.numeric {
            NumericType::Float => {
                // SAFETY: any float is so many initialised bytes, and bytes need no alignment.
                let bytes = unsafe {
                    slice::from_raw_parts(vector.as_ptr().cast::<u8>(), size_of_val(vector))
                };
                self.rows.append(bytes)
            }
            NumericType::Bfloat16 | NumericType::Int8 => {
                let mut bytes = [0; NARROW_ROW_MAX];
                let bytes = &mut bytes[..stride(self.dim, self.numeric)];
                self.numeric.write_row(vector, bytes);
                self.rows.append(bytes)
            }
        }
    }

    /// Appends a vector as it is [stored](Self::stored) and answers its node.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_stored(&self, row: &[u8]) -> io::Result<usize> {
        self.rows.append(row)
    }

    /// The vector of a node as it is stored: components in little-endian order.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn stored(&self, node: usize) -> &[u8] {
        self.rows.row(node)
    }

    /// The number of vectors.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the result of `f` for the vector of a node, `[dim]`, as it is stored: floats are
    /// handed out in place, others widened first.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn with_row<R>(&self, node: usize, f: impl FnOnce(&[f32]) -> R) -> R {
        let row = self.rows.row(node);
        match self.numeric {
            NumericType::Float => {
                let start = row.as_ptr().cast::<f32>();
                debug_assert!(start.is_aligned());
                // SAFETY: the row is 4 * dim bytes, any of which make floats, and as its stride is
                // a multiple of 4 it begins on one.
                f(unsafe { slice::from_raw_parts(start, self.dim) })
            }
            NumericType::Bfloat16 => {
                let (halves, _) = row.as_chunks();
                let wide = halves.iter().map(|x| bf16_to_f32(u16::from_le_bytes(*x)));
                with_components(wide, self.dim, f)
            }
            NumericType::Int8 => with_components(read_int8_row(row), self.dim, f),
        }
    }

    /// The inner product with the vector of a node as it is stored: of every type the bits of the product with what
    /// [`with_row`](Self::with_row) hands out.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn dot(&self, query: &[f32], node: usize) -> f32 {
        let table = kernels();
        match self.numeric {
            NumericType::Float => self.with_row(node, |x| (table.dot_f32)(query, x)),
            NumericType::Bfloat16 => {
                let start = self.rows.row(node).as_ptr().cast::<u16>();
                debug_assert!(start.is_aligned());
                // SAFETY: the row is 2 * dim bytes, any of which make halves, and as its stride is a multiple of 2 it
                // begins on one.
                (table.dot_bf16)(query, unsafe { slice::from_raw_parts(start, self.dim) })
            }
            NumericType::Int8 => {
                let (step, codes) = split_int8_row(self.rows.row(node));
                (table.dot_int8)(query, step, codes)
            }
        }
    }

    /// Hints that the vector of a node will soon be read.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline(always)]
    pub fn prefetch(&self, node: usize) {
        pelorus_kernels::prefetch(self.rows.row(node));
    }

    /// Returns the result of `read`, which reads the vectors of `nodes`. Where they come from the disk, as those read
    /// before did, all of them are asked for first.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn reading<R>(
        &self,
        nodes: impl ExactSizeIterator<Item = u32>,
        read: impl FnOnce() -> R,
    ) -> R {
        let count = nodes.len();
        if self.ahead.is_due() {
            nodes.for_each(|node| self.rows.ask_for(node as usize));
        }
        let started = Instant::now();
        let result = read();
        self.ahead.note(count, started.elapsed());
        result
    }

    /// CRC-32 of the first `len` vectors as they are stored, one for every 1024 and one for the
    /// rest: what [`open`](Self::open) asks for. Cheap, since they are kept up with appending.
    ///
    /// # Panics
    /// If there are fewer vectors.
    pub fn checksums(&self, len: usize) -> Vec<u32> {
        self.rows.sums(len)
    }

    /// Returns once every vector below the [`len`](Self::len) of before the call is on stable
    /// storage. Appending goes on meanwhile.
    ///
    /// # Errors
    /// Errors of the system; from then on always, because it may have dropped bytes that it could
    /// not write.
    pub fn sync(&self) -> io::Result<()> {
        self.rows.sync()
    }

    /// Tells whether all vectors are known to be on stable storage, or have no file.
    pub fn is_synced(&self) -> bool {
        self.rows.is_synced()
    }

    /// Tells whether the vectors have a file that [`sync`](Self::sync) may succeed with: not in memory, and not after
    /// it failed.
    pub fn has_sound_file(&self) -> bool {
        self.rows.has_sound_file()
    }

    /// Lets another opening have the file. Nothing may be appended from here on.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn unlock(&self) -> io::Result<()> {
        self.rows.unlock()
    }

    /// Writes the first `len` vectors to `out`, as a file of them is.
    ///
    /// # Errors
    /// Errors of writing, and as [`verify`](Self::verify).
    ///
    /// # Panics
    /// If there are fewer vectors.
    pub fn copy_to(&self, len: usize, out: &mut impl Write) -> io::Result<()> {
        self.rows.copy_to(len, out)
    }

    /// Compares the first `len` vectors with their checksums, but for the last 1023 at most.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] when they are no longer those appended.
    ///
    /// # Panics
    /// If there are fewer vectors.
    pub fn verify(&self, len: usize) -> io::Result<()> {
        self.rows.verify(len)
    }

    /// Bytes of the vectors that are memory of this process: none of those in a file, which are
    /// in the system's cache.
    pub fn resident_bytes(&self) -> usize {
        self.rows.resident_bytes()
    }

    /// Bytes of the vectors, wherever they are.
    pub fn stored_bytes(&self) -> usize {
        self.rows.stored_bytes()
    }
}

/// Compares the first `len` vectors of a file with their checksums on all cores, as [`FullVectors::open`] does. Hands
/// each vector to `each` with its node, once and on any thread, before it is known whether it is as it was written.
///
/// # Errors
/// If one is not.
pub(crate) fn compare(
    file: &File,
    dim: usize,
    numeric: NumericType,
    len: usize,
    sums: &[u32],
    each: impl Fn(usize, &[f32]) + Sync,
) -> Result<(), FullVectorsError> {
    let each = vectors_of(dim, numeric, each);
    byte_rows::compare(file, stride(dim, numeric), len, sums, each)
}

/// Takes rows that follow one another apart into vectors.
fn vectors_of(
    dim: usize,
    numeric: NumericType,
    each: impl Fn(usize, &[f32]) + Sync,
) -> impl Fn(usize, &[u8]) + Sync {
    let stride = stride(dim, numeric);
    move |first, rows| {
        let mut vector = Vec::with_capacity(dim);
        for (node, row) in (first..).zip(rows.chunks_exact(stride)) {
            vector.clear();
            numeric.read_row(row, |x| vector.push(x));
            each(node, &vector);
        }
    }
}

/// Bytes of one vector.
pub(crate) fn stride(dim: usize, numeric: NumericType) -> usize {
    assert!((1..=DIM_MAX).contains(&dim), "a dimension of {dim}");
    numeric.row_bytes(dim)
}

/// Hands `dim` components to `f` in one slice.
#[inline(always)]
fn with_components<R>(
    components: impl ExactSizeIterator<Item = f32>,
    dim: usize,
    f: impl FnOnce(&[f32]) -> R,
) -> R {
    assert_eq!(components.len(), dim, "components of a row");
    let mut wide = [const { MaybeUninit::uninit() }; DIM_MAX];
    let wide = &mut wide[..dim];
    let mut count = 0;
    for (out, x) in wide.iter_mut().zip(components) {
        out.write(x);
        count += 1;
    }
    assert_eq!(count, dim, "components of a row");
    // SAFETY: all of `wide` was written.
    f(unsafe { wide.assume_init_ref() })
}
