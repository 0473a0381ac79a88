//! An index on disk: one file with everything but the full vectors, which have a file of their own.
//!
//! `graph.snapshot` is written whole, under another name that is then exchanged, and ends with a
//! checksum of all before. `vectors-N.bin` is only ever appended to; the snapshot says how many of
//! its rows count and what their checksums are. Numbers are little endian. Reading copies into
//! memory rather than mapping the file: every byte is read for its checksum anyway, and memory of
//! one's own may have huge pages, which searches are a fifth faster for.

mod draft;
mod format;
mod sections;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use pelorus_files::{Draft, draft_path, sync_directory};
use thiserror::Error;

use crate::HnswParams;
use crate::graph::Graph;
use crate::graph::maintenance::Maintenance;
use crate::storage::full_vectors::run_sums::RunSums;
use crate::storage::full_vectors::{self, FullVectors, FullVectorsError};
use crate::sync::AtomicBool;

use draft::DraftFile;
pub(crate) use draft::unless_retired;
use format::{Reader, Writer};
use sections::{Header, Sections};

const SNAPSHOT: &str = "graph.snapshot";

/// The reason that there is no index to be opened.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// No snapshot was ever saved here.
    #[error("there is no snapshot")]
    Missing,
    /// Another version of this program wrote it.
    #[error("the snapshot has format {received}, expected {expected}")]
    Version { expected: u8, received: u8 },
    /// It is of an index with other parameters. A metric and a numeric type are shown by their codes.
    #[error(
        "the snapshot was written with other parameters: {name} {received}, expected {expected}"
    )]
    Parameter {
        name: &'static str,
        expected: u64,
        received: u64,
    },
    /// Its bytes are not those written: the checksum at its end is another than that of its bytes.
    #[error("the snapshot is damaged: checksum mismatch, {received:08x}, expected {expected:08x}")]
    Checksum { expected: u32, received: u32 },
    /// It is whole, but its content is impossible.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// The full vectors that belong to it are missing or are not those written.
    #[error("the snapshot is damaged: {0}")]
    FullVectors(FullVectorsError),
    /// An error of the system.
    #[error("the snapshot cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The file of full vectors with a number.
pub(crate) fn vectors(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("vectors-{number}.bin"))
}

/// Deletes the snapshot in a folder.
pub(crate) fn delete(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(SNAPSHOT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Deletes the files of full vectors in a folder that no snapshot needs any more.
pub(crate) fn delete_other_vectors(folder: &Path, number: usize) -> io::Result<()> {
    let kept = vectors(folder, number);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("vectors-") && name.ends_with(".bin") && path != kept {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The number for the next file of full vectors in a folder: no file has it yet, not even one that
/// could not be deleted.
pub(crate) fn next_number(folder: &Path, number: usize) -> usize {
    let is_free = |&number: &usize| !vectors(folder, number).exists();
    (number + 1..).find(is_free).unwrap_or(number + 1)
}

/// Writes a snapshot of a graph that no thread links in, whose full vectors are in file `number`;
/// where they are not, or where that file cannot be relied on, they are written to another one,
/// whose number is answered. Calls `before_it_counts` once all of it is written, and before it takes the place of the
/// snapshot before. Stops with an error once `retired` is true.
///
/// # Errors
/// Errors of the system; the snapshot before and its files are all that is there then.
pub(crate) fn write(
    graph: &Graph,
    maintenance: &mut Maintenance,
    folder: &Path,
    number: usize,
    watermark: u32,
    retired: &AtomicBool,
    before_it_counts: impl FnOnce() -> io::Result<()>,
) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    // Codes come last when a vector is pushed, so these nodes are complete.
    let mut header = Header::of(graph, number, watermark);
    let full = graph.nodes.full();
    let mut copy = None;
    if full.has_sound_file() {
        full.sync()?;
    } else {
        header.file = next_number(folder, number);
        let path = vectors(folder, header.file);
        copy = Some(Draft::new(path.clone()));
        let mut file = DraftFile::create(&path, retired)?;
        full.copy_to(header.nodes, &mut file)?;
        file.sync()?;
    }
    let path = draft_path(&folder.join(SNAPSHOT));
    let mut draft = Draft::new(path.clone());
    let file = DraftFile::create(&path, retired)?;
    let mut writer = Writer::new(BufWriter::with_capacity(1 << 20, file));
    sections::write(graph, maintenance, &header, &mut writer)?;
    let mut file = writer.finish()?;
    file.flush()?;
    file.get_ref().sync()?;
    drop(file);
    before_it_counts()?;
    draft.rename(&folder.join(SNAPSHOT))?;
    draft.keep();
    if let Some(copy) = copy {
        copy.keep();
    }
    sync_directory(folder)?;
    Ok(header.file)
}

/// The graph of the snapshot in a folder, its watermark, and the number of the file that holds its
/// full vectors. Nodes of documents from the watermark on are dead.
pub(crate) fn read(
    params: HnswParams,
    folder: &Path,
) -> Result<(Graph, u32, usize), SnapshotError> {
    let (header, sums, mut reader) = head(&params, folder)?;
    let first = sections::read_first(&params, folder, &header, &mut reader)?;
    let path = vectors(folder, header.file);
    let HnswParams { dim, numeric, .. } = params;
    let open = |each: &(dyn Fn(usize, &[f32]) + Sync)| {
        FullVectors::open(&path, dim, numeric, header.nodes, &sums, each)
    };
    // SAFETY: it hands over each vector once, and no more once it has returned.
    let open = || unsafe { first.encode_while(header.nodes, open) };
    let (graph, full) = beside(open, || sections::read_graph(&params, &header, &mut reader));
    let full = full.map_err(of_full_vectors)?;
    let graph = graph?;
    reader.finish()?;
    let sections = Sections { first, graph };
    let owners = sections.owners(&header);
    let graph = sections.onto(params, full, &header, &owners);
    Ok((graph, header.watermark, header.file))
}

/// The number of the file of full vectors that the snapshot in a folder is of.
pub(crate) fn file_number(params: &HnswParams, folder: &Path) -> Result<usize, SnapshotError> {
    Ok(head(params, folder)?.0.file)
}

/// The contents of a snapshot beside the full vectors.
pub(crate) struct Parts {
    header: Header,
    sums: Vec<u32>,
    sections: Sections,
}

/// The snapshot in a folder, if its full vectors are those in the open file `number`, all of which
/// are compared.
pub(crate) fn read_parts(
    params: &HnswParams,
    folder: &Path,
    number: usize,
    file: &File,
) -> Result<Parts, SnapshotError> {
    let (header, sums, mut reader) = head(params, folder)?;
    if header.file != number {
        return Err(SnapshotError::Damaged("it is of another file of vectors"));
    }
    let first = sections::read_first(params, folder, &header, &mut reader)?;
    let HnswParams { dim, numeric, .. } = *params;
    let compare = |each: &(dyn Fn(usize, &[f32]) + Sync)| {
        full_vectors::compare(file, dim, numeric, header.nodes, &sums, each)
    };
    // SAFETY: it hands over each vector once, and no more once it has returned.
    let compare = || unsafe { first.encode_while(header.nodes, compare) };
    let (graph, compared) = beside(compare, || {
        sections::read_graph(params, &header, &mut reader)
    });
    compared.map_err(of_full_vectors)?;
    let graph = graph?;
    reader.finish()?;
    let sections = Sections { first, graph };
    Ok(Parts {
        header,
        sums,
        sections,
    })
}

impl Parts {
    pub fn watermark(&self) -> u32 {
        self.header.watermark
    }

    pub fn nodes(&self) -> usize {
        self.header.nodes
    }

    /// The document and chunk of each node.
    pub fn owners(&self) -> Vec<(u32, u32)> {
        self.sections.owners(&self.header)
    }

    /// Checksums that go on after its nodes.
    pub fn sums(&self) -> RunSums {
        RunSums::resume(self.header.nodes, &self.sums)
    }

    /// The graph of all this and the full vectors, the first of which are its nodes, each with its
    /// document and chunk.
    pub fn onto(self, params: HnswParams, full: FullVectors, owners: &[(u32, u32)]) -> Graph {
        self.sections.onto(params, full, &self.header, owners)
    }
}

type SnapshotReader = Reader<BufReader<File>>;

/// Reads the beginning of the snapshot in a folder; returns it with the reader of the rest.
fn head(
    params: &HnswParams,
    folder: &Path,
) -> Result<(Header, Vec<u32>, SnapshotReader), SnapshotError> {
    let mut file = match File::open(folder.join(SNAPSHOT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(SnapshotError::Missing);
        }
        file => file?,
    };
    // First of all, so that memory is taken only for counts that were written.
    format::verify(&mut file)?;
    let mut reader = Reader::new(BufReader::with_capacity(1 << 20, file));
    let header = Header::read(params, &mut reader)?;
    let sums = sections::read_sums(&header, &mut reader)?;
    Ok((header, sums, reader))
}

/// Does two things at once: the snapshot and the file of full vectors are each as long as several
/// seconds of a slow disk.
fn beside<A, B: Send>(other: impl FnOnce() -> B + Send, this: impl FnOnce() -> A) -> (A, B) {
    let (this, other) = std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (this(), other.join())
    });
    let other = other.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    (this, other)
}

fn of_full_vectors(error: FullVectorsError) -> SnapshotError {
    match error {
        FullVectorsError::Io(error) if error.kind() != io::ErrorKind::NotFound => error.into(),
        error => SnapshotError::FullVectors(error),
    }
}
