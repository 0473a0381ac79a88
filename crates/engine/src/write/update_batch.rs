//! Updates of single fields: from a request to the changed documents, and the answer.
//!
//! They are merged on the writer's thread, which alone writes: nothing comes between reading a document and storing the
//! changed one.

use std::collections::HashMap;
use std::sync::Arc;

use pelorus_columns::composed;
use pelorus_documents::{
    DocumentBatch, FieldTensors, ItemError, KnownFields, StoredFields, StoredVersion,
    UpdateOptions, Updated, check_updates,
};
use serde::Serialize;

use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::read::response::ItemsResponse;
use crate::read::view::View;
use crate::read::within::Within;
use crate::write::add_batch::{items_response, status_of, stored_fields, stored_version};
use crate::write::job::{Job, Outcome, Put, PutItems, Stored};

/// The items of an update request, checked as far as that needs no stored document, and the documents that its caller
/// reaches.
pub(crate) fn checked(
    index: &Index,
    batch: &DocumentBatch,
    options: &[u8],
) -> Result<(PutItems, Option<Within>)> {
    let options = UpdateOptions::parse(options)?;
    let within = Within::read(options.within.as_deref())?;
    let updates = check_updates(&index.definition.documents, batch, &options)?;
    let updates = updates.into_iter();
    let items = updates.map(|update| update.map(Put::Update)).collect();
    Ok((items, within))
}

/// Refuses a document that its caller would not reach. It is as it is going to be stored.
pub(crate) fn admit_within(
    index: &Index,
    item: &mut std::result::Result<Put, ItemError>,
    within: Option<&Within>,
) -> Result<()> {
    let Some(within) = within else {
        return Ok(());
    };
    let (id, stored) = match item {
        Ok(Put::Document(document)) => (&document.id, &document.document),
        Ok(Put::Revision(revision)) => (&revision.id, &revision.document),
        Ok(Put::Update(_) | Put::Unchanged(_)) | Err(_) => return Ok(()),
    };
    if !within.has(&index.definition, stored)? {
        *item = Err(within.refusal(id));
    }
    Ok(())
}

/// The place of an item among the jobs of a group: its job, and its place there.
type Place = (usize, usize);

/// The items that give a document its content at some place of a group.
#[derive(Clone, Copy)]
struct Source {
    /// The item that stores its version; none where that was stored before.
    version: Option<Place>,
    /// The last item that revises it.
    revision: Option<Place>,
}

/// The documents of a group as each of its changes finds them: as they were stored, with the changes before.
pub(crate) struct Latest<'a> {
    index: &'a Index,
    view: Arc<View>,
    /// By composed id; none where the group deletes the document.
    changed: HashMap<String, Option<Source>>,
}

impl<'a> Latest<'a> {
    pub fn of(index: &'a Index) -> Self {
        Self {
            index,
            view: index.views.load(),
            changed: HashMap::new(),
        }
    }

    /// Notes the change of a document by an item that was taken.
    pub fn note(&mut self, item: &Put, place: Place) {
        match item {
            Put::Document(document) => {
                let source = Source {
                    version: Some(place),
                    revision: None,
                };
                self.set(&document.id, Some(source));
            }
            Put::Revision(revision) => {
                let before = self.changed_source(&revision.id).flatten();
                let source = Source {
                    version: before.and_then(|before| before.version),
                    revision: Some(place),
                };
                self.set(&revision.id, Some(source));
            }
            Put::Update(_) | Put::Unchanged(_) => {}
        }
    }

    pub fn deleted(&mut self, id: &str) {
        self.set(id, None);
    }

    fn set(&mut self, id: &str, source: Option<Source>) {
        self.changed.insert(composed(id).into_owned(), source);
    }

    /// The source of a document that the group changes; that is none where it deletes it.
    fn changed_source(&self, id: &str) -> Option<Option<Source>> {
        self.changed.get(&*composed(id)).copied()
    }

    /// Tells whether the moment of the document with an id has come.
    pub fn is_expired(&self, id: &str) -> bool {
        if self.changed_source(id).is_some() {
            return false;
        }
        let version = self.index.stored_version_of(&self.view, id);
        version.is_some_and(|doc| self.index.expiries.is_gone(doc))
    }

    /// Tells whether the caller reaches the document with an id, where there is one. `earlier` as of
    /// [`merge`](Self::merge).
    pub fn is_reached(&self, id: &str, within: Option<&Within>, earlier: &[Job]) -> Result<bool> {
        let Some(within) = within else {
            return Ok(true);
        };
        let has = |stored: &[u8]| within.has(&self.index.definition, stored);
        let Some(source) = self.changed_source(id) else {
            let doc = self.index.version_of(&self.view, id);
            let stored = doc
                .map(|doc| self.view.snapshot.document(doc))
                .transpose()?;
            return stored.flatten().map_or(Ok(true), |stored| has(&stored));
        };
        let last = source.and_then(|source| source.revision.or(source.version));
        match last.and_then(|place| taken(earlier, place)) {
            Some(Put::Document(document)) => has(&document.document),
            Some(Put::Revision(revision)) => has(&revision.document),
            Some(Put::Update(_) | Put::Unchanged(_)) | None => Ok(true),
        }
    }

    /// Refuses an item of a document that its caller does not reach: an update as if there was none, and anything that
    /// would take its place.
    pub fn keep_unreached(
        &self,
        item: &mut std::result::Result<Put, ItemError>,
        within: Option<&Within>,
        earlier: &[Job],
    ) -> Result<()> {
        let id = match item {
            Ok(Put::Document(document)) => &document.id,
            Ok(Put::Update(update)) => &update.id,
            Ok(Put::Revision(_) | Put::Unchanged(_)) | Err(_) => return Ok(()),
        };
        if self.is_reached(id, within, earlier)? {
            return Ok(());
        }
        let taken = Within::taken(id);
        *item = match item {
            Ok(Put::Update(update)) if !update.adds_where_missing() => {
                let schema = &self.index.definition.documents;
                std::mem::take(update).create(schema).map(Put::Document)
            }
            _ => Err(taken),
        };
        Ok(())
    }

    /// Turns an update into the changed document; leaves anything else as it is. `earlier` are the jobs before that of
    /// the item, which names no document twice.
    pub fn merge(
        &self,
        item: &mut std::result::Result<Put, ItemError>,
        earlier: &[Job],
        known: &impl KnownFields,
    ) -> Result<()> {
        let Ok(Put::Update(update)) = item else {
            return Ok(());
        };
        let schema = &self.index.definition.documents;
        let stored = self.fields(&update.id, earlier)?;
        let update = std::mem::take(update);
        let Some(stored) = stored else {
            *item = update.create(schema).map(Put::Document);
            return Ok(());
        };
        *item = match update.merge(schema, stored, known) {
            Err(error) => Err(error),
            Ok(Updated::Unchanged { id }) => Ok(Put::Unchanged(id)),
            Ok(Updated::Revised(revision)) => Ok(Put::Revision(revision)),
            Ok(Updated::Replaced(replacement)) => {
                let kept = |field: &str| replacement.keeps_tensors_of(field);
                let tensors = self.tensors(&replacement.id, kept, earlier)?;
                let tensors = tensors.map_err(|error| error.of(replacement.id.clone()));
                tensors.map(|tensors| Put::Document(replacement.with_tensors(tensors)))
            }
        };
        Ok(())
    }

    /// The tensors of a document that is there, or why it cannot be written anew with those of the fields `kept`.
    fn tensors(
        &self,
        id: &str,
        kept: impl Fn(&str) -> bool,
        earlier: &[Job],
    ) -> Result<std::result::Result<Vec<FieldTensors>, ItemError>> {
        let place = self.changed_source(id).flatten();
        let version = place.and_then(|source| source.version);
        if let Some(Put::Document(document)) = version.and_then(|place| taken(earlier, place)) {
            return Ok(Ok(document.tensors.clone()));
        }
        let stored = stored_version(self.index, &self.view, id)?;
        let doc = self.index.version_of(&self.view, id);
        let damaged = doc.map_or_else(Vec::new, |doc| self.index.vectors.damaged_fields(doc));
        if let Some(field) = damaged.into_iter().find(|field| kept(field)) {
            let error = EngineError::DamagedVectors {
                id: id.to_owned(),
                field,
            };
            return Ok(Err(ItemError {
                id: None,
                code: error.code(),
                message: error.to_string(),
            }));
        }
        Ok(Ok(stored.map_or_else(Vec::new, StoredVersion::into_tensors)))
    }

    fn fields(&self, id: &str, earlier: &[Job]) -> Result<Option<StoredFields>> {
        let stored = || stored_fields(self.index, &self.view, id);
        let Some(source) = self.changed_source(id) else {
            return stored();
        };
        let Some(Source { version, revision }) = source else {
            return Ok(None);
        };
        let version = match version.and_then(|place| taken(earlier, place)) {
            Some(Put::Document(document)) => Some(StoredFields::of(document)?),
            _ => stored()?,
        };
        match (version, revision.and_then(|place| taken(earlier, place))) {
            (Some(version), Some(Put::Revision(revision))) => Ok(Some(version.revised(revision)?)),
            (version, _) => Ok(version),
        }
    }
}

/// The item at a place, which was not refused.
fn taken(jobs: &[Job], (job, place): Place) -> Option<&Put> {
    match jobs.get(job)? {
        Job::Put { items, .. } => items.get(place)?.as_ref().ok(),
        Job::Delete { .. }
        | Job::Define { .. }
        | Job::StoreRowReferences { .. }
        | Job::Suggest { .. } => None,
    }
}

#[derive(Serialize)]
struct Item<'a> {
    status: u16,
    _id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The response body of an update: one item per document, in the order of the request.
///
/// # Errors
/// None so far.
pub fn update_response(outcomes: &[Outcome]) -> Result<ItemsResponse> {
    items_response(outcomes, outcomes.iter().map(item_of).collect())
}

fn item_of(outcome: &Outcome) -> Item<'_> {
    match outcome {
        Ok(Stored { id, .. }) => Item {
            status: 200,
            _id: id,
            message: None,
            error: None,
        },
        Err(error) => Item {
            status: status_of(error),
            _id: error.id.as_deref().unwrap_or(""),
            message: Some(&error.message),
            error: Some(&error.message),
        },
    }
}
