//! The changes of jobs: staged for the store, and once they are durable made visible.

use std::collections::HashMap;
use std::sync::Arc;

use pelorus_columns::{FieldValue, composed};
use pelorus_documents::{FieldTensors, ReadyDocument, encode_tensors};
use pelorus_lexical::InvertedBatch;
use pelorus_store::{Store, WriteBatch, WriteOp};
use pelorus_suggest as suggest;

use crate::error::{Result, WriteError};
use crate::index::seen_fields::SeenFields;
use crate::index::{Index, Revised, encode_named};
use crate::read::view::View;
use crate::suggestions::{KeyedQuery, QueryChanges};
use crate::vectors::fields::{self, FieldFolder};
use crate::write::job::{Job, Put, PutItems, invert};

/// A change that is about to be committed.
pub(crate) enum Change {
    Put(Version),
    /// The new columns of the document.
    Revise {
        id: String,
        columns: Vec<(String, FieldValue)>,
        expires_at: Option<i64>,
    },
    Delete,
    /// The definition, as the caller gave it.
    Define(Vec<u8>),
    /// The state of fields.
    Fields {
        /// The number of fields whose analysis is known.
        analysed: usize,
        /// None where no other was seen.
        seen: Option<SeenFields>,
    },
    /// The fields with rows that the store refers to.
    StoreRowReferences(Vec<FieldFolder>),
    Suggest(suggest::Change),
}

/// A document version, as far as it is derived from, but for its words.
pub(crate) struct Version {
    id: String,
    doc: u32,
    columns: Vec<(String, FieldValue)>,
    tensors: Vec<FieldTensors>,
    expires_at: Option<i64>,
}

/// The words of the documents of one job, and the ordinals taken for them, an item each.
pub(crate) struct Words {
    pub inverted: InvertedBatch,
    pub ordinals: Vec<Option<u32>>,
}

/// The changes of some jobs, in their order.
#[derive(Default)]
pub(crate) struct Staged {
    pub batch: WriteBatch,
    pub changes: Vec<Change>,
    /// The version that each change replaces, revises or removes.
    pub replaced: Vec<Option<u32>>,
    pub words: Vec<Words>,
    /// All that were seen, with those of the changes; none where these are no others.
    seen: Option<SeenFields>,
}

/// Changes that may be in the store and are not visible yet.
pub(crate) struct Unsettled {
    pub changes: Vec<Change>,
    pub words: Vec<Words>,
    /// The version that each change replaced, revised or removed.
    pub replaced: Vec<Option<u32>>,
    /// The store's sequence with them.
    pub sequence: u64,
}

/// The changes of some jobs, in their order, with ordinals for new versions; the content of the
/// store and the data derived from it. Takes the documents out of the jobs.
pub(crate) fn stage(index: &Index, jobs: &mut [Job]) -> Result<Staged> {
    let mut versions = Versions::of(index)?;
    let mut staged = Staged::default();
    for job in jobs {
        match job {
            Job::Put { items, words, .. } => {
                let words = words.take();
                staged.put(index, items, words, &mut versions)?;
            }
            Job::Delete { ids, kept, .. } => {
                for (place, id) in ids.iter().enumerate() {
                    let removed = match kept.binary_search(&place).is_ok() {
                        true => None,
                        false => versions.remove(id),
                    };
                    let delete = removed.map(|doc| WriteOp::Delete { doc });
                    staged.push_over(removed, delete, Change::Delete);
                }
            }
            Job::Define { definition, .. } => {
                let definition = std::mem::take(definition);
                let (record, _) = staged.named(index, &definition);
                staged.push(
                    WriteOp::Define { definition: record },
                    Change::Define(definition),
                );
            }
            Job::StoreRowReferences {
                references, places, ..
            } => {
                let places = std::mem::take(places);
                let refer = WriteOp::Refer {
                    references: std::mem::take(references),
                    places: fields::encode(&places),
                };
                staged.push(refer, Change::StoreRowReferences(places));
            }
            Job::Suggest { changes, .. } => staged.suggest(changes),
        }
    }
    // Behind all jobs, whose answers are made of what their own changes replaced.
    if index.fields.texts.is_unsaved() || staged.seen.is_some() {
        staged.save_fields(index);
    }
    debug_assert_eq!(staged.changes.len(), staged.replaced.len());
    debug_assert!(
        versions.are_all_put(&staged.batch),
        "each ordinal that was taken is that of one new version"
    );
    debug_assert!(
        staged.batch.ops.len() <= staged.changes.len(),
        "each operation has a change that shows it"
    );
    Ok(staged)
}

/// The version of each document as the changes of some jobs find it, and the ordinals of new ones.
struct Versions<'i> {
    index: &'i Index,
    view: Arc<View>,
    /// By composed id, as far as changes before gave it another or none.
    changed: HashMap<String, Option<u32>>,
    next: u32,
}

impl<'i> Versions<'i> {
    fn of(index: &'i Index) -> Result<Self> {
        let view = index.views.load();
        Ok(Self {
            index,
            next: view.snapshot.next_doc()?,
            view,
            changed: HashMap::new(),
        })
    }

    fn current(&self, id: &str) -> Option<u32> {
        match self.changed.get(&*composed(id)) {
            Some(version) => *version,
            None => self.index.stored_version_of(&self.view, id),
        }
    }

    /// Gives a document a new version; its ordinal, and that of the version before.
    fn add(&mut self, id: &str) -> Result<(u32, Option<u32>)> {
        let doc = self.next;
        self.next = doc.checked_add(1).ok_or(WriteError::OrdinalsUsedUp)?;
        let replaced = self.current(id);
        debug_assert!(replaced.is_none_or(|before| before < doc), "ordinals grow");
        debug_assert!(!self.view.alive.contains(doc), "an ordinal is used once");
        self.changed.insert(composed(id).into_owned(), Some(doc));
        Ok((doc, replaced))
    }

    /// Tells whether a batch puts a version for each ordinal that was taken, in their order.
    fn are_all_put(&self, batch: &WriteBatch) -> bool {
        let puts = batch.ops.iter().filter_map(|op| match op {
            WriteOp::Put { doc, .. } => Some(*doc),
            _ => None,
        });
        let first = self.view.snapshot.next_doc().unwrap_or(self.next);
        puts.eq(first..self.next)
    }

    /// Gives the version that a document no longer has.
    fn remove(&mut self, id: &str) -> Option<u32> {
        let removed = self.current(id);
        self.changed.insert(composed(id).into_owned(), None);
        removed
    }
}

impl Staged {
    /// Adds a change to no document.
    fn push(&mut self, op: WriteOp, change: Change) {
        self.push_over(None, Some(op), change);
    }

    /// Adds a change to a document that has this version; with no operation where there is nothing to change.
    fn push_over(&mut self, replaced: Option<u32>, op: Option<WriteOp>, change: Change) {
        self.batch.ops.extend(op);
        self.changes.push(change);
        self.replaced.push(replaced);
    }

    fn put(
        &mut self,
        index: &Index,
        items: &mut PutItems,
        words: Option<Box<InvertedBatch>>,
        versions: &mut Versions<'_>,
    ) -> Result<()> {
        let is_document = |item: &_| matches!(item, Ok(Put::Document(_)));
        let any = items.iter().any(is_document);
        let inverted =
            any.then(|| words.map_or_else(|| invert(&index.lexical, items), |words| *words));
        let count = items.len();
        let mut ordinals = Vec::with_capacity(count);
        for item in items {
            // Refused and unchanged items keep their row among the words, without an ordinal.
            let mut ordinal = None;
            match item {
                Ok(Put::Document(document)) => {
                    let (doc, replaced) = versions.add(&document.id)?;
                    ordinal = Some(doc);
                    self.put_version(index, document, doc, replaced);
                }
                Ok(Put::Revision(revision)) => {
                    let revised = versions.current(&revision.id);
                    let revise = revised.map(|doc| WriteOp::Revise {
                        doc,
                        document: std::mem::take(&mut revision.document),
                    });
                    let change = Change::Revise {
                        id: revision.id.clone(),
                        columns: std::mem::take(&mut revision.values.columns),
                        expires_at: revision.values.expires_at,
                    };
                    self.push_over(revised, revise, change);
                }
                Ok(Put::Update(_) | Put::Unchanged(_)) | Err(_) => {}
            }
            ordinals.push(ordinal);
        }
        debug_assert_eq!(ordinals.len(), count, "an ordinal, or none, for each item");
        let words = |inverted| Words { inverted, ordinals };
        self.words.extend(inverted.map(words));
        Ok(())
    }

    /// The record of a definition, with the state of fields, and the number of them whose analysis it has.
    fn named(&self, index: &Index, definition: &[u8]) -> (Vec<u8>, usize) {
        let (text_fields, analysed) = index.fields.texts.encode();
        let seen = index.fields.seen.load();
        let seen = self.seen.as_ref().unwrap_or(&seen).encode();
        let record = encode_named(index.name(), definition, &text_fields, &seen);
        (record, analysed)
    }

    /// The record of the definition holds it, that which is staged where there is one.
    fn save_fields(&mut self, index: &Index) {
        let defined = self.changes.iter().rev().find_map(|change| match change {
            Change::Define(definition) => Some(definition),
            _ => None,
        });
        let (definition, analysed) = match defined {
            Some(definition) => self.named(index, definition),
            None => self.named(index, &index.definition.json.load()),
        };
        let seen = self.seen.clone();
        self.push(
            WriteOp::Define { definition },
            Change::Fields { analysed, seen },
        );
    }

    /// A structured index has declared its fields.
    fn see(&mut self, index: &Index, document: &ReadyDocument) {
        if index.definition.structured().is_some() {
            return;
        }
        let before = index.fields.seen.load();
        let seen = self.seen.as_ref().unwrap_or(&before);
        if !seen.has_all_of(document) {
            let seen = || SeenFields::clone(&before);
            self.seen.get_or_insert_with(seen).add(document);
        }
    }

    fn put_version(
        &mut self,
        index: &Index,
        document: &mut ReadyDocument,
        doc: u32,
        replaces: Option<u32>,
    ) {
        self.see(index, document);
        let put = WriteOp::Put {
            doc,
            replaces,
            document: std::mem::take(&mut document.document),
            tensors: encode_tensors(&document.tensors, index.definition.documents.numbers),
        };
        let version = Version {
            id: document.id.clone(),
            doc,
            columns: std::mem::take(&mut document.values.columns),
            tensors: std::mem::take(&mut document.tensors),
            expires_at: document.values.expires_at,
        };
        self.push_over(replaces, Some(put), Change::Put(version));
    }

    fn suggest(&mut self, queries: &QueryChanges) {
        match queries {
            QueryChanges::Put(queries) => {
                for KeyedQuery { key, stored } in queries.iter().flatten() {
                    let put = WriteOp::Suggest {
                        key: key.clone(),
                        query: stored.encode(),
                    };
                    let query = stored.query.clone();
                    self.push(put, Change::Suggest(suggest::Change::Put(query)));
                }
            }
            QueryChanges::Remove(keys) => {
                for key in keys {
                    let removed = Change::Suggest(suggest::Change::Remove(key.clone()));
                    self.push(WriteOp::Unsuggest { key: key.clone() }, removed);
                }
            }
            QueryChanges::RemoveAll => {
                let cleared = Change::Suggest(suggest::Change::Clear);
                self.push(WriteOp::UnsuggestAll, cleared);
            }
        }
    }
}

/// Applies durable changes to everything derived and publishes the new view. It may be called
/// again when it failed.
pub(crate) fn show(index: &Index, store: &Arc<Store>, unsettled: &Unsettled) -> Result<()> {
    let versions = || {
        unsettled.changes.iter().filter_map(|change| match change {
            Change::Put(version) => Some(version),
            Change::Revise { .. }
            | Change::Delete
            | Change::Define(_)
            | Change::Fields { .. }
            | Change::StoreRowReferences(_)
            | Change::Suggest(_) => None,
        })
    };
    let snapshot = store.read()?;
    // Only vectors are written to the disk, so they come before all else, and are taken back if that
    // fails: whoever calls again must not find them.
    for version in versions() {
        if let Err(error) = index.vectors.insert(version.doc, &version.tensors) {
            let docs: Vec<u32> = versions().map(|version| version.doc).collect();
            index.vectors.remove(&docs);
            return Err(error);
        }
    }
    let view = index.views.load();
    debug_assert!(
        snapshot.sequence().ok() >= view.snapshot.sequence().ok(),
        "the store never goes back"
    );
    let mut next = View {
        alive: view.alive.clone(),
        live: view.live,
        vectors: view.vectors,
        snapshot,
        _store: Arc::clone(store),
    };
    drop(view);
    let (mut dead, mut revised, mut suggested) = (Vec::new(), Vec::new(), Vec::new());
    debug_assert_eq!(unsettled.changes.len(), unsettled.replaced.len());
    for (change, replaced) in unsettled.changes.iter().zip(&unsettled.replaced) {
        match change {
            Change::Revise {
                id,
                columns,
                expires_at,
            } => {
                revised.extend(replaced.map(|doc| Revised {
                    doc,
                    id,
                    columns,
                    expires_at: *expires_at,
                }));
                continue;
            }
            Change::Define(definition) => {
                index.definition.json.store(Arc::new(definition.clone()));
                continue;
            }
            Change::Fields { analysed, seen } => {
                index.fields.texts.set_saved(*analysed);
                if let Some(seen) = seen {
                    index.fields.seen.store(Arc::new(seen.clone()));
                }
                continue;
            }
            Change::StoreRowReferences(places) => {
                index.vectors.note_places(places.clone());
                continue;
            }
            Change::Suggest(change) => {
                suggested.push(change.clone());
                continue;
            }
            Change::Put(_) | Change::Delete => {}
        }
        if let Some(old) = *replaced
            && next.alive.contains(old)
        {
            debug_assert!(next.vectors >= index.vectors.count_of(old));
            next.alive.remove(old);
            next.live -= 1;
            next.vectors -= index.vectors.count_of(old);
            dead.push(old);
            index.lexical.remove(old);
        }
        if let Change::Put(Version {
            id, doc, columns, ..
        }) = change
        {
            index.columns.write().insert(*doc, id, columns);
            next.alive.insert(*doc);
            next.live += 1;
            next.vectors += index.vectors.count_of(*doc);
        }
        if let Change::Put(version) = change {
            index.set_expiry(version.doc, version.expires_at);
        }
    }
    for Words { inverted, ordinals } in &unsettled.words {
        index.lexical.add_batch(inverted, ordinals)?;
    }
    index.lexical.publish();
    if !suggested.is_empty() {
        index.suggestions.apply(suggested);
    }
    index.publish(next, dead, &revised)
}

/// Publishes the same documents as read from another store.
pub(crate) fn refresh(index: &Index, store: &Arc<Store>) -> Result<()> {
    let view = index.views.load();
    let next = View {
        alive: view.alive.clone(),
        live: view.live,
        vectors: view.vectors,
        snapshot: store.read()?,
        _store: Arc::clone(store),
    };
    drop(view);
    debug_assert!(
        next.snapshot.count().ok() == Some(next.live as u64),
        "another store holds the same documents"
    );
    index.views.publish(next, Vec::new());
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use crate::background::maintenance::tests::index_of_vectors;
    use crate::generated::EmbeddingReport;
    use crate::split_documents;
    use crate::write::add_batch::PreparedBatch;
    use crate::write::job::Deletion;

    /// An add of a document whose text field is said to be German.
    fn german(index: &Arc<Index>, field: &str) -> Job {
        let body = format!(r#"{{"documents": [{{"_id": "new", "{field}": "ein Haus"}}]}}"#);
        let options = format!(
            r#"{{"tensorFields": [], "mappings": {{"{field}": {{"type": "text_field", "language": "de"}}}},
            "useExistingTensors": false, "textChunkPrefix": "", "maxDocBytes": 100000}}"#
        );
        let batch = split_documents(body.into_bytes()).unwrap();
        let prepared = PreparedBatch::prepare(index.clone(), &batch, options.as_bytes());
        let (prepared, _) = prepared.unwrap();
        let respond = prepared.response();
        let report: EmbeddingReport =
            serde_json::from_str(r#"{"failures": [], "parts": []}"#).unwrap();
        let (items, words) = prepared.with_vectors(&[], report).unwrap();
        assert!(items.iter().all(|item| item.is_ok()));
        Job::Put {
            items,
            words: words.map(Box::new),
            within: None,
            respond,
            done: Box::new(|_| {}),
        }
    }

    #[test]
    fn the_state_of_fields_is_committed_behind_all_jobs_and_with_the_newest_definition() {
        let directory = tempfile::tempdir().unwrap();
        let (index, _) = index_of_vectors(directory.path(), 0);
        let mut jobs = [
            german(&index, "title"),
            Job::Define {
                definition: b"{\"newest\": true}".to_vec(),
                done: Box::new(|_| {}),
            },
            german(&index, "text"),
            Job::Delete {
                ids: vec!["new".into()],
                of: Deletion::Asked,
                within: None,
                kept: Vec::new(),
                respond: Box::new(|_| unreachable!("nothing is committed")),
                done: Box::new(|_| {}),
            },
        ];
        let staged = stage(&index, &mut jobs).unwrap();
        assert!(matches!(
            staged.batch.ops[..],
            [
                WriteOp::Put {
                    doc: 0,
                    replaces: None,
                    ..
                },
                WriteOp::Define { .. },
                WriteOp::Put {
                    doc: 1,
                    replaces: Some(0),
                    ..
                },
                WriteOp::Delete { doc: 1 },
                WriteOp::Define { .. },
            ]
        ));
        assert_eq!(staged.replaced, [None, None, Some(0), Some(1), None]);
        let Some(WriteOp::Define { definition }) = staged.batch.ops.last() else {
            unreachable!()
        };
        let record = String::from_utf8_lossy(definition);
        for part in [
            r#"{"newest": true}"#,
            r#""title":{"language":"de""#,
            r#""lexical":["text","title"]"#,
        ] {
            assert!(record.contains(part), "{record}");
        }
        index.close();
    }
}
