//! Structured indexes: a field has its declared type, and may be filtered by when it was declared so.

use std::collections::HashMap;

use crate::cell::Cell;
use crate::column::Column;
use crate::column_store::ColumnStore;
use crate::marks::Marks;
use crate::other_type::Holds;
use crate::range::{Limits, Range};
use crate::schema::Element;
use crate::text_column::Case;
use crate::{ColumnError, FieldKind, FieldSpec, FieldValue, Number};

#[derive(Debug)]
pub(crate) struct Structured {
    index: String,
    fields: Vec<FieldSpec>,
    by_name: HashMap<String, usize>,
    /// The rule for texts.
    pub(crate) case: Case,
}

/// The target of a term: the id, or a declared field with its column, if that has any entry.
enum Target<'a> {
    Id,
    Field(FieldKind, Option<&'a Column>),
}

impl Structured {
    pub(crate) fn new(index: String, fields: Vec<FieldSpec>, case: Case) -> Self {
        let names = fields.iter().enumerate();
        let by_name = names.map(|(at, field)| (field.name.clone(), at)).collect();
        Structured {
            index,
            fields,
            by_name,
            case,
        }
    }

    pub(crate) fn cell<'a>(&self, field: &str, value: &'a FieldValue) -> Option<Cell<'a>> {
        let field = self.get(field)?;
        let element = field.kind.element();
        if let (Element::Sparse, FieldValue::Sparse(vector)) = (element, value) {
            return Some(Cell::Sparse(vector));
        }
        if let (Element::Multi, FieldValue::Multi(vectors)) = (element, value) {
            return Some(Cell::Multi(vectors));
        }
        let is_scored = element.is_number() || element == Element::Point;
        let read = field.filter || (field.score_modifier && is_scored);
        if !read || field.kind.is_map() {
            return None;
        }
        match (element, value) {
            (Element::Text, FieldValue::Text(text)) => Some(Cell::Text(text)),
            (Element::Text, FieldValue::TextList(texts)) => Some(Cell::TextList(texts)),
            (Element::Bool, FieldValue::Bool(truth)) => Some(Cell::Bool(*truth)),
            (Element::Int, FieldValue::Int(int)) => Some(Cell::Int(*int)),
            (Element::Int, FieldValue::IntList(ints)) => Some(Cell::IntList(ints[..].into())),
            (Element::Float32 | Element::Float64, value) => float_cell(element, value),
            (Element::Point, FieldValue::Point(point)) => Some(Cell::Point(*point)),
            _ => None,
        }
    }

    pub(crate) fn entry_cell(&self, field: &str, number: Number) -> Option<Cell<'static>> {
        let field = self
            .get(field)
            .filter(|field| field.kind.is_map() && field.score_modifier)?;
        Some(match (field.kind.element(), number) {
            (Element::Int, Number::Int(int)) => Cell::Int(int),
            // Entries of integer maps are not checked for being whole.
            (Element::Int, Number::Float(float)) => Cell::Float(float),
            (element, number) => Cell::Float(element.round(number.as_f64())),
        })
    }

    pub(crate) fn mark_equal(
        &self,
        columns: &ColumnStore,
        field: &str,
        value: &str,
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        match self.target(columns, field)? {
            Target::Id => columns.ids.mark(value, marks),
            Target::Field(kind, column) => {
                check_comparable(field, kind)?;
                if let Some(column) = column {
                    mark_equal(kind, column, value, marks);
                }
            }
        }
        Ok(())
    }

    /// The range over a field, in the precision of its values, and the type of these.
    pub(crate) fn range(
        &self,
        field: &str,
        limits: Limits,
    ) -> Result<(FieldKind, Range), ColumnError> {
        let kind = self.kind(field)?.ok_or(ColumnError::RangeOfIds)?;
        let element = kind.element();
        let range = limits.range(|number| element.limit(number));
        let is_meant = match element {
            Element::Text => range.of_texts().is_some(),
            element => element.is_number(),
        };
        if !is_meant {
            let field = field.to_owned();
            return Err(ColumnError::RangeOfKind { field, kind });
        }
        Ok((kind, range))
    }

    pub(crate) fn mark_list(
        &self,
        columns: &ColumnStore,
        field: &str,
        values: &[String],
        marks: &mut Marks,
    ) -> Result<(), ColumnError> {
        let (kind, column) = match self.target(columns, field)? {
            Target::Id => {
                values.iter().for_each(|id| columns.ids.mark(id, marks));
                return Ok(());
            }
            Target::Field(kind, column) => (kind, column),
        };
        match kind.element() {
            Element::Text => {
                if let Some(column) = column {
                    values
                        .iter()
                        .for_each(|text| column.texts.mark(text, marks));
                }
            }
            Element::Int => {
                let ints = integers(field, kind, values)?;
                if let Some(column) = column {
                    column.mark_ints(&ints, marks);
                }
            }
            Element::Bool => {
                for truth in truths(field, kind, values)? {
                    if let Some(column) = column {
                        column.mark_bool(truth, marks);
                    }
                }
            }
            element @ (Element::Float32 | Element::Float64) => {
                let floats = floats(field, kind, element, values)?;
                if let Some(column) = column {
                    column.mark_floats(&floats, marks);
                }
            }
            Element::Point => return Err(points_compared(field)),
            // No filter may name it.
            Element::Sparse | Element::Multi => {}
        }
        Ok(())
    }

    /// The types of all values that a field can have; `None` for texts, which any value can equal, and for a field that
    /// filters cannot name.
    pub(crate) fn holds(&self, field: &str) -> Option<Holds> {
        let declared = self.get(field)?;
        let is_filtered = declared.filter && !declared.kind.is_map();
        declared.kind.element().holds().filter(|_| is_filtered)
    }

    fn get(&self, field: &str) -> Option<&FieldSpec> {
        self.by_name.get(field).map(|&at| &self.fields[at])
    }

    fn target<'a>(&self, columns: &'a ColumnStore, field: &str) -> Result<Target<'a>, ColumnError> {
        Ok(match self.kind(field)? {
            None => Target::Id,
            Some(kind) => Target::Field(kind, columns.column(field)),
        })
    }

    /// The type of a field that filters may name; none of the id.
    pub(crate) fn kind(&self, field: &str) -> Result<Option<FieldKind>, ColumnError> {
        if field == "_id" {
            return Ok(None);
        }
        match self
            .get(field)
            .filter(|field| field.filter && !field.kind.is_map())
        {
            Some(declared) => Ok(Some(declared.kind)),
            None => {
                let filterable = self.fields.iter().filter(|f| f.filter && !f.kind.is_map());
                Err(ColumnError::NotFilterable {
                    index: self.index.clone(),
                    field: field.to_owned(),
                    filterable: filterable.map(|f| f.name.clone()).collect(),
                })
            }
        }
    }
}

impl Element {
    fn is_number(self) -> bool {
        matches!(self, Element::Int | Element::Float32 | Element::Float64)
    }

    /// The type of all of its values, but for texts, which any value can equal.
    fn holds(self) -> Option<Holds> {
        match self {
            Element::Text | Element::Point | Element::Sparse | Element::Multi => None,
            Element::Bool => Some(Holds::Truths),
            Element::Int | Element::Float32 | Element::Float64 => Some(Holds::Numbers),
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Element::Float32 | Element::Float64)
    }

    /// A float as this element stores it.
    pub(crate) fn round(self, float: f64) -> f64 {
        if self == Element::Float32 {
            f64::from(float as f32)
        } else {
            float
        }
    }

    /// A limit in the precision of the values that it is compared with, so that a stored 0.61 is
    /// within `[0.61 TO 0.61]` in 32 bits too, and a long integer within its own limits in 64.
    fn limit(self, limit: Number) -> Number {
        if self.is_float() {
            Number::Float(self.round(limit.as_f64()))
        } else {
            limit
        }
    }
}

fn float_cell<'a>(element: Element, value: &FieldValue) -> Option<Cell<'a>> {
    Some(match value {
        FieldValue::Float(float) => Cell::Float(element.round(*float)),
        FieldValue::Int(int) => Cell::Float(element.round(*int as f64)),
        FieldValue::FloatList(floats) => {
            Cell::FloatList(floats.iter().map(|&float| element.round(float)).collect())
        }
        FieldValue::IntList(ints) => {
            Cell::FloatList(ints.iter().map(|&int| element.round(int as f64)).collect())
        }
        FieldValue::Bool(_)
        | FieldValue::Text(_)
        | FieldValue::TextList(_)
        | FieldValue::Point(_)
        | FieldValue::Sparse(_)
        | FieldValue::Multi(_)
        | FieldValue::Map(_) => return None,
    })
}

/// Numbers are equal by value, however they are written; a float field holds numbers in its own precision, so the term
/// is read in that too.
fn mark_equal(kind: FieldKind, column: &Column, value: &str, marks: &mut Marks) {
    match kind.element() {
        Element::Text => column.texts.mark(value, marks),
        Element::Bool => column.mark_bool(value, marks),
        Element::Int => {
            if let Some(int) = Number::whole(value) {
                column.mark_int(int, marks);
            }
        }
        element @ (Element::Float32 | Element::Float64) => {
            if let Some(number) = Number::parse(value) {
                column.mark_float(element.round(number.as_f64()), marks);
            }
        }
        // Refused before.
        Element::Point | Element::Sparse | Element::Multi => {}
    }
}

/// Refuses to compare the values of a field of points with others.
pub(crate) fn check_comparable(field: &str, kind: FieldKind) -> Result<(), ColumnError> {
    match kind.element() {
        Element::Point => Err(points_compared(field)),
        _ => Ok(()),
    }
}

pub(crate) fn points_compared(field: &str) -> ColumnError {
    ColumnError::PointsCompared {
        field: field.to_owned(),
    }
}

fn check_elements(
    field: &str,
    kind: FieldKind,
    values: &[String],
    element_kind: &'static str,
    is_one: impl Fn(&str) -> bool,
) -> Result<(), ColumnError> {
    match values.iter().find(|value| !is_one(value)) {
        None => Ok(()),
        Some(odd) => Err(ColumnError::ListElement {
            field: field.to_owned(),
            kind,
            element: odd.clone(),
            element_kind,
        }),
    }
}

/// The truth values among the values, each once.
pub(crate) fn truths(
    field: &str,
    kind: FieldKind,
    values: &[String],
) -> Result<impl Iterator<Item = &'static str>, ColumnError> {
    let truths = ["true", "false"];
    check_elements(field, kind, values, "bool", |value| {
        truths.iter().any(|truth| value.eq_ignore_ascii_case(truth))
    })?;
    let is_listed = |truth: &&str| values.iter().any(|value| value.eq_ignore_ascii_case(truth));
    Ok(truths.into_iter().filter(is_listed))
}

/// The values as sorted floats, as the element stores them.
pub(crate) fn floats(
    field: &str,
    kind: FieldKind,
    element: Element,
    values: &[String],
) -> Result<Vec<f64>, ColumnError> {
    check_elements(field, kind, values, "float", |value| {
        Number::parse(value).is_some()
    })?;
    let numbers = values.iter().filter_map(|value| Number::parse(value));
    let mut floats: Vec<f64> = numbers
        .map(|number| element.round(number.as_f64()))
        .collect();
    floats.sort_unstable_by(f64::total_cmp);
    Ok(floats)
}

/// The values as sorted integers, without those that no stored integer can equal.
pub(crate) fn integers(
    field: &str,
    kind: FieldKind,
    values: &[String],
) -> Result<Vec<i64>, ColumnError> {
    check_elements(field, kind, values, "int", is_integer)?;
    let mut ints: Vec<i64> = values
        .iter()
        .filter_map(|value| value.parse().ok())
        .collect();
    ints.sort_unstable();
    Ok(ints)
}

/// Tells whether `text` is an integer, of any size.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
