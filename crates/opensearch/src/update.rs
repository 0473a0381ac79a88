//! Updates of documents on a cluster: what to read, what to write, and the answer.
//!
//! A document is read with its version, the update is merged into it, and what comes of that is written under this
//! version. One whose document was written meanwhile is read and merged again. A script changes what the update changes:
//! the chunks of other tensor fields stay as they are, with their vectors. A document of an add that keeps other fields is
//! created where none is stored, unless another writer did so meanwhile.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pelorus_columns::TypedRules;
use pelorus_documents::{
    DocumentBatch, DocumentUpdate, IndexedValues, ItemError, KnownFields, ReadyDocument, Revision,
    StoredFields, UpdateOptions, Updated, check_updates, encode_tensors,
};
use pelorus_engine::elsewhere::{
    EngineOptions, FieldLimits, Outcome, PutResponse, Stored, read_request, refuse_within,
    update_response,
};
use pelorus_engine::{ItemsResponse, Result};
use pelorus_hnsw::NumericType;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{Found, Version, read_found, unreadable};
use crate::bulk::BODY_BYTES;
use crate::document::{
    DocumentWriter, TensorChange, check_never_expires, key, stored_text, write_line,
};
use crate::facts::{AnyColumns, Facts, MappedIndex};
use crate::layout::{SOURCES, STORED};
use crate::packed::PackedValues;
use crate::refusal::{Cause, Refusal};
use crate::source::StoredSource;

/// Puts what has changed of a document in its place.
const SCRIPT: &str = "ctx._source.id = params.id; ctx._source.stored = params.stored; \
     ctx._source.values = params.values; \
     for (name in ['points', 'sparse']) { \
     if (params[name] != null) { ctx._source[name] = params[name] } else { ctx._source.remove(name) } } \
     if (params.words != null) { ctx._source.words = params.words } \
     if (params.tensors != null) { ctx._source.sources = params.tensors.sources; \
     for (name in params.tensors.removed) { ctx._source.remove(name) } \
     ctx._source.putAll(params.tensors.chunks) }";

/// The updates of one request, each of which waits until it is written or refused.
pub struct ClusterUpdates {
    /// As it was when they were checked.
    index: Arc<MappedIndex>,
    items: Vec<Item>,
    /// The documents of the items that wait, in their order, as they were read last.
    found: Vec<Option<Found<StoredSource>>>,
    /// The item of each action of the last body, with what it is once that is done.
    sent: Vec<(usize, Stored)>,
    respond: PutResponse,
}

enum Item {
    Waiting(DocumentUpdate),
    Over(Outcome),
}

/// The merge of updates into what was read.
#[derive(Default)]
pub struct Merged {
    /// The facts that the mapping is to tell before the body is sent.
    pub lacking: Option<Vec<u8>>,
    /// Tells that a later mapping may know fields by which less is refused.
    pub is_unsure: bool,
    /// The actions; none where nothing has to be written.
    pub body: Option<Vec<u8>>,
    over: Vec<(usize, Outcome)>,
    sent: Vec<(usize, Stored)>,
}

/// The facts of an index, and whether an update was refused for want of one.
struct Known<'a> {
    facts: &'a Facts,
    lacked: Cell<bool>,
}

impl Known<'_> {
    fn noted(&self, is_known: bool) -> bool {
        self.lacked.set(self.lacked.get() || !is_known);
        is_known
    }
}

impl KnownFields for Known<'_> {
    fn has_texts(&self, field: &str) -> bool {
        self.noted(self.facts.texts().contains_key(field))
    }

    fn has_text_lists(&self, field: &str) -> bool {
        self.noted(self.facts.has_text_lists(field))
    }

    fn has_points(&self, field: &str) -> bool {
        self.facts.has_points(field)
    }
}

#[derive(Serialize)]
struct Action<'a> {
    update: Target<'a>,
}

#[derive(Serialize)]
struct Target<'a> {
    _id: &'a str,
    if_seq_no: u64,
    if_primary_term: u64,
}

#[derive(Serialize)]
struct Scripted<'a> {
    script: Script<'a>,
}

#[derive(Serialize)]
struct Script<'a> {
    source: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    id: &'a str,
    stored: String,
    values: Vec<String>,
    #[serde(flatten)]
    packed: PackedValues,
    words: Option<BTreeMap<String, Vec<String>>>,
    tensors: Option<TensorChange<'a>>,
}

#[derive(Deserialize)]
struct Answer {
    items: Vec<Told>,
}

/// The result of an action, by the name of the kind that it is of.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Told {
    Update(Done),
    Create(Done),
    /// An update whose primary shard went away once the node had made a whole document of it, which it sent on then.
    Index(Done),
}

#[derive(Deserialize)]
struct Done {
    status: u16,
    error: Option<Cause>,
}

impl ClusterUpdates {
    /// Checks the updates of a request, as far as that needs no document. `options` is `UpdateOptions`.
    ///
    /// # Errors
    /// `invalid_argument` for options that cannot be read.
    pub fn begin(index: Arc<MappedIndex>, batch: &DocumentBatch, options: &[u8]) -> Result<Self> {
        let options = UpdateOptions::parse(options)?;
        refuse_within(options.within.as_deref())?;
        let updates = check_updates(&index.definition.documents, batch, &options)?;
        Ok(Self::of(index, updates, update_response))
    }

    /// The updates of a request that were checked for an index, and the form of the answer.
    pub(crate) fn of(
        index: Arc<MappedIndex>,
        updates: Vec<std::result::Result<DocumentUpdate, ItemError>>,
        respond: PutResponse,
    ) -> Self {
        let items = updates.into_iter().map(|item| match item {
            Ok(update) => Item::Waiting(update),
            Err(error) => Item::Over(Err(error)),
        });
        Self {
            items: items.collect(),
            index,
            found: Vec::new(),
            sent: Vec::new(),
            respond,
        }
    }

    /// The body of a multi-get of all documents that updates wait for; none where none waits.
    pub fn wanted(&self) -> Option<Vec<u8>> {
        let shown = [STORED, SOURCES];
        let keys = self.waiting().map(|(_, update)| key(&update.id));
        let docs = keys.map(|key| json!({"_id": key, "_source": shown}));
        let docs: Vec<serde_json::Value> = docs.collect();
        (!docs.is_empty()).then(|| json!({ "docs": docs }).to_string().into_bytes())
    }

    fn waiting(&self) -> impl Iterator<Item = (usize, &DocumentUpdate)> {
        let items = self.items.iter().enumerate();
        items.filter_map(|(place, item)| match item {
            Item::Waiting(update) => Some((place, update)),
            Item::Over(_) => None,
        })
    }

    /// Takes the answer to what was wanted.
    ///
    /// # Errors
    /// `index_not_found`, `service_unavailable` where the cluster did not look, `backend_data_parsing_error` for documents
    /// that are none of ours.
    pub fn take(&mut self, answer: &[u8]) -> Result<()> {
        self.found = read_found(answer, Some(&self.index.definition.documents.index))?;
        match self.found.len() == self.waiting().count() {
            true => Ok(()),
            false => Err(unreadable()),
        }
    }

    /// Merges all that wait into what was read, for the index as it is by now, within the bounds of `limits`, which is
    /// `EngineOptions`. Can be called again, for a mapping that was read later.
    ///
    /// # Errors
    /// `invalid_argument` for limits that cannot be read, `backend_data_parsing_error` for documents that are none of ours,
    /// `index_not_found` where the index is another one than that for which they were checked.
    pub fn merge(&self, index: &MappedIndex, limits: &[u8]) -> Result<Merged> {
        let limits: EngineOptions = read_request("engine options", limits)?;
        self.index.check_same(index)?;
        let rules = TypedRules::new(index.definition.columns_schema());
        let mut writing = Writing {
            index,
            known: Known {
                facts: &index.facts,
                lacked: Cell::new(false),
            },
            limits: index.facts.limits(&index.definition, &limits),
            writer: DocumentWriter::new(&rules, index.facts.clone()),
            body: Vec::new(),
        };
        let mut merged = Merged::default();
        for ((place, update), found) in self.waiting().zip(&self.found) {
            // The others are in a later body.
            if writing.body.len() >= BODY_BYTES {
                break;
            }
            match writing.write(update.clone(), found.as_ref())? {
                Ok(stored) if stored.is_change => merged.sent.push((place, stored)),
                over => merged.over.push((place, over)),
            }
        }
        let Writing {
            writer,
            known,
            body,
            ..
        } = writing;
        merged.body = (!body.is_empty()).then_some(body);
        merged.lacking = writer.facts.beyond(&index.facts);
        merged.is_unsure = known.lacked.get();
        Ok(merged)
    }

    /// Takes over what a merge has settled. Its body is the last one from now on.
    pub fn accept(&mut self, merged: Merged) {
        for (place, outcome) in merged.over {
            self.items[place] = Item::Over(outcome);
        }
        self.sent = merged.sent;
    }

    /// Takes the answer to the last body. Gives the reason why the whole request fails, if there is one. Updates that lost
    /// against another write, that there was no room for, or whose node went away, go on waiting.
    ///
    /// # Errors
    /// `backend_data_parsing_error` for an answer that is none.
    pub fn settle(&mut self, answer: &[u8]) -> Result<Option<Refusal>> {
        let answer: Answer = serde_json::from_slice(answer).map_err(|_| unreadable())?;
        let sent = std::mem::take(&mut self.sent);
        if answer.items.len() != sent.len() {
            return Err(unreadable());
        }
        for ((place, stored), told) in sent.into_iter().zip(answer.items) {
            let (Told::Update(done) | Told::Create(done) | Told::Index(done)) = told;
            let Some(cause) = done.error else {
                self.items[place] = Item::Over(Ok(stored));
                continue;
            };
            let kind = cause.kind.clone();
            let refusal = cause.with_status(done.status);
            // One that was deleted meanwhile is missing when it is read again.
            let may_go_on = matches!(refusal.status, 409 | 429)
                || kind == "document_missing_exception"
                || refusal.may_pass();
            if refusal.is_of_all() || !may_go_on {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    /// The answer to the request, once no update waits.
    ///
    /// # Errors
    /// None so far.
    pub fn response(self) -> Result<ItemsResponse> {
        debug_assert_eq!(self.waiting().count(), 0, "every update is over");
        let over = self.items.into_iter().filter_map(|item| match item {
            Item::Over(outcome) => Some(outcome),
            Item::Waiting(_) => None,
        });
        (self.respond)(&over.collect::<Vec<Outcome>>())
    }
}

/// A body that is being written.
struct Writing<'a> {
    index: &'a MappedIndex,
    known: Known<'a>,
    limits: FieldLimits<'a, AnyColumns>,
    writer: DocumentWriter<'a>,
    body: Vec<u8>,
}

impl Writing<'_> {
    /// Adds the action of an update, if it has one, and tells what comes of it.
    fn write(
        &mut self,
        update: DocumentUpdate,
        found: Option<&Found<StoredSource>>,
    ) -> Result<Outcome> {
        let schema = &self.index.definition.documents;
        let Some(Found { source, version }) = found else {
            let created = update.create(schema).and_then(|document| {
                let (values, tensors) = (&document.values, &document.tensors);
                check_never_expires(&document.id, values)?;
                self.limits.admit_values(&document.id, values, tensors)?;
                Ok(document)
            });
            return Ok(created.map(|document| {
                self.body.extend(self.writer.create(&document));
                stored_as(document.id, true, false)
            }));
        };
        // The heads are all that an update reads of tensors.
        let heads = source.tensors(schema.dimensions)?;
        let encoded = encode_tensors(&heads, NumericType::Float);
        let stored = StoredFields::decode(&source.document()?, &encoded, schema.dimensions)?;
        Ok(match update.merge(schema, stored, &self.known) {
            Err(error) => Err(error),
            Ok(Updated::Unchanged { id }) => Ok(stored_as(id, false, true)),
            Ok(Updated::Revised(Revision {
                id,
                document,
                values,
            })) => {
                let expiring = check_never_expires(&id, &values);
                let admitted = expiring.and_then(|()| self.limits.admit_values(&id, &values, &[]));
                admitted.map(|()| {
                    self.writer.note(&values, &[]);
                    self.script(*version, (&id, &document, &values), None, None);
                    stored_as(id, true, true)
                })
            }
            Ok(Updated::Replaced(replacement)) => {
                let fields = heads.iter().map(|tensor| tensor.field.clone());
                let (kept, removed): (Vec<String>, Vec<String>) =
                    fields.partition(|field| replacement.keeps_tensors_of(field));
                let ReadyDocument {
                    id,
                    document,
                    tensors,
                    values,
                } = replacement.with_tensors(heads);
                let expiring = check_never_expires(&id, &values);
                let admitted =
                    expiring.and_then(|()| self.limits.admit_values(&id, &values, &tensors));
                admitted.map(|()| {
                    self.writer.note(&values, &tensors);
                    let words = self.writer.words(&values);
                    let is_same = removed.is_empty() && tensors.len() == kept.len();
                    let change =
                        (!is_same).then(|| TensorChange::of(&tensors, kept.len(), &removed));
                    self.script(*version, (&id, &document, &values), Some(words), change);
                    stored_as(id, true, true)
                })
            }
        })
    }

    /// Adds the action that changes a document of some version.
    fn script(
        &mut self,
        version: Version,
        (id, document, values): (&str, &[u8], &IndexedValues),
        words: Option<BTreeMap<String, Vec<String>>>,
        tensors: Option<TensorChange<'_>>,
    ) {
        let key = key(id);
        let update = Target {
            _id: &key,
            if_seq_no: version.seq_no,
            if_primary_term: version.primary_term,
        };
        write_line(&mut self.body, &Action { update });
        let (values, packed) = self.writer.values(id, values);
        let params = Params {
            id,
            stored: stored_text(document),
            values,
            packed,
            words,
            tensors,
        };
        let script = Script {
            source: SCRIPT,
            params,
        };
        write_line(&mut self.body, &Scripted { script });
    }
}

fn stored_as(id: String, is_change: bool, existed: bool) -> Stored {
    Stored {
        id,
        is_change,
        existed,
    }
}
