use std::sync::Arc;

use pelorus_geo::GeoPoint;
use pelorus_maxsim::MultiVector;
use pelorus_sparse::SparseVector;

/// A value in the form that a column stores.
#[derive(Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Text(&'a str),
    TextList(&'a [String]),
    Bool(bool),
    Int(i64),
    Float(f64),
    IntList(Box<[i64]>),
    FloatList(Box<[f64]>),
    Point(GeoPoint),
    Sparse(&'a SparseVector),
    Multi(&'a Arc<MultiVector>),
    /// A value that no term compares, such as a text that is too long: the field is there.
    Other,
}

impl Cell<'_> {
    /// A number for each type of which a document has one value at most in a column.
    pub(crate) fn type_number(&self) -> usize {
        match self {
            Cell::Text(_) | Cell::TextList(_) => 0,
            Cell::Bool(_) => 1,
            Cell::Int(_) => 2,
            Cell::Float(_) => 3,
            Cell::IntList(_) => 4,
            Cell::FloatList(_) => 5,
            Cell::Other => 6,
            Cell::Point(_) => 7,
            Cell::Sparse(_) => 8,
            Cell::Multi(_) => 9,
        }
    }
}
