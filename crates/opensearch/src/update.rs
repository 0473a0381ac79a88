//! Updates of documents on a cluster: what to read, what to write, and the answer.
//!
//! A document is read with its version, the update is merged into it, and what comes of that is written under this
//! version. One whose document was written meanwhile is read and merged again. A script changes what the update changes:
//! the chunks of tensor fields stay as they are, with their vectors.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pelorus_columns::TypedRules;
use pelorus_documents::{
    DocumentBatch, DocumentUpdate, IndexedValues, KnownFields, StoredFields, Updated,
    check_updates, encode_tensors,
};
use pelorus_engine::elsewhere::{Outcome, Stored, update_response};
use pelorus_engine::{ItemsResponse, Result};
use pelorus_hnsw::NumericType;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{Found, Version, read_found, unreadable};
use crate::bulk::{BODY_BYTES, Cause};
use crate::document::{DocumentWriter, key, stored_text, write_line};
use crate::facts::{Facts, MappedIndex};
use crate::layout::{SOURCES, STORED};
use crate::msearch::Refusal;
use crate::source::StoredSource;

/// Puts what has changed of a document in its place.
const SCRIPT: &str = "ctx._source.id = params.id; ctx._source.stored = params.stored; \
     ctx._source.values = params.values; if (params.words != null) { ctx._source.words = params.words }";

/// The updates of one request, each of which waits until it is written or refused.
pub struct ClusterUpdates {
    /// As it was when they were checked.
    index: Arc<MappedIndex>,
    items: Vec<Item>,
    /// The documents of the items that wait, in their order, as they were read last.
    found: Vec<Option<Found<StoredSource>>>,
    /// The item of each action of the last body, with what it is once that is done.
    sent: Vec<(usize, Stored)>,
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
    words: Option<BTreeMap<String, Vec<String>>>,
}

#[derive(Deserialize)]
struct Answer {
    items: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    update: Done,
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
        let schema = &index.definition.documents;
        let checked = check_updates(schema, batch, options)?.into_iter();
        let items = checked.map(|item| match item {
            Ok(update) => Item::Waiting(update),
            Err(error) => Item::Over(Err(error)),
        });
        Ok(Self {
            items: items.collect(),
            index,
            found: Vec::new(),
            sent: Vec::new(),
        })
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

    /// Merges all that wait into what was read, for the index as it is by now. Can be called again, for a mapping that was
    /// read later.
    ///
    /// # Errors
    /// `backend_data_parsing_error` for documents that are none of ours, `index_not_found` where the index is another one than
    /// that for which they were checked.
    pub fn merge(&self, index: &MappedIndex) -> Result<Merged> {
        self.index.check_same(index)?;
        let schema = &index.definition.documents;
        let rules = TypedRules::new(index.definition.columns_schema());
        let mut writer = DocumentWriter::new(&rules, index.facts.clone());
        let known = Known {
            facts: &index.facts,
            lacked: Cell::new(false),
        };
        let mut merged = Merged::default();
        let mut body = Vec::new();
        for ((place, update), found) in self.waiting().zip(&self.found) {
            // The others are in a later body.
            if body.len() >= BODY_BYTES {
                break;
            }
            let update = update.clone();
            let Some(Found { source, version }) = found else {
                // No update of such a request creates a document.
                if let Err(error) = update.create(schema) {
                    merged.over.push((place, Err(error)));
                }
                continue;
            };
            let stored = stored_fields(source, schema.dimensions)?;
            let (id, document, values, words) = match update.merge(schema, stored, &known) {
                Err(error) => {
                    merged.over.push((place, Err(error)));
                    continue;
                }
                Ok(Updated::Unchanged { id }) => {
                    merged.over.push((place, Ok(stored_as(id, false))));
                    continue;
                }
                Ok(Updated::Revised(revision)) => {
                    (revision.id, revision.document, revision.values, None)
                }
                Ok(Updated::Replaced(replaced)) => {
                    let words = writer.words(&replaced.values);
                    (replaced.id, replaced.document, replaced.values, Some(words))
                }
            };
            write(
                &mut body,
                *version,
                &writer,
                (&id, &document, &values),
                words,
            );
            merged.sent.push((place, stored_as(id, true)));
        }
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
    /// against another write, or that there was no room for, go on waiting.
    ///
    /// # Errors
    /// `backend_data_parsing_error` for an answer that is none.
    pub fn settle(&mut self, answer: &[u8]) -> Result<Option<Refusal>> {
        let answer: Answer = serde_json::from_slice(answer).map_err(|_| unreadable())?;
        let sent = std::mem::take(&mut self.sent);
        if answer.items.len() != sent.len() {
            return Err(unreadable());
        }
        for ((place, stored), Told { update }) in sent.into_iter().zip(answer.items) {
            let Some(cause) = update.error else {
                self.items[place] = Item::Over(Ok(stored));
                continue;
            };
            let kind = cause.kind.clone();
            let refusal = cause.with_status(update.status);
            // One that was deleted meanwhile is missing when it is read again.
            let may_go_on =
                matches!(update.status, 409 | 429) || kind == "document_missing_exception";
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
        update_response(&over.collect::<Vec<Outcome>>())
    }
}

fn stored_as(id: String, is_change: bool) -> Stored {
    Stored {
        id,
        is_change,
        existed: true,
    }
}

fn write(
    body: &mut Vec<u8>,
    version: Version,
    writer: &DocumentWriter<'_>,
    (id, document, values): (&str, &[u8], &IndexedValues),
    words: Option<BTreeMap<String, Vec<String>>>,
) {
    let key = key(id);
    let update = Target {
        _id: &key,
        if_seq_no: version.seq_no,
        if_primary_term: version.primary_term,
    };
    write_line(body, &Action { update });
    let params = Params {
        id,
        stored: stored_text(document),
        values: writer.values(id, values),
        words,
    };
    let script = Script {
        source: SCRIPT,
        params,
    };
    write_line(body, &Scripted { script });
}

fn stored_fields(source: &StoredSource, dimensions: usize) -> Result<StoredFields> {
    // The heads are all that an update reads of tensors.
    let tensors = encode_tensors(&source.tensors(dimensions)?, NumericType::Float);
    Ok(StoredFields::decode(
        &source.document()?,
        &tensors,
        dimensions,
    )?)
}
