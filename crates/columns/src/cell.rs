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
}
