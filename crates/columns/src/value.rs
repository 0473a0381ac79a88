use std::sync::Arc;

use pelorus_geo::GeoPoint;

use crate::{MultiVector, Number, SparseVector};

/// A field of a document, as the columns take it.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    Text(String),
    Bool(bool),
    Int(i64),
    Float(f64),
    TextList(Vec<String>),
    IntList(Vec<i64>),
    FloatList(Vec<f64>),
    Point(GeoPoint),
    Sparse(SparseVector),
    /// Many vectors of one document.
    Multi(Arc<MultiVector>),
    /// A flat map; the entry `key` of the field `map` has the column `map.key`.
    Map(Vec<(String, Number)>),
}
