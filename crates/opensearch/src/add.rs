//! The documents of an add request on their way to a cluster, and the answer to the request.

use std::cell::RefCell;
use std::sync::Arc;

use pelorus_columns::TypedRules;
use pelorus_documents::{
    DocumentBatch, IndexKind, ItemError, PreparedDocuments, ReadyDocument, TextField,
};
use pelorus_embed::EncoderInput;
use pelorus_engine::elsewhere::{
    EngineOptions, Outcome, PutResponse, Stored, TextSettings, add_response, creation_response,
    embedded_inputs, fields_with_settings, read_request, refuse_within,
};
use pelorus_engine::{EngineError, ItemsResponse, Result, SearchError};

use crate::bulk::{ActionOutcome, Bulk};
use crate::document::{DocumentWriter, check_never_expires};
use crate::facts::{Facts, MappedIndex};
use crate::read::DocumentsRead;
use crate::refusal::Refusal;
use crate::update::ClusterUpdates;

/// Checked documents of one index that wait for the vectors of their inputs.
pub struct PreparedAdd {
    index: Arc<MappedIndex>,
    documents: PreparedDocuments,
}

/// The outcome of a first look at documents.
pub enum Preparation {
    /// Their tensors may be those of documents that are stored, which are to be read before.
    Wanted(DocumentsRead),
    /// With the inputs to embed, each once.
    Prepared(PreparedAdd, Vec<EncoderInput>),
}

impl PreparedAdd {
    /// Checks documents. `options` is `AddOptions`, `stored` what was read since this wanted it.
    ///
    /// # Errors
    /// `invalid_argument` for options that cannot be read, `backend_data_parsing_error` for a stored document.
    pub fn prepare(
        index: Arc<MappedIndex>,
        batch: &DocumentBatch,
        options: &[u8],
        stored: Option<&DocumentsRead>,
    ) -> Result<Preparation> {
        let schema = &index.definition.documents;
        let wanted = RefCell::new(Vec::new());
        let existing = |id: &str| {
            let Some(stored) = stored else {
                wanted.borrow_mut().push(id.to_owned());
                return Ok::<_, EngineError>(None);
            };
            stored.version(id, schema.dimensions)
        };
        let (documents, inputs) = PreparedDocuments::prepare(schema, batch, options, existing)?;
        refuse_within(documents.within())?;
        let wanted = wanted.into_inner();
        if !wanted.is_empty() {
            let ids = wanted.iter().map(String::as_str);
            return Ok(Preparation::Wanted(DocumentsRead::new(ids, true)));
        }
        let prepared = Self { index, documents };
        Ok(Preparation::Prepared(prepared, inputs))
    }

    /// Gives every document its vectors, or the reason why an input has none. `report` is `EmbeddingReport`.
    ///
    /// # Errors
    /// `invalid_argument` for a report that cannot be read, and for vectors that are not those of the inputs.
    pub fn with_vectors(self, vectors: &[f32], report: &[u8]) -> Result<Filled> {
        let Self { index, documents } = self;
        let respond: PutResponse = match documents.reports_creation() {
            true => creation_response,
            false => add_response,
        };
        let settings = documents.text_fields().to_vec();
        let embedded = embedded_inputs(vectors, report)?;
        let schema = &index.definition.documents;
        if documents.keeps_other_fields() {
            let updates = documents.updates_with_vectors(schema, embedded)?;
            return Ok(Filled::Updates(ClusterUpdates::of(index, updates, respond)));
        }
        Ok(Filled::Add(ReadyAdd {
            items: documents.with_vectors(schema, embedded)?,
            index,
            settings,
            respond,
        }))
    }
}

/// Documents with their vectors.
pub enum Filled {
    Add(ReadyAdd),
    /// Those that are stored keep the fields which are not named.
    Updates(ClusterUpdates),
}

/// Documents with their vectors, ready to be written.
pub struct ReadyAdd {
    /// As it was when they were prepared.
    index: Arc<MappedIndex>,
    items: Vec<std::result::Result<ReadyDocument, ItemError>>,
    /// Settings of the request for text fields.
    settings: Vec<(String, TextField)>,
    respond: PutResponse,
}

/// An add as the actions of bulk bodies.
pub struct AddWrite {
    pub bulk: Bulk,
    /// The facts that the mapping is to tell before any of them is sent.
    pub lacking: Option<Vec<u8>>,
    /// The id of each document and the place of its action, or why it was refused.
    items: Vec<std::result::Result<(String, usize), ItemError>>,
    respond: PutResponse,
}

impl ReadyAdd {
    /// Writes the documents for the index as it is by now, within the bounds of `limits`, which is `EngineOptions`.
    /// Can be called again, for a mapping that was read later.
    ///
    /// # Errors
    /// `invalid_argument` for limits that cannot be read, `index_not_found` where another index took the place of theirs.
    pub fn write(&self, index: &MappedIndex, limits: &[u8]) -> Result<AddWrite> {
        let limits: EngineOptions = read_request("engine options", limits)?;
        self.index.check_same(index)?;
        let definition = &self.index.definition;
        let rules = TypedRules::new(definition.columns_schema());
        let mut writer = DocumentWriter::new(&rules, index.facts.clone());
        let mut admission = index.facts.limits(definition, &limits);
        let mut bulk = Bulk::default();
        let mut items = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let admitted = item
                .as_ref()
                .map_err(ItemError::clone)
                .and_then(|document| {
                    self.check_settings(&writer.facts, document)?;
                    let (values, tensors) = (&document.values, &document.tensors);
                    check_never_expires(&document.id, values)?;
                    admission.admit_values(&document.id, values, tensors)?;
                    Ok(document)
                });
            items.push(admitted.map(|document| {
                for (name, field) in self.settings_of(document) {
                    writer.facts.add_text(name, || TextSettings::of(field));
                }
                (document.id.clone(), bulk.push(writer.write(document)))
            }));
        }
        Ok(AddWrite {
            bulk,
            lacking: writer.facts.beyond(&index.facts),
            items,
            respond: self.respond,
        })
    }

    /// Refuses settings of the request for the text fields of a document that are not those which they have.
    fn check_settings(
        &self,
        facts: &Facts,
        document: &ReadyDocument,
    ) -> std::result::Result<(), ItemError> {
        for (name, field) in self.settings_of(document) {
            if let Some(settings) = facts.texts().get(name) {
                let checked = settings.check(name, field);
                checked.map_err(|error| error.of(document.id.clone()))?;
            }
        }
        Ok(())
    }

    /// The settings of the request for the text fields of a document. A structured index has declared its fields.
    fn settings_of<'d>(
        &'d self,
        document: &'d ReadyDocument,
    ) -> impl Iterator<Item = (&'d str, &'d TextField)> {
        let settings = match self.index.definition.documents.kind {
            IndexKind::Structured(_) => &[],
            IndexKind::Unstructured { .. } => &*self.settings,
        };
        fields_with_settings(settings, &document.values)
    }
}

impl AddWrite {
    /// The answer to the request, once every action is settled.
    ///
    /// # Errors
    /// `internal` before.
    pub fn response(self) -> Result<ItemsResponse> {
        let Self {
            bulk,
            items,
            respond,
            ..
        } = self;
        let outcomes = items.into_iter().map(|item| match item {
            Err(error) => Ok(Err(error)),
            Ok((id, place)) => outcome(id, bulk.outcome(place)),
        });
        respond(&outcomes.collect::<Result<Vec<Outcome>>>()?)
    }
}

fn outcome(id: String, of_action: Option<&ActionOutcome>) -> Result<Outcome> {
    let stored = |id, existed| Stored {
        id,
        is_change: true,
        existed,
    };
    Ok(match of_action {
        Some(ActionOutcome::Created) => Ok(stored(id, false)),
        Some(ActionOutcome::Updated) => Ok(stored(id, true)),
        Some(ActionOutcome::Refused(refusal)) => Err(refused(refusal).of(id)),
        Some(ActionOutcome::Deleted | ActionOutcome::NotFound) | None => {
            return Err(SearchError::ClusterAnswer("result for each document").into());
        }
    })
}

/// The error of a document that the cluster has refused by itself.
fn refused(refusal: &Refusal) -> ItemError {
    ItemError {
        id: None,
        code: match refusal.status {
            429 => "too_many_requests",
            400..=499 => "bad_request",
            503 => "service_unavailable",
            _ => "internal",
        },
        message: format!("OpenSearch refused the document: {}", refusal.reason),
    }
}
