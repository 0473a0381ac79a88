//! Making, finding and opening of an index: its files, and the parts that are read of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use pelorus_documents::StoredDocument;
use pelorus_documents::length_prefixed::{Reader, push_text};
use pelorus_kernels::BitSet;
use pelorus_store::{ReadView, Store};

use super::current_definition::CurrentDefinition;
use super::definition::Definition;
use super::errors::IndexErrors;
use super::expiries::Expiries;
use super::field_history::FieldHistory;
use super::files::{IndexFiles, store_path};
use super::live_columns::LiveColumns;
use super::loading::{Documents, LexicalParts, VectorParts, both, open_lexical};
use super::search_caches::SearchCaches;
use super::seen_fields::SeenFields;
use super::text_fields::TextFields;
use super::{Index, IndexContext};
use crate::background::state::Background;
use crate::error::{EngineError, RegistryError, Result};
use crate::read::readings::Readings;
use crate::read::view::{View, Views};
use crate::suggestions;
use crate::vectors::{self, Vectors};
use crate::write::disk_reserve::DiskReserve;
use crate::write::queue::WriteQueue;

/// Memory for the pages of one index's store. Reads on the hot path take a few documents.
pub(crate) const STORE_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// Documents with damaged vectors that are named in the log.
const LOGGED_MAX: usize = 1_000;

/// Documents from which on vectors are opened on a thread of their own, while documents are read.
const LARGE: u32 = 16_384;

pub(crate) const LEXICAL: &str = "lexical";
pub(crate) const VECTORS: &str = "vectors";

impl Index {
    /// Writes the files of a new, empty index into `directory`.
    pub fn create(directory: &Path, name: &str, definition: &[u8]) -> Result<()> {
        Definition::parse(name, definition)?.check()?;
        let stored = encode_named(name, definition, &[], &[]);
        Store::create(&store_path(directory), &stored, STORE_CACHE_BYTES)?;
        Ok(())
    }

    /// The record of an index without its name.
    ///
    /// # Errors
    /// [`RegistryError::UnreadableDefinition`].
    pub fn without_name(record: &[u8]) -> Result<&[u8]> {
        let mut reader = Reader::new(record);
        let name = reader.text();
        name.ok_or(RegistryError::UnreadableDefinition)?;
        Ok(reader.rest())
    }

    /// Writes the store of an index without documents into `directory`, by the [record](Self::without_name) of another.
    ///
    /// # Errors
    /// Where the record cannot be read, and errors of the disk.
    pub fn create_of_record(directory: &Path, name: &str, record: &[u8]) -> Result<Store> {
        let mut named = Vec::new();
        push_text(&mut named, name);
        named.extend_from_slice(record);
        Definition::parse(name, &decode_named(&named)?.definition)?.check()?;
        Ok(Store::create(
            &store_path(directory),
            &named,
            STORE_CACHE_BYTES,
        )?)
    }

    /// The name in the store of the index in `directory`.
    pub fn stored_name(directory: &Path) -> Result<String> {
        let store = Store::open(&store_path(directory), STORE_CACHE_BYTES)?;
        Ok(decode_named(&store.definition()?)?.name)
    }

    /// Moves the postings of the index in `directory` into the folder `aside`, where they can be read by
    /// whoever has them open, and deletes what its vectors have beside their rows: those may be all
    /// that there is of the vectors. Gives the folders.
    pub fn set_derived_aside(directory: &Path, aside: &Path) -> Result<Vec<PathBuf>> {
        let mut moved = Vec::new();
        let target = aside.join(format!("{}.{LEXICAL}", uuid::Uuid::new_v4().simple()));
        match fs::rename(directory.join(LEXICAL), &target) {
            Ok(()) => moved.push(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(EngineError::io(format!("setting {LEXICAL} aside"), error));
            }
        }
        vectors::forget_snapshots(&directory.join(VECTORS))
            .map_err(|error| EngineError::io("deleting graphs", error))?;
        Ok(moved)
    }

    /// Opens the index `name` in `directory`: reads its store, and reads, catches up or rebuilds
    /// everything derived.
    pub fn open(name: &str, directory: &Path, context: IndexContext) -> Result<Arc<Self>> {
        let store = Store::open(&store_path(directory), STORE_CACHE_BYTES)?;
        // Whoever has the store open is alone at work on the files beside it.
        pelorus_files::remove_drafts(directory);
        Self::over(name, directory, Arc::new(store), context, None)
    }

    /// The same index over the same store, with derived data read anew. The old one must have been
    /// [retired](Self::retire).
    pub fn reopen_derived(&self) -> Result<Arc<Self>> {
        let store = match self.takes_writes() {
            true => self.files.store(),
            false => Arc::new(self.files.store().reopen()?),
        };
        Self::over(
            self.name(),
            self.files.directory(),
            store,
            self.context.clone(),
            Some(&self.vectors),
        )
    }

    fn over(
        name: &str,
        directory: &Path,
        store: Arc<Store>,
        context: IndexContext,
        before: Option<&Vectors>,
    ) -> Result<Arc<Self>> {
        let stored = store.definition()?;
        let Named {
            name: stored_name,
            definition,
            text_fields,
            seen_fields,
        } = decode_named(&stored)?;
        if stored_name != name {
            let folder = name.to_owned();
            let store = stored_name;
            return Err(RegistryError::NameMismatch { folder, store }.into());
        }
        let definition = CurrentDefinition::parse(name, definition)?;
        let read = store.read()?;
        let vectors = VectorParts {
            index: name,
            folder: directory.join(VECTORS),
            before,
        };
        let lexical = LexicalParts {
            directory: &directory.join(LEXICAL),
            text_fields: &text_fields,
        };
        let open_vectors = || vectors.open(&definition, &read);
        let read_documents = || {
            let documents = Documents::read(&definition, &read)?;
            let lexical = open_lexical(lexical, name, &definition, &read, &documents.alive)?;
            Ok::<_, EngineError>((documents, lexical))
        };
        let is_large = read.next_doc()? >= LARGE;
        let (vectors, documents) = both(is_large, open_vectors, read_documents)?;
        // The documents' error says more about the store.
        let (
            Documents {
                columns,
                alive,
                expiries,
            },
            lexical,
        ) = documents?;
        let vectors = vectors?;
        vectors.keep(&alive);
        log_damage(name, &vectors, &alive, &read);
        let suggestions = suggestions::load(&read)?;
        let live = alive.len();
        let vector_count = vectors.len();
        let disk = DiskReserve::of(directory);
        let held_bytes_min = context.limits.held_bytes_min as u64;
        Ok(Arc::new(Self {
            columns: LiveColumns::new(columns),
            expiries: Expiries::new(context.clock.clone(), expiries),
            caches: SearchCaches::new(),
            definition,
            lexical,
            fields: FieldHistory {
                texts: text_fields,
                seen: ArcSwap::from_pointee(seen_fields),
            },
            vectors,
            suggestions,
            views: Views::new(View {
                alive,
                live,
                vectors: vector_count,
                snapshot: read,
                _store: Arc::clone(&store),
            }),
            readings: Readings::none(name, store_path(directory), disk.clone(), held_bytes_min),
            files: IndexFiles::new(disk, store),
            queue: WriteQueue::new(context.writes.clone()),
            errors: IndexErrors::none(name, context.waker.clone()),
            background: Background::new(),
            context,
        }))
    }
}

/// Names the documents whose vectors are damaged: the first of them, where there are many.
fn log_damage(name: &str, vectors: &Vectors, alive: &BitSet, read: &ReadView) {
    let Some(damage) = vectors.damage(alive) else {
        return;
    };
    let count = damage.documents;
    log::error!("index {name}: vectors of {count} documents are damaged and not searched");
    let damaged = alive.iter_from(damage.first);
    let damaged = damaged.filter_map(|doc| {
        let fields = vectors.damaged_fields(doc);
        (!fields.is_empty()).then_some((doc, fields))
    });
    for (doc, fields) in damaged.take(count.min(LOGGED_MAX)) {
        let document = read.document(doc).ok().flatten();
        let stored = document.as_deref().map(StoredDocument::decode);
        let id = stored.and_then(|stored| Some(stored.ok()?.id.to_owned()));
        let id = id.unwrap_or_default();
        log::error!("index {name}: vectors of document {id:?} are damaged, in fields {fields:?}");
    }
}

/// The store's record of an index beside its documents.
pub(crate) struct Named {
    /// The directory has a generated one.
    pub name: String,
    pub definition: Vec<u8>,
    text_fields: TextFields,
    seen_fields: SeenFields,
}

/// All but the name is JSON, which has no zero byte: they part it from the rest. `text_fields` are the bytes of
/// [`TextFields::encode`], and `seen_fields` those of [`SeenFields::encode`].
pub(crate) fn encode_named(
    name: &str,
    definition: &[u8],
    text_fields: &[u8],
    seen_fields: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_text(&mut bytes, name);
    bytes.extend_from_slice(definition);
    if !text_fields.is_empty() || !seen_fields.is_empty() {
        bytes.push(0);
        bytes.extend_from_slice(text_fields);
    }
    if !seen_fields.is_empty() {
        bytes.push(0);
        bytes.extend_from_slice(seen_fields);
    }
    bytes
}

pub(crate) fn decode_named(bytes: &[u8]) -> Result<Named> {
    let mut reader = Reader::new(bytes);
    let name = reader.text();
    let name = name.ok_or(RegistryError::UnreadableDefinition)?;
    let mut parts = reader.rest().splitn(3, |&byte| byte == 0);
    let definition = parts.next().unwrap_or_default();
    let text_fields = TextFields::decode(parts.next().unwrap_or_default());
    let seen_fields = SeenFields::decode(parts.next().unwrap_or_default());
    Ok(Named {
        name: name.to_owned(),
        definition: definition.to_vec(),
        text_fields: text_fields.ok_or(RegistryError::UnreadableDefinition)?,
        seen_fields: seen_fields.ok_or(RegistryError::UnreadableDefinition)?,
    })
}
