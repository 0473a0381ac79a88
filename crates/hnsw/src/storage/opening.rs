//! Opening an index whose rows are kept nowhere else: rows that are referred to are compared, bit for bit, before
//! anything in the folder is changed. Rows whose bytes are not those written are set aside, and the others serve on.

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
use crate::storage::row_manifest::{FoundManifests, RowManifest};
use crate::storage::row_numbers::RowNumbers;
use crate::storage::snapshot::{self, Parts, SnapshotError};

/// The vectors of a document, one for each chunk, as rows that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRows {
    /// The document.
    pub doc: u32,
    /// The number of the first row, which lasts.
    pub first: u64,
    /// The number of rows, one for each chunk.
    pub count: u32,
    /// CRC-32 of their bytes.
    pub checksum: u32,
}

/// The reason that rows which are kept nowhere else cannot be used.
#[derive(Debug, Error)]
pub enum RowsError {
    /// An error of the system.
    #[error("the rows cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Nothing says which file has the rows.
    #[error("the list of its rows is missing")]
    NoManifest,
    /// The list is not as it was written.
    #[error("the list of its rows: {0}")]
    Manifest(String),
    /// There is no such file.
    #[error("{0} is missing")]
    NoFile(String),
    /// Not one of the rows has the bytes that were written.
    #[error("none of its rows is what was written, of {count} documents")]
    NoneWhole {
        /// Documents that refer to rows.
        count: usize,
    },
    /// No such rows are in the file.
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
        /// The checksum of the written bytes.
        expected: u32,
        /// The checksum of the bytes that are there.
        received: u32,
    },
}

impl RowsError {
    /// Tells whether rows are gone, rather than the system refusing to read them for now.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::Io(_))
    }

    /// Converts an error of the system: that of a file that is damaged or gone counts as damage.
    pub(crate) fn of_io(error: io::Error) -> Self {
        use io::ErrorKind::{InvalidData, IsADirectory, NotADirectory, NotFound, UnexpectedEof};
        match error.kind() {
            NotFound | NotADirectory => Self::NoManifest,
            InvalidData | IsADirectory | UnexpectedEof => Self::Manifest(error.to_string()),
            _ => Self::Io(error),
        }
    }
}

/// An index of which the file is open and the snapshot read, and of which it is to be said yet what
/// else refers to its rows.
pub struct Opening {
    params: HnswParams,
    folder: PathBuf,
    manifest: RowManifest,
    /// The other copy of the manifest, where it is not the same.
    other: Option<RowManifest>,
    /// Tells whether both copies of the manifest are as they should be.
    is_named: bool,
    file: File,
    snapshot: Result<Parts, SnapshotError>,
}

/// An index as it was opened.
pub(crate) struct Opened {
    pub graph: Graph,
    pub manifest: RowManifest,
    /// Tells whether the manifest in the folder says so.
    pub is_named: bool,
    /// Nodes that came from no snapshot.
    pub unsaved: usize,
}

/// Rows of a document by their places.
struct Placed {
    rows: StoredRows,
    start: usize,
}

/// The result of looking for the rows that are referred to.
struct Found {
    /// Those whose bytes are those written, in the order of their places.
    whole: Vec<Placed>,
    /// Those that are not.
    damaged: Vec<StoredRows>,
    /// The place after all of them, wherever they are known to have been.
    end: usize,
}

impl Placed {
    fn end(&self) -> usize {
        self.start + self.rows.count as usize
    }
}

impl Opening {
    pub(crate) fn of(params: HnswParams, folder: &Path) -> Result<Self, RowsError> {
        let FoundManifests {
            manifests,
            is_whole,
        } = RowManifest::read(folder)?;
        let mut manifests = manifests.into_iter();
        let first = manifests.next().ok_or(RowsError::NoManifest)?;
        match (
            Self::over(&params, folder, first, is_whole),
            manifests.next(),
        ) {
            (Err(error), Some(second)) if error.is_damage() => {
                Self::over(&params, folder, second, false)
            }
            (opening, other) => Ok(Self { other, ..opening? }),
        }
    }

    fn over(
        params: &HnswParams,
        folder: &Path,
        manifest: RowManifest,
        is_named: bool,
    ) -> Result<Self, RowsError> {
        let path = snapshot::vectors(folder, manifest.file);
        let file = row_file::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => {
                let name = path.file_name().unwrap_or_default();
                RowsError::NoFile(name.to_string_lossy().into_owned())
            }
            _ => RowsError::of_io(error),
        })?;
        let snapshot = snapshot::read_parts(params, folder, manifest.file, &file);
        let mut opening = Self {
            params: params.clone(),
            folder: folder.to_owned(),
            manifest,
            other: None,
            is_named,
            file,
            snapshot,
        };
        opening.look_for_mended_rows()?;
        Ok(opening)
    }

    /// Leaves the snapshot aside where it lacks rows that were damaged and are sound again.
    fn look_for_mended_rows(&mut self) -> io::Result<()> {
        let aside = std::mem::take(&mut self.manifest.aside);
        let watermark = self.watermark();
        let aside: Vec<StoredRows> = aside
            .into_iter()
            .filter(|rows| rows.doc < watermark)
            .collect();
        let found = self.find(&aside)?;
        if !found.whole.is_empty() {
            self.reject_snapshot("rows that were damaged when it was made are whole again");
        }
        // Without a snapshot all rows are looked for.
        if self.snapshot.is_ok() {
            self.manifest.aside = aside;
        }
        Ok(())
    }

    /// The document before which the snapshot knows all rows; 0 where there is none to be used.
    pub fn watermark(&self) -> u32 {
        self.snapshot.as_ref().map_or(0, Parts::watermark)
    }

    /// The reason that the snapshot is not used; none where it is, or where there is none.
    pub fn rejected(&self) -> Option<&SnapshotError> {
        let rejected = self.snapshot.as_ref().err();
        rejected.filter(|error| !matches!(error, SnapshotError::Missing))
    }

    /// Leaves the snapshot aside.
    pub fn reject_snapshot(&mut self, reason: &'static str) {
        self.snapshot = Err(SnapshotError::Damaged(reason));
        self.manifest.aside.clear();
    }

    /// Tells whether the two copies of the manifest contradict each other.
    pub fn is_in_doubt(&self) -> bool {
        self.other.is_some()
    }

    /// Decides which of two manifests counts: that by which more of `rows` are sound. These are the rows of all
    /// documents.
    ///
    /// # Errors
    /// The error that reading them ran into.
    pub fn decide(&mut self, rows: &[StoredRows]) -> Result<(), RowsError> {
        let Some(other) = self.other.take() else {
            return Ok(());
        };
        let damaged = self.find(rows)?.damaged.len();
        if damaged == 0 {
            return Ok(());
        }
        // Both may name one file, which is open once.
        let number = self.manifest.file;
        let other = match other.file == number {
            true => {
                let first = std::mem::replace(&mut self.manifest, other);
                let is_better = self.find(rows)?.damaged.len() < damaged;
                if is_better {
                    self.reject_snapshot("the list of its rows was in doubt");
                } else {
                    self.manifest = first;
                }
                return Ok(());
            }
            false => Self::over(&self.params, &self.folder, other, false),
        };
        match other {
            Ok(other) if other.find(rows)?.damaged.len() < damaged => {
                *self = other;
                Ok(())
            }
            Err(error) if !error.is_damage() => Err(error),
            _ => Ok(()),
        }
    }

    /// The index, with all rows of documents from the [watermark](Self::watermark) on. Rows whose bytes are not those
    /// written are set aside. Others are cut off, unless an index that is still read has the file open: it has the
    /// first `in_use` of them.
    ///
    /// # Errors
    /// [`RowsError::NoneWhole`] where all rows are damaged, and errors of the system. Nothing in the folder was changed
    /// then, unless the system refused just that.
    pub(crate) fn finish(
        mut self,
        rows: &[StoredRows],
        in_use: usize,
    ) -> Result<Opened, RowsError> {
        let found = self.find_some(rows)?;
        let HnswParams { dim, numeric, .. } = self.params;
        let stride = stride(dim, numeric);
        let known = self.snapshot.as_ref().map_or(0, Parts::nodes);
        let mut owners = self
            .snapshot
            .as_ref()
            .map_or_else(|_| vec![], Parts::owners);
        owners.resize(known.max(found.end).max(in_use), (DEAD, 0));
        let mut damaged = found.damaged;
        for one in &found.whole {
            let places = &mut owners[one.start..one.end()];
            // By the snapshot, another document has them.
            if places.iter().any(|owner| owner.0 != DEAD) {
                damaged.push(one.rows);
                continue;
            }
            for (chunk, owner) in (0..).zip(places) {
                *owner = (one.rows.doc, chunk);
            }
        }
        self.is_named &= damaged.is_empty();
        self.manifest.aside.append(&mut damaged);
        // From here on the folder is changed. Places of rows that are gone are not given to others.
        let bytes = owners.len() as u64 * stride as u64;
        if in_use == 0 || self.file.metadata()?.len() < bytes {
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
        let path = snapshot::vectors(&self.folder, self.manifest.file);
        let full = FullVectors::resume(self.file, &path, dim, numeric, owners.len(), sums)?;
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
        Ok(Opened {
            graph,
            manifest: self.manifest,
            is_named: self.is_named,
            unsaved: owners.len() - known,
        })
    }

    /// The same in memory, for a disk that takes no more rows. The file stays as it is; `rows` are those
    /// of all documents.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub(crate) fn finish_in_memory(mut self, rows: &[StoredRows]) -> Result<Opened, RowsError> {
        self.reject_snapshot("the rows are read into memory");
        let found = self.find_some(rows)?;
        let HnswParams { dim, numeric, .. } = self.params;
        let stride = stride(dim, numeric);
        let full = FullVectors::in_memory(dim, numeric);
        let (mut numbers, mut owners) = (Vec::new(), Vec::new());
        for one in &found.whole {
            let bytes = one.read(&self.file, stride)?;
            for (chunk, row) in (0..).zip(bytes.chunks_exact(stride)) {
                full.append_stored(row)?;
                numbers.push(one.rows.first + u64::from(chunk));
                owners.push((one.rows.doc, chunk));
            }
        }
        // Where that fails the snapshot is of another file than any that rows are written to from here on.
        let _ = self.forget_snapshot();
        let after = numbers.last().map_or(0, |last| last + 1);
        let next = after.max(self.manifest.numbers.number(found.end));
        let mut graph = Graph::over(self.params, full);
        for (node, (doc, chunk)) in (0..).zip(owners) {
            graph.nodes.own(node, doc, chunk);
        }
        graph.numbers = RowNumbers::listing(numbers, next);
        let unsaved = graph.nodes.len();
        self.manifest.aside = found.damaged;
        Ok(Opened {
            graph,
            manifest: self.manifest,
            is_named: self.is_named,
            unsaved,
        })
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// As [`find`](Self::find), where at least one row is sound, or the snapshot knows some that are.
    fn find_some(&self, rows: &[StoredRows]) -> Result<Found, RowsError> {
        let found = self.find(rows)?;
        let is_lost = found.whole.is_empty() && self.snapshot.is_err();
        match is_lost && !found.damaged.is_empty() {
            true => Err(RowsError::NoneWhole { count: rows.len() }),
            false => Ok(found),
        }
    }

    /// Looks for rows, and compares them with their checksums. They are read, not mapped: bytes that a failing disk
    /// cannot deliver are then an error and not the end of the process.
    fn find(&self, rows: &[StoredRows]) -> io::Result<Found> {
        let HnswParams { dim, numeric, .. } = self.params;
        let stride = stride(dim, numeric);
        let in_file = (self.file.metadata()?.len() / stride as u64) as usize;
        let mut damaged = Vec::new();
        let mut placed = Vec::with_capacity(rows.len());
        for rows in rows {
            let numbers = &self.manifest.numbers;
            let places = numbers.places(rows.first, rows.count as usize);
            match places.filter(|places| places.end <= NODES_MAX) {
                Some(places) => placed.push(Placed {
                    rows: *rows,
                    start: places.start,
                }),
                None => damaged.push(*rows),
            }
        }
        placed.sort_by_key(|one| one.start);
        let (mut whole, mut end) = (Vec::with_capacity(placed.len()), 0);
        for one in placed {
            let is_free = one.start >= end;
            end = end.max(one.end());
            let is_whole = is_free
                && one.end() <= in_file
                && crc32fast::hash(&one.read(&self.file, stride)?) == one.rows.checksum;
            match is_whole {
                true => whole.push(one),
                false => damaged.push(one.rows),
            }
        }
        Ok(Found {
            whole,
            damaged,
            end,
        })
    }

    /// Sees to it that a snapshot that is not used does not come back: it could seem to be one of the vectors pushed
    /// from here on.
    fn forget_snapshot(&self) -> io::Result<()> {
        snapshot::delete(&self.folder)?;
        sync_directory(&self.folder)
    }
}

/// Rows that a file may have.
const NODES_MAX: usize = 1 << 28;

impl Placed {
    fn read(&self, file: &File, stride: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.rows.count as usize * stride];
        read_exact_at(file, &mut bytes, self.start as u64 * stride as u64)?;
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
