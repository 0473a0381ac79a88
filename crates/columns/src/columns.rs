use crate::column::Column;
use crate::column_store::ColumnStore;
use crate::number_column::{DateColumn, NumberColumn, Reading};
use crate::rules::Rules;
use crate::text_column::Fold;
use crate::text_values::TextValues;
use crate::{FieldValue, MultiVectors, Number, Schema, SparseIndex};

/// The columns of one index.
#[derive(Debug)]
pub struct Columns {
    pub(crate) rules: Rules,
    pub(crate) store: ColumnStore,
}

impl Columns {
    pub fn new(schema: Schema) -> Self {
        Columns {
            rules: Rules::new(schema),
            store: ColumnStore::new(),
        }
    }

    /// The same, empty still, with texts that filters compare by a form of theirs: texts of one form are one value. Ids,
    /// and the field by which an unstructured index groups, are compared as ever.
    #[must_use]
    pub fn with_fold(mut self, fold: Fold) -> Self {
        self.rules.fold_texts(fold);
        self
    }

    /// Takes in a document, in place of whatever `doc` was before.
    ///
    /// `id` is the document's `_id`, which several ordinals may share while versions replace each
    /// other. Values that the schema gives no column are ignored: undeclared fields, or a declared
    /// one of another type, or without a feature that reads it.
    pub fn insert(&mut self, doc: u32, id: &str, fields: &[(String, FieldValue)]) {
        self.store.insert(doc, id, self.rules.cells(fields));
    }

    /// Takes a document out. Nothing happens when it is not there.
    pub fn remove(&mut self, doc: u32) {
        self.store.remove(doc);
    }

    /// Tells whether a document is held as [`Columns::insert`] takes it in: the same id, just these values, and each
    /// text found by its document and the document by each text.
    pub fn holds(&self, doc: u32, id: &str, fields: &[(String, FieldValue)]) -> bool {
        self.store.holds(doc, id, self.rules.cells(fields))
    }

    /// Tells whether anything is held under an ordinal.
    pub fn contains(&self, doc: u32) -> bool {
        self.store.contains(doc)
    }

    /// The numbers of a field, of a map's entry (`map.key`), of a [distance](crate::distance_of) or of a [date](crate::date_of); `None`
    /// when no document has any value there.
    pub fn numbers(&self, name: &str) -> Option<NumberColumn<'_>> {
        let (field, reading) = Reading::of(name);
        let column = self.store.column(field)?;
        Some(NumberColumn { column, reading })
    }

    /// The number of one document, as [`Columns::numbers`] gives it.
    pub fn number(&self, field: &str, doc: u32) -> Option<Number> {
        self.numbers(field)?.get(doc)
    }

    /// The dates of a field, or of a map's entry; `None` when no document has any value there.
    pub fn dates(&self, field: &str) -> Option<DateColumn<'_>> {
        Some(DateColumn(self.store.column(field)?))
    }

    /// The number that a document of these fields would have by a name, as [`Columns::number`] gives
    /// it once the document is taken in.
    pub fn number_in(&self, name: &str, document: &[(String, FieldValue)]) -> Option<Number> {
        let (field, reading) = Reading::of(name);
        let cells = self.rules.cells(document);
        let mut column = Column::new(self.rules.case(field));
        for (.., cell) in cells.filter(|(name, ..)| name == field) {
            column.insert(0, cell);
        }
        let column = &column;
        NumberColumn { column, reading }.get(0)
    }

    /// The texts of a field, as documents write them; `None` when no document has any value there.
    pub fn texts(&self, field: &str) -> Option<TextValues<'_>> {
        let column = self.store.column(field)?;
        Some(TextValues(&column.texts))
    }

    /// Tells whether some document has a point in a field.
    pub fn has_points(&self, field: &str) -> bool {
        self.store.column(field).is_some_and(Column::has_points)
    }

    /// The sparse vectors of a field; `None` when no document has any there.
    pub fn sparse_vectors(&self, field: &str) -> Option<&SparseIndex> {
        let vectors = self.store.column(field)?.sparse_vectors()?;
        Some(vectors.index())
    }

    /// The vectors of a field of which each document may have many; `None` when no document has any there.
    pub fn multi_vectors(&self, field: &str) -> Option<&MultiVectors> {
        self.store.column(field)?.multi_vectors()
    }

    /// The `_id` of a document.
    pub fn id(&self, doc: u32) -> Option<&str> {
        let ids = &self.store.ids;
        ids.single(doc).map(|id| ids.text(id))
    }

    /// The version of the document with an `_id`, among those that are visible: several ordinals share an id
    /// while versions replace each other.
    pub fn version_of(&self, id: &str, is_visible: impl Fn(u32) -> bool) -> Option<u32> {
        self.store.ids.last(id, is_visible)
    }

    /// The number of different `_id`s.
    pub fn id_count(&self) -> usize {
        self.store.ids.len()
    }

    /// The number of fields that have a column, entries of maps counted one by one.
    pub fn field_count(&self) -> usize {
        self.store.len()
    }

    /// Tells whether a field, or a map's entry as `map.key`, has a column.
    pub fn has_field(&self, field: &str) -> bool {
        self.store.column(field).is_some()
    }

    /// Tells whether some document has a list of texts in a field.
    pub fn has_text_lists(&self, field: &str) -> bool {
        self.store
            .column(field)
            .is_some_and(|column| column.texts.has_lists())
    }

    /// Bytes held, estimated from the stored values; visits every distinct text.
    pub fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
    }
}
