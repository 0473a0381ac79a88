use std::borrow::Cow;

use crate::cell::Cell;
use crate::column::Column;
use crate::column_store::{ColumnStore, NamedCell};
use crate::marks::Marks;
use crate::range::{Limits, Range};
use crate::schema::Element;
use crate::structured::{Structured, check_comparable};
use crate::text_column::{Case, Fold};
use crate::unstructured::Unstructured;
use crate::{ColumnError, FieldValue, Number, Schema};

/// The rules of a kind of index about values and terms.
#[derive(Debug)]
pub(crate) enum Rules {
    Unstructured(Unstructured),
    Structured(Structured),
}

/// The rule by which texts are compared where none else is set.
const CASE_DEFAULT: Case = Case::Ignored;

impl Rules {
    pub(crate) fn new(schema: Schema) -> Self {
        match schema {
            Schema::Unstructured {
                filter_string_max_length,
                collapse_field,
            } => Rules::Unstructured(Unstructured {
                filter_string_max_length,
                collapse_field,
                case: CASE_DEFAULT,
            }),
            Schema::Structured { index, fields } => {
                Rules::Structured(Structured::new(index, fields, CASE_DEFAULT))
            }
        }
    }

    /// Compares texts by a form of theirs in place of their case alone.
    pub(crate) fn fold_texts(&mut self, fold: Fold) {
        match self {
            Rules::Unstructured(rules) => rules.case = Case::Folded(fold),
            Rules::Structured(rules) => rules.case = Case::Folded(fold),
        }
    }

    /// The cells stored for a document's fields. The entries of a map have a column each,
    /// `field.key`.
    pub(crate) fn cells<'a>(
        &'a self,
        fields: &'a [(String, FieldValue)],
    ) -> impl Iterator<Item = NamedCell<'a>> {
        fields.iter().flat_map(move |(field, value)| {
            let cell = self.cell(field, value);
            let cell = cell.map(|cell| (Cow::from(field), self.case(field), cell));
            let entries: &[(String, Number)] = match value {
                FieldValue::Map(entries) => entries,
                _ => &[],
            };
            let entries = entries.iter().filter_map(move |(key, number)| {
                let cell = self.entry_cell(field, *number)?;
                let name = format!("{field}.{key}");
                let case = self.case(&name);
                Some((Cow::from(name), case, cell))
            });
            cell.into_iter().chain(entries)
        })
    }

    /// The cell stored for a field's value; `None` for nothing.
    fn cell<'a>(&self, field: &str, value: &'a FieldValue) -> Option<Cell<'a>> {
        match self {
            Rules::Unstructured(rules) => Some(rules.cell(field, value)),
            Rules::Structured(rules) => rules.cell(field, value),
        }
    }

    /// The cell stored for an entry of the map `field`; `None` for nothing.
    fn entry_cell(&self, field: &str, number: Number) -> Option<Cell<'static>> {
        match self {
            Rules::Unstructured(_) => Some(match number {
                Number::Int(int) => Cell::Int(int),
                Number::Float(float) => Cell::Float(float),
            }),
            Rules::Structured(rules) => rules.entry_cell(field, number),
        }
    }

    /// The rule by which the texts of a column are compared.
    pub(crate) fn case(&self, column: &str) -> Case {
        match self {
            Rules::Unstructured(rules) if rules.is_collapse_field(column) => Case::Exact,
            Rules::Unstructured(rules) => rules.case,
            Rules::Structured(rules) => rules.case,
        }
    }

    /// Sets the bit of each document for which `field:value` is true.
    pub(crate) fn mark_equal(
        &self,
        columns: &ColumnStore,
        field: &str,
        value: &str,
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(rules) => {
                rules.mark_equal(columns, field, value, marks);
                Ok(())
            }
            Rules::Structured(rules) => rules.mark_equal(columns, field, value, marks),
        }
    }

    /// Sets the bit of each document with a text in a field that begins with `prefix`.
    pub(crate) fn mark_prefix(
        &self,
        columns: &ColumnStore,
        field: &str,
        prefix: &str,
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        self.check_comparable(field)?;
        if field == "_id" {
            columns.ids.mark_prefix(prefix, marks);
        } else if let Some(column) = columns.column(field) {
            column.texts.mark_prefix(prefix, marks);
        }
        Ok(())
    }

    /// Sets the bit of each document that has a value in a field.
    pub(crate) fn mark_all(
        &self,
        columns: &ColumnStore,
        field: &str,
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        self.check_named(field)?;
        if field == "_id" {
            columns.ids.mark_all(marks);
        } else if let Some(column) = columns.column(field) {
            column.mark_all(marks);
        }
        Ok(())
    }

    /// Sets the bit of each document with a value within the limits.
    pub(crate) fn mark_range(
        &self,
        columns: &ColumnStore,
        field: &str,
        limits: Limits,
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        let (range, _) = self.range(field, limits)?;
        if let Some(column) = columns.column(field) {
            column.mark_range(&range, marks);
        }
        Ok(())
    }

    /// The range over a field, and the type of its values where it is declared.
    pub(crate) fn range(
        &self,
        field: &str,
        limits: Limits,
    ) -> Result<(Range, Option<Element>), ColumnError> {
        if field == "_id" {
            return Err(ColumnError::RangeOfIds);
        }
        match self {
            Rules::Unstructured(_) => Ok((limits.range(|number| number), None)),
            Rules::Structured(rules) => {
                let (kind, range) = rules.range(field, limits)?;
                Ok((range, Some(kind.element())))
            }
        }
    }

    /// The column of the points of a field, if any document has a value there.
    pub(crate) fn point_column<'a>(
        &self,
        columns: &'a ColumnStore,
        field: &str,
    ) -> Result<Option<&'a Column>, ColumnError> {
        self.check_points(field)?;
        Ok(columns.column(field))
    }

    /// Refuses a field that has no points, as far as that does not depend on documents.
    pub(crate) fn check_points(&self, field: &str) -> Result<(), ColumnError> {
        let none = |holds: String| ColumnError::NoPoints {
            field: field.to_owned(),
            holds,
        };
        match self {
            _ if field == "_id" => Err(none("ids".to_owned())),
            Rules::Unstructured(_) => Ok(()),
            Rules::Structured(rules) => match rules.kind(field)? {
                Some(kind) if kind.element() != Element::Point => {
                    Err(none(format!("values of the type {kind}")))
                }
                _ => Ok(()),
            },
        }
    }

    /// Refuses a field that filters cannot name, and one of points.
    pub(crate) fn check_comparable(&self, field: &str) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(_) => Ok(()),
            Rules::Structured(rules) => match rules.kind(field)? {
                Some(kind) => check_comparable(field, kind),
                None => Ok(()),
            },
        }
    }

    /// Refuses a field that filters cannot name.
    pub(crate) fn check_named(&self, field: &str) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(_) => Ok(()),
            Rules::Structured(rules) => rules.kind(field).map(drop),
        }
    }

    /// Sets the bit of each document for which `field IN (values)` is true.
    pub(crate) fn mark_list(
        &self,
        columns: &ColumnStore,
        field: &str,
        values: &[String],
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(rules) => {
                rules.mark_list(columns, field, values, marks);
                Ok(())
            }
            Rules::Structured(rules) => rules.mark_list(columns, field, values, marks),
        }
    }
}
