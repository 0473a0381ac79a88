//! What jobs change: staged for the store, and once it is durable made visible.

use std::sync::Arc;

use pelorus_columns::FieldValue;
use pelorus_documents::{FieldTensors, IndexedValues, ReadyDocument, encode_tensors};
use pelorus_store::{Store, WriteBatch, WriteOp};
use pelorus_suggest as suggest;

use crate::error::Result;
use crate::index::{Index, Revised, encode_named};
use crate::job::{Job, Put};
use crate::suggestions::{KeyedQuery, QueryChanges};
use crate::view::View;
use crate::write_error::WriteError;

/// A change that is about to be committed.
pub(crate) enum Change {
    Put(Version),
    /// What the columns of the document hold from now on.
    Revise {
        id: String,
        columns: Vec<(String, FieldValue)>,
    },
    Delete,
    /// The definition, as the caller gave it.
    Define(Vec<u8>),
    Suggest(suggest::Change),
}

/// A document version, as far as it is derived from.
pub(crate) struct Version {
    id: String,
    doc: u32,
    values: IndexedValues,
    tensors: Vec<FieldTensors>,
}

/// Changes that may be in the store and are not visible yet.
pub(crate) struct Unsettled {
    pub changes: Vec<Change>,
    /// The version that each change replaced, revised or removed.
    pub replaced: Vec<Option<u32>>,
    /// The store's sequence with them.
    pub sequence: u64,
}

/// The changes of some jobs, in their order, with ordinals for new versions; what the store keeps
/// and what is derived from it. Takes the documents out of the jobs.
pub(crate) fn stage(index: &Index, jobs: &mut [Job]) -> Result<(WriteBatch, Vec<Change>)> {
    let mut next = index.views.load().snapshot.next_doc()?;
    let mut batch = WriteBatch { ops: Vec::new() };
    let mut changes = Vec::new();
    for job in jobs {
        match job {
            Job::Put { items, .. } => {
                for item in items.iter_mut().flatten() {
                    match item {
                        Put::Document(document) => {
                            stage_version(index, document, next, &mut batch, &mut changes);
                            next = next.checked_add(1).ok_or(WriteError::OrdinalsUsedUp)?;
                        }
                        Put::Revision(revision) => {
                            batch.ops.push(WriteOp::Revise {
                                id: revision.id.clone(),
                                document: std::mem::take(&mut revision.document),
                            });
                            changes.push(Change::Revise {
                                id: revision.id.clone(),
                                columns: std::mem::take(&mut revision.values.columns),
                            });
                        }
                        Put::Update(_) | Put::Unchanged(_) => {}
                    }
                }
            }
            Job::Delete { ids, .. } => {
                for id in ids {
                    batch.ops.push(WriteOp::Delete {
                        id: std::mem::take(id),
                    });
                    changes.push(Change::Delete);
                }
            }
            Job::Define { definition, .. } => {
                batch.ops.push(WriteOp::Define {
                    definition: encode_named(&index.name, definition),
                });
                changes.push(Change::Define(std::mem::take(definition)));
            }
            Job::Suggest {
                changes: queries, ..
            } => stage_queries(queries, &mut batch, &mut changes),
        }
    }
    Ok((batch, changes))
}

fn stage_queries(queries: &QueryChanges, batch: &mut WriteBatch, changes: &mut Vec<Change>) {
    match queries {
        QueryChanges::Put(queries) => {
            for KeyedQuery { key, stored } in queries.iter().flatten() {
                batch.ops.push(WriteOp::Suggest {
                    key: key.clone(),
                    query: stored.encode(),
                });
                changes.push(Change::Suggest(suggest::Change::Put(stored.query.clone())));
            }
        }
        QueryChanges::Remove(keys) => {
            for key in keys {
                batch.ops.push(WriteOp::Unsuggest { key: key.clone() });
                changes.push(Change::Suggest(suggest::Change::Remove(key.clone())));
            }
        }
        QueryChanges::RemoveAll => {
            batch.ops.push(WriteOp::UnsuggestAll);
            changes.push(Change::Suggest(suggest::Change::Clear));
        }
    }
}

fn stage_version(
    index: &Index,
    document: &mut ReadyDocument,
    doc: u32,
    batch: &mut WriteBatch,
    changes: &mut Vec<Change>,
) {
    batch.ops.push(WriteOp::Put {
        id: document.id.clone(),
        doc,
        document: std::mem::take(&mut document.document),
        tensors: encode_tensors(&document.tensors, index.definition.documents.numbers),
    });
    changes.push(Change::Put(Version {
        id: document.id.clone(),
        doc,
        values: std::mem::take(&mut document.values),
        tensors: std::mem::take(&mut document.tensors),
    }));
}

/// Applies durable changes to everything derived and publishes the new view. It may be called
/// again when it failed.
pub(crate) fn show(index: &Index, store: &Store, unsettled: &Unsettled) -> Result<()> {
    let versions = || {
        unsettled.changes.iter().filter_map(|change| match change {
            Change::Put(version) => Some(version),
            Change::Revise { .. } | Change::Delete | Change::Define(_) | Change::Suggest(_) => None,
        })
    };
    // Only vectors are written to the disk, so they come first, and are taken back if that fails.
    for version in versions() {
        if let Err(error) = index.vectors.insert(version.doc, &version.tensors) {
            let docs: Vec<u32> = versions().map(|version| version.doc).collect();
            index.vectors.remove(&docs);
            return Err(error);
        }
    }
    let view = index.views.load();
    let mut next = View {
        alive: view.alive.clone(),
        live: view.live,
        snapshot: store.read()?,
    };
    drop(view);
    let (mut dead, mut revised, mut suggested) = (Vec::new(), Vec::new(), Vec::new());
    for (change, replaced) in unsettled.changes.iter().zip(&unsettled.replaced) {
        match change {
            Change::Revise { id, columns } => {
                revised.extend(replaced.map(|doc| Revised { doc, id, columns }));
                continue;
            }
            Change::Define(definition) => {
                index.definition_json.store(Arc::new(definition.clone()));
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
            next.alive.remove(old);
            next.live -= 1;
            dead.push(old);
            index.lexical.remove(old);
        }
        if let Change::Put(Version {
            id, doc, values, ..
        }) = change
        {
            index.insert_values(*doc, id, values)?;
            next.alive.insert(*doc);
            next.live += 1;
        }
    }
    index.lexical.publish();
    if !suggested.is_empty() {
        index.suggestions.apply(suggested);
    }
    index.publish(next, dead, &revised)
}

/// Publishes the same documents as read from another store.
pub(crate) fn refresh(index: &Index, store: &Store) -> Result<()> {
    let view = index.views.load();
    let next = View {
        alive: view.alive.clone(),
        live: view.live,
        snapshot: store.read()?,
    };
    drop(view);
    index.views.publish(next, Vec::new());
    Ok(())
}
