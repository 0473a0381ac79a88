use crate::cell::Cell;
use crate::column::{Column, NumberColumn};
use crate::dictionary::Dictionary;
use crate::rules::Rules;
use crate::sparse::Sparse;
use crate::text_column::{Case, TextColumn};
use crate::{FieldValue, Schema};

/// The columns of one index.
#[derive(Debug)]
pub struct Columns {
    pub(crate) rules: Rules,
    pub(crate) ids: TextColumn,
    /// By field name; the entries of a map under `field.key`. No column is empty.
    fields: Dictionary<str, Column>,
    /// Which columns a document is in, as a set shared by all documents in the same ones.
    sets: Dictionary<[u32], Uses>,
    set_of: Sparse<u32>,
}

/// Documents in one set of columns.
type Uses = u32;

impl Columns {
    pub fn new(schema: Schema) -> Self {
        Columns {
            rules: Rules::new(schema),
            ids: TextColumn::new(Case::Exact),
            fields: Dictionary::default(),
            sets: Dictionary::default(),
            set_of: Sparse::default(),
        }
    }

    /// Takes in a document, in place of whatever `doc` was before.
    ///
    /// `id` is the document's `_id`, which several ordinals may share while versions replace each
    /// other. Values that the schema gives no column are ignored: undeclared fields, or a declared
    /// one of another type, or without a feature that reads it.
    pub fn insert(&mut self, doc: u32, id: &str, fields: &[(String, FieldValue)]) {
        self.remove(doc);
        self.ids.insert(doc, id);
        let mut set = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            self.insert_field(doc, name, value, &mut set);
        }
        set.sort_unstable();
        set.dedup();
        let set = self.sets.intern(&set, || 0);
        *self.sets.value_mut(set) += 1;
        self.set_of.insert(doc, set);
    }

    /// Takes a document out. Nothing happens when it is not there.
    pub fn remove(&mut self, doc: u32) {
        let Some(set) = self.set_of.remove(doc) else {
            return;
        };
        self.ids.remove(doc);
        for &field in &**self.sets.key(set) {
            let column = self.fields.value_mut(field);
            column.remove(doc);
            if column.is_empty() {
                self.fields.remove(field);
            }
        }
        let uses = self.sets.value_mut(set);
        *uses -= 1;
        if *uses == 0 {
            self.sets.remove(set);
        }
    }

    /// The numbers of a field or of a map's entry (`map.key`); `None` when no document has any.
    pub fn numbers(&self, field: &str) -> Option<NumberColumn<'_>> {
        self.column(field).map(NumberColumn)
    }

    /// The number of one document, as [`Columns::numbers`] gives it.
    pub fn number(&self, field: &str, doc: u32) -> Option<f64> {
        self.numbers(field)?.get(doc)
    }

    /// How many fields have a column, entries of maps counted one by one.
    pub fn field_count(&self) -> usize {
        self.fields.iter().count()
    }

    /// Whether a field, or a map's entry as `map.key`, has a column.
    pub fn has_field(&self, field: &str) -> bool {
        self.column(field).is_some()
    }

    /// Bytes held, estimated from what is stored; visits every distinct text.
    pub fn memory_bytes(&self) -> usize {
        let columns: usize = self
            .fields
            .iter()
            .map(|(_, column)| column.memory_bytes())
            .sum();
        let sets = self.sets.memory_bytes() + self.set_of.memory_bytes();
        self.ids.memory_bytes() + self.fields.memory_bytes() + columns + sets
    }

    pub(crate) fn column(&self, field: &str) -> Option<&Column> {
        self.fields.find(field)
    }

    fn insert_field(&mut self, doc: u32, name: &str, value: &FieldValue, set: &mut Vec<u32>) {
        if let FieldValue::Map(entries) = value {
            for (key, number) in entries {
                if let Some(cell) = self.rules.entry_cell(name, *number) {
                    self.insert_cell(doc, &format!("{name}.{key}"), cell, set);
                }
            }
        } else if let Some(cell) = self.rules.cell(name, value) {
            self.insert_cell(doc, name, cell, set);
        }
    }

    fn insert_cell(&mut self, doc: u32, name: &str, cell: Cell<'_>, set: &mut Vec<u32>) {
        let case = self.rules.case(name);
        let field = self.fields.intern(name, || Column::new(case));
        self.fields.value_mut(field).insert(doc, cell);
        set.push(field);
    }
}
