use std::io;
use std::path::PathBuf;

use pelorus_files::Draft;

use crate::HnswParams;
use crate::graph::Graph;
use crate::storage::full_vectors::FullVectors;
use crate::storage::snapshot::{self, unless_retired};
use crate::sync::{AtomicBool, AtomicUsize, Ordering};

/// The folder of an index.
pub(super) struct Folder {
    pub path: PathBuf,
    /// The number of the file that holds the full vectors. Compaction begins a new one.
    pub vectors: AtomicUsize,
    /// Once true, nothing in the folder is made, changed or deleted any more.
    pub retired: AtomicBool,
}

/// The state of the rows in a folder, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// All of them can be made anew: there is no manifest.
    Derived,
    /// The manifest names the file with this number, and will after power loss.
    Named(usize),
    /// A manifest could not be replaced for certain: it names the file before or the new one, both of
    /// which are kept. Or it was found damaged.
    Unknown,
}

impl Folder {
    /// The full vectors to which a compaction of `old` copies: a new file with its number, or
    /// memory, if that is where they are and no file can be made.
    pub fn new_vectors(&self, old: &Graph) -> io::Result<(Option<(usize, Draft)>, FullVectors)> {
        unless_retired(&self.retired)?;
        let HnswParams { dim, numeric, .. } = old.params;
        let number = snapshot::next_number(&self.path, self.vectors.load(Ordering::Relaxed));
        let path = snapshot::vectors(&self.path, number);
        let draft = Draft::new(path.clone());
        match FullVectors::create(&path, dim, numeric) {
            Ok(full) => Ok((Some((number, draft)), full)),
            Err(_) if old.nodes.full().resident_bytes() > 0 => {
                Ok((None, FullVectors::in_memory(dim, numeric)))
            }
            Err(error) => Err(error),
        }
    }
}
