//! From files, and from rows that the store refers to, to the vectors of an index.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use pelorus_documents::{DocumentsError, decode_references};
use pelorus_hnsw::{HnswParams, Opening, RowsError, SnapshotError, StoredRows, VectorIndex};
use pelorus_store::{ReadView, StoreError};

use super::{FieldVectors, Vectors, rows_error, stored_rows};
use crate::error::{EngineError, Result};
use crate::vector_fields::{self, FieldFolder};

/// A field whose rows the store refers to, while it is opened.
struct FieldOpening {
    field: FieldFolder,
    opening: Opening,
    /// What is known of its rows beside the snapshot.
    rows: Vec<StoredRows>,
}

impl Vectors {
    /// Reads the files in `directory`, which need not exist. The vectors of documents from
    /// [`tensors_from`](Self::tensors_from) on that the store has itself are to be
    /// [inserted](Self::insert), whether they are there or not, and what is no longer alive is to be
    /// [dropped](Self::keep).
    ///
    /// What was saved beside a later state of the store is of no use. A field whose files cannot be
    /// used begins anew, in memory where no file can be made. `before` are the same vectors that were
    /// opened before and [retired](Self::retire), where they are still read.
    ///
    /// # Errors
    /// Where rows that the store refers to cannot be read, or are not what was written. Nothing was
    /// done to their folders then.
    pub fn open(
        params: HnswParams,
        directory: PathBuf,
        read: &ReadView,
        before: Option<&Self>,
    ) -> Result<Self> {
        let next_doc = read.next_doc()?;
        let list = vector_fields::read(&directory);
        let vectors = Self::without_fields(params, directory, list.clone(), false);
        let mut openings = vectors.begin(read)?;
        for one in &mut openings {
            if one.opening.watermark() > next_doc {
                one.opening
                    .reject_snapshot("it is newer than the documents");
            }
            if let Some(reason) = one.opening.rejected() {
                let name = &one.field.name;
                log::warn!("the graph of field {name:?} is made anew: {reason}");
            }
        }
        let places = vectors.places.lock().clone();
        let is_derived = |one: &FieldFolder| {
            let mut places = places.iter();
            places.all(|place| place.folder != one.folder && place.name != one.name)
        };
        for FieldFolder { name, folder } in list.unwrap_or_default().into_iter().filter(is_derived)
        {
            let field = vectors.open_field(&name, folder, next_doc);
            vectors.fields.write().push((name, Arc::new(field)));
        }
        let derived = vectors.fields();
        let derived = derived.iter().map(|(_, field)| field.watermark);
        let opened = openings.iter().map(|one| one.opening.watermark());
        let from = derived.chain(opened).min().unwrap_or(0);
        vectors.collect_references(read, from, &mut openings)?;
        for one in openings {
            let fields = before.map(Self::fields).unwrap_or_default();
            let mut fields = fields.iter().map(|(_, field)| field);
            let before = fields.find(|field| field.folder == one.field.folder);
            let watermark = one.opening.watermark();
            let rows = one.rows.as_slice();
            let index = VectorIndex::finish(one.opening, rows, before.map(|field| &field.index));
            vectors.push_opened(one.field, index, watermark)?;
        }
        Ok(vectors)
    }

    /// The same in memory until they are saved: where a file takes no more. Rows that the store refers
    /// to are read, and no file is changed.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn in_memory(params: HnswParams, directory: PathBuf, read: &ReadView) -> Result<Self> {
        let vectors = Self::without_fields(params, directory, None, true);
        let mut openings = vectors.begin(read)?;
        for one in &mut openings {
            one.opening.reject_snapshot("the rows are read into memory");
        }
        vectors.collect_references(read, 0, &mut openings)?;
        for one in openings {
            let index = VectorIndex::finish_in_memory(one.opening, &one.rows);
            vectors.push_opened(one.field, index, 0)?;
        }
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
            in_memory,
        }
    }

    /// Begins to open the fields whose rows the store refers to.
    fn begin(&self, read: &ReadView) -> Result<Vec<FieldOpening>> {
        let Some(places) = read.places()? else {
            return Ok(Vec::new());
        };
        let places = vector_fields::decode(&places).ok_or_else(|| {
            let reason = "they are no list of fields".to_owned();
            EngineError::from(StoreError::Damaged {
                place: "index[\"places\"]".to_owned(),
                reason,
            })
        })?;
        self.places.lock().clone_from(&places);
        let begin = |field: FieldFolder| {
            let opening = VectorIndex::begin(self.params.clone(), &self.path(field.folder));
            let opening = opening.map_err(|error| rows_error(&field.name, error))?;
            Ok(FieldOpening {
                field,
                opening,
                rows: Vec::new(),
            })
        };
        places.into_iter().map(begin).collect()
    }

    /// Gives each field the rows that documents from `from` on refer to, but for those that its
    /// snapshot knows.
    fn collect_references(
        &self,
        read: &ReadView,
        from: u32,
        openings: &mut [FieldOpening],
    ) -> Result<()> {
        read.scan_references(from, |doc, bytes| {
            let references = decode_references(bytes, self.params.dim)?;
            let references = references.ok_or(DocumentsError::Stored { what: "reference" })?;
            for (name, reference) in references {
                let mut openings = openings.iter_mut();
                let Some(one) = openings.find(|one| one.field.name == name) else {
                    return Err(rows_error(name, RowsError::NoManifest));
                };
                if doc >= one.opening.watermark() {
                    one.rows.push(stored_rows(doc, reference));
                }
            }
            Ok(())
        })
    }

    fn push_opened(
        &self,
        FieldFolder { name, folder }: FieldFolder,
        index: std::result::Result<VectorIndex, RowsError>,
        watermark: u32,
    ) -> Result<()> {
        let index = index.map_err(|error| rows_error(&name, error))?;
        let field = FieldVectors::new(index, folder, watermark);
        let mut fields = self.fields.write();
        fields.push((name, Arc::new(field)));
        fields.sort_by_key(|(_, field)| field.folder);
        Ok(())
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
