use crate::cell::Cell;
use crate::columns::Columns;
use crate::marks::Marks;
use crate::structured::Structured;
use crate::text_column::Case;
use crate::unstructured::Unstructured;
use crate::{ColumnError, FieldValue, Number, Schema};

/// What the kind of index says of values and terms.
#[derive(Debug)]
pub(crate) enum Rules {
    Unstructured(Unstructured),
    Structured(Structured),
}

impl Rules {
    pub(crate) fn new(schema: Schema) -> Self {
        match schema {
            Schema::Unstructured {
                filter_string_max_length,
                collapse_field,
            } => Rules::Unstructured(Unstructured {
                filter_string_max_length,
                collapse_field,
            }),
            Schema::Structured { index, fields } => {
                Rules::Structured(Structured::new(index, fields))
            }
        }
    }

    /// What is stored of a field's value, which is no map; `None` for nothing.
    pub(crate) fn cell<'a>(&self, field: &str, value: &'a FieldValue) -> Option<Cell<'a>> {
        match self {
            Rules::Unstructured(rules) => rules.cell(field, value),
            Rules::Structured(rules) => rules.cell(field, value),
        }
    }

    /// What is stored of an entry of the map `field`; `None` for nothing.
    pub(crate) fn entry_cell(&self, field: &str, number: Number) -> Option<Cell<'static>> {
        match self {
            Rules::Unstructured(_) => Some(match number {
                Number::Int(int) => Cell::Int(int),
                Number::Float(float) => Cell::Float(float),
            }),
            Rules::Structured(rules) => rules.entry_cell(field, number),
        }
    }

    /// How the texts of a field are compared.
    pub(crate) fn case(&self, field: &str) -> Case {
        match self {
            Rules::Unstructured(rules) if rules.is_collapse_field(field) => Case::Exact,
            Rules::Unstructured(_) | Rules::Structured(_) => Case::Ignored,
        }
    }

    /// Sets the bit of each document for which `field:value` is true.
    pub(crate) fn mark_equal(
        &self,
        columns: &Columns,
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

    /// Sets the bit of each document for which `field:[lower TO upper]` is true.
    pub(crate) fn mark_range(
        &self,
        columns: &Columns,
        field: &str,
        limits: [Option<Number>; 2],
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(_) => {
                if let Some(column) = columns.column(field) {
                    column.mark_range(limits, marks);
                }
                Ok(())
            }
            Rules::Structured(rules) => rules.mark_range(columns, field, limits, marks),
        }
    }

    /// Sets the bit of each document for which `field IN (values)` is true.
    pub(crate) fn mark_list(
        &self,
        columns: &Columns,
        field: &str,
        values: &[String],
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        match self {
            Rules::Unstructured(rules) => rules.mark_list(columns, field, values, marks),
            Rules::Structured(rules) => rules.mark_list(columns, field, values, marks),
        }
    }
}
