//! Opening an index whose rows are kept nowhere else: what is referred to must be there, bit for bit,
//! before anything in the folder is changed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use pelorus_files::{read_exact_at, sync_directory};
use thiserror::Error;

use crate::HnswParams;
use crate::graph::Graph;
use crate::storage::full_vectors::run_sums::RunSums;
use crate::storage::full_vectors::{FullVectors, RUN_ROWS, row_file, stride};
use crate::storage::node_table::DEAD;
use crate::storage::row_manifest::RowManifest;
use crate::storage::row_numbers::RowNumbers;
use crate::storage::snapshot::{self, Parts, SnapshotError};

/// The vectors of a document, one for each chunk, as rows that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRows {
    /// The document.
    pub doc: u32,
    /// The number of the first row, which lasts.
    pub first: u64,
    /// How many rows there are, one for each chunk.
    pub count: u32,
    /// CRC-32 of their bytes.
    pub checksum: u32,
}

/// Why rows that are kept nowhere else cannot be used. Nothing in their folder was changed.
#[derive(Debug, Error)]
pub enum RowsError {
    /// What the system ran into.
    #[error("the rows cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Nothing says which file has the rows.
    #[error("the list of its rows is missing")]
    NoManifest,
    /// What says so is not what was written.
    #[error("the list of its rows: {0}")]
    Manifest(String),
    /// There is no such file.
    #[error("{0} is missing")]
    NoFile(String),
    /// The file ends before its rows do.
    #[error("its file has {received} bytes, expected at least {expected}")]
    TooShort {
        /// Bytes up to the last row that is referred to.
        expected: u64,
        /// Bytes that there are.
        received: u64,
    },
    /// No such rows are in the file, or they belong to another document.
    #[error("row {row} of document version {doc} is not listed")]
    Unlisted {
        /// The document.
        doc: u32,
        /// The number of the row.
        row: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "row {row} of document version {doc}: checksum {received:08x}, expected {expected:08x}"
    )]
    Checksum {
        /// The document.
        doc: u32,
        /// The number of its first row.
        row: u64,
        /// The checksum of what was written.
        expected: u32,
        /// That of what is there.
        received: u32,
    },
}

impl RowsError {
    /// Whether rows are gone, rather than the system refusing to read them for now.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::Io(_))
    }
}

/// An index of which the file is open and the snapshot read, and of which it is to be said yet what
/// else refers to its rows.
pub struct Opening {
    params: HnswParams,
    folder: PathBuf,
    manifest: RowManifest,
    file: File,
    snapshot: Result<Parts, SnapshotError>,
}

/// Rows of a document by their places.
struct Placed {
    rows: StoredRows,
    start: usize,
}

impl Placed {
    fn end(&self) -> usize {
        self.start + self.rows.count as usize
    }
}

impl Opening {
    pub(crate) fn of(params: HnswParams, folder: &Path) -> Result<Self, RowsError> {
        let manifest = RowManifest::read(folder).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                RowsError::Manifest(error.to_string())
            }
            _ => RowsError::Io(error),
        })?;
        let manifest = manifest.ok_or(RowsError::NoManifest)?;
        let path = snapshot::vectors(folder, manifest.file);
        let file = row_file::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let name = path.file_name().unwrap_or_default();
                RowsError::NoFile(name.to_string_lossy().into_owned())
            }
            _ => RowsError::Io(error),
        })?;
        let snapshot = snapshot::read_parts(&params, folder, manifest.file, &file);
        Ok(Self {
            params,
            folder: folder.to_owned(),
            manifest,
            file,
            snapshot,
        })
    }

    /// The document before which the snapshot knows all rows; 0 where there is none to be used.
    pub fn watermark(&self) -> u32 {
        self.snapshot.as_ref().map_or(0, Parts::watermark)
    }

    /// Why the snapshot is not used; none where it is, or where there is none.
    pub fn rejected(&self) -> Option<&SnapshotError> {
        let rejected = self.snapshot.as_ref().err();
        rejected.filter(|error| !matches!(error, SnapshotError::Missing))
    }

    /// Leaves the snapshot aside.
    pub fn reject_snapshot(&mut self, reason: &'static str) {
        self.snapshot = Err(SnapshotError::Damaged(reason));
    }

    /// The index, with all rows of documents from the [watermark](Self::watermark) on. Others are cut
    /// off, unless an index that is still read has the file open: it has the first `in_use` of them.
    ///
    /// # Errors
    /// As [`RowsError`] says.
    pub(crate) fn finish(
        self,
        rows: &[StoredRows],
        in_use: usize,
    ) -> Result<(Graph, RowManifest), RowsError> {
        let placed = self.places(rows)?;
        let HnswParams { dim, numeric, .. } = self.params;
        let stride = stride(dim, numeric);
        let known = self.snapshot.as_ref().map_or(0, Parts::nodes);
        let referred = placed.iter().map(Placed::end).fold(known, usize::max);
        let (expected, received) = (referred as u64 * stride as u64, self.file.metadata()?.len());
        if received < expected {
            return Err(RowsError::TooShort { expected, received });
        }
        let mut owners = self
            .snapshot
            .as_ref()
            .map_or_else(|_| vec![], Parts::owners);
        owners.resize(referred.max(in_use), (DEAD, 0));
        for one in &placed {
            one.check(&self.file, stride)?;
            for (chunk, owner) in (0..).zip(&mut owners[one.start..one.end()]) {
                if owner.0 != DEAD {
                    return Err(one.unlisted());
                }
                *owner = (one.rows.doc, chunk);
            }
        }
        // All that is referred to is there: from here on the folder is changed.
        let bytes = owners.len() as u64 * stride as u64;
        if in_use == 0 || received < bytes {
            self.file.set_len(bytes)?;
        }
        let sums = self
            .snapshot
            .as_ref()
            .map_or_else(|_| RunSums::default(), Parts::sums);
        let sums = go_on(&self.file, stride, known..owners.len(), sums)?;
        if self.snapshot.is_err() {
            self.forget_snapshot()?;
        }
        let full = FullVectors::resume(self.file, dim, numeric, owners.len(), sums)?;
        let mut graph = match self.snapshot {
            Ok(parts) => parts.onto(self.params, full, &owners),
            Err(_) => {
                let graph = Graph::over(self.params, full);
                for (node, &(doc, chunk)) in (0..).zip(&owners) {
                    graph.nodes.own(node, doc, chunk);
                }
                graph
            }
        };
        graph.numbers = self.manifest.numbers.clone();
        Ok((graph, self.manifest))
    }

    /// The same in memory, for a disk that takes no more rows. The file stays as it is; `rows` are those
    /// of all documents.
    ///
    /// # Errors
    /// As [`RowsError`] says.
    pub(crate) fn finish_in_memory(
        self,
        rows: &[StoredRows],
    ) -> Result<(Graph, RowManifest), RowsError> {
        let placed = self.places(rows)?;
        let HnswParams { dim, numeric, .. } = self.params;
        let stride = stride(dim, numeric);
        let full = FullVectors::in_memory(dim, numeric);
        let (mut numbers, mut owners) = (Vec::new(), Vec::new());
        for one in &placed {
            let bytes = one.check(&self.file, stride)?;
            for (chunk, row) in (0..).zip(bytes.chunks_exact(stride)) {
                full.append_stored(row)?;
                numbers.push(one.rows.first + u64::from(chunk));
                owners.push((one.rows.doc, chunk));
            }
        }
        // Where that fails the snapshot is of another file than any that rows are written to from here on.
        let _ = self.forget_snapshot();
        let after = numbers.last().map_or(0, |last| last + 1);
        let next = after.max(
            self.manifest
                .numbers
                .number(placed.last().map_or(0, Placed::end)),
        );
        let mut graph = Graph::over(self.params, full);
        for (node, (doc, chunk)) in (0..).zip(owners) {
            graph.nodes.own(node, doc, chunk);
        }
        graph.numbers = RowNumbers::listing(numbers, next);
        Ok((graph, self.manifest))
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where rows are, in the order of their places.
    fn places(&self, rows: &[StoredRows]) -> Result<Vec<Placed>, RowsError> {
        let place = |rows: &StoredRows| {
            let places = self
                .manifest
                .numbers
                .places(rows.first, rows.count as usize);
            let places = places.filter(|places| places.end <= NODES_MAX);
            let places = places.ok_or(RowsError::Unlisted {
                doc: rows.doc,
                row: rows.first,
            })?;
            Ok(Placed {
                rows: *rows,
                start: places.start,
            })
        };
        let mut placed = rows
            .iter()
            .map(place)
            .collect::<Result<Vec<_>, RowsError>>()?;
        placed.sort_by_key(|one| one.start);
        match placed.windows(2).find(|two| two[0].end() > two[1].start) {
            Some(two) => Err(two[1].unlisted()),
            None => Ok(placed),
        }
    }

    /// Sees to it that a snapshot that is not used does not come back: it could seem to be one of what is
    /// pushed from here on.
    fn forget_snapshot(&self) -> io::Result<()> {
        snapshot::delete(&self.folder)?;
        sync_directory(&self.folder)
    }
}

/// Rows that a file may have.
const NODES_MAX: usize = 1 << 28;

impl Placed {
    fn unlisted(&self) -> RowsError {
        RowsError::Unlisted {
            doc: self.rows.doc,
            row: self.rows.first,
        }
    }

    /// The bytes of the rows, once their checksum holds. They are read, not mapped: what a failing disk
    /// cannot deliver is then an error and not the end of the process.
    fn check(&self, file: &File, stride: usize) -> Result<Vec<u8>, RowsError> {
        let mut bytes = vec![0; self.rows.count as usize * stride];
        read_exact_at(file, &mut bytes, self.start as u64 * stride as u64)?;
        let (expected, received) = (self.rows.checksum, crc32fast::hash(&bytes));
        if expected != received {
            return Err(RowsError::Checksum {
                doc: self.rows.doc,
                row: self.rows.first,
                expected,
                received,
            });
        }
        Ok(bytes)
    }
}

/// Takes some more rows of a file into the checksums of those before.
fn go_on(
    file: &File,
    stride: usize,
    rows: std::ops::Range<usize>,
    mut sums: RunSums,
) -> io::Result<RunSums> {
    let mut buffer = vec![0; RUN_ROWS * stride];
    for start in rows.clone().step_by(RUN_ROWS) {
        let count = RUN_ROWS.min(rows.end - start);
        let some = &mut buffer[..count * stride];
        read_exact_at(file, some, start as u64 * stride as u64)?;
        some.chunks_exact(stride).for_each(|row| sums.add(row));
    }
    Ok(sums)
}
