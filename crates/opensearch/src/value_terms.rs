//! The values of a document as terms of one field, whose order is that of the values.
//!
//! OpenSearch has a field for each name and type that it compares, a thousand at most, and rounds no integer only where a
//! field is one of integers for good. Here a term names column and type and ends in bytes that sort as the value does:
//! any number of columns of any types are one keyword field, equality is a term, and a range is one of terms.

use pelorus_columns::TypedValue;
use pelorus_filter::Moment;
use pelorus_random::fnv1a;

/// Most bytes of a text that is a term as it is. Lucene's bound on a term is 32,766.
const TEXT_BYTES_MAX: usize = 8_000;

/// The types of values, each with a letter of its own in terms.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Id,
    Text,
    /// The start of a text that is longer than terms are.
    TextStart,
    Truth,
    Int,
    Float,
    Moment,
    Latitude,
    Longitude,
    /// An index of a sparse vector.
    Index,
    Other,
}

/// The beginning that all terms of a column have in common, and no others.
fn start(kind: Kind, column: &str) -> String {
    let letter = match kind {
        Kind::Id => 'd',
        Kind::Text => 't',
        Kind::TextStart => 's',
        Kind::Truth => 'b',
        Kind::Int => 'i',
        Kind::Float => 'f',
        Kind::Moment => 'm',
        Kind::Latitude => 'y',
        Kind::Longitude => 'x',
        Kind::Index => 'n',
        Kind::Other => 'o',
    };
    format!("{letter}{}:{column}:", column.len())
}

/// The term of a document's id, in its composed form.
pub fn id_term(id: &str) -> String {
    start(Kind::Id, "") + &bounded(id)
}

/// The terms of the values of a document.
pub fn value_terms(values: &[(String, TypedValue)]) -> Vec<String> {
    let mut terms = Vec::new();
    for (column, value) in values {
        // No term compares these, but their field exists.
        if let TypedValue::Point(_) | TypedValue::Sparse(_) | TypedValue::Other = value {
            terms.push(start(Kind::Other, column));
        }
        match value {
            TypedValue::Texts(keys) => {
                terms.extend(keys.iter().map(|key| text_term(column, key)));
                let long = keys.iter().filter(|key| key.len() > TEXT_BYTES_MAX);
                terms.extend(long.map(|key| start(Kind::TextStart, column) + kept(key)));
            }
            TypedValue::Truth(truth) => terms.push(truth_term(column, *truth)),
            TypedValue::Ints(ints) => terms.extend(ints.iter().map(|&int| int_term(column, int))),
            TypedValue::Floats(floats) => {
                terms.extend(floats.iter().map(|&float| float_term(column, float)));
            }
            TypedValue::Moments(moments) => {
                terms.extend(moments.iter().map(|&moment| moment_term(column, moment)));
            }
            TypedValue::Point(point) => {
                terms.push(lat_term(column, point.lat()));
                terms.push(lon_term(column, point.lon()));
            }
            TypedValue::Sparse(vector) => {
                let entries = vector.entries().iter();
                terms.extend(entries.map(|(index, _)| index_term(column, *index)));
            }
            TypedValue::Other => {}
        }
    }
    terms
}

/// The beginnings of the terms of the texts of a column that begin with a key, which is shorter than terms are.
pub(crate) fn text_starts(column: &str, key: &str) -> [String; 2] {
    debug_assert!(key.len() <= TEXT_BYTES_MAX, "a prefix is bounded");
    [text_term(column, key), start(Kind::TextStart, column) + key]
}

/// The beginnings of the terms of a column, of which a document with any value there has one.
pub(crate) fn starts(column: &str) -> impl Iterator<Item = String> {
    let kinds = [Kind::Text, Kind::Truth, Kind::Int, Kind::Float, Kind::Other];
    kinds.into_iter().map(move |kind| start(kind, column))
}

pub(crate) fn text_term(column: &str, key: &str) -> String {
    start(Kind::Text, column) + &bounded(key)
}

pub(crate) fn truth_term(column: &str, truth: bool) -> String {
    start(Kind::Truth, column) + if truth { "1" } else { "0" }
}

pub(crate) fn int_term(column: &str, int: i64) -> String {
    let sortable = int as u64 ^ (1 << 63);
    format!("{}{sortable:016x}", start(Kind::Int, column))
}

/// `float` is no NaN and no negative zero.
pub(crate) fn float_term(column: &str, float: f64) -> String {
    let bits = float.to_bits();
    let sortable = match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    };
    format!("{}{sortable:016x}", start(Kind::Float, column))
}

pub(crate) fn moment_term(column: &str, moment: Moment) -> String {
    let sortable = moment.nanoseconds() as u128 ^ (1 << 127);
    format!("{}{sortable:032x}", start(Kind::Moment, column))
}

/// The term of a latitude, in units of 1e-7 degrees.
pub(crate) fn lat_term(column: &str, lat: i32) -> String {
    start(Kind::Latitude, column) + &sortable_i32(lat)
}

/// The term of a longitude, in the same units.
pub(crate) fn lon_term(column: &str, lon: i32) -> String {
    start(Kind::Longitude, column) + &sortable_i32(lon)
}

fn sortable_i32(number: i32) -> String {
    format!("{:08x}", number as u32 ^ (1 << 31))
}

/// The term of an index of a sparse vector.
pub(crate) fn index_term(column: &str, index: u32) -> String {
    format!("{}{index:x}", start(Kind::Index, column))
}

/// A text that no other has, of bounded length.
fn bounded(text: &str) -> String {
    if text.len() <= TEXT_BYTES_MAX {
        return format!("={text}");
    }
    let hash = fnv1a(text.as_bytes());
    format!("#{}:{hash:016x}:{}", text.len(), kept(text))
}

/// The start of a long text that is in its terms.
fn kept(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}
