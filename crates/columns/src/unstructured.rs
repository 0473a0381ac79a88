//! Unstructured indexes: a field may hold any type in any document, and a term matches through each
//! of them. Any name may be asked for.

use crate::bounds::exact_float;
use crate::cell::Cell;
use crate::column::Column;
use crate::column_store::ColumnStore;
use crate::marks::Marks;
use crate::text_column::{Case, composed};
use crate::{FieldValue, Number};

#[derive(Debug)]
pub(crate) struct Unstructured {
    pub(crate) filter_string_max_length: i64,
    pub(crate) collapse_field: Option<String>,
    /// The rule for texts of other fields.
    pub(crate) case: Case,
}

impl Unstructured {
    pub(crate) fn is_collapse_field(&self, field: &str) -> bool {
        self.collapse_field.as_deref() == Some(field)
    }

    pub(crate) fn cell<'a>(&self, field: &str, value: &'a FieldValue) -> Cell<'a> {
        match value {
            FieldValue::Text(text) => {
                let short = self.is_filterable_length(text) || self.is_collapse_field(field);
                match short {
                    true => Cell::Text(text),
                    false => Cell::Other,
                }
            }
            FieldValue::TextList(texts) => Cell::TextList(texts),
            FieldValue::Bool(truth) => Cell::Bool(*truth),
            FieldValue::Int(int) => Cell::Int(*int),
            FieldValue::Float(float) => Cell::Float(*float),
            FieldValue::Point(point) => Cell::Point(*point),
            FieldValue::Sparse(vector) => Cell::Sparse(vector),
            FieldValue::Multi(vectors) => Cell::Multi(vectors),
            // No term matches a list of numbers here, and of a map its entries alone.
            FieldValue::IntList(_) | FieldValue::FloatList(_) | FieldValue::Map(_) => Cell::Other,
        }
    }

    pub(crate) fn mark_equal(
        &self,
        columns: &ColumnStore,
        field: &str,
        value: &str,
        marks: &mut Marks,
    ) {
        if field == "_id" {
            columns.ids.mark(value, marks);
        } else if let Some(column) = columns.column(field) {
            column.texts.mark(value, marks);
            if !self.is_collapse_field(field) {
                mark_other_types(column, value, marks);
            }
        }
    }

    pub(crate) fn mark_list(
        &self,
        columns: &ColumnStore,
        field: &str,
        values: &[String],
        marks: &mut Marks,
    ) {
        if field == "_id" {
            values.iter().for_each(|id| columns.ids.mark(id, marks));
        } else if let Some(column) = columns.column(field) {
            let texts = values.iter();
            texts.for_each(|text| column.texts.mark(text, marks));
            if !self.is_collapse_field(field) {
                mark_other_types_of_any(column, values, marks);
            }
        }
    }

    fn is_filterable_length(&self, text: &str) -> bool {
        // Every code point has a byte at least, so most texts need no count. A text is as long however it is encoded.
        let maximum = usize::try_from(self.filter_string_max_length).ok();
        maximum.is_some_and(|maximum| {
            text.len() <= maximum || composed(text).chars().nth(maximum).is_none()
        })
    }
}

/// As [`mark_other_types`] of each of the values, in one pass over the numbers.
fn mark_other_types_of_any(column: &Column, values: &[String], marks: &mut Marks) {
    for truth in ["true", "false"] {
        if values.iter().any(|value| value.eq_ignore_ascii_case(truth)) {
            column.mark_bool(truth, marks);
        }
    }
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    for value in values {
        ints.extend(integer(value));
        floats.extend(float(value));
    }
    ints.sort_unstable();
    floats.sort_unstable_by(f64::total_cmp);
    column.mark_ints(&ints, marks);
    column.mark_floats(&floats, marks);
}

fn mark_other_types(column: &Column, value: &str, marks: &mut Marks) {
    column.mark_bool(value, marks);
    if let Some(int) = integer(value) {
        column.mark_int(int, marks);
    }
    if let Some(float) = float(value) {
        column.mark_float(float, marks);
    }
}

/// The integer that a value means: one with a point means a float alone, unless its exponent moves the point.
pub(crate) fn integer(value: &str) -> Option<i64> {
    let is_of_floats = value.contains('.') && !value.contains(['e', 'E']);
    Number::whole(value).filter(|_| !is_of_floats)
}

/// The float that a value means; none of an integer that no float is.
pub(crate) fn float(value: &str) -> Option<f64> {
    match Number::parse(value)? {
        Number::Int(int) => exact_float(int),
        Number::Float(float) => Some(float),
    }
}
