//! Checksums (CRC-32) of runs of rows: made as rows are written, compared when a file is opened.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crc32fast::Hasher;
use pelorus_files::read_exact_at;

use super::byte_rows::RUN_ROWS;
use crate::storage::read_ahead::ask_for_part;

/// Bytes read at a time: they stay in a core's own cache until they are summed.
const READ_BYTES: usize = 256 << 10;

/// Bytes before those that are read which the system is asked for: a disk has several requests at once then, and reads
/// while rows are summed.
const AHEAD_BYTES: usize = 16 << 20;

/// The reason that a file of full vectors cannot be used as it is.
#[derive(Debug, thiserror::Error)]
pub enum FullVectorsError {
    /// The operating system refused an operation on the file.
    #[error("the full vectors: {0}")]
    Io(#[from] io::Error),
    /// The file ends before its rows do.
    #[error("the full vectors have {received} bytes, expected at least {expected}")]
    TooShort { expected: u64, received: u64 },
    /// The bytes of a run are not those that were written.
    #[error("the full vectors from row {} on are damaged", run * RUN_ROWS)]
    Damaged { run: usize },
    /// So many rows do not have so many checksums.
    #[error("{received} checksums of full vectors, expected {expected}")]
    SumCount { expected: usize, received: usize },
}

/// The checksums of rows that are written one after the other.
#[derive(Default)]
pub(crate) struct RunSums {
    /// One for each complete run.
    complete: Vec<u32>,
    /// Over the rows after those.
    rest: Hasher,
    rest_rows: usize,
}

impl RunSums {
    /// Goes on after `len` rows whose checksums, the last perhaps of a part of a run, are `sums`.
    pub fn resume(len: usize, sums: &[u32]) -> Self {
        let (complete, rest) = sums.split_at(len / RUN_ROWS);
        Self {
            complete: complete.to_vec(),
            rest: rest
                .first()
                .copied()
                .map_or_else(Hasher::new, Hasher::new_with_initial),
            rest_rows: len % RUN_ROWS,
        }
    }

    /// Takes in the next row.
    pub fn add(&mut self, row: &[u8]) {
        self.rest.update(row);
        self.rest_rows += 1;
        if self.rest_rows == RUN_ROWS {
            self.complete
                .push(std::mem::take(&mut self.rest).finalize());
            self.rest_rows = 0;
        }
    }

    /// One checksum for each complete run.
    pub fn complete(&self) -> &[u32] {
        &self.complete
    }
}

/// Rows of a file, and the checksums of their runs.
#[derive(Clone, Copy)]
pub(crate) struct SummedRows<'a> {
    /// The number of rows.
    pub count: usize,
    /// Bytes of one.
    pub bytes: usize,
    /// One for each run.
    pub sums: &'a [u32],
}

/// Compares the first rows of a file with the checksums of their runs, on all cores. Hands them to `each` on the way,
/// before it is known whether they are what was written: some of a run at a time, with the place of the first; each
/// row once, unless the comparison fails.
///
/// The file is read, not mapped: bytes that a failing disk cannot deliver are then an error and not
/// the end of the process.
///
/// # Errors
/// [`FullVectorsError::Damaged`] with the first run that differs, or what reading ran into.
pub(crate) fn verify(
    file: &File,
    rows: SummedRows<'_>,
    each: impl Fn(usize, &[u8]) + Sync,
) -> Result<(), FullVectorsError> {
    let next = AtomicUsize::new(0);
    let read_rows = (READ_BYTES / rows.bytes).clamp(1, RUN_ROWS);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let run_bytes = RUN_ROWS * rows.bytes;
    let runs_ahead = (AHEAD_BYTES / run_bytes).max(threads);
    let work = || {
        let mut buffer = vec![0; read_rows * rows.bytes];
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            let Some(&expected) = rows.sums.get(run) else {
                return Ok(());
            };
            let ahead = (run + runs_ahead) as u64 * run_bytes as u64;
            ask_for_part(file, ahead, run_bytes as u64);
            let places = run * RUN_ROWS..rows.count.min((run + 1) * RUN_ROWS);
            let result = sum_of(file, rows.bytes, places, &mut buffer, &each);
            let result = result.map_err(FullVectorsError::Io);
            let result = result.and_then(|sum| match sum == expected {
                true => Ok(()),
                false => Err(FullVectorsError::Damaged { run }),
            });
            if result.is_err() {
                // The others finish the runs they have, so every run before this one is compared.
                next.store(rows.sums.len(), Ordering::Relaxed);
                return result;
            }
        }
    };
    let errors = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(rows.sums.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut errors = Vec::from_iter(work().err());
        for other in others {
            errors.extend(other.join().expect("reading does not panic").err());
        }
        errors
    });
    let first = errors.into_iter().min_by_key(|error| match error {
        FullVectorsError::Damaged { run } => Some(*run),
        _ => None,
    });
    first.map_or(Ok(()), Err)
}

/// The checksum of the rows at `places`, each of which is handed to `each`.
fn sum_of(
    file: &File,
    row_bytes: usize,
    places: Range<usize>,
    buffer: &mut [u8],
    each: impl Fn(usize, &[u8]),
) -> io::Result<u32> {
    let mut hasher = Hasher::new();
    for first in places.clone().step_by(buffer.len() / row_bytes) {
        let count = (places.end - first).min(buffer.len() / row_bytes);
        let part = &mut buffer[..count * row_bytes];
        read_exact_at(file, part, first as u64 * row_bytes as u64)?;
        hasher.update(part);
        each(first, part);
    }
    Ok(hasher.finalize())
}
