//! The vectors of an index: one graph per tensor field, each in a folder of its own.
//!
//! All of it is derived. A field's folder holds a snapshot of the vectors of all documents below a
//! watermark; at start the store has the others, and those of a field without a snapshot.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use pelorus_documents::FieldTensors;
use pelorus_hnsw::{HnswParams, SnapshotError, VectorIndex};
use pelorus_kernels::BitSet;

use crate::error::{EngineError, Result};
use crate::vector_fields::{self, FieldFolder};

/// A snapshot is worth writing when one vector in this many came or went since the last, ...
const CHANGED_ONE_IN: usize = 8;
/// ... and at least this many: fewer are read from the store in no time.
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
    /// The list of fields as it is in the directory; none if that is not known.
    listed: Mutex<Option<Vec<FieldFolder>>>,
    /// Whether files are not even tried until something is saved.
    in_memory: bool,
}

impl Vectors {
    /// Reads the snapshots in `directory`, which need not exist. The vectors of documents from
    /// [`tensors_from`](Self::tensors_from) on are to be [inserted](Self::insert), whether they
    /// are there or not, and what is no longer alive is to be [dropped](Self::keep).
    ///
    /// `next_doc` is the store's: what was saved beside a later state of it is of no use. A
    /// field whose files cannot be used begins anew, in memory where no file can be made.
    pub fn open(params: HnswParams, directory: PathBuf, next_doc: u32) -> Self {
        let list = vector_fields::read(&directory);
        let vectors = Self {
            params,
            directory,
            fields: RwLock::default(),
            listed: Mutex::new(list.clone()),
            in_memory: false,
        };
        for FieldFolder { name, folder } in list.unwrap_or_default() {
            let field = vectors.open_field(&name, folder, next_doc);
            vectors.fields.write().push((name, Arc::new(field)));
        }
        vectors
    }

    /// No vectors yet, and none in files until they are saved.
    pub fn in_memory(params: HnswParams, directory: PathBuf) -> Self {
        Self {
            params,
            directory,
            fields: RwLock::default(),
            listed: Mutex::default(),
            in_memory: true,
        }
    }

    fn open_field(&self, name: &str, folder: u32, next_doc: u32) -> FieldVectors {
        let path = self.path(folder);
        let reason = match VectorIndex::open(self.params.clone(), &path) {
            Ok((index, watermark)) if watermark <= next_doc => {
                return FieldVectors {
                    index,
                    folder,
                    watermark,
                };
            }
            Ok(_) => Some("they are newer than the documents".to_owned()),
            Err(SnapshotError::Missing) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason {
            log::warn!("the vectors of field {name:?} are rebuilt: {reason}");
        }
        self.new_field(name, folder)
    }

    fn new_field(&self, name: &str, folder: u32) -> FieldVectors {
        let path = self.path(folder);
        let params = self.params.clone();
        let index = match self.in_memory {
            true => VectorIndex::in_memory(params, &path),
            false => fs::create_dir_all(&path)
                .and_then(|()| VectorIndex::create(params, &path))
                .unwrap_or_else(|error| {
                    log::warn!(
                        "the vectors of field {name:?} are in memory until they are saved: {error}"
                    );
                    VectorIndex::in_memory(self.params.clone(), &path)
                }),
        };
        FieldVectors {
            index,
            folder,
            watermark: 0,
        }
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
    pub fn keep(&self, alive: &BitSet) {
        let mut fields = self.fields.write();
        for (_, field) in fields.iter() {
            let dead = field
                .index
                .docs()
                .into_iter()
                .filter(|&d| !alive.contains(d));
            dead.for_each(|doc| field.index.remove(doc));
        }
        fields.retain(|(_, field)| !field.index.is_empty());
        // What cannot be removed takes room until the next start, and does no harm.
        let _ = remove_other_folders(&self.directory, &fields);
    }

    /// Writes the list of fields, if it is not in the directory already. A field that is not
    /// listed has its vectors read from the store at the next start, as long as no snapshot is
    /// newer than the list.
    fn write_list(&self) -> io::Result<()> {
        let folder = |(name, field): &(String, Arc<FieldVectors>)| FieldFolder {
            name: name.clone(),
            folder: field.folder,
        };
        let mut listed = self.listed.lock();
        let list: Vec<FieldFolder> = self.fields().iter().map(folder).collect();
        if listed.as_ref() == Some(&list) {
            return Ok(());
        }
        // Until it is known whether the new list is there.
        *listed = None;
        fs::create_dir_all(&self.directory)?;
        vector_fields::write(&self.directory, &list)?;
        *listed = Some(list);
        Ok(())
    }

    /// Adds the vectors of one document version that are not there yet; only the applier does, and
    /// whoever opens the index.
    ///
    /// # Errors
    /// When a vector could not be written; some of the version's may be there then.
    pub fn insert(&self, doc: u32, tensors: &[FieldTensors]) -> Result<()> {
        for tensor in tensors {
            let field = self.field_or_new(&tensor.field);
            if doc < field.watermark {
                continue;
            }
            for (chunk, vector) in tensor.vectors.chunks_exact(self.params.dim).enumerate() {
                let pushed = field.index.push(vector, doc, chunk as u32);
                pushed.map_err(|error| EngineError::io("writing vectors", error))?;
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
            .map(|(_, field)| field.index.maintain(slice))
            .sum()
    }

    /// Vectors that wait to be linked.
    pub fn unlinked(&self) -> usize {
        let fields = self.fields.read();
        fields.iter().map(|(_, field)| field.index.unlinked()).sum()
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
        self.write_list()?;
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

    /// Ends all writing to files; searches go on.
    pub fn retire(&self) {
        for (_, field) in self.fields() {
            field.index.retire();
        }
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

    fn field_or_new(&self, name: &str) -> Arc<FieldVectors> {
        let find = |fields: &[(String, Arc<FieldVectors>)]| {
            let found = fields.iter().find(|(field, _)| field == name);
            found.map(|(_, field)| field.clone())
        };
        if let Some(field) = find(&self.fields.read()) {
            return field;
        }
        // Only one thread inserts. Searches do not wait for the disk.
        let folder = self
            .fields()
            .iter()
            .map(|(_, field)| field.folder + 1)
            .max();
        let field = Arc::new(self.new_field(name, folder.unwrap_or(0)));
        self.fields.write().push((name.to_owned(), field.clone()));
        field
    }
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
