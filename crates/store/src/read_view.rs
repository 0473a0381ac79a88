use std::sync::Arc;

use redb::{ReadOnlyTable, ReadTransaction, TableError};

use crate::rows::{self, DEFINITION, DOCUMENTS, IDS, INDEX, STATE, SUGGESTIONS, State, TENSORS};
use crate::session::Session;
use crate::{Result, StoreError};

/// One commit of a [`Store`](crate::Store), for reading. `Send` and `Sync`.
///
/// Every method fails with [`StoreError::Damaged`], naming table and key, when a checksum on the
/// way to its answer does not hold. It may fail with [`StoreError::Closed`] once the store was
/// dropped or opened anew, and then succeeds on a view of the store that took its place.
pub struct ReadView {
    index: ReadOnlyTable<&'static str, &'static [u8]>,
    ids: ReadOnlyTable<&'static str, &'static [u8]>,
    documents: ReadOnlyTable<u32, &'static [u8]>,
    tensors: ReadOnlyTable<u32, &'static [u8]>,
    /// None where there never was a query.
    suggestions: Option<ReadOnlyTable<&'static str, &'static [u8]>>,
    state: State,
    session: Arc<Session>,
}

impl ReadView {
    pub(crate) fn new(transaction: &ReadTransaction, session: Arc<Session>) -> Result<Self> {
        let index = transaction.open_table(INDEX)?;
        let state = rows::get(&index, "index", STATE, State::decode)?
            .ok_or_else(|| StoreError::damaged("index[\"state\"]", "missing"))??;
        Ok(ReadView {
            index,
            ids: transaction.open_table(IDS)?,
            documents: transaction.open_table(DOCUMENTS)?,
            tensors: transaction.open_table(TENSORS)?,
            suggestions: match transaction.open_table(SUGGESTIONS) {
                Err(TableError::TableDoesNotExist(_)) => None,
                table => Some(table?),
            },
            state,
            session,
        })
    }

    pub(crate) fn definition(&self) -> Result<Vec<u8>> {
        self.explained(rows::get(&self.index, "index", DEFINITION, <[u8]>::to_vec))?
            .ok_or_else(|| StoreError::damaged("index[\"definition\"]", "missing"))
    }

    /// The ordinal of the living version of a document.
    pub fn doc_of(&self, id: &str) -> Result<Option<u32>> {
        let found = rows::get(&self.ids, "ids", id, |value| rows::ordinal(id, value));
        self.explained(found)?.transpose()
    }

    /// The document stored under an ordinal; `None` when that version is gone.
    pub fn document(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        self.explained(rows::get(&self.documents, "documents", doc, <[u8]>::to_vec))
    }

    /// The tensors stored with a document; `None` when that version is gone.
    pub fn tensors(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        self.explained(rows::get(&self.tensors, "tensors", doc, <[u8]>::to_vec))
    }

    /// The query to suggest that is stored under a key.
    pub fn suggestion(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(table) = &self.suggestions else {
            return Ok(None);
        };
        self.explained(rows::get(table, "suggestions", key, <[u8]>::to_vec))
    }

    /// Visits every query to suggest, in the order of their keys. Stops at the visitor's first
    /// error.
    ///
    /// # Errors
    /// The visitor's own.
    pub fn scan_suggestions<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(&str, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let explained = |error: redb::StorageError| self.session.explain(error.into());
        let Some(table) = &self.suggestions else {
            return Ok(());
        };
        for row in table.range::<&str>(..).map_err(explained)? {
            let (key, query) = row.map_err(explained)?;
            let query = rows::open("suggestions", key.value(), query.value())?;
            visit(key.value(), query)?;
        }
        Ok(())
    }

    /// The smallest ordinal no document version ever had.
    pub fn next_doc(&self) -> Result<u32> {
        Ok(self.state.next_doc)
    }

    /// The number of commits that changed something.
    pub fn sequence(&self) -> Result<u64> {
        Ok(self.state.sequence)
    }

    /// The number of living documents.
    pub fn count(&self) -> Result<u64> {
        Ok(self.state.count)
    }

    /// Visits every living document with an ordinal of at least `from`, ascending: ordinal,
    /// document, tensors. Those below `tensors_from` come without tensors, of which no page is
    /// read then: they are most of the file. Stops at the visitor's first error.
    ///
    /// # Errors
    /// The visitor's own; [`StoreError::Damaged`] also when a whole scan does not meet as many
    /// documents as the index counts.
    pub fn scan<E: From<StoreError>>(
        &self,
        from: u32,
        tensors_from: u32,
        mut visit: impl FnMut(u32, &[u8], Option<&[u8]>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let explained = |error: redb::StorageError| self.session.explain(error.into());
        let with_tensors = from.max(tensors_from);
        let mut tensors = self.tensors.range(with_tensors..).map_err(explained)?;
        let mut met: u64 = 0;
        for row in self.documents.range(from..).map_err(explained)? {
            let (doc, document) = row.map_err(explained)?;
            let doc = doc.value();
            let document = rows::open("documents", doc, document.value())?;
            met += 1;
            if doc < with_tensors {
                visit(doc, document, None)?;
                continue;
            }
            let tensors = tensors.next().transpose().map_err(explained)?;
            let tensors = tensors
                .filter(|(key, _)| key.value() == doc)
                .ok_or_else(|| StoreError::damaged(format!("tensors[{doc}]"), "missing"))?;
            let tensors = rows::open("tensors", doc, tensors.1.value())?;
            visit(doc, document, Some(tensors))?;
        }
        if from == 0 && met != self.state.count {
            let reason = format!("{} counted, {met} found", self.state.count);
            return Err(StoreError::damaged("documents", reason).into());
        }
        Ok(())
    }

    fn explained<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.session.explain(error))
    }
}

impl std::fmt::Debug for ReadView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadView")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
