//! Splits the body of a request that carries documents into its envelope and its documents, from raw bytes.
//!
//! Documents stay raw text: no recursion, so depth cannot overflow a stack, 64-bit integers
//! stay exact, and names such as `__proto__` are only names.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{DocumentsError, Result};
use crate::members::{AllMembers, Members};

/// The documents of one request and the rest of its body.
#[derive(Debug)]
pub struct DocumentBatch {
    body: Vec<u8>,
    envelope: Vec<u8>,
    documents: Vec<RawDocument>,
}

/// Where a document lies in the body.
#[derive(Debug)]
enum RawDocument {
    /// Its members, found as the body was split.
    Members(Vec<(String, Range<usize>)>),
    /// Still to be read: whatever is unusual about it is its own fault, not that of the batch.
    Unread(Range<usize>),
}

/// The JSON text of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DocumentText<'a> {
    Members(Vec<(&'a str, &'a str)>),
    Unread(&'a str),
}

impl DocumentBatch {
    /// The body without its documents: `documents` is `[]` where it was an array and is left
    /// as it was otherwise, so that the contract's own check names the problem.
    pub fn envelope(&self) -> &[u8] {
        &self.envelope
    }

    /// How many documents came.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// True when no document came.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Places, from 0, of what is no object among the documents.
    pub fn strays(&self) -> impl Iterator<Item = usize> {
        let documents = self.documents.iter().enumerate();
        documents.filter_map(|(place, document)| match document {
            RawDocument::Unread(range) if !is_object(self.text(range)) => Some(place),
            _ => None,
        })
    }

    /// Each document, in the order of the request.
    pub(crate) fn documents(
        &self,
    ) -> impl DoubleEndedIterator<Item = DocumentText<'_>> + ExactSizeIterator {
        self.documents.iter().map(|document| match document {
            RawDocument::Unread(range) => DocumentText::Unread(self.text(range)),
            RawDocument::Members(members) => DocumentText::Members(
                members
                    .iter()
                    .map(|(name, range)| (name.as_str(), self.text(range)))
                    .collect(),
            ),
        })
    }

    fn text(&self, range: &Range<usize>) -> &str {
        std::str::from_utf8(&self.body[range.clone()])
            .expect("serde_json accepts a raw value only when it is UTF-8")
    }
}

/// Splits a JSON body.
///
/// # Errors
/// [`DocumentsError::Json`] when the body is not JSON; it has line and column.
pub fn split_documents(body: Vec<u8>) -> Result<DocumentBatch> {
    match split(body) {
        Ok(batch) => Ok(batch),
        Err((error, body)) => match not_finite_named(&body) {
            Some(body) => split(body).map_err(|(error, _)| error),
            None => Err(error),
        },
    }
}

/// JSON that stands for `NaN` and the infinities. Several JSON writers emit those words; a
/// document that holds one is refused by itself, not with its whole batch.
pub(crate) const NOT_FINITE: &str = "1e999999";

/// The body with every bare `NaN` and `Infinity` replaced by [`NOT_FINITE`]; none where there
/// are none.
fn not_finite_named(body: &[u8]) -> Option<Vec<u8>> {
    let mut named = Vec::with_capacity(body.len() + 64);
    let (mut in_text, mut found, mut at) = (false, false, 0);
    while let Some(&byte) = body.get(at) {
        let rest = &body[at..];
        let word = [&b"-Infinity"[..], b"Infinity", b"NaN"]
            .into_iter()
            .find(|word| !in_text && rest.starts_with(word));
        if let Some(word) = word {
            named.extend_from_slice(NOT_FINITE.as_bytes());
            found = true;
            at += word.len();
            continue;
        }
        if in_text && byte == b'\\' {
            named.extend_from_slice(&rest[..rest.len().min(2)]);
            at += 2;
            continue;
        }
        in_text ^= byte == b'"';
        named.push(byte);
        at += 1;
    }
    found.then_some(named)
}

fn split(body: Vec<u8>) -> std::result::Result<DocumentBatch, (DocumentsError, Vec<u8>)> {
    match envelope_and_documents(&body) {
        Ok((envelope, documents)) => Ok(DocumentBatch {
            body,
            envelope,
            documents,
        }),
        Err(error) => Err((error, body)),
    }
}

type Parts = (Vec<u8>, Vec<RawDocument>);

fn envelope_and_documents(body: &[u8]) -> Result<Parts> {
    if let Ok(Usual {
        envelope,
        documents,
    }) = serde_json::from_slice(body)
    {
        let range = |(name, value): (String, &str)| (name, range_of(body, value));
        let document =
            |members: Vec<_>| RawDocument::Members(members.into_iter().map(range).collect());
        return Ok((envelope, documents.into_iter().map(document).collect()));
    }
    if first_byte(body) == Some(b'{') {
        return split_object(body);
    }
    serde_json::from_slice::<IgnoredAny>(body).map_err(DocumentsError::Json)?;
    // A shape stands for what may be long: the contract refuses them all alike.
    let shape: &[u8] = match first_byte(body) {
        Some(b'[') => b"[]",
        Some(b'n') => b"null",
        _ => b"0",
    };
    Ok((shape.to_vec(), Vec::new()))
}

fn first_byte(body: &[u8]) -> Option<u8> {
    body.iter().copied().find(|b| !b.is_ascii_whitespace())
}

fn split_object(body: &[u8]) -> Result<Parts> {
    let AllMembers(members) = serde_json::from_slice(body).map_err(DocumentsError::Json)?;
    let mut envelope = vec![b'{'];
    let mut documents = Vec::new();
    for (name, value) in &members {
        if envelope.len() > 1 {
            envelope.push(b',');
        }
        push_name(&mut envelope, name);
        if name == DOCUMENTS && value.starts_with('[') {
            documents = unread_items(body, value)?;
            envelope.extend_from_slice(b"[]");
        } else {
            envelope.extend_from_slice(value.as_bytes());
        }
    }
    envelope.push(b'}');
    Ok((envelope, documents))
}

/// Each item of an array inside the body it was borrowed from.
fn unread_items(body: &[u8], array: &str) -> Result<Vec<RawDocument>> {
    let items: Vec<&RawValue> = serde_json::from_str(array).map_err(DocumentsError::Json)?;
    let item = |item: &RawValue| RawDocument::Unread(range_of(body, item.get()));
    Ok(items.into_iter().map(item).collect())
}

/// Whether the text of a JSON value is that of an object.
pub(crate) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Where `text` lies in the body it was borrowed from.
fn range_of(body: &[u8], text: &str) -> Range<usize> {
    let start = text.as_ptr() as usize - body.as_ptr() as usize;
    start..start + text.len()
}

fn push_name(envelope: &mut Vec<u8>, name: &str) {
    serde_json::to_writer(&mut *envelope, name).expect("a string serialises into memory");
    envelope.push(b':');
}

const DOCUMENTS: &str = "documents";

/// Most members that are remembered as a body is split, of all its documents together: what
/// remembers them takes some times their text. Documents beyond are read again when their turn comes.
const MEMBERS_KEPT: usize = 1 << 18;

/// A body as nearly all are: an object whose `documents` is an array of objects that nothing is
/// unusual about. One pass over its text finds the members of each; whatever is unusual fails here, to
/// be looked at item by item.
struct Usual<'a> {
    envelope: Vec<u8>,
    documents: Vec<Vec<(String, &'a str)>>,
}

impl<'de> serde::Deserialize<'de> for Usual<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct UsualVisitor;
        impl<'de> Visitor<'de> for UsualVisitor {
            type Value = Usual<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with documents")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut usual = Usual {
                    envelope: vec![b'{'],
                    documents: Vec::new(),
                };
                while let Some(name) = map.next_key::<String>()? {
                    if usual.envelope.len() > 1 {
                        usual.envelope.push(b',');
                    }
                    push_name(&mut usual.envelope, &name);
                    if name == DOCUMENTS {
                        usual.documents = map.next_value_seed(Documents)?;
                        usual.envelope.extend_from_slice(b"[]");
                    } else {
                        let value: &RawValue = map.next_value()?;
                        usual.envelope.extend_from_slice(value.get().as_bytes());
                    }
                }
                usual.envelope.push(b'}');
                Ok(usual)
            }
        }
        deserializer.deserialize_map(UsualVisitor)
    }
}

struct Documents;

impl<'de> DeserializeSeed<'de> for Documents {
    type Value = Vec<Vec<(String, &'de str)>>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Documents {
    type Value = Vec<Vec<(String, &'de str)>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut seq: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut documents = Vec::new();
        let mut kept = 0;
        while let Some(Members(members)) = seq.next_element()? {
            kept += members.len() + 1;
            if kept > MEMBERS_KEPT {
                return Err(serde::de::Error::custom("more members than are kept"));
            }
            documents.push(members);
        }
        Ok(documents)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::members::MEMBERS_MAX;

    fn split(body: &str) -> DocumentBatch {
        split_documents(body.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn documents_leave_the_envelope_and_keep_their_bytes() {
        let batch = split(r#" {"documents":[{"a":9007199254740993}, 5],"tensorFields":["a"]}"#);
        assert_eq!(
            batch.envelope(),
            br#"{"documents":[],"tensorFields":["a"]}"#
        );
        let documents: Vec<_> = batch.documents().collect();
        let unread = [r#"{"a":9007199254740993}"#, "5"].map(DocumentText::Unread);
        assert_eq!(documents, unread);
    }

    #[test]
    fn what_is_no_object_is_named_by_its_place() {
        let strays = |body: &str| split(body).strays().collect::<Vec<_>>();
        assert_eq!(
            strays(r#"{"documents":[{"a":1},5,{},[{}],null]}"#),
            [1, 3, 4]
        );
        assert_eq!(strays(r#"{"documents":[{"a":1},{}]}"#), [0; 0]);
        assert_eq!(strays("[1,2]"), [0; 0]);
    }

    #[test]
    fn a_body_of_another_shape_is_left_to_the_contract() {
        assert_eq!(split("[1,2]").envelope(), b"[]");
        assert_eq!(split("null").envelope(), b"null");
        assert_eq!(split("\"x\"").envelope(), b"0");
        assert_eq!(
            split(r#"{"documents":7}"#).envelope(),
            br#"{"documents":7}"#
        );
    }

    #[test]
    fn words_for_numbers_that_are_not_finite_are_named_outside_of_texts_only() {
        let batch = split(r#"{"documents":[{"a":NaN},{"b":[-Infinity,"NaN \" Infinity"]}]}"#);
        let documents: Vec<_> = batch.documents().collect();
        let members = [("a", "1e999999"), ("b", r#"[1e999999,"NaN \" Infinity"]"#)];
        assert_eq!(documents, members.map(|m| DocumentText::Members(vec![m])));
        assert!(split_documents(b"{\"documents\":[nan]}".to_vec()).is_err());
    }

    #[test]
    fn half_a_million_levels_are_only_bytes() {
        let deep = format!(
            r#"{{"documents":[{{"a":{}{}}}]}}"#,
            "[".repeat(500_000),
            "]".repeat(500_000)
        );
        assert_eq!(split(&deep).len(), 1);
    }

    #[test]
    fn a_document_of_endless_members_is_refused_and_of_repeated_documents_the_last_count() {
        let members: Vec<String> = (0..=MEMBERS_MAX).map(|n| format!("\"m{n}\":0")).collect();
        let document = format!("{{{}}}", members.join(","));
        let refused = serde_json::from_str::<Members<'_>>(&document)
            .err()
            .unwrap();
        assert!(
            refused.to_string().contains("more than 20000 members"),
            "{refused}"
        );
        assert_eq!(split(&document).envelope().len(), document.len());
        let batch = split(r#"{"documents":[1,2],"documents":[3]}"#);
        assert_eq!(
            batch.documents().collect::<Vec<_>>(),
            [DocumentText::Unread("3")]
        );
    }

    #[test]
    fn text_that_is_not_json_says_where() {
        let error = split_documents(b"{\"documents\": [}".to_vec()).unwrap_err();
        let DocumentsError::Json(error) = error else {
            panic!("{error}");
        };
        assert_eq!((error.line(), error.column()), (1, 16));
    }

    #[test]
    fn a_batch_of_endless_members_is_left_to_be_read_document_by_document() {
        let documents = vec!["{}"; MEMBERS_KEPT + 1].join(",");
        let batch = split(&format!(r#"{{"documents":[{documents}]}}"#));
        assert_eq!(batch.len(), MEMBERS_KEPT + 1);
        assert!(
            batch
                .documents()
                .all(|document| document == DocumentText::Unread("{}"))
        );
    }

    /// JSON of any kind, with names that repeat.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<i64>().prop_map(|n| n.to_string()),
            any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
            Just(r#""\ud800""#.to_owned()),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            let name = prop_oneof![
                Just("a"),
                Just("b"),
                Just("\\u0061"),
                Just("\\ud800"),
                Just(" ")
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(" ,"))),
                prop::collection::vec((name, inner), 0..6).prop_map(|members| {
                    let members = members
                        .iter()
                        .map(|(name, value)| format!("\"{name}\": {value}"));
                    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn what_is_found_in_one_pass_is_what_reading_each_document_finds(
            documents in prop::collection::vec(json(), 0..5), rest in json(),
        ) {
            let body = format!(r#"{{"x":{rest},"documents":[{}],"y":1}}"#, documents.join(","));
            let (envelope, unread) = split_object(body.as_bytes()).unwrap();
            let batch = split(&body);
            prop_assert_eq!(batch.envelope(), envelope);
            prop_assert_eq!(batch.len(), unread.len());
            for (found, text) in batch.documents().zip(&documents) {
                if let DocumentText::Members(found) = found {
                    let Members(read) = serde_json::from_str(text).unwrap();
                    let read: Vec<(&str, &str)> = read.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                    prop_assert_eq!(found, read);
                }
            }
        }
    }
}
