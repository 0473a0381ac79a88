use std::fmt;

/// The kind of index that the columns belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schema {
    /// Fields are named and typed by the documents.
    Unstructured {
        /// Longest text that can be filtered by, in code points. Lists have no such limit.
        filter_string_max_length: i64,
        /// A field of texts that are compared exactly and at any length.
        collapse_field: Option<String>,
    },
    /// Fields are declared when the index is made.
    Structured {
        /// Name of the index, for messages.
        index: String,
        /// In the order of declaration, which messages list them in.
        fields: Vec<FieldSpec>,
    },
}

/// A declared field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    pub name: String,
    pub kind: FieldKind,
    /// Tells whether filters may name it.
    pub filter: bool,
    /// Tells whether score modifiers may name it.
    pub score_modifier: bool,
}

/// The declared type of a field that can have a column. Pointers to media are texts here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// The text content of a custom vector.
    CustomVector,
    TextArray,
    Bool,
    Int,
    Long,
    /// Stored and compared in 32 bits.
    Float,
    Double,
    IntArray,
    LongArray,
    /// Stored and compared in 32 bits.
    FloatArray,
    DoubleArray,
    IntMap,
    LongMap,
    /// Stored in 32 bits.
    FloatMap,
    DoubleMap,
    GeoPoint,
    SparseVector,
    MultiVector,
}

/// The type as which an element of a field is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Text,
    Bool,
    Int,
    Float32,
    Float64,
    Point,
    Sparse,
    Multi,
}

impl FieldKind {
    pub(crate) fn element(self) -> Element {
        match self {
            FieldKind::Text | FieldKind::CustomVector | FieldKind::TextArray => Element::Text,
            FieldKind::Bool => Element::Bool,
            FieldKind::Int
            | FieldKind::Long
            | FieldKind::IntArray
            | FieldKind::LongArray
            | FieldKind::IntMap
            | FieldKind::LongMap => Element::Int,
            FieldKind::Float | FieldKind::FloatArray | FieldKind::FloatMap => Element::Float32,
            FieldKind::Double | FieldKind::DoubleArray | FieldKind::DoubleMap => Element::Float64,
            FieldKind::GeoPoint => Element::Point,
            FieldKind::SparseVector => Element::Sparse,
            FieldKind::MultiVector => Element::Multi,
        }
    }

    pub(crate) fn is_map(self) -> bool {
        matches!(
            self,
            FieldKind::IntMap | FieldKind::LongMap | FieldKind::FloatMap | FieldKind::DoubleMap
        )
    }
}

impl fmt::Display for FieldKind {
    /// The name on the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FieldKind::Text => "text",
            FieldKind::CustomVector => "custom_vector",
            FieldKind::TextArray => "array<text>",
            FieldKind::Bool => "bool",
            FieldKind::Int => "int",
            FieldKind::Long => "long",
            FieldKind::Float => "float",
            FieldKind::Double => "double",
            FieldKind::IntArray => "array<int>",
            FieldKind::LongArray => "array<long>",
            FieldKind::FloatArray => "array<float>",
            FieldKind::DoubleArray => "array<double>",
            FieldKind::IntMap => "map<text, int>",
            FieldKind::LongMap => "map<text, long>",
            FieldKind::FloatMap => "map<text, float>",
            FieldKind::DoubleMap => "map<text, double>",
            FieldKind::GeoPoint => "geo_point",
            FieldKind::SparseVector => "sparse_vector",
            FieldKind::MultiVector => "multi_vector",
        })
    }
}
