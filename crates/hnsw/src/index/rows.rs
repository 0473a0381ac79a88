//! Rows of full vectors that something outside the index refers to.

use std::io;

use super::VectorIndex;
use super::folder::Rows;
use crate::graph::Graph;
use crate::storage::opening::{RowsError, StoredRows};
use crate::storage::row_manifest::RowManifest;
use crate::storage::snapshot::unless_retired;
use crate::sync::Ordering;

impl VectorIndex {
    /// Sees to it that the rows that were pushed so far are found after power loss, even when there is
    /// no snapshot: that they may be kept nowhere else. Answers the number of the row after them.
    ///
    /// # Errors
    /// Errors of the system, and where the rows are in memory or in a file that could not be synced
    /// once: they must be kept elsewhere then.
    ///
    /// # Panics
    /// If the index has no folder.
    pub fn secure(&self) -> io::Result<u64> {
        let folder = self.folder.as_ref().expect("an index with a folder");
        let mut rows = self.exclusive.lock();
        unless_retired(&folder.retired)?;
        let graph = self.graph.load_full();
        let full = graph.nodes.full();
        if !full.has_sound_file() {
            return Err(io::Error::other("the vectors have no file to rely on"));
        }
        let len = full.len();
        full.sync()?;
        let number = folder.vectors.load(Ordering::Relaxed);
        if *rows != Rows::Named(number) || self.aside_is_unnamed.load(Ordering::Acquire) {
            self.name_rows(&mut rows, number, &graph)?;
        }
        Ok(graph.numbers.number(len))
    }

    /// Writes a manifest that names the file `number`, in which the rows of `graph` are durable, and all that is set
    /// aside. The file that was named before may be deleted then.
    pub(super) fn name_rows(
        &self,
        rows: &mut Rows,
        number: usize,
        graph: &Graph,
    ) -> io::Result<()> {
        let folder = self.folder.as_ref().expect("an index with a folder");
        *rows = Rows::Unknown;
        // First: rows set aside from here on are named the next time.
        self.aside_is_unnamed.store(false, Ordering::Release);
        let manifest = RowManifest {
            file: number,
            numbers: graph.numbers.clone(),
            aside: self.aside(),
        };
        manifest.write(&folder.path)?;
        *rows = Rows::Named(number);
        Ok(())
    }

    /// Writes the manifest where it was found damaged, or names fewer rows than are set aside.
    pub(super) fn name_rows_again(&self) -> io::Result<()> {
        let folder = self.folder.as_ref().expect("an index with a folder");
        let mut rows = self.exclusive.lock();
        match *rows {
            Rows::Unknown => {
                let number = folder.vectors.load(Ordering::Relaxed);
                self.name_rows(&mut rows, number, &self.graph.load_full())
            }
            Rows::Derived | Rows::Named(_) => Ok(()),
        }
    }

    /// Rows of documents whose bytes are not those written. No search finds them.
    pub fn aside(&self) -> Vec<StoredRows> {
        self.aside.lock().clone()
    }

    /// Sets rows aside whose bytes were found not to be those written: no search that starts later finds them.
    pub fn set_aside(&self, rows: StoredRows) {
        let mut aside = self.aside.lock();
        if aside.contains(&rows) {
            return;
        }
        aside.push(rows);
        drop(aside);
        // Before any snapshot can leave them out.
        self.aside_is_unnamed.store(true, Ordering::Release);
        self.remove_nodes(rows.doc);
    }

    /// The rows of a document whose vectors, as they are stored, are `bytes`: none where they are not
    /// these, one after the other. They are found under these numbers for as long as the document is not
    /// removed.
    pub fn rows_of(&self, doc: u32, bytes: &[u8]) -> Option<StoredRows> {
        let graph = self.graph.load();
        let full = graph.nodes.full();
        let mut nodes: Vec<u32> = graph.nodes.nodes_of(doc, graph.nodes.len()).collect();
        nodes.reverse();
        let start = *nodes.first()?;
        let mut rest = bytes;
        for (chunk, &node) in (0..).zip(&nodes) {
            let row;
            (row, rest) = rest.split_at_checked(full.stored(node as usize).len())?;
            let is_next = node == start + chunk && graph.nodes.chunk(node) == chunk;
            if !is_next || row != full.stored(node as usize) {
                return None;
            }
        }
        rest.is_empty().then(|| StoredRows {
            doc,
            first: graph.numbers.number(start as usize),
            count: nodes.len() as u32,
            checksum: crc32fast::hash(bytes),
        })
    }

    /// Appends the bytes of the vectors in some rows to `out`, as they are stored: components in
    /// little-endian order.
    ///
    /// # Errors
    /// Where they are not there, or their bytes are not those written.
    pub fn copy_rows(&self, rows: &StoredRows, out: &mut Vec<u8>) -> Result<(), RowsError> {
        let graph = self.graph.load();
        let full = graph.nodes.full();
        let unlisted = RowsError::Unlisted {
            doc: rows.doc,
            row: rows.first,
        };
        let places = graph.numbers.places(rows.first, rows.count as usize);
        let Some(places) = places.filter(|places| places.end <= full.len()) else {
            return Err(unlisted);
        };
        let start = out.len();
        for place in places {
            out.extend_from_slice(full.stored(place));
        }
        let (expected, received) = (rows.checksum, crc32fast::hash(&out[start..]));
        if expected != received {
            out.truncate(start);
            return Err(RowsError::Checksum {
                doc: rows.doc,
                row: rows.first,
                expected,
                received,
            });
        }
        Ok(())
    }
}
