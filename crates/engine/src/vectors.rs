//! The vectors of an index: one graph per tensor field, each in a folder of its own.
//!
//! All of it is derived. A field's folder holds a snapshot of the vectors of all documents below a
//! watermark; at start the truth has the others, and those of a field without a snapshot.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use pelorus_hnsw::{HnswParams, SnapshotError, VectorIndex};
use pelorus_kernels::BitSet;

use crate::error::{EngineError, Result};
use crate::tensors::FieldTensors;
use crate::vector_fields::{self, FieldFolder};

/// A snapshot is worth writing when one vector in this many came or went since the last, ...
const CHANGED_ONE_IN: usize = 8;
/// ... and at least this many: fewer are read from the truth in no time.
const CHANGED_MIN: usize = 1024;

/// The vectors of one tensor field.
pub(crate) struct FieldVectors {
    pub index: VectorIndex,
    folder: u32,
    /// Vectors of documents below this came from the snapshot.
    watermark: u32,
}

/// Every tensor field that holds vectors, in the order in which they were first seen.
pub(crate) struct Vectors {
    params: HnswParams,
    directory: PathBuf,
    fields: RwLock<Vec<(String, Arc<FieldVectors>)>>,
}

impl Vectors {
    /// Reads the snapshots in `directory`, which need not exist. The vectors of documents from
    /// [`tensors_from`](Self::tensors_from) on are to be [inserted](Self::insert), whether they
    /// are there or not, and what is no longer alive is to be [dropped](Self::keep).
    ///
    /// `next_doc` is the truth's: what was saved beside a later state of it is of no use.
    ///
    /// # Errors
    /// When new files cannot be made in place of those that cannot be read.
    pub fn open(params: HnswParams, directory: PathBuf, next_doc: u32) -> Result<Self> {
        let list = vector_fields::read(&directory).unwrap_or_default();
        let vectors = Self {
            params,
            directory,
            fields: RwLock::default(),
        };
        for FieldFolder { name, folder } in list {
            let field = vectors.open_field(&name, folder, next_doc);
            vectors
                .fields
                .write()
                .push((name, Arc::new(field.map_err(failed)?)));
        }
        Ok(vectors)
    }

    fn open_field(&self, name: &str, folder: u32, next_doc: u32) -> io::Result<FieldVectors> {
        let path = self.path(folder);
        let reason = match VectorIndex::open(self.params.clone(), &path) {
            Ok((index, watermark)) if watermark <= next_doc => {
                return Ok(FieldVectors {
                    index,
                    folder,
                    watermark,
                });
            }
            Ok(_) => Some("they are of a later state than the documents".to_owned()),
            Err(SnapshotError::Missing) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason {
            eprintln!("pelorus: the vectors of field {name:?} are rebuilt: {reason}");
        }
        self.new_field(folder)
    }

    fn new_field(&self, folder: u32) -> io::Result<FieldVectors> {
        let path = self.path(folder);
        fs::create_dir_all(&path)?;
        Ok(FieldVectors {
            index: VectorIndex::create(self.params.clone(), &path)?,
            folder,
            watermark: 0,
        })
    }

    fn path(&self, folder: u32) -> PathBuf {
        self.directory.join(folder.to_string())
    }

    /// The first document whose tensors are needed to complete what was read from snapshots.
    pub fn tensors_from(&self) -> u32 {
        let fields = self.fields();
        let watermarks = fields.iter().map(|(_, field)| field.watermark);
        watermarks.min().unwrap_or(0)
    }

    /// Drops what belongs to no document of `alive`, fields that are empty then, and files that
    /// belong to no field.
    ///
    /// # Errors
    /// When the list of fields cannot be written.
    pub fn keep(&self, alive: &BitSet) -> Result<()> {
        let mut fields = self.fields.write();
        for (_, field) in fields.iter() {
            let dead = field
                .index
                .docs()
                .into_iter()
                .filter(|&d| !alive.contains(d));
            dead.for_each(|doc| field.index.remove(doc));
        }
        let before = fields.len();
        fields.retain(|(_, field)| !field.index.is_empty());
        if fields.len() < before {
            self.write_list(&fields).map_err(failed)?;
        }
        // What cannot be removed takes room until the next start, and does no harm.
        let _ = remove_other_folders(&self.directory, &fields);
        Ok(())
    }

    fn write_list(&self, fields: &[(String, Arc<FieldVectors>)]) -> io::Result<()> {
        let folder = |(name, field): &(String, Arc<FieldVectors>)| FieldFolder {
            name: name.clone(),
            folder: field.folder,
        };
        let list: Vec<FieldFolder> = fields.iter().map(folder).collect();
        vector_fields::write(&self.directory, &list)
    }

    /// Adds the vectors of one document version that are not there yet; only the applier does, and
    /// whoever opens the index.
    ///
    /// # Errors
    /// When a vector could not be written; some of the version's may be there then.
    pub fn insert(&self, doc: u32, tensors: &[FieldTensors]) -> Result<()> {
        for tensor in tensors {
            let field = self.field_or_new(&tensor.field).map_err(failed)?;
            if doc < field.watermark {
                continue;
            }
            for (chunk, vector) in tensor.vectors.chunks_exact(self.params.dim).enumerate() {
                let pushed = field.index.push(vector, doc, chunk as u32);
                pushed.map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Takes out the vectors of versions that no reader sees any more.
    pub fn remove(&self, dead: &[u32]) {
        for (_, field) in self.fields() {
            dead.iter().for_each(|&doc| field.index.remove(doc));
        }
    }

    /// Links up to `slice` nodes of each field into its graph; gives the nodes left.
    pub fn advance(&self, slice: usize) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.advance(slice))
            .sum()
    }

    /// Whether so much changed that a restart would notice.
    pub fn is_worth_saving(&self) -> bool {
        self.fields().iter().any(|(_, field)| {
            let enough = (field.index.len() / CHANGED_ONE_IN).max(CHANGED_MIN);
            field.index.unsaved() >= enough
        })
    }

    /// Writes snapshots of the fields that changed. All documents below `watermark` are durable
    /// and were inserted. Linking waits meanwhile, nothing else does.
    ///
    /// # Errors
    /// What the system ran into; the snapshots before are still there then.
    pub fn save(&self, watermark: u32) -> io::Result<()> {
        for (_, field) in self.fields() {
            if field.index.unsaved() > 0 {
                field.index.save(watermark)?;
            }
        }
        Ok(())
    }

    pub fn fields(&self) -> Vec<(String, Arc<FieldVectors>)> {
        self.fields.read().clone()
    }

    pub fn names(&self) -> Vec<String> {
        self.fields
            .read()
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// How many fields there are.
    pub fn field_count(&self) -> usize {
        self.fields.read().len()
    }

    /// Live vectors over all fields.
    pub fn len(&self) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.len())
            .sum()
    }

    pub fn memory_bytes(&self) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.memory_bytes())
            .sum()
    }

    fn field_or_new(&self, name: &str) -> io::Result<Arc<FieldVectors>> {
        let find = |fields: &[(String, Arc<FieldVectors>)]| {
            let found = fields.iter().find(|(field, _)| field == name);
            found.map(|(_, field)| field.clone())
        };
        if let Some(field) = find(&self.fields.read()) {
            return Ok(field);
        }
        // Only one thread inserts. Searches do not wait for the disk.
        let mut fields = self.fields();
        let folder = fields.iter().map(|(_, field)| field.folder + 1).max();
        let field = Arc::new(self.new_field(folder.unwrap_or(0))?);
        fields.push((name.to_owned(), field.clone()));
        self.write_list(&fields)?;
        *self.fields.write() = fields;
        Ok(field)
    }
}

fn failed(error: io::Error) -> EngineError {
    EngineError::internal(format!("vectors: {error}"))
}

fn remove_other_folders(
    directory: &Path,
    fields: &[(String, Arc<FieldVectors>)],
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let belongs = |folder: u32| name.to_str() == Some(folder.to_string().as_str());
        if entry.file_type()?.is_dir() && !fields.iter().any(|(_, field)| belongs(field.folder)) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
