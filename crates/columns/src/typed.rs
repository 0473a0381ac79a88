//! Values and filters by type, for an index that is kept elsewhere.
//!
//! An engine that keeps documents on other machines stores the [`TypedValue`]s of each and asks for
//! the terms of a [`TypedFilter`]. Both follow the rules of the columns, so a filter means the same there.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pelorus_filter::{Filter, Moment};
use pelorus_geo::{Area, GeoPoint};
use pelorus_sparse::SparseVector;

use crate::cell::Cell;
use crate::held::HeldValues;
use crate::range::Limits;
use crate::rules::Rules;
use crate::schema::Element;
use crate::structured::{check_comparable, floats, integers, points_compared, truths};
use crate::text_column::{Case, composed};
use crate::unstructured::{Unstructured, float, integer};
use crate::{ColumnError, FieldKind, FieldValue, Number, Schema};

/// The values of a document in one column. A column may have several, of different types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedValue {
    /// The keys of a text, or of those of a list, each once: texts with one key are the same to filters.
    Texts(Vec<String>),
    Truth(bool),
    /// An integer, or those of a list.
    Ints(Vec<i64>),
    /// A float, or those of a list.
    Floats(Vec<f64>),
    /// The moments of texts that are dates.
    Moments(Vec<Moment>),
    Point(GeoPoint),
    Sparse(SparseVector),
    /// A value that no term compares, such as a text that is too long.
    Other,
}

/// A filter whose terms name the type of the values that they match. No term has a meaning of its own any more: each
/// compares values of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedFilter {
    /// Every one holds; of none that is always so.
    And(Vec<TypedFilter>),
    /// At least one holds; of none that is never so.
    Or(Vec<TypedFilter>),
    Not(Box<TypedFilter>),
    /// The id is one of these, in their composed form.
    Ids(Vec<String>),
    /// The id begins with this text, in its composed form.
    IdPrefix(String),
    /// A text begins with this key.
    TextPrefix {
        field: String,
        key: String,
    },
    /// A text has one of these keys.
    Texts {
        field: String,
        keys: Vec<String>,
    },
    /// The truth value is this one.
    Truth {
        field: String,
        truth: bool,
    },
    /// An integer is one of these, which ascend.
    Ints {
        field: String,
        ints: Vec<i64>,
    },
    /// A float is one of these, which ascend.
    Floats {
        field: String,
        floats: Vec<f64>,
    },
    /// An integer is within these inclusive limits.
    IntRange {
        field: String,
        least: i64,
        most: i64,
    },
    /// A float is within these inclusive limits, which may be infinite.
    FloatRange {
        field: String,
        least: f64,
        most: f64,
    },
    /// A date is within these inclusive limits.
    MomentRange {
        field: String,
        least: Option<Moment>,
        most: Option<Moment>,
    },
    /// The point is in the area.
    Within {
        field: String,
        area: Box<Area>,
    },
    /// There is a value of any type.
    Exists {
        field: String,
    },
    /// The text of the field holds the words.
    Contains {
        field: String,
        words: String,
    },
}

/// Reads documents and filters by the rules of a schema.
#[derive(Debug)]
pub struct TypedRules(Rules);

impl TypedRules {
    pub fn new(schema: Schema) -> Self {
        Self(Rules::new(schema))
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.0
    }

    /// The kinds of values that a document has in its columns, as [`TypedRules::check`] asks for them.
    pub fn held(&self, fields: &[(String, FieldValue)]) -> Vec<(String, HeldValues)> {
        let cells = self.0.cells(fields);
        let held = cells.map(|(name, _, cell)| (name.into_owned(), HeldValues::of(&cell)));
        // Nothing is known of values that no term compares.
        held.filter(|(_, held)| *held != HeldValues::default())
            .collect()
    }

    /// The values of a document, each with the name of its column: a field, or the entry of a map as `map.key`.
    pub fn values(&self, fields: &[(String, FieldValue)]) -> Vec<(String, TypedValue)> {
        let mut values = Vec::new();
        for (name, case, cell) in self.0.cells(fields) {
            let mut add = |value| values.push((name.to_string(), value));
            match cell {
                Cell::Text(text) => add_texts(case, [text].into_iter(), &mut add),
                Cell::TextList(texts) => {
                    add_texts(case, texts.iter().map(String::as_str), &mut add);
                }
                Cell::Bool(truth) => add(TypedValue::Truth(truth)),
                Cell::Int(int) => add(TypedValue::Ints(vec![int])),
                Cell::Float(float) => add(TypedValue::Floats(vec![float + 0.0])),
                Cell::Point(point) => add(TypedValue::Point(point)),
                Cell::Sparse(vector) => add(TypedValue::Sparse(vector.clone())),
                Cell::Multi(_) | Cell::Other => add(TypedValue::Other),
                Cell::IntList(ints) => add(TypedValue::Ints(ints.into_vec())),
                Cell::FloatList(floats) => {
                    add(TypedValue::Floats(
                        floats.iter().map(|float| float + 0.0).collect(),
                    ));
                }
            }
        }
        values
    }

    /// The form of a filter that compares typed values.
    ///
    /// # Errors
    /// The [`ColumnError`] of the first term that the index cannot be asked.
    pub fn filter(&self, filter: &Filter) -> Result<TypedFilter, ColumnError> {
        Ok(match filter {
            Filter::And(filters) => TypedFilter::And(self.filters(filters)?),
            Filter::Or(filters) => TypedFilter::Or(self.filters(filters)?),
            Filter::Not(filter) => TypedFilter::Not(Box::new(self.filter(filter)?)),
            Filter::Contains { field, value } => TypedFilter::Contains {
                field: field.clone(),
                words: value.clone(),
            },
            Filter::Equals { field, value } => self.0.equal(field, value)?,
            Filter::In { field, values } => self.0.in_list(field, values)?,
            Filter::Range {
                field,
                lower,
                upper,
            } => self.0.in_range(field, Limits::Within([*lower, *upper]))?,
            Filter::Beyond { field, limit, end } => {
                self.0.in_range(field, Limits::Beyond(*limit, *end))?
            }
            Filter::Within { field, area } => {
                self.0.check_points(field)?;
                TypedFilter::Within {
                    field: field.clone(),
                    area: area.clone(),
                }
            }
            Filter::Prefix { field, prefix } => {
                self.0.check_comparable(field)?;
                match &**field {
                    "_id" => TypedFilter::IdPrefix(composed(prefix).into_owned()),
                    field => TypedFilter::TextPrefix {
                        field: field.to_owned(),
                        key: self.0.case(field).key(prefix).into_owned(),
                    },
                }
            }
            Filter::Exists { field } => {
                self.0.check_named(field)?;
                match &**field {
                    "_id" => TypedFilter::And(Vec::new()),
                    field => TypedFilter::Exists {
                        field: field.to_owned(),
                    },
                }
            }
        })
    }

    fn filters(&self, filters: &[Filter]) -> Result<Vec<TypedFilter>, ColumnError> {
        filters.iter().map(|filter| self.filter(filter)).collect()
    }
}

impl Rules {
    fn equal(&self, field: &str, value: &str) -> Result<TypedFilter, ColumnError> {
        let values = std::slice::from_ref(&value);
        match self {
            Rules::Unstructured(rules) => Ok(unstructured(rules, field, values)),
            Rules::Structured(rules) => match rules.kind(field)? {
                None => Ok(ids(values)),
                Some(kind) => {
                    check_comparable(field, kind)?;
                    Ok(structured_term(kind, field, value))
                }
            },
        }
    }

    fn in_list(&self, field: &str, values: &[String]) -> Result<TypedFilter, ColumnError> {
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let kind = match self {
            Rules::Unstructured(rules) => return Ok(unstructured(rules, field, &texts)),
            Rules::Structured(rules) => match rules.kind(field)? {
                None => return Ok(ids(&texts)),
                Some(kind) => kind,
            },
        };
        let named = || field.to_owned();
        Ok(match kind.element() {
            Element::Text => texts_of(Case::Ignored, field, &texts),
            Element::Bool => any(truths(field, kind, values)?
                .map(|truth| TypedFilter::Truth {
                    field: named(),
                    truth: truth == "true",
                })
                .collect()),
            Element::Int => TypedFilter::Ints {
                field: named(),
                ints: integers(field, kind, values)?,
            },
            element @ (Element::Float32 | Element::Float64) => TypedFilter::Floats {
                field: named(),
                floats: unsigned_zeros(floats(field, kind, element, values)?),
            },
            Element::Point => return Err(points_compared(field)),
            Element::Sparse | Element::Multi => TypedFilter::Or(Vec::new()),
        })
    }

    fn in_range(&self, field: &str, limits: Limits) -> Result<TypedFilter, ColumnError> {
        let (range, element) = self.range(field, limits)?;
        let has = |wanted: &[Element]| element.is_none_or(|element| wanted.contains(&element));
        let mut terms = Vec::new();
        if has(&[Element::Int]) {
            let ints = range.ints().filter(|(least, most)| least <= most);
            terms.extend(ints.map(|(least, most)| TypedFilter::IntRange {
                field: field.to_owned(),
                least,
                most,
            }));
        }
        if has(&[Element::Float32, Element::Float64]) {
            let floats = range.floats().filter(|(least, most)| least <= most);
            terms.extend(floats.map(|(least, most)| TypedFilter::FloatRange {
                field: field.to_owned(),
                least: least + 0.0,
                most: most + 0.0,
            }));
        }
        if has(&[Element::Text])
            && let Some([least, most]) = range.moments()
        {
            terms.push(TypedFilter::MomentRange {
                field: field.to_owned(),
                least,
                most,
            });
        }
        Ok(any(terms))
    }
}

/// A term of an unstructured index, which matches values of every type.
fn unstructured(rules: &Unstructured, field: &str, values: &[&str]) -> TypedFilter {
    if field == "_id" {
        return ids(values);
    }
    if rules.is_collapse_field(field) {
        return texts_of(Case::Exact, field, values);
    }
    let named = || field.to_owned();
    let mut terms = vec![texts_of(Case::Ignored, field, values)];
    terms.extend(
        values
            .iter()
            .filter_map(|value| truth(value))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|truth| TypedFilter::Truth {
                field: named(),
                truth,
            }),
    );
    let mut ints: Vec<i64> = values.iter().filter_map(|value| integer(value)).collect();
    ints.sort_unstable();
    ints.dedup();
    if !ints.is_empty() {
        let field = named();
        terms.push(TypedFilter::Ints { field, ints });
    }
    let floats = values.iter().filter_map(|value| float(value));
    let floats = unsigned_zeros(floats.collect());
    if !floats.is_empty() {
        let field = named();
        terms.push(TypedFilter::Floats { field, floats });
    }
    any(terms)
}

/// `field:value` of a declared field.
fn structured_term(kind: FieldKind, field: &str, value: &str) -> TypedFilter {
    let named = || field.to_owned();
    match kind.element() {
        Element::Text => texts_of(Case::Ignored, field, &[value]),
        Element::Bool => any(truth(value)
            .map(|truth| TypedFilter::Truth {
                field: named(),
                truth,
            })
            .into_iter()
            .collect()),
        Element::Int => TypedFilter::Ints {
            field: named(),
            ints: Number::whole(value).into_iter().collect(),
        },
        element @ (Element::Float32 | Element::Float64) => {
            let number = Number::parse(value).map(|number| element.round(number.as_f64()));
            TypedFilter::Floats {
                field: named(),
                floats: unsigned_zeros(number.into_iter().collect()),
            }
        }
        // Refused before.
        Element::Point | Element::Sparse | Element::Multi => TypedFilter::Or(Vec::new()),
    }
}

fn ids(values: &[&str]) -> TypedFilter {
    let ids: BTreeSet<Cow<'_, str>> = values.iter().map(|id| composed(id)).collect();
    TypedFilter::Ids(ids.into_iter().map(Cow::into_owned).collect())
}

fn texts_of(case: Case, field: &str, values: &[&str]) -> TypedFilter {
    let keys: BTreeSet<String> = values
        .iter()
        .map(|value| case.key(value).into_owned())
        .collect();
    TypedFilter::Texts {
        field: field.to_owned(),
        keys: keys.into_iter().collect(),
    }
}

fn any(mut terms: Vec<TypedFilter>) -> TypedFilter {
    match terms.len() {
        1 => terms.remove(0),
        _ => TypedFilter::Or(terms),
    }
}

fn truth(value: &str) -> Option<bool> {
    [true, false]
        .into_iter()
        .find(|truth| value.eq_ignore_ascii_case(if *truth { "true" } else { "false" }))
}

/// Both zeros are one number, and elsewhere may be two. The floats ascend, each once.
fn unsigned_zeros(mut floats: Vec<f64>) -> Vec<f64> {
    floats.iter_mut().for_each(|float| *float += 0.0);
    floats.sort_unstable_by(f64::total_cmp);
    floats.dedup();
    floats
}

fn add_texts<'a>(
    case: Case,
    texts: impl Iterator<Item = &'a str> + Clone,
    add: &mut impl FnMut(TypedValue),
) {
    let keys: BTreeSet<String> = texts
        .clone()
        .map(|text| case.key(text).into_owned())
        .collect();
    add(TypedValue::Texts(keys.into_iter().collect()));
    let moments: BTreeSet<Moment> = texts.filter_map(Moment::of_text).collect();
    if !moments.is_empty() {
        add(TypedValue::Moments(moments.into_iter().collect()));
    }
}
