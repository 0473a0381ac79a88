//! The operations that are committed together, and their changes to the tables.

use redb::{AccessGuard, ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use crate::rows::{
    self, DEFINITION, DOCUMENTS, INDEX, PLACES, REFERENCES, STATE, SUGGESTIONS, State, TENSORS,
};
use crate::{Result, StoreError};

/// Changes that are committed together, in order: a later one sees the effects of earlier ones.
#[derive(Debug, Clone, Default)]
pub struct WriteBatch {
    /// The changes.
    pub ops: Vec<WriteOp>,
}

/// One change to a document, to the index's definition, or to the queries it suggests.
#[derive(Debug, Clone)]
pub enum WriteOp {
    /// Stores a version of a document.
    Put {
        /// The ordinal of this version, above every ordinal put before.
        doc: u32,
        /// The version whose place it takes; none where the document is new.
        replaces: Option<u32>,
        /// The document, opaque to the store.
        document: Vec<u8>,
        /// Its tensors, opaque to the store; may be empty.
        tensors: Vec<u8>,
    },
    /// Stores another document in place of that of a version, whose tensors stay.
    Revise {
        /// The ordinal of the version.
        doc: u32,
        /// The document, opaque to the store.
        document: Vec<u8>,
    },
    /// Removes a version of a document.
    Delete {
        /// The ordinal of the version.
        doc: u32,
    },
    /// Stores references in place of the tensors of some documents, parts of which are kept elsewhere
    /// from now on. A document that is gone, or whose tensors are referred to already, is left alone.
    Refer {
        /// Ordinals and their stored values, opaque to the store.
        references: Vec<(u32, Vec<u8>)>,
        /// The places of all that is referred to, opaque to the store; they replace the ones before.
        places: Vec<u8>,
    },
    /// Stores another definition in place of the one that the index had.
    Define {
        /// The definition, opaque to the store.
        definition: Vec<u8>,
    },
    /// Stores a query to suggest, in place of the one that had this key.
    Suggest {
        /// The text that tells it from others.
        key: String,
        /// The query, opaque to the store.
        query: Vec<u8>,
    },
    /// Removes a query. An unknown key is no error.
    Unsuggest {
        /// The text that tells it from others.
        key: String,
    },
    /// Removes every query.
    UnsuggestAll,
}

/// The effect of a batch.
pub(crate) struct Applied {
    /// Tells whether anything is other than before: queries that are not there and references to nothing leave all as
    /// it was.
    pub has_effect: bool,
    /// Bytes of documents and tensors that come, less those that go.
    pub grown: i64,
}

/// Applies a batch in a transaction that the caller commits.
pub(crate) fn apply(transaction: &WriteTransaction, batch: &WriteBatch) -> Result<Applied> {
    let index = transaction.open_table(INDEX)?;
    let mut state = rows::get(&index, "index", STATE, State::decode)?
        .ok_or_else(|| StoreError::damaged("index[\"state\"]", "missing"))??;
    check(batch, state.next_doc)?;
    let mut tables = Tables {
        documents: transaction.open_table(DOCUMENTS)?,
        tensors: transaction.open_table(TENSORS)?,
        references: transaction.open_table(REFERENCES)?,
        index,
        transaction,
        has_effect: false,
        grown: 0,
    };
    for op in &batch.ops {
        tables.apply(op, &mut state)?;
    }
    state.sequence += 1;
    rows::put(&mut tables.index, "index", STATE, &state.encode())?;
    Ok(Applied {
        has_effect: tables.has_effect,
        grown: tables.grown,
    })
}

struct Tables<'t> {
    index: Table<'t, &'static str, &'static [u8]>,
    documents: Table<'t, u32, &'static [u8]>,
    tensors: Table<'t, u32, &'static [u8]>,
    references: Table<'t, u32, &'static [u8]>,
    /// For what few batches change.
    transaction: &'t WriteTransaction,
    has_effect: bool,
    grown: i64,
}

impl Tables<'_> {
    fn apply(&mut self, op: &WriteOp, state: &mut State) -> Result<()> {
        match op {
            WriteOp::Put {
                doc,
                replaces,
                document,
                tensors,
            } => {
                match replaces {
                    Some(old) => self.remove_version(*old)?,
                    None => state.count += 1,
                }
                rows::put(&mut self.documents, "documents", *doc, document)?;
                rows::put(&mut self.tensors, "tensors", *doc, tensors)?;
                self.grown += (document.len() + tensors.len()) as i64;
                state.next_doc = doc + 1;
                self.has_effect = true;
            }
            WriteOp::Revise { doc, document } => {
                let before = length(self.documents.get(doc)?);
                self.grown += document.len() as i64 - before.ok_or_else(|| missing(*doc))?;
                rows::put(&mut self.documents, "documents", *doc, document)?;
                self.has_effect = true;
            }
            WriteOp::Delete { doc } => {
                self.remove_version(*doc)?;
                state.count -= 1;
                self.has_effect = true;
            }
            WriteOp::Refer { references, places } => self.refer(references, places)?,
            WriteOp::Define { definition } => {
                rows::put(&mut self.index, "index", DEFINITION, definition)?;
                self.has_effect = true;
            }
            WriteOp::Suggest { key, query } => {
                let mut suggestions = self.transaction.open_table(SUGGESTIONS)?;
                rows::put(&mut suggestions, "suggestions", key.as_str(), query)?;
                self.has_effect = true;
            }
            WriteOp::Unsuggest { key } => {
                let mut suggestions = self.transaction.open_table(SUGGESTIONS)?;
                self.has_effect |= suggestions.remove(key.as_str())?.is_some();
            }
            WriteOp::UnsuggestAll => {
                let is_empty = self.transaction.open_table(SUGGESTIONS)?.is_empty()?;
                if !is_empty {
                    self.transaction.delete_table(SUGGESTIONS)?;
                    self.has_effect = true;
                }
            }
        }
        Ok(())
    }

    /// Removes the rows of a version.
    fn remove_version(&mut self, doc: u32) -> Result<()> {
        let document = length(self.documents.remove(doc)?);
        let tensors = match length(self.tensors.remove(doc)?) {
            None => length(self.references.remove(doc)?),
            tensors => tensors,
        };
        let (Some(document), Some(tensors)) = (document, tensors) else {
            return Err(missing(doc));
        };
        self.grown -= document + tensors;
        Ok(())
    }

    fn refer(&mut self, references: &[(u32, Vec<u8>)], places: &[u8]) -> Result<()> {
        let mut any = false;
        for (doc, reference) in references {
            if let Some(before) = length(self.tensors.remove(doc)?) {
                self.grown += reference.len() as i64 - before;
                rows::put(&mut self.references, "references", *doc, reference)?;
                any = true;
            }
        }
        if any {
            rows::put(&mut self.index, "index", PLACES, places)?;
            self.has_effect = true;
        }
        Ok(())
    }
}

/// Bytes of a stored value, none where there was none.
fn length(value: Option<AccessGuard<'_, &'static [u8]>>) -> Option<i64> {
    value.map(|value| rows::value_len(value.value()) as i64)
}

/// Whoever changes a version has read it.
fn missing(doc: u32) -> StoreError {
    StoreError::damaged(format!("documents[{doc}]"), "missing")
}

/// Refuses a batch before it changes anything.
fn check(batch: &WriteBatch, mut expected_min: u32) -> Result<()> {
    for op in &batch.ops {
        let WriteOp::Put { doc: received, .. } = op else {
            continue;
        };
        // The last ordinal stays unused: the one after it could not be stored.
        if *received < expected_min || *received == u32::MAX {
            return Err(StoreError::OrdinalOrder {
                expected_min,
                received: *received,
            });
        }
        expected_min = received + 1;
    }
    Ok(())
}
