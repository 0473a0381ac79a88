//! A score as a tree, in which every value follows from those below it.

use std::borrow::Cow;

use super::render::write_number;
use crate::read::response::write_text;

/// A value and its parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Explanation {
    pub value: f64,
    pub operation: Operation,
    /// For people.
    pub description: Cow<'static, str>,
    /// The field that the value is about.
    pub field: Option<String>,
    /// The term that it is about, as it stands in the index.
    pub term: Option<String>,
    pub details: Vec<Explanation>,
}

/// The operation by which a value follows from its details. In 64 bits, one after the other, where nothing else is
/// said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// It was there before. Details, if any, tell where it comes from.
    Value,
    /// The sum of all details.
    Sum,
    /// The sum of all details.
    Product,
    /// In 32 bits of `count`, `idf`, `frequency`, `length` and `average length`, as the details are. So are sums of it.
    Bm25,
    /// In 32 bits of `count`, `idf` and `share`.
    IdfShare,
    /// It is computed from the numbers of documents, and of those with the term.
    InverseDocumentFrequency,
    /// In 32 bits, of the query and a chunk.
    Distance,
    /// In 32 bits, of a distance.
    Closeness,
    /// `weight / (k + rank)`
    ReciprocalRank,
    /// It is computed from a time and the center, by the decay and growth asked for; without a time, its details are
    /// the center alone.
    Recency,
    /// The only detail, or the value that takes its place: a finite number, and none below 0.
    Bound,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Bm25 => "bm25",
            Self::IdfShare => "idfShare",
            Self::InverseDocumentFrequency => "inverseDocumentFrequency",
            Self::Distance => "distance",
            Self::Closeness => "closeness",
            Self::ReciprocalRank => "reciprocalRank",
            Self::Recency => "recency",
            Self::Bound => "bound",
        }
    }
}

impl Explanation {
    pub fn new(
        value: f64,
        operation: Operation,
        description: impl Into<Cow<'static, str>>,
        details: Vec<Explanation>,
    ) -> Self {
        Self {
            value,
            operation,
            description: description.into(),
            field: None,
            term: None,
            details,
        }
    }

    pub fn value(value: f64, description: impl Into<Cow<'static, str>>) -> Self {
        Self::new(value, Operation::Value, description, Vec::new())
    }

    pub fn sum(description: impl Into<Cow<'static, str>>, details: Vec<Explanation>) -> Self {
        let sum = details.iter().fold(0.0, |sum, detail| sum + detail.value);
        Self::new(sum, Operation::Sum, description, details)
    }

    pub fn product(description: impl Into<Cow<'static, str>>, details: Vec<Explanation>) -> Self {
        let values = details.iter().map(|detail| detail.value);
        let product = values.fold(1.0, |product, value| product * value);
        Self::new(product, Operation::Product, description, details)
    }

    /// `weight / (k + rank)`
    pub fn reciprocal_rank(
        description: impl Into<Cow<'static, str>>,
        weight: f64,
        k: f64,
        rank: Explanation,
    ) -> Self {
        let value = weight / (k + rank.value);
        let details = vec![
            Self::value(weight, "weight"),
            Self::value(k, "k, which flattens the ranks"),
            rank,
        ];
        Self::new(value, Operation::ReciprocalRank, description, details)
    }

    /// The same about a field.
    pub fn of_field(self, field: &str) -> Self {
        Self {
            field: Some(field.to_owned()),
            ..self
        }
    }

    /// `value` in place of a value that may not be.
    pub fn bounded(self, value: f64, description: &'static str) -> Self {
        match value == self.value {
            true => self,
            false => Self::new(value, Operation::Bound, description, vec![self]),
        }
    }

    /// Appends it as JSON. A value that is no finite number, which only the detail of a bound has, is null.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"value\":");
        match self.value.is_finite() {
            true => write_number(out, self.value),
            false => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"operation\":");
        write_text(out, self.operation.name());
        out.extend_from_slice(b",\"description\":");
        write_text(out, &self.description);
        for (name, text) in [("field", &self.field), ("term", &self.term)] {
            if let Some(text) = text {
                out.extend_from_slice(format!(",\"{name}\":").as_bytes());
                write_text(out, text);
            }
        }
        out.extend_from_slice(b",\"details\":[");
        for (at, detail) in self.details.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            detail.write(out);
        }
        out.extend_from_slice(b"]}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(explanation: &Explanation) -> String {
        let mut out = Vec::new();
        explanation.write(&mut out);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn every_value_has_the_digits_of_64_bits() {
        let closeness = f64::from(0.1_f32);
        let close = Explanation::new(closeness, Operation::Closeness, "", Vec::new());
        let product = Explanation::product("", vec![close, Explanation::value(2.0, "")]);
        let value = product.value;
        let json = written(&Explanation::sum("", vec![product]));
        assert!(json.starts_with(&format!("{{\"value\":{value},")), "{json}");
        assert!(json.contains(&format!(
            "{{\"value\":{closeness},\"operation\":\"closeness\""
        )));
    }

    #[test]
    fn no_zero_is_negative() {
        let zero = Explanation::product("", vec![Explanation::value(-0.0, "")]);
        let json = written(&Explanation::product("", vec![zero]));
        assert_eq!(json.matches("\"value\":0.0,").count(), 3, "{json}");
    }
}
