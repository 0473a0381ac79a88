//! Bounds on what documents may add to an index as a whole.

use std::collections::{BTreeSet, HashSet};

use pelorus_columns::FieldValue;

use crate::apply::ReadyDocument;
use crate::document::ItemError;
use crate::index::Index;

/// Most columns of one index, entries of maps counted one by one. A column costs memory even when
/// a single document has a value, so names that are really values (`price_12345`) must not pile up.
const COLUMNS: usize = 10_000;

/// What the documents of one group, taken in so far, add to an index.
pub(crate) struct Admission<'a> {
    index: &'a Index,
    columns: usize,
    new_columns: HashSet<String>,
    text_fields: BTreeSet<String>,
}

impl<'a> Admission<'a> {
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            columns: index.columns.read().field_count(),
            new_columns: HashSet::new(),
            text_fields: BTreeSet::new(),
        }
    }

    /// Takes a document in, or says which bound it would break.
    pub fn admit(&mut self, document: &ReadyDocument) -> Result<(), ItemError> {
        let refuse = |message: String| ItemError {
            id: Some(document.id.clone()),
            ..ItemError::invalid(message)
        };
        let name = &self.index.name;
        let mut text_fields = self.text_fields.clone();
        text_fields.extend(
            document
                .values
                .lexical
                .iter()
                .map(|(field, _)| field.clone()),
        );
        let names: Vec<&str> = text_fields.iter().map(String::as_str).collect();
        self.index.lexical.check_fields(&names).map_err(|error| {
            refuse(format!(
                "Index {name} cannot take the text fields of this document: {error}"
            ))
        })?;
        let new_columns = self.new_columns_of(document);
        let total = self.columns + self.new_columns.len() + new_columns.len();
        if total > COLUMNS {
            return Err(refuse(format!(
                "Index {name} holds at most {COLUMNS} distinct fields, entries of maps counted one by one; with this document there would be {total}"
            )));
        }
        self.text_fields = text_fields;
        self.new_columns.extend(new_columns);
        Ok(())
    }

    fn new_columns_of(&self, document: &ReadyDocument) -> HashSet<String> {
        let columns = self.index.columns.read();
        let mut new = HashSet::new();
        let mut note = |field: String| {
            if !columns.has_field(&field) && !self.new_columns.contains(&field) {
                new.insert(field);
            }
        };
        for (field, value) in &document.values.columns {
            match value {
                FieldValue::Map(entries) => {
                    entries
                        .iter()
                        .for_each(|(key, _)| note(format!("{field}.{key}")));
                }
                _ => note(field.clone()),
            }
        }
        new
    }
}
