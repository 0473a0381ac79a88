//! The vectors of an index: one graph per tensor field, each in a folder of its own.
//!
//! A field's folder holds a file with the vectors as rows, and a snapshot of the graph of all documents
//! below a watermark. At first all of it is derived: at start the store has the vectors of the other
//! documents, and of all in a field without a snapshot. Once the store refers to rows in the place of
//! vectors (`row_references`), these rows are as dear as the store; the snapshot remains derived. The
//! *places* are the fields of which that is true, with their folders, as the store knows them.
//!
//! Rows whose bytes are not those written any more are *damaged*: no search finds them, and whoever asks for them is
//! told. Where not one row of a place can be read its folder is *parked*: nothing in it is changed, so that it may come
//! back, and the field goes on in another one, of which nothing is referred to meanwhile.

mod damaged;
pub(crate) mod fields;
mod opening;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use pelorus_documents::{FieldTensors, RowReference};
use pelorus_files::{sync_directory, sync_parent};
use pelorus_hnsw::{HnswParams, RowsError, StoredRows, VectorIndex};
use pelorus_kernels::BitSet;
use pelorus_store::StoreError;

use self::damaged::Damaged;
use self::fields::FieldFolder;
use crate::error::{EngineError, Result};

pub(crate) use self::damaged::VectorDamage;

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

impl FieldVectors {
    fn new(index: VectorIndex, folder: u32, watermark: u32) -> Self {
        Self {
            index,
            folder,
            watermark,
        }
    }
}

/// Every tensor field that holds vectors, in the order in which they were first seen.
pub(crate) struct Vectors {
    params: HnswParams,
    directory: PathBuf,
    fields: RwLock<Vec<(String, Arc<FieldVectors>)>>,
    /// The list of fields as it is in the directory; none if that is not known.
    listed: Mutex<Option<Vec<FieldFolder>>>,
    /// The fields whose rows the store refers to.
    places: Mutex<Vec<FieldFolder>>,
    damaged: Damaged,
    /// Tells whether files are not even tried until something is saved.
    in_memory: bool,
}

impl Vectors {
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
        FieldVectors::new(index, folder, 0)
    }

    fn path(&self, folder: u32) -> PathBuf {
        self.directory.join(folder.to_string())
    }

    /// The first document whose tensors are needed to complete the snapshots that were read.
    pub fn tensors_from(&self) -> u32 {
        let fields = self.fields();
        let watermarks = fields.iter().map(|(_, field)| field.watermark);
        watermarks.min().unwrap_or(0)
    }

    /// Drops vectors that belong to no document of `alive`, fields that are empty then and whose rows nothing refers
    /// to, and files that belong to no field.
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
        let places = self.places.lock();
        fields.retain(|(_, field)| {
            !field.index.is_empty() || places.iter().any(|place| place.folder == field.folder)
        });
        self.damaged.keep(alive);
        let mut folders: Vec<u32> = fields.iter().map(|(_, field)| field.folder).collect();
        folders.extend(self.damaged.parked().iter().map(|place| place.folder));
        // A folder that cannot be removed takes room until the next start, and does no harm.
        let _ = remove_other_folders(&self.directory, &folders);
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
        fields::write(&self.directory, &list)?;
        *listed = Some(list);
        Ok(())
    }

    /// Adds the vectors of one document version that are not there yet; only the writer does, and
    /// whoever opens the index.
    ///
    /// # Errors
    /// When a vector could not be written; some of the version's may be there then.
    pub fn insert(&self, doc: u32, tensors: &[FieldTensors]) -> Result<()> {
        for tensor in tensors {
            debug_assert_eq!(
                tensor.vectors.len(),
                tensor.chunks.len() * self.params.dim,
                "each chunk has a vector of the index's dimensions"
            );
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
        self.damaged.remove(dead);
    }

    /// Links up to `slice` nodes of each field into its graph; gives the nodes left.
    pub fn advance(&self, slice: usize) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.maintain(slice))
            .sum()
    }

    /// The same, new ones in haste.
    pub fn advance_in_haste(&self, slice: usize) -> usize {
        let fields = self.fields();
        let maintain = |(_, field): &(_, Arc<FieldVectors>)| field.index.maintain_in_haste(slice);
        fields.iter().map(maintain).sum()
    }

    /// Links up to `slice` nodes of each field in haste, unless that would wait for other work; gives how many.
    pub fn link(&self, slice: usize) -> usize {
        let fields = self.fields();
        fields
            .iter()
            .map(|(_, field)| field.index.link(slice))
            .sum()
    }

    /// Repairs up to `slice` nodes of each field of which so many were removed that searches find their way ever worse.
    pub fn sweep_overdue(&self, slice: usize) {
        for (_, field) in &self.fields() {
            field.index.sweep_overdue(slice);
        }
    }

    /// Vectors that wait to be linked.
    pub fn unlinked(&self) -> usize {
        let fields = self.fields.read();
        fields.iter().map(|(_, field)| field.index.unlinked()).sum()
    }

    /// Vectors that are linked and are to be linked better.
    pub fn to_relink(&self) -> usize {
        let fields = self.fields.read();
        let to_relink = |(_, field): &(_, Arc<FieldVectors>)| field.index.to_relink();
        fields.iter().map(to_relink).sum()
    }

    /// Tells whether so much changed that a restart would notice: vectors that came or went, or, `at_rest`, were linked
    /// better.
    pub fn is_worth_saving(&self, at_rest: bool) -> bool {
        self.fields().iter().any(|(_, field)| {
            let enough = (field.index.len() / CHANGED_ONE_IN).max(CHANGED_MIN);
            field.index.unsaved() >= enough || at_rest && field.index.relinked() >= enough
        })
    }

    /// Writes snapshots of the fields that changed. All documents below `watermark` are durable
    /// and were inserted. Linking waits meanwhile, nothing else does.
    ///
    /// # Errors
    /// Errors of the system; the snapshots before are still there then.
    pub fn save(&self, watermark: u32) -> io::Result<()> {
        self.write_list()?;
        for (_, field) in self.fields() {
            if field.index.unsaved() > 0 || field.index.relinked() > 0 {
                field.index.save(watermark)?;
            }
        }
        Ok(())
    }

    pub fn fields(&self) -> Vec<(String, Arc<FieldVectors>)> {
        self.fields.read().clone()
    }

    pub fn has_field(&self, name: &str) -> bool {
        self.fields.read().iter().any(|(field, _)| field == name)
    }

    pub fn names(&self) -> Vec<String> {
        let fields = self.fields.read();
        fields.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Sees to it that the rows that were pushed so far are found after power loss. Gives the fields they belong to,
    /// each with the number of the row after them; none of the parked ones.
    ///
    /// # Errors
    /// Errors of the system; also where the vectors of a field are in memory.
    pub fn secure(&self) -> io::Result<Vec<(FieldFolder, u64)>> {
        let parked = self.damaged.parked();
        let is_parked = |name: &String| parked.iter().any(|place| place.name == *name);
        let mut secured = Vec::new();
        for (name, field) in self.fields() {
            if is_parked(&name) {
                continue;
            }
            let end = field.index.secure()?;
            let folder = field.folder;
            secured.push((FieldFolder { name, folder }, end));
        }
        let known = self.places.lock().clone();
        if secured.iter().any(|(field, _)| !known.contains(field)) {
            // Their folders are to be found, too.
            sync_directory(&self.directory)?;
            sync_parent(&self.directory)?;
        }
        Ok(secured)
    }

    /// Notes which fields' rows the store refers to.
    pub fn note_places(&self, places: Vec<FieldFolder>) {
        *self.places.lock() = places;
    }

    /// The rows with the vectors of a document, as [`VectorIndex::rows_of`] finds them.
    pub fn rows_of(&self, name: &str, doc: u32, bytes: &[u8]) -> Option<StoredRows> {
        self.field(name)?.index.rows_of(doc, bytes)
    }

    /// The places that are parked: the store goes on referring to them.
    pub fn parked(&self) -> Vec<FieldFolder> {
        self.damaged.parked()
    }

    /// Appends the bytes of rows that the store refers to, and as many zeros where they are damaged; tells whether
    /// they are whole.
    ///
    /// # Errors
    /// The error that the system ran into.
    pub fn copy_rows(
        &self,
        name: &str,
        doc: u32,
        reference: RowReference,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let rows = stored_rows(doc, reference);
        debug_assert_eq!(rows.count as usize, reference.count);
        let field = self.field(name);
        if !self.damaged.is(name, doc)
            && let Some(field) = field
        {
            match field.index.copy_rows(&rows, out) {
                Ok(()) => return Ok(true),
                Err(error) if !error.is_damage() => return Err(rows_error(name, error)),
                Err(error) => {
                    log::error!("vectors of field {name:?} are set aside: {error}");
                    self.damaged.note(name, doc);
                    field.index.set_aside(rows);
                }
            }
        }
        let stride = self.params.numeric.row_bytes(self.params.dim);
        out.resize(out.len() + stride * reference.count, 0);
        Ok(false)
    }

    /// The fields of a document whose vectors are damaged.
    pub fn damaged_fields(&self, doc: u32) -> Vec<String> {
        self.damaged.fields_of(doc)
    }

    /// The documents that have damaged vectors, counted, with the fields that these belong to, and one of the
    /// documents; none where there is no damage among `alive`.
    pub fn damage(&self, alive: &BitSet) -> Option<VectorDamage> {
        self.damaged.among(alive)
    }

    /// The number of fields.
    pub fn field_count(&self) -> usize {
        self.fields.read().len()
    }

    /// Ends all writing to files; searches go on.
    pub fn retire(&self) {
        for (_, field) in self.fields() {
            field.index.retire();
        }
    }

    /// The vectors of one document version that are there, over all fields.
    pub fn count_of(&self, doc: u32) -> usize {
        let fields = self.fields.read();
        fields
            .iter()
            .map(|(_, field)| field.index.count_of(doc))
            .sum()
    }

    /// Vectors over all fields, those of dead versions that a reader may still see among them.
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

    fn field(&self, name: &str) -> Option<Arc<FieldVectors>> {
        let fields = self.fields.read();
        let found = fields.iter().find(|(field, _)| field == name);
        found.map(|(_, field)| field.clone())
    }

    fn field_or_new(&self, name: &str) -> Arc<FieldVectors> {
        if let Some(field) = self.field(name) {
            return field;
        }
        // Only one thread inserts. Searches do not wait for the disk.
        let field = Arc::new(self.new_field(name, self.free_folder()));
        self.fields.write().push((name.to_owned(), field.clone()));
        field
    }

    /// A folder that no field has, nor has had since the index was opened.
    fn free_folder(&self) -> u32 {
        let fields = self.fields();
        let folders = fields.iter().map(|(_, field)| field.folder);
        let places = self.places.lock().clone();
        let places = places.into_iter().chain(self.damaged.parked());
        let folders = folders.chain(places.map(|place| place.folder));
        folders.max().map_or(0, |last| last + 1)
    }
}

fn stored_rows(doc: u32, reference: RowReference) -> StoredRows {
    StoredRows {
        doc,
        first: reference.first,
        count: reference.count as u32,
        checksum: reference.checksum,
    }
}

/// Turns an error of rows that the store refers to into one of the store.
fn rows_error(field: &str, error: RowsError) -> EngineError {
    let place = format!("the vectors of field {field:?}");
    let error = match error {
        RowsError::Io(source) => StoreError::Io {
            path: place.into(),
            source,
        },
        damage => StoreError::Damaged {
            place,
            reason: damage.to_string(),
        },
    };
    error.into()
}

/// Deletes the snapshots of all fields that are kept in `directory`.
pub(crate) fn forget_snapshots(directory: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            VectorIndex::forget_snapshot(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_other_folders(directory: &Path, folders: &[u32]) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let belongs = |folder: &u32| name.to_str() == Some(folder.to_string().as_str());
        if entry.file_type()?.is_dir() && !folders.iter().any(belongs) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
