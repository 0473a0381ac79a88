//! Splits the body of a request that carries documents into its envelope and its documents, from raw bytes.
//!
//! Documents stay raw text: no recursion, so depth cannot overflow a stack, 64-bit integers
//! stay exact, and names such as `__proto__` are only names.

mod usual;

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::custom_vector::CustomVector;
use crate::error::{DocumentsError, Result};
use crate::members::AllMembers;

/// The documents of one request and the rest of its body.
#[derive(Debug)]
pub struct DocumentBatch {
    body: String,
    envelope: Vec<u8>,
    /// The first [`DOCUMENTS_MAX`].
    documents: Vec<RawDocument>,
    count: usize,
}

/// Most documents of one batch. Only the number is known beyond that: the places of documents take many times the text
/// of the shortest.
const DOCUMENTS_MAX: usize = 1 << 16;

/// The place of a document in the body.
#[derive(Debug)]
enum RawDocument {
    /// Its members, found as the body was split.
    Members(Vec<RawMember>),
    /// Still to be read: whatever is unusual about it is an error of its own, not of the batch.
    Unread(Range<usize>),
}

#[derive(Debug)]
struct RawMember {
    name: String,
    value: Range<usize>,
    vector: Option<CustomVector>,
}

/// The JSON text of one document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DocumentText<'a> {
    Members(Vec<Member<'a>>),
    Unread(&'a str),
}

/// A member of a document, its value as JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Member<'a> {
    pub name: &'a str,
    pub value: &'a str,
    /// The vector that the value stands for in a field of custom vectors, if it is known already.
    pub vector: Option<&'a CustomVector>,
}

/// The value of a document's member.
pub(crate) fn value_of<'a>(members: &[Member<'a>], name: &str) -> Option<&'a str> {
    let member = members.iter().find(|member| member.name == name)?;
    Some(member.value)
}

impl DocumentBatch {
    /// The body without its documents: `documents` is `[]` where it was an array and is left
    /// as it was otherwise, so that the contract's own check names the error.
    pub fn envelope(&self) -> &[u8] {
        &self.envelope
    }

    /// The number of documents that came.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when no document came.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Places, from 0, of values that are no objects among the documents.
    pub fn strays(&self) -> impl Iterator<Item = usize> {
        let documents = self.documents.iter().enumerate();
        documents.filter_map(|(place, document)| match document {
            RawDocument::Unread(range) if !is_object(self.text(range)) => Some(place),
            _ => None,
        })
    }

    /// Each document, in the order of the request.
    ///
    /// # Errors
    /// [`DocumentsError::TooMany`] for more than a batch may have.
    pub(crate) fn documents(&self) -> Result<impl DoubleEndedIterator<Item = DocumentText<'_>>> {
        if self.count > self.documents.len() {
            return Err(DocumentsError::TooMany {
                max: DOCUMENTS_MAX,
                received: self.count,
            });
        }
        Ok(self.documents.iter().map(|document| match document {
            RawDocument::Unread(range) => DocumentText::Unread(self.text(range)),
            RawDocument::Members(members) => DocumentText::Members(
                members
                    .iter()
                    .map(|member| Member {
                        name: &member.name,
                        value: self.text(&member.value),
                        vector: member.vector.as_ref(),
                    })
                    .collect(),
            ),
        }))
    }

    fn text(&self, range: &Range<usize>) -> &str {
        &self.body[range.clone()]
    }
}

/// Splits a JSON body.
///
/// # Errors
/// [`DocumentsError::Json`] when the body is not JSON; it has line and column.
pub fn split_documents(body: Vec<u8>) -> Result<DocumentBatch> {
    let body = String::from_utf8(body).map_err(|error| {
        let refused = serde_json::from_slice::<&RawValue>(error.as_bytes());
        DocumentsError::Json(refused.expect_err("JSON is UTF-8"))
    })?;
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
fn not_finite_named(body: &str) -> Option<String> {
    let bytes = body.as_bytes();
    let mut named = String::with_capacity(body.len() + 64);
    let (mut in_text, mut copied, mut at) = (false, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let word = [&b"-Infinity"[..], b"Infinity", b"NaN"]
            .into_iter()
            .find(|word| !in_text && bytes[at..].starts_with(word));
        if let Some(word) = word {
            named.push_str(&body[copied..at]);
            named.push_str(NOT_FINITE);
            at += word.len();
            copied = at;
            continue;
        }
        in_text ^= byte == b'"';
        at += if in_text && byte == b'\\' { 2 } else { 1 };
    }
    if copied == 0 {
        return None;
    }
    named.push_str(&body[copied..]);
    Some(named)
}

fn split(body: String) -> std::result::Result<DocumentBatch, (DocumentsError, String)> {
    match envelope_and_documents(&body) {
        Ok(Parts {
            envelope,
            documents,
            count,
        }) => Ok(DocumentBatch {
            body,
            envelope,
            documents,
            count,
        }),
        Err(error) => Err((error, body)),
    }
}

struct Parts {
    envelope: Vec<u8>,
    documents: Vec<RawDocument>,
    count: usize,
}

fn envelope_and_documents(body: &str) -> Result<Parts> {
    if let Some(parts) = usual::split(body) {
        return Ok(parts);
    }
    if first_byte(body) == Some(b'{') {
        return split_object(body);
    }
    serde_json::from_str::<IgnoredAny>(body).map_err(DocumentsError::Json)?;
    // A shape stands for a long value: the contract refuses them all alike.
    let shape: &[u8] = match first_byte(body) {
        Some(b'[') => b"[]",
        Some(b'n') => b"null",
        _ => b"0",
    };
    Ok(Parts {
        envelope: shape.to_vec(),
        documents: Vec::new(),
        count: 0,
    })
}

fn first_byte(body: &str) -> Option<u8> {
    body.bytes().find(|b| !b.is_ascii_whitespace())
}

fn split_object(body: &str) -> Result<Parts> {
    let AllMembers(members) = serde_json::from_str(body).map_err(DocumentsError::Json)?;
    let mut envelope = vec![b'{'];
    let (mut documents, mut count) = (Vec::new(), 0);
    for (name, value) in &members {
        if envelope.len() > 1 {
            envelope.push(b',');
        }
        push_name(&mut envelope, name);
        if name == DOCUMENTS && value.starts_with('[') {
            (documents, count) = unread_items(body, value)?;
            envelope.extend_from_slice(b"[]");
        } else {
            envelope.extend_from_slice(value.as_bytes());
        }
    }
    envelope.push(b'}');
    Ok(Parts {
        envelope,
        documents,
        count,
    })
}

/// The first items of an array inside the body it was borrowed from, and how many it has.
fn unread_items(body: &str, array: &str) -> Result<(Vec<RawDocument>, usize)> {
    let Items { first, count } = serde_json::from_str(array).map_err(DocumentsError::Json)?;
    let item = |item| RawDocument::Unread(range_of(body, item));
    Ok((first.into_iter().map(item).collect(), count))
}

struct Items<'a> {
    first: Vec<&'a str>,
    count: usize,
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut first = Vec::new();
                while first.len() < DOCUMENTS_MAX
                    && let Some(item) = seq.next_element::<&RawValue>()?
                {
                    first.push(item.get());
                }
                let mut count = first.len();
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Items { first, count })
            }
        }
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

/// Tells whether the text of a JSON value is that of an object.
pub(crate) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// The place of `text` in the body it was borrowed from.
fn range_of(body: &str, text: &str) -> Range<usize> {
    debug_assert!(
        body.as_bytes().as_ptr_range().contains(&text.as_ptr()),
        "a part of the body"
    );
    let start = text.as_ptr() as usize - body.as_ptr() as usize;
    start..start + text.len()
}

fn push_name(envelope: &mut Vec<u8>, name: &str) {
    serde_json::to_writer(&mut *envelope, name).expect("a string serialises into memory");
    envelope.push(b':');
}

const DOCUMENTS: &str = "documents";

#[cfg(test)]
mod tests {
    use super::usual::MEMBERS_KEPT;
    use super::*;
    use crate::members::{MEMBERS_MAX, Members};

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
        let documents: Vec<_> = batch.documents().unwrap().collect();
        let unread = [r#"{"a":9007199254740993}"#, "5"].map(DocumentText::Unread);
        assert_eq!(documents, unread);
    }

    #[test]
    fn a_value_that_is_no_object_is_named_by_its_place() {
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
        let documents: Vec<_> = batch.documents().unwrap().collect();
        let members = [("a", "1e999999"), ("b", r#"[1e999999,"NaN \" Infinity"]"#)];
        let member = |(name, value)| Member {
            name,
            value,
            vector: None,
        };
        let members = members.map(|named| DocumentText::Members(vec![member(named)]));
        assert_eq!(documents, members);
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
        let batch = split(r#"{"documents":[1,2],"documents":[3]}"#);
        assert_eq!(
            batch.documents().unwrap().collect::<Vec<_>>(),
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
        let members = vec!["\"\":0"; MEMBERS_KEPT / 2].join(",");
        let documents = [r#"{"a":0}"#, &format!("{{{members}}}"), r#"{"a":0}"#].join(",");
        let batch = split(&format!(r#"{{"documents":[{documents}]}}"#));
        let mut documents = batch.documents().unwrap();
        assert_eq!(documents.next(), Some(DocumentText::Unread(r#"{"a":0}"#)));
        assert_eq!(documents.count(), 2);
    }

    #[test]
    fn only_the_number_of_endless_documents_is_known() {
        for document in ["{}", "0", r#"{"a":0}"#] {
            let documents = vec![document; DOCUMENTS_MAX + 1].join(",");
            let batch = split(&format!(r#"{{"documents":[{documents}]}}"#));
            assert_eq!(
                (batch.len(), batch.documents.len()),
                (DOCUMENTS_MAX + 1, DOCUMENTS_MAX)
            );
            let refused = batch.documents().err().unwrap();
            assert_eq!(
                refused.to_string(),
                "65537 documents at once; at most 65536 are taken"
            );
        }
    }

    #[test]
    fn an_envelope_of_endless_members_has_enough_of_them_to_be_refused() {
        let members = vec!["\"a\":0"; MEMBERS_MAX + 7].join(",");
        let batch = split(&format!("{{{members}}}"));
        let AllMembers(kept) = serde_json::from_slice(batch.envelope()).unwrap();
        assert_eq!(kept.len(), MEMBERS_MAX + 1);
        assert!(split_documents(format!("{{{members},}}").into_bytes()).is_err());
    }
}
