//! Files of an index, looked at without an index: for whoever checks them while nobody uses them. Nothing is written.

use std::fs::File;
use std::path::Path;

use pelorus_files::read_exact_at;

use crate::HnswParams;
use crate::storage::full_vectors::stride;
use crate::storage::opening::{RowsError, StoredRows};
use crate::storage::row_manifest::{FoundManifests, RowManifest};
use crate::storage::snapshot::{self, SnapshotError};

/// The rows of a folder that something outside of it refers to.
pub struct RowFiles {
    /// Those of one copy of the list, and those of the other where it differs.
    files: Vec<(File, RowManifest)>,
    is_whole: bool,
    stride: usize,
}

impl RowFiles {
    /// Opens the files that the list of rows names.
    ///
    /// # Errors
    /// As [`RowsError`] says, where there is no list, or not one of its files.
    pub fn open(params: &HnswParams, folder: &Path) -> Result<Self, RowsError> {
        let FoundManifests {
            manifests,
            is_whole,
        } = RowManifest::read(folder)?;
        let mut files = Vec::new();
        let mut missing = None;
        for manifest in manifests {
            let path = snapshot::vectors(folder, manifest.file);
            match File::open(&path) {
                Ok(file) => files.push((file, manifest)),
                Err(error) => missing = Some(error),
            }
        }
        match (files.is_empty(), missing) {
            (true, Some(error)) => Err(RowsError::of_io(error)),
            _ => Ok(Self {
                files,
                is_whole,
                stride: stride(params.dim, params.numeric),
            }),
        }
    }

    /// Tells whether both copies of the list are there and say the same.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Compares rows with their checksum.
    ///
    /// # Errors
    /// As [`RowsError`] says.
    pub fn check(&self, rows: &StoredRows) -> Result<(), RowsError> {
        let mut outcome = Err(RowsError::NoManifest);
        for (file, manifest) in &self.files {
            outcome = self.check_in(file, manifest, rows);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    fn check_in(
        &self,
        file: &File,
        manifest: &RowManifest,
        rows: &StoredRows,
    ) -> Result<(), RowsError> {
        let StoredRows {
            doc,
            first: row,
            count,
            checksum: expected,
        } = *rows;
        let places = manifest.numbers.places(row, count as usize);
        let places = places.ok_or(RowsError::Unlisted { doc, row })?;
        let mut bytes = vec![0; places.len() * self.stride];
        match read_exact_at(file, &mut bytes, (places.start * self.stride) as u64) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(RowsError::Unlisted { doc, row });
            }
            read => read?,
        }
        let received = crc32fast::hash(&bytes);
        match received == expected {
            true => Ok(()),
            false => Err(RowsError::Checksum {
                doc,
                row,
                expected,
                received,
            }),
        }
    }
}

/// Reads the graph in a folder and the vectors that it is of, and compares all of their bytes; the number of vectors.
///
/// # Errors
/// As [`SnapshotError`] says; [`SnapshotError::Missing`] where there is none.
pub fn inspect_graph(params: &HnswParams, folder: &Path) -> Result<usize, SnapshotError> {
    let number = snapshot::file_number(params, folder)?;
    let file = File::open(snapshot::vectors(folder, number))?;
    Ok(snapshot::read_parts(params, folder, number, &file)?.nodes())
}
