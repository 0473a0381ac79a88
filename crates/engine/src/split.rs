//! Splits the body of an add request into its envelope and its documents, from raw bytes.
//!
//! Documents stay raw text: no recursion, so depth cannot overflow a stack, 64-bit integers
//! stay exact, and names such as `__proto__` are only names.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{EngineError, Result};

/// The documents of one request and the rest of its body.
#[derive(Debug)]
pub struct DocumentBatch {
    body: Vec<u8>,
    envelope: Vec<u8>,
    documents: Vec<Range<usize>>,
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

    /// The raw JSON text of each document, in the order of the request.
    pub(crate) fn documents(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.documents.iter().map(|range| {
            std::str::from_utf8(&self.body[range.clone()])
                .expect("serde_json accepts a raw value only when it is UTF-8")
        })
    }
}

/// Splits a JSON body.
///
/// # Errors
/// `json_decode_error` when the body is not JSON; the message holds line and column.
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

fn split(body: Vec<u8>) -> std::result::Result<DocumentBatch, (EngineError, Vec<u8>)> {
    match envelope_and_documents(&body) {
        Ok((envelope, documents)) => Ok(DocumentBatch {
            body,
            envelope,
            documents,
        }),
        Err(error) => Err((error, body)),
    }
}

fn envelope_and_documents(body: &[u8]) -> Result<(Vec<u8>, Vec<Range<usize>>)> {
    if first_byte(body) == Some(b'{') {
        return split_object(body);
    }
    serde_json::from_slice::<IgnoredAny>(body).map_err(|e| decode_error(&e))?;
    let shape: &[u8] = match first_byte(body) {
        Some(b'[') => b"[]",
        _ => b"null",
    };
    Ok((shape.to_vec(), Vec::new()))
}

fn first_byte(body: &[u8]) -> Option<u8> {
    body.iter().copied().find(|b| !b.is_ascii_whitespace())
}

fn decode_error(error: &serde_json::Error) -> EngineError {
    EngineError::new("json_decode_error", error.to_string())
}

fn split_object(body: &[u8]) -> Result<(Vec<u8>, Vec<Range<usize>>)> {
    let members: AllMembers<'_> = serde_json::from_slice(body).map_err(|e| decode_error(&e))?;
    let mut envelope = vec![b'{'];
    let mut documents = Vec::new();
    for (name, value) in &members.0 {
        if envelope.len() > 1 {
            envelope.push(b',');
        }
        serde_json::to_writer(&mut envelope, name)
            .map_err(|e| EngineError::internal(e.to_string()))?;
        envelope.push(b':');
        if name == "documents" && value.get().starts_with('[') {
            documents = item_ranges(body, value)?;
            envelope.extend_from_slice(b"[]");
        } else {
            envelope.extend_from_slice(value.get().as_bytes());
        }
    }
    envelope.push(b'}');
    Ok((envelope, documents))
}

/// Where each item of an array lies inside the body it was borrowed from.
fn item_ranges(body: &[u8], array: &RawValue) -> Result<Vec<Range<usize>>> {
    let items: Items<'_> = serde_json::from_str(array.get()).map_err(|e| decode_error(&e))?;
    let base = body.as_ptr() as usize;
    Ok(items
        .0
        .iter()
        .map(|item| {
            let start = item.get().as_ptr() as usize - base;
            start..start + item.get().len()
        })
        .collect())
}

/// Most members of a document or a map. What may be stored is bounded far lower; this keeps a
/// hostile object from costing more than reading it.
const MEMBERS: usize = 20_000;

/// Members of an object in their order, values untouched; of one name the last.
pub(crate) struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let members = deserializer.deserialize_map(MembersVisitor { most: MEMBERS })?;
        Ok(Self(last_wins(members)))
    }
}

/// Members of a whole body. Its bytes bound how many there are, and the contract's parser sees
/// to repeated names.
struct AllMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for AllMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let visitor = MembersVisitor { most: usize::MAX };
        deserializer.deserialize_map(visitor).map(Self)
    }
}

struct MembersVisitor {
    most: usize,
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = map.next_entry()? {
            members.push(entry);
            if members.len() > self.most {
                let problem = format!("an object with more than {} members", self.most);
                return Err(serde::de::Error::custom(problem));
            }
        }
        Ok(members)
    }
}

/// Of members with one name the last counts, at the place of the first.
fn last_wins(members: Vec<(String, &RawValue)>) -> Vec<(String, &RawValue)> {
    let mut seen = std::collections::HashMap::with_capacity(members.len());
    let mut kept: Vec<(String, &RawValue)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        match seen.get(&name) {
            Some(&at) => {
                let slot: &mut (String, &RawValue) = &mut kept[at];
                slot.1 = value;
            }
            None => {
                seen.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
    }
    kept
}

/// Items of an array, untouched.
pub(crate) struct Items<'a>(pub Vec<&'a RawValue>);

impl<'de> serde::Deserialize<'de> for Items<'de> {
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
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(documents, [r#"{"a":9007199254740993}"#, "5"]);
    }

    #[test]
    fn a_body_of_another_shape_is_left_to_the_contract() {
        assert_eq!(split("[1,2]").envelope(), b"[]");
        assert_eq!(split("\"x\"").envelope(), b"null");
        assert_eq!(
            split(r#"{"documents":7}"#).envelope(),
            br#"{"documents":7}"#
        );
    }

    #[test]
    fn words_for_numbers_that_are_not_finite_are_named_outside_of_texts_only() {
        let batch = split(r#"{"documents":[{"a":NaN},{"b":[-Infinity,"NaN \" Infinity"]}]}"#);
        let documents: Vec<_> = batch.documents().collect();
        assert_eq!(
            documents,
            [r#"{"a":1e999999}"#, r#"{"b":[1e999999,"NaN \" Infinity"]}"#]
        );
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
        let members: Vec<String> = (0..=MEMBERS).map(|n| format!("\"m{n}\":0")).collect();
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
        assert_eq!(batch.documents().collect::<Vec<_>>(), ["3"]);
    }

    #[test]
    fn text_that_is_not_json_says_where() {
        let error = split_documents(b"{\"documents\": [}".to_vec()).unwrap_err();
        assert_eq!(error.code, "json_decode_error");
        assert!(error.message.contains("line 1 column"), "{}", error.message);
    }
}
