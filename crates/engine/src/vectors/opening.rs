//! From files, and from rows that the store refers to, to the vectors of an index.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use pelorus_documents::{DocumentsError, decode_references};
use pelorus_hnsw::{HnswParams, Opening, RowsError, SnapshotError, StoredRows, VectorIndex};
use pelorus_store::{ReadView, StoreError};

use super::{Damaged, FieldVectors, Vectors, rows_error, stored_rows};
use crate::error::{EngineError, Result};
use crate::vectors::fields::{self, FieldFolder};

/// A field whose rows the store refers to, while it is opened.
struct FieldOpening {
    field: FieldFolder,
    /// The reason that not one of its rows can be read, where that is known already.
    opening: std::result::Result<Opening, RowsError>,
    /// The stored rows that are known besides the snapshot.
    rows: Vec<StoredRows>,
}

impl FieldOpening {
    /// The document before which nothing has to be said of its rows.
    fn watermark(&self) -> u32 {
        self.opening.as_ref().map_or(0, Opening::watermark)
    }
}

impl Vectors {
    /// Reads the files in `directory`, which need not exist. The vectors of documents from
    /// [`tensors_from`](Self::tensors_from) on that the store has itself are to be [inserted](Self::insert), whether
    /// they are there or not, and those that are no longer alive are to be [dropped](Self::keep).
    ///
    /// Files saved beside a later state of the store are of no use. A field whose files cannot be used begins anew, in
    /// memory where no file can be made. `before` are the same vectors that were opened before and
    /// [retired](Self::retire), where they are still read.
    ///
    /// Rows that the store refers to and whose bytes are not those written are [damaged](Self::damage), and all others
    /// serve.
    ///
    /// # Errors
    /// Where the system refuses to read rows that the store refers to.
    pub fn open(
        params: HnswParams,
        directory: PathBuf,
        read: &ReadView,
        before: Option<&Self>,
    ) -> Result<Self> {
        let next_doc = read.next_doc()?;
        let list = fields::read(&directory);
        let vectors = Self::without_fields(params, directory, list.clone(), false);
        let mut openings = vectors.begin(read)?;
        vectors.decide(read, &mut openings)?;
        for one in &mut openings {
            let Ok(opening) = &mut one.opening else {
                continue;
            };
            if opening.watermark() > next_doc {
                opening.reject_snapshot("it is newer than the documents");
            }
            if let Some(reason) = opening.rejected() {
                let name = &one.field.name;
                log::warn!("the graph of field {name:?} is made anew: {reason}");
            }
        }
        let from = openings.iter().map(FieldOpening::watermark).min();
        vectors.collect_references(read, from.unwrap_or(0), &mut openings)?;
        let mut gone = Vec::new();
        for one in openings {
            let fields = before.map(Self::fields).unwrap_or_default();
            let mut fields = fields.iter().map(|(_, field)| field);
            let before = fields.find(|field| field.folder == one.field.folder);
            gone.extend(vectors.push_opened(one, |opening, rows| {
                VectorIndex::finish(opening, rows, before.map(|field| &field.index))
            })?);
        }
        vectors.open_derived(list.unwrap_or_default(), next_doc, &gone);
        Ok(vectors)
    }

    /// Opens the fields of which nothing is referred to, and those that go on without their places.
    fn open_derived(&self, list: Vec<FieldFolder>, next_doc: u32, gone: &[FieldFolder]) {
        let places = self.places.lock().clone();
        let is_derived = |one: &FieldFolder| {
            let mut places = places.iter();
            places.all(|place| {
                let is_its_own = place.name == one.name && !gone.contains(place);
                place.folder != one.folder && !is_its_own
            })
        };
        for FieldFolder { name, folder } in list.into_iter().filter(is_derived) {
            let field = self.open_field(&name, folder, next_doc);
            self.push(name, field);
        }
        for FieldFolder { name, .. } in gone {
            // So that all that the store has of it is read.
            if !self.has_field(name) {
                let field = self.new_field(name, self.free_folder());
                self.push(name.clone(), field);
            }
        }
    }

    /// The same in memory until they are saved: where a file takes no more. Rows that the store refers
    /// to are read, and no file is changed.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn in_memory(params: HnswParams, directory: PathBuf, read: &ReadView) -> Result<Self> {
        let vectors = Self::without_fields(params, directory, None, true);
        let mut openings = vectors.begin(read)?;
        vectors.decide(read, &mut openings)?;
        for opening in openings.iter_mut().flat_map(|one| &mut one.opening) {
            opening.reject_snapshot("the rows are read into memory");
        }
        vectors.collect_references(read, 0, &mut openings)?;
        let mut gone = Vec::new();
        for one in openings {
            gone.extend(vectors.push_opened(one, VectorIndex::finish_in_memory)?);
        }
        vectors.open_derived(Vec::new(), 0, &gone);
        Ok(vectors)
    }

    fn without_fields(
        params: HnswParams,
        directory: PathBuf,
        list: Option<Vec<FieldFolder>>,
        in_memory: bool,
    ) -> Self {
        Self {
            params,
            directory,
            fields: RwLock::default(),
            listed: Mutex::new(list),
            places: Mutex::default(),
            damaged: Damaged::default(),
            in_memory,
        }
    }

    /// Begins to open the fields whose rows the store refers to.
    fn begin(&self, read: &ReadView) -> Result<Vec<FieldOpening>> {
        let Some(places) = read.places()? else {
            return Ok(Vec::new());
        };
        let places = fields::decode(&places).ok_or_else(|| {
            let reason = "they are no list of fields".to_owned();
            EngineError::from(StoreError::Damaged {
                place: "index[\"places\"]".to_owned(),
                reason,
            })
        })?;
        self.places.lock().clone_from(&places);
        let begin = |field: FieldFolder| {
            let opening = VectorIndex::begin(self.params.clone(), &self.path(field.folder));
            match opening {
                Err(error) if !error.is_damage() => Err(rows_error(&field.name, error)),
                opening => Ok(FieldOpening {
                    field,
                    opening,
                    rows: Vec::new(),
                }),
            }
        };
        places.into_iter().map(begin).collect()
    }

    /// Decides what counts where the two lists of the rows of a field contradict each other.
    fn decide(&self, read: &ReadView, openings: &mut [FieldOpening]) -> Result<()> {
        let is_in_doubt = |one: &FieldOpening| one.opening.as_ref().is_ok_and(Opening::is_in_doubt);
        if !openings.iter().any(is_in_doubt) {
            return Ok(());
        }
        let mut rows: HashMap<String, Vec<StoredRows>> = HashMap::new();
        self.scan_references(read, 0, |name, reference| {
            rows.entry(name.to_owned()).or_default().push(reference);
            Ok(())
        })?;
        for FieldOpening { field, opening, .. } in openings {
            let rows = rows.remove(&field.name).unwrap_or_default();
            if let Ok(opening) = opening {
                let decided = opening.decide(&rows);
                decided.map_err(|error| rows_error(&field.name, error))?;
            }
        }
        Ok(())
    }

    /// Gives each field the rows that documents from `from` on refer to, but for those that its
    /// snapshot knows.
    fn collect_references(
        &self,
        read: &ReadView,
        from: u32,
        openings: &mut [FieldOpening],
    ) -> Result<()> {
        self.scan_references(read, from, |name, rows| {
            let mut openings = openings.iter_mut();
            let Some(one) = openings.find(|one| one.field.name == name) else {
                return Err(rows_error(name, RowsError::NoManifest));
            };
            if rows.doc >= one.watermark() {
                one.rows.push(rows);
            }
            Ok(())
        })
    }

    fn scan_references(
        &self,
        read: &ReadView,
        from: u32,
        mut visit: impl FnMut(&str, StoredRows) -> Result<()>,
    ) -> Result<()> {
        read.scan_references(from, |doc, bytes| {
            let references = decode_references(bytes, self.params.dim)?;
            let references = references.ok_or(DocumentsError::Stored { what: "reference" })?;
            let mut references = references.into_iter();
            references.try_for_each(|(name, reference)| visit(name, stored_rows(doc, reference)))
        })
    }

    /// Finishes to open a field, as far as its rows are whole; gives its place where not one is.
    fn push_opened(
        &self,
        opened: FieldOpening,
        finish: impl FnOnce(Opening, &[StoredRows]) -> std::result::Result<VectorIndex, RowsError>,
    ) -> Result<Option<FieldFolder>> {
        let watermark = opened.watermark();
        let FieldOpening {
            field,
            opening,
            rows,
        } = opened;
        match opening.and_then(|opening| finish(opening, &rows)) {
            Ok(index) => {
                for rows in index.aside() {
                    self.damaged.note(&field.name, rows.doc);
                }
                let opened = FieldVectors::new(index, field.folder, watermark);
                self.push(field.name, opened);
                Ok(None)
            }
            Err(error) if error.is_damage() => {
                log::error!(
                    "not one vector of field {:?} can be read: {error}; {} is left as it is",
                    field.name,
                    self.path(field.folder).display()
                );
                let docs = rows.iter().map(|rows| rows.doc);
                self.damaged.park(field.clone(), docs);
                Ok(Some(field))
            }
            Err(error) => Err(rows_error(&field.name, error)),
        }
    }

    fn push(&self, name: String, field: FieldVectors) {
        let mut fields = self.fields.write();
        fields.push((name, Arc::new(field)));
        fields.sort_by_key(|(_, field)| field.folder);
    }

    fn open_field(&self, name: &str, folder: u32, next_doc: u32) -> FieldVectors {
        let path = self.path(folder);
        let reason = match VectorIndex::open(self.params.clone(), &path) {
            Ok((index, watermark)) if watermark <= next_doc => {
                return FieldVectors::new(index, folder, watermark);
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
}
