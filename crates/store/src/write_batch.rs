//! What is committed together, and how it changes the tables.

use redb::{ReadableTableMetadata, Table, WriteTransaction};

use crate::rows::{
    self, DEFINITION, DOCUMENTS, IDS, INDEX, PLACES, REFERENCES, STATE, SUGGESTIONS, State, TENSORS,
};
use crate::{Result, StoreError};

/// Changes that are committed together, in order: a later one sees what an earlier one did.
#[derive(Debug, Clone, Default)]
pub struct WriteBatch {
    /// The changes.
    pub ops: Vec<WriteOp>,
}

/// One change to a document, to what the index is, or to the queries it suggests.
#[derive(Debug, Clone)]
pub enum WriteOp {
    /// Stores a version of a document, in place of the one that had this id.
    Put {
        /// The user's document id, not empty.
        id: String,
        /// The ordinal of this version, above every ordinal put before.
        doc: u32,
        /// The document, opaque to the store.
        document: Vec<u8>,
        /// Its tensors, opaque to the store; may be empty.
        tensors: Vec<u8>,
    },
    /// Stores another document in place of the living version, whose ordinal and tensors stay. An
    /// unknown id is no error.
    Revise {
        /// The user's document id.
        id: String,
        /// The document, opaque to the store.
        document: Vec<u8>,
    },
    /// Removes a document. An unknown id is no error.
    Delete {
        /// The user's document id.
        id: String,
    },
    /// Stores references in place of the tensors of some documents, parts of which are kept elsewhere
    /// from now on. A document that is gone, or whose tensors are referred to already, is left alone.
    Refer {
        /// Ordinals and what is stored with them, opaque to the store.
        references: Vec<(u32, Vec<u8>)>,
        /// Where all that is referred to is kept, opaque to the store; in place of what was said before.
        places: Vec<u8>,
    },
    /// Stores another definition in place of the one that the index had.
    Define {
        /// The definition, opaque to the store.
        definition: Vec<u8>,
    },
    /// Stores a query to suggest, in place of the one that had this key.
    Suggest {
        /// What tells it from others.
        key: String,
        /// The query, opaque to the store.
        query: Vec<u8>,
    },
    /// Removes a query. An unknown key is no error.
    Unsuggest {
        /// What tells it from others.
        key: String,
    },
    /// Removes every query.
    UnsuggestAll,
}

/// What became of a batch that was applied.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// For each change in order, the ordinal of the document version it replaced, revised or
    /// removed.
    pub replaced: Vec<Option<u32>>,
    /// Whether anything is other than before: changes of unknown ids alone leave all as it was.
    pub has_effect: bool,
}

/// Applies a batch in a transaction that the caller commits.
pub(crate) fn apply(transaction: &WriteTransaction, batch: &WriteBatch) -> Result<Applied> {
    let index = transaction.open_table(INDEX)?;
    let mut state = rows::get(&index, "index", STATE, State::decode)?
        .ok_or_else(|| StoreError::damaged("index[\"state\"]", "missing"))??;
    check(batch, state.next_doc)?;
    let mut tables = Tables {
        ids: transaction.open_table(IDS)?,
        documents: transaction.open_table(DOCUMENTS)?,
        tensors: transaction.open_table(TENSORS)?,
        references: transaction.open_table(REFERENCES)?,
        index,
        transaction,
        has_effect: false,
    };
    let ops = batch.ops.iter();
    let replaced: Vec<_> = ops
        .map(|op| tables.apply(op, &mut state))
        .collect::<Result<_>>()?;
    state.sequence += 1;
    rows::put(&mut tables.index, "index", STATE, &state.encode())?;
    Ok(Applied {
        replaced,
        has_effect: tables.has_effect,
    })
}

struct Tables<'t> {
    index: Table<'t, &'static str, &'static [u8]>,
    ids: Table<'t, &'static str, &'static [u8]>,
    documents: Table<'t, u32, &'static [u8]>,
    tensors: Table<'t, u32, &'static [u8]>,
    references: Table<'t, u32, &'static [u8]>,
    /// For what few batches change.
    transaction: &'t WriteTransaction,
    has_effect: bool,
}

impl Tables<'_> {
    fn apply(&mut self, op: &WriteOp, state: &mut State) -> Result<Option<u32>> {
        match op {
            WriteOp::Put {
                id,
                doc,
                document,
                tensors,
            } => {
                let replaced = self.remove_version(id)?;
                rows::put(&mut self.ids, "ids", id.as_str(), &doc.to_le_bytes())?;
                rows::put(&mut self.documents, "documents", *doc, document)?;
                rows::put(&mut self.tensors, "tensors", *doc, tensors)?;
                state.next_doc = doc + 1;
                state.count += u64::from(replaced.is_none());
                self.has_effect = true;
                Ok(replaced)
            }
            WriteOp::Revise { id, document } => {
                let living = self.living(id)?;
                if let Some(doc) = living {
                    rows::put(&mut self.documents, "documents", doc, document)?;
                    self.has_effect = true;
                }
                Ok(living)
            }
            WriteOp::Delete { id } => {
                let removed = self.remove_version(id)?;
                if removed.is_some() {
                    self.ids.remove(id.as_str())?;
                    state.count -= 1;
                    self.has_effect = true;
                }
                Ok(removed)
            }
            WriteOp::Refer { references, places } => {
                let mut any = false;
                for (doc, reference) in references {
                    if self.tensors.remove(doc)?.is_some() {
                        rows::put(&mut self.references, "references", *doc, reference)?;
                        any = true;
                    }
                }
                if any {
                    rows::put(&mut self.index, "index", PLACES, places)?;
                    self.has_effect = true;
                }
                Ok(None)
            }
            WriteOp::Define { definition } => {
                rows::put(&mut self.index, "index", DEFINITION, definition)?;
                self.has_effect = true;
                Ok(None)
            }
            WriteOp::Suggest { key, query } => {
                let mut suggestions = self.transaction.open_table(SUGGESTIONS)?;
                rows::put(&mut suggestions, "suggestions", key.as_str(), query)?;
                self.has_effect = true;
                Ok(None)
            }
            WriteOp::Unsuggest { key } => {
                let mut suggestions = self.transaction.open_table(SUGGESTIONS)?;
                self.has_effect |= suggestions.remove(key.as_str())?.is_some();
                Ok(None)
            }
            WriteOp::UnsuggestAll => {
                let is_empty = self.transaction.open_table(SUGGESTIONS)?.is_empty()?;
                if !is_empty {
                    self.transaction.delete_table(SUGGESTIONS)?;
                    self.has_effect = true;
                }
                Ok(None)
            }
        }
    }

    /// The ordinal of the living version of `id`.
    fn living(&self, id: &str) -> Result<Option<u32>> {
        let found = rows::get(&self.ids, "ids", id, |value| rows::ordinal(id, value))?;
        found.transpose()
    }

    /// Removes the rows of the living version of `id`, its entry in `ids` excepted.
    fn remove_version(&mut self, id: &str) -> Result<Option<u32>> {
        let Some(doc) = self.living(id)? else {
            return Ok(None);
        };
        let document = self.documents.remove(doc)?.is_some();
        let tensors = self.tensors.remove(doc)?.is_some() || self.references.remove(doc)?.is_some();
        if !(document && tensors) {
            let reason = format!("its ordinal {doc} has no document");
            return Err(StoreError::damaged(format!("ids[{id:?}]"), reason));
        }
        Ok(Some(doc))
    }
}

/// Refuses a batch before it changes anything.
fn check(batch: &WriteBatch, mut expected_min: u32) -> Result<()> {
    for op in &batch.ops {
        match op {
            WriteOp::Put { id, .. } if id.is_empty() => return Err(StoreError::EmptyId),
            WriteOp::Put { doc: received, .. } => {
                // The last ordinal stays unused: the one after it could not be stored.
                if *received < expected_min || *received == u32::MAX {
                    return Err(StoreError::OrdinalOrder {
                        expected_min,
                        received: *received,
                    });
                }
                expected_min = received + 1;
            }
            _ => {}
        }
    }
    Ok(())
}
