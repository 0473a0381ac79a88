//! The files of a data directory, checked while nobody uses it. Nothing in it is changed.
//!
//! The store is read as a start reads it, and further: each document, its columns and tensors, each row of vectors that
//! it refers to. Derived files are compared with their checksums. A problem says which of the two it is: a derived file is
//! made anew by the next start, the store is all there is.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use pelorus_columns::composed;
use pelorus_documents::{
    DocumentsError, IndexedValues, StoredDocument, decode_references, decode_tensors,
};
use pelorus_hnsw::{HnswParams, RowFiles, SnapshotError, StoredRows, inspect_graph};
use pelorus_store::{ReadView, Store};

use crate::error::{DataDirectoryError, EngineError, Result};
use crate::generated::{FileProblem, FileProblemKind, IndexVerification};
use crate::index::definition::Definition;
use crate::index::{LEXICAL, Named, STORE_CACHE_BYTES, VECTORS, decode_named, store_path};
use crate::registry::layout::{Layout, folder_name, folders, index_of_folder};
use crate::registry::lock::QuietLock;
use crate::vectors::fields::{self, FieldFolder};

/// Problems of an index that are listed.
const PROBLEMS_MAX: usize = 20;
/// Documents between two reports of how far it has come.
const REPORT_EVERY: u64 = 1_024;

const RESTORE: &str = "The server keeps this index closed and its files as they are: put its folder back from a backup, or delete the index and add its documents again";
const ADD_AGAIN: &str =
    "These vectors are not searched, everything else is: add the documents again";
const NOTHING: &str = "Nothing is to be done: the next start makes it anew from the documents";

/// A data directory that is held for as long as this is, without a change to it.
pub struct DataVerifier {
    layout: Layout,
    _lock: QuietLock,
}

impl DataVerifier {
    /// Holds a directory.
    ///
    /// # Errors
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format`.
    pub fn open(directory: &Path) -> Result<Self> {
        let lock = QuietLock::acquire(directory)?;
        Ok(Self {
            layout: Layout::new(directory),
            _lock: lock,
        })
    }

    /// The folders of the indexes, sorted by the names of these.
    ///
    /// # Errors
    /// `data_directory_unreadable`.
    pub fn indexes(&self) -> Result<Vec<PathBuf>> {
        let indexes = self.layout.indexes();
        if !indexes.exists() {
            return Ok(Vec::new());
        }
        let mut found =
            folders(&indexes).map_err(|error| DataDirectoryError::unusable(&indexes, error))?;
        found.sort_by_key(|home| name_of(home));
        Ok(found)
    }

    /// Checks the files in the folder of an index, and returns an `IndexVerification`. Tells `progress` how many
    /// documents of how many were read.
    pub fn verify(&self, home: &Path, progress: impl FnMut(u64, u64)) -> Vec<u8> {
        let mut inspection = Inspection::new(home);
        if let Err(error) = inspection.run(progress) {
            inspection.note(FileProblemKind::Truth, "store", error, RESTORE);
        }
        serde_json::to_vec(&inspection.found).expect("texts and numbers serialise into memory")
    }
}

/// The name that a folder says it is of.
fn name_of(home: &Path) -> String {
    let folder = folder_name(home);
    index_of_folder(&folder).map_or(folder.clone(), str::to_owned)
}

/// The check of one index.
struct Inspection<'h> {
    home: &'h Path,
    found: IndexVerification,
}

impl<'h> Inspection<'h> {
    fn new(home: &'h Path) -> Self {
        Self {
            home,
            found: IndexVerification {
                name: name_of(home),
                folder: format!("indexes/{}", folder_name(home)),
                documents: 0,
                vectors: 0,
                problems: Vec::new(),
                more_problems: 0,
            },
        }
    }

    fn note(
        &mut self,
        kind: FileProblemKind,
        part: impl Into<String>,
        reason: impl Display,
        remedy: &str,
    ) {
        if self.found.problems.len() == PROBLEMS_MAX {
            self.found.more_problems += 1;
            return;
        }
        self.found.problems.push(FileProblem {
            kind,
            part: part.into(),
            reason: reason.to_string(),
            remedy: remedy.to_owned(),
        });
    }

    /// # Errors
    /// The damage that ends the reading of the store.
    fn run(&mut self, progress: impl FnMut(u64, u64)) -> Result<()> {
        // First: it needs nothing of the store.
        match pelorus_lexical::verify(&self.home.join(LEXICAL)) {
            Ok(_) => {}
            Err(error) => self.note(FileProblemKind::Derived, "text index", error, NOTHING),
        }
        let store = Store::open_for_reading(&store_path(self.home), STORE_CACHE_BYTES)?;
        let Named {
            name, definition, ..
        } = decode_named(&store.definition()?)?;
        if name != self.found.name && index_of_folder(&folder_name(self.home)).is_some() {
            let reason = format!(
                "its folder says {:?}, and the store {name:?}",
                self.found.name
            );
            self.note(FileProblemKind::Truth, "name", reason, RESTORE);
        }
        self.found.name.clone_from(&name);
        let definition = Definition::parse(&name, &definition)?;
        let read = store.read()?;
        self.graphs(&definition, &read)?;
        self.documents(&definition, &read, progress)?;
        read.scan_suggestions(|_, _| Ok::<_, EngineError>(()))
    }

    /// Checks the graphs of tensor fields.
    fn graphs(&mut self, definition: &Definition, read: &ReadView) -> Result<()> {
        let folder = self.home.join(VECTORS);
        let mut known = fields::read(&folder).unwrap_or_default();
        let places = places_of(read)?;
        known.extend(
            places
                .iter()
                .filter(|place| !known.contains(place))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let params = definition.hnsw_params();
        for FieldFolder {
            name,
            folder: number,
        } in known
        {
            let path = folder.join(number.to_string());
            if !path.exists() {
                continue;
            }
            match inspect_graph(&params, &path) {
                Ok(_) | Err(SnapshotError::Missing) => {}
                Err(error) => self.note(
                    FileProblemKind::Derived,
                    format!("graph of {name}"),
                    error,
                    NOTHING,
                ),
            }
        }
        Ok(())
    }

    fn documents(
        &mut self,
        definition: &Definition,
        read: &ReadView,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<()> {
        let dimensions = definition.documents.dimensions;
        let rows = self.row_files(&definition.hnsw_params(), read)?;
        let keyed = RandomState::new();
        let mut ids: HashSet<u64> = HashSet::new();
        let total = read.count()?;
        let mut done: u64 = 0;
        read.scan(0, 0, |doc, document, tensors| -> Result<()> {
            done += 1;
            if done.is_multiple_of(REPORT_EVERY) || done == total {
                progress(done, total);
            }
            let stored = match StoredDocument::decode(document) {
                Ok(stored) => stored,
                Err(error) => {
                    let part = format!("document version {doc}");
                    self.note(FileProblemKind::Truth, part, error, RESTORE);
                    return Ok(());
                }
            };
            self.found.documents += 1;
            let part = || format!("document {:?}", stored.id);
            if !ids.insert(keyed.hash_one(&*composed(stored.id))) {
                self.note(
                    FileProblemKind::Truth,
                    part(),
                    "its id is there twice",
                    RESTORE,
                );
            }
            if let Err(error) = IndexedValues::of_stored(&definition.documents, &stored) {
                self.note(FileProblemKind::Truth, part(), error, RESTORE);
            }
            let tensors = tensors.unwrap_or_default();
            if tensors.is_empty() {
                return Ok(());
            }
            match vectors_of(tensors, dimensions) {
                Err(error) => self.note(FileProblemKind::Truth, part(), error, RESTORE),
                Ok(Vectors::Here(count)) => self.found.vectors += count,
                Ok(Vectors::Elsewhere(references)) => {
                    for (field, reference) in references {
                        self.found.vectors += reference.count as usize;
                        let reference = StoredRows { doc, ..reference };
                        let problem = match rows.get(&field) {
                            Some(rows) => {
                                rows.check(&reference).err().map(|error| error.to_string())
                            }
                            None => Some("the file of its vectors cannot be read".to_owned()),
                        };
                        if let Some(problem) = problem {
                            let part = format!("vectors of document {:?} in {field}", stored.id);
                            self.note(FileProblemKind::Truth, part, problem, ADD_AGAIN);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    /// Opens the rows that the store refers to, by field.
    fn row_files(
        &mut self,
        params: &HnswParams,
        read: &ReadView,
    ) -> Result<HashMap<String, RowFiles>> {
        let mut files = HashMap::new();
        for FieldFolder { name, folder } in places_of(read)? {
            let path = self.home.join(VECTORS).join(folder.to_string());
            match RowFiles::open(params, &path) {
                Ok(rows) => {
                    if !rows.is_whole() {
                        let part = format!("list of the vectors of {name}");
                        let reason = "its two copies are not the same";
                        self.note(FileProblemKind::Derived, part, reason, NOTHING);
                    }
                    files.insert(name, rows);
                }
                Err(error) => {
                    let part = format!("vectors of {name}");
                    self.note(FileProblemKind::Truth, part, error, ADD_AGAIN);
                }
            }
        }
        Ok(files)
    }
}

/// The fields whose rows the store refers to.
fn places_of(read: &ReadView) -> Result<Vec<FieldFolder>> {
    let places = read.places()?;
    Ok(places
        .and_then(|places| fields::decode(&places))
        .unwrap_or_default())
}

/// The vectors stored with a document.
enum Vectors {
    /// So many in the store itself.
    Here(usize),
    /// By field; the document is not said.
    Elsewhere(Vec<(String, StoredRows)>),
}

fn vectors_of(tensors: &[u8], dimensions: usize) -> std::result::Result<Vectors, DocumentsError> {
    let Some(references) = decode_references(tensors, dimensions)? else {
        let fields = decode_tensors(tensors, dimensions)?;
        let count = fields.iter().map(|field| field.chunks.len()).sum();
        return Ok(Vectors::Here(count));
    };
    let references = references.into_iter().map(|(field, reference)| {
        let rows = StoredRows {
            doc: 0,
            first: reference.first,
            count: reference.count as u32,
            checksum: reference.checksum,
        };
        (field.to_owned(), rows)
    });
    Ok(Vectors::Elsewhere(references.collect()))
}
