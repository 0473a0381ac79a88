//! Numbers of documents as the view of a search shows them.

use pelorus_cancellation::Cancellation;
use pelorus_columns::{Columns, NumberColumn};
use pelorus_documents::{IndexedValues, StoredDocument};
use pelorus_filter::Number;
use rustc_hash::FxHashMap;

use super::index_documents::IndexDocuments;
use crate::error::Result;

/// Numbers of some fields, named by their place among these.
pub(super) struct Numbers<'a> {
    columns: Vec<Option<NumberColumn<'a>>>,
    /// Numbers of documents that were revised after the view was taken, and whose columns are ahead
    /// of it.
    revised: FxHashMap<u32, Vec<Option<Number>>>,
}

impl<'a> Numbers<'a> {
    /// The numbers of documents that nothing revises meanwhile.
    pub fn of(columns: &'a Columns, fields: &[String]) -> Self {
        Self {
            columns: fields.iter().map(|field| columns.numbers(field)).collect(),
            revised: FxHashMap::default(),
        }
    }
}

impl Numbers<'_> {
    /// The number that a document has in the field at `place`.
    #[inline]
    pub fn get(&self, place: usize, doc: u32) -> Option<Number> {
        if !self.revised.is_empty()
            && let Some(numbers) = self.revised.get(&doc)
        {
            return numbers[place];
        }
        self.columns[place].as_ref()?.get(doc)
    }

    /// Puts the numbers that documents, which ascend, have in the field at `place` into the same places of
    /// `numbers`, in 64 bits; NaN for none.
    pub fn gather(&self, place: usize, docs: &[u32], numbers: &mut [f64]) {
        debug_assert_eq!(docs.len(), numbers.len(), "room for the number of each");
        debug_assert!(docs.is_sorted(), "documents ascend");
        match &self.columns[place] {
            Some(column) => column.gather(docs, numbers),
            None => numbers.fill(f64::NAN),
        }
        if !self.revised.is_empty() {
            for (doc, number) in docs.iter().zip(numbers) {
                if let Some(numbers) = self.revised.get(doc) {
                    *number = numbers[place].map_or(f64::NAN, Number::as_f64);
                }
            }
        }
    }

    /// Tells whether the columns are ahead of the view with some document.
    #[inline]
    pub fn has_revised(&self) -> bool {
        !self.revised.is_empty()
    }

    /// Tells whether the columns are ahead of the view with a document.
    #[inline]
    pub fn is_revised(&self, doc: u32) -> bool {
        !self.revised.is_empty() && self.revised.contains_key(&doc)
    }

    /// The numbers in the field at `place` as the columns have them now.
    pub fn column(&self, place: usize) -> Option<&NumberColumn<'_>> {
        self.columns[place].as_ref()
    }
}

/// Runs `work` with the numbers that documents have in `fields`, under the lock of the columns.
///
/// The view was taken before the lock. A version that it shows stays in the columns as long as it is held, and its
/// values change only by a revision: documents revised since are read from the view's snapshot, so that a document is
/// ranked by the values that it is shown with.
pub(super) fn with_index_numbers<T>(
    documents: &IndexDocuments<'_>,
    fields: &[String],
    cancellation: &Cancellation,
    work: impl FnOnce(&Numbers<'_>) -> Result<T>,
) -> Result<T> {
    let columns = documents.index.columns.read();
    let numbers = Numbers {
        columns: fields.iter().map(|field| columns.numbers(field)).collect(),
        revised: revised(documents, cancellation, &columns, fields)?,
    };
    work(&numbers)
}

fn revised(
    documents: &IndexDocuments<'_>,
    cancellation: &Cancellation,
    columns: &Columns,
    fields: &[String],
) -> Result<FxHashMap<u32, Vec<Option<Number>>>> {
    let IndexDocuments { index, view, .. } = documents;
    let snapshot = view.snapshot();
    let since = index.columns.revisions.lock().since(snapshot.sequence()?);
    // More revisions than are remembered, during one search: any document may be among them.
    let docs = since.unwrap_or_else(|| view.accept().iter().collect());
    let mut revised = FxHashMap::default();
    for doc in docs {
        cancellation.check()?;
        let Some(bytes) = snapshot.document(doc)? else {
            continue;
        };
        let stored = StoredDocument::decode(&bytes)?;
        let values = IndexedValues::of_stored(&index.definition.documents, &stored)?.columns;
        let numbers = fields.iter().map(|field| columns.number_in(field, &values));
        revised.insert(doc, numbers.collect());
    }
    Ok(revised)
}
