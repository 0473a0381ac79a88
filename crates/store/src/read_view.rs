use std::sync::Arc;

use redb::{
    AccessGuard, Key, Range, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata,
    TableDefinition, TableError, WriteTransaction,
};

use crate::rows::{
    self, DEFINITION, DOCUMENTS, INDEX, PLACES, REFERENCES, RowKey, STATE, SUGGESTIONS, State,
    TENSORS,
};
use crate::session::Session;
use crate::{Result, StoreError};

/// Rows that are copied between two looks at whether to go on.
const ROWS_PER_LOOK: usize = 1_024;

/// One commit of a [`Store`](crate::Store), for reading. `Send` and `Sync`.
///
/// Every method fails with [`StoreError::Damaged`], naming table and key, when a checksum on the
/// way to its answer does not hold. It may fail with [`StoreError::Closed`] once the store was
/// dropped or opened anew, and then succeeds on a view of the store that took its place.
pub struct ReadView {
    index: ReadOnlyTable<&'static str, &'static [u8]>,
    documents: ReadOnlyTable<u32, &'static [u8]>,
    tensors: ReadOnlyTable<u32, &'static [u8]>,
    /// None where nothing was written since there may be any.
    references: Option<ReadOnlyTable<u32, &'static [u8]>>,
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
            documents: transaction.open_table(DOCUMENTS)?,
            tensors: transaction.open_table(TENSORS)?,
            references: if_there(transaction.open_table(REFERENCES))?,
            suggestions: if_there(transaction.open_table(SUGGESTIONS))?,
            state,
            session,
        })
    }

    /// The definition of the index.
    pub fn definition(&self) -> Result<Vec<u8>> {
        self.explained(rows::get(&self.index, "index", DEFINITION, <[u8]>::to_vec))?
            .ok_or_else(|| StoreError::damaged("index[\"definition\"]", "missing"))
    }

    /// The document stored under an ordinal; `None` when that version is gone.
    pub fn document(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        self.explained(rows::get(&self.documents, "documents", doc, <[u8]>::to_vec))
    }

    /// The tensors stored with a document, or the references in their place; `None` when that version
    /// is gone.
    pub fn tensors(&self, doc: u32) -> Result<Option<Vec<u8>>> {
        let here = rows::get(&self.tensors, "tensors", doc, <[u8]>::to_vec);
        match (self.explained(here)?, &self.references) {
            (None, Some(table)) => {
                self.explained(rows::get(table, "references", doc, <[u8]>::to_vec))
            }
            (tensors, _) => Ok(tensors),
        }
    }

    /// Visits the tensors of documents with an ordinal of at least `from` that nothing refers to in
    /// their place, ascending, until the visitor answers false or with an error.
    ///
    /// # Errors
    /// The visitor's own.
    pub fn scan_unreferred<E: From<StoreError>>(
        &self,
        from: u32,
        mut visit: impl FnMut(u32, &[u8]) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        let explained = |error: redb::StorageError| self.session.explain(error.into());
        for row in self.tensors.range(from..).map_err(explained)? {
            let (doc, tensors) = row.map_err(explained)?;
            let doc = doc.value();
            if !visit(doc, rows::open("tensors", doc, tensors.value())?)? {
                break;
            }
        }
        Ok(())
    }

    /// Visits the references of documents with an ordinal of at least `from`, ascending. Stops at the
    /// visitor's first error.
    ///
    /// # Errors
    /// The visitor's own.
    pub fn scan_references<E: From<StoreError>>(
        &self,
        from: u32,
        mut visit: impl FnMut(u32, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let explained = |error: redb::StorageError| self.session.explain(error.into());
        let Some(table) = &self.references else {
            return Ok(());
        };
        for row in table.range(from..).map_err(explained)? {
            let (doc, references) = row.map_err(explained)?;
            let doc = doc.value();
            visit(doc, rows::open("references", doc, references.value())?)?;
        }
        Ok(())
    }

    /// The places of all that references speak of, as the last [`WriteOp::Refer`](crate::WriteOp::Refer) gave them;
    /// none where there never was one.
    pub fn places(&self) -> Result<Option<Vec<u8>>> {
        self.explained(rows::get(&self.index, "index", PLACES, <[u8]>::to_vec))
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
        self.scan_suggestions_from(None, |key, query| visit(key, query).map(|()| true))
    }

    /// Visits the queries to suggest from a key on, or all of them, in the order of their keys, until the visitor answers
    /// false or with an error.
    ///
    /// # Errors
    /// The visitor's own.
    pub fn scan_suggestions_from<E: From<StoreError>>(
        &self,
        from: Option<&str>,
        mut visit: impl FnMut(&str, &[u8]) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        let explained = |error: redb::StorageError| self.session.explain(error.into());
        let Some(table) = &self.suggestions else {
            return Ok(());
        };
        for row in table.range(from.unwrap_or_default()..).map_err(explained)? {
            let (key, query) = row.map_err(explained)?;
            let query = rows::open("suggestions", key.value(), query.value())?;
            if !visit(key.value(), query)? {
                break;
            }
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
        let mut here = Rows::of(&self.tensors, "tensors", with_tensors).map_err(explained)?;
        let mut references = match &self.references {
            None => None,
            Some(table) => Some(Rows::of(table, "references", with_tensors).map_err(explained)?),
        };
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
            let (name, row) = match here.take(doc).map_err(explained)? {
                Some(row) => (here.name, Some(row)),
                None => match &mut references {
                    Some(rows) => (rows.name, rows.take(doc).map_err(explained)?),
                    None => (here.name, None),
                },
            };
            let missing = || StoreError::damaged(format!("tensors[{doc}]"), "missing");
            let row = row.ok_or_else(missing)?;
            visit(doc, document, Some(rows::open(name, doc, row.value())?))?;
        }
        if from == 0 && met != self.state.count {
            let reason = format!("{} counted, {met} found", self.state.count);
            return Err(StoreError::damaged("documents", reason).into());
        }
        Ok(())
    }

    /// Bytes of the pages that this view shows: about the size of the file without any others. Reads all of these
    /// pages.
    ///
    /// # Errors
    /// Those of reading.
    pub fn page_bytes(&self) -> Result<u64> {
        let tables = [
            Some(bytes_of(&self.documents)),
            Some(bytes_of(&self.tensors)),
            self.references.as_ref().map(bytes_of),
            self.suggestions.as_ref().map(bytes_of),
        ];
        self.explained(tables.into_iter().flatten().sum())
    }

    /// Copies every row to tables that are not there yet. False once `go_on` answers so.
    pub(crate) fn copy_to(&self, to: &WriteTransaction, go_on: impl Fn() -> bool) -> Result<bool> {
        let go_on = &go_on;
        let copied = || {
            Ok(copy(&self.index, to, (INDEX, "index"), go_on)?
                && copy(&self.documents, to, (DOCUMENTS, "documents"), go_on)?
                && copy(&self.tensors, to, (TENSORS, "tensors"), go_on)?
                && match &self.references {
                    Some(table) => copy(table, to, (REFERENCES, "references"), go_on)?,
                    None => true,
                }
                && match &self.suggestions {
                    Some(table) => copy(table, to, (SUGGESTIONS, "suggestions"), go_on)?,
                    None => true,
                })
        };
        self.explained(copied())
    }

    fn explained<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.session.explain(error))
    }
}

/// A table, where there is one.
fn if_there<T>(table: std::result::Result<T, TableError>) -> Result<Option<T>> {
    match table {
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        table => Ok(Some(table?)),
    }
}

/// Bytes of the pages of a table.
fn bytes_of<K: Key + 'static>(table: &ReadOnlyTable<K, &'static [u8]>) -> Result<u64> {
    let stats = table.stats()?;
    Ok(stats.stored_bytes() + stats.metadata_bytes() + stats.fragmented_bytes())
}

/// Copies the rows of a table, each once its checksum holds. False once `go_on` answers so.
fn copy<K: Key + 'static>(
    from: &ReadOnlyTable<K, &'static [u8]>,
    to: &WriteTransaction,
    (definition, name): (TableDefinition<'_, K, &'static [u8]>, &str),
    go_on: impl Fn() -> bool,
) -> Result<bool>
where
    for<'k> K::SelfType<'k>: RowKey,
{
    let mut to = to.open_table(definition)?;
    for (at, row) in from.iter()?.enumerate() {
        if at.is_multiple_of(ROWS_PER_LOOK) && !go_on() {
            return Ok(false);
        }
        let (key, row) = row?;
        rows::open(name, key.value(), row.value())?;
        to.insert(key.value(), row.value())?;
    }
    Ok(true)
}

/// The rows of one table of several that have the documents between them.
struct Rows<'t> {
    name: &'static str,
    range: Range<'t, u32, &'static [u8]>,
    next: Option<(u32, AccessGuard<'t, &'static [u8]>)>,
}

impl<'t> Rows<'t> {
    fn of(
        table: &'t ReadOnlyTable<u32, &'static [u8]>,
        name: &'static str,
        from: u32,
    ) -> std::result::Result<Self, redb::StorageError> {
        let mut rows = Self {
            name,
            range: table.range(from..)?,
            next: None,
        };
        rows.advance()?;
        Ok(rows)
    }

    fn advance(&mut self) -> std::result::Result<(), redb::StorageError> {
        let next = self.range.next().transpose()?;
        self.next = next.map(|(key, value)| (key.value(), value));
        Ok(())
    }

    /// The row of a document, if it is here: each is asked for once, in their order.
    fn take(
        &mut self,
        doc: u32,
    ) -> std::result::Result<Option<AccessGuard<'t, &'static [u8]>>, redb::StorageError> {
        if self.next.as_ref().is_none_or(|(next, _)| *next != doc) {
            return Ok(None);
        }
        let row = self.next.take().map(|(_, row)| row);
        self.advance()?;
        Ok(row)
    }
}

impl std::fmt::Debug for ReadView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadView")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
