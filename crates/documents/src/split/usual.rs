//! Bodies as nearly all are: an object whose `documents` is an array of objects that nothing is unusual about.

use serde_json::value::RawValue;

use super::{DOCUMENTS, DOCUMENTS_MAX, Parts, RawDocument, RawMember, push_name};
use crate::custom_vector;
use crate::members::{MEMBERS_MAX, last_wins};
use crate::reader::Reader;

/// Most members that are remembered as a body is split, of all its documents together: what
/// remembers them takes some times their text. Documents beyond are read again when their turn comes.
pub(super) const MEMBERS_KEPT: usize = 1 << 18;

/// Splits a body as nearly all are: an object whose `documents` is an array of objects that nothing is
/// unusual about. One pass over its text finds the members of each. None where anything is unusual, to be
/// looked at item by item.
pub(super) fn split(body: &str) -> Option<Parts> {
    let mut reader = Reader::new(body);
    let mut envelope = vec![b'{'];
    let mut documents = Vec::new();
    let mut members = 0;
    reader.pass(b'{')?;
    loop {
        members += 1;
        if members > MEMBERS_MAX {
            return None;
        }
        reader.peek()?;
        let name: String = reader.value()?;
        reader.pass(b':')?;
        push_name(&mut envelope, &name);
        if name == DOCUMENTS {
            documents = split_documents(body, &mut reader)?;
            envelope.extend_from_slice(b"[]");
        } else {
            let value: &RawValue = reader.value()?;
            envelope.extend_from_slice(value.get().as_bytes());
        }
        if reader.ends(b'}')? {
            break;
        }
        envelope.push(b',');
    }
    envelope.push(b'}');
    let count = documents.len();
    reader.peek().is_none().then_some(Parts {
        envelope,
        documents,
        count,
    })
}

fn split_documents(body: &str, reader: &mut Reader<'_>) -> Option<Vec<RawDocument>> {
    let mut documents = Vec::new();
    let mut kept = 0;
    // Vectors take no more than their text, however short it writes their numbers.
    let mut numbers_left = body.len() / size_of::<f32>();
    reader.pass(b'[')?;
    loop {
        let mut members = Vec::new();
        reader.pass(b'{')?;
        loop {
            reader.peek()?;
            let name: String = reader.value()?;
            reader.pass(b':')?;
            let is_object = reader.peek()? == b'{';
            let start = reader.at();
            let mut vector = is_object.then(|| custom_vector::usual(reader)).flatten();
            if vector.is_none() {
                reader.go_to(start);
                reader.value::<&RawValue>()?;
            }
            vector = vector.filter(|read| read.vector.len() <= numbers_left);
            numbers_left -= vector.as_ref().map_or(0, |read| read.vector.len());
            members.push(RawMember {
                name,
                value: start..reader.at(),
                vector,
            });
            if members.len() > MEMBERS_MAX {
                return None;
            }
            if reader.ends(b'}')? {
                break;
            }
        }
        kept += members.len() + 1;
        if kept > MEMBERS_KEPT || documents.len() == DOCUMENTS_MAX {
            return None;
        }
        let members = last_wins(members, |member| &member.name);
        documents.push(RawDocument::Members(members));
        if reader.ends(b']')? {
            return Some(documents);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{DocumentBatch, DocumentText, split_object};
    use super::*;
    use crate::members::Members;

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
            agree(&format!(r#"{{"x":{rest},"documents":[{}],"y":1}}"#, documents.join(",")));
        }

        #[test]
        fn no_more_is_found_in_one_pass_than_json_says(
            documents in prop::collection::vec((json(), vector()), 1..3),
            at in any::<prop::sample::Index>(),
            other in prop::sample::select(br#"0159.-eE+,:"[]{} \nax"#.as_slice()),
        ) {
            let documents = documents.iter().map(|(other, vector)| format!(r#"{{"a": {other},"b":{vector}}}"#));
            let body = format!(r#"{{"documents":[{}]}}"#, documents.collect::<Vec<_>>().join(","));
            agree(&body);
            let mut bytes = body.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = other;
            if let Ok(body) = String::from_utf8(bytes) {
                agree(&body);
            }
        }
    }

    fn vector() -> impl Strategy<Value = String> {
        let number = prop_oneof![
            any::<f32>().prop_map(|x| x.to_string()),
            Just("0".to_owned()),
            Just("1E2".to_owned())
        ];
        prop::collection::vec(number, 1..4)
            .prop_map(|numbers| format!(r#"{{"vector": [{}], "content":"c"}}"#, numbers.join(",")))
    }

    /// Compares the result of one pass with that of reading the body piece by piece.
    fn agree(body: &str) {
        let Some(found) = split(body) else {
            return;
        };
        let expected = split_object(body).unwrap();
        assert_eq!(
            (&found.envelope, found.count),
            (&expected.envelope, expected.count),
            "{body}"
        );
        let batch = |parts: Parts| DocumentBatch {
            body: body.to_owned(),
            envelope: Vec::new(),
            documents: parts.documents,
            count: parts.count,
        };
        let (found, unread) = (batch(found), batch(expected));
        let documents = found.documents().unwrap();
        for (found, unread) in documents.zip(unread.documents().unwrap()) {
            let (DocumentText::Members(found), DocumentText::Unread(text)) = (found, unread) else {
                panic!("{body}");
            };
            let Members(read) = serde_json::from_str(text).unwrap();
            assert_eq!(found.len(), read.len(), "{body}");
            for (found, (name, value)) in found.iter().zip(&read) {
                assert_eq!((found.name, found.value), (name.as_str(), *value), "{body}");
                let vector = custom_vector::usual(&mut Reader::new(value));
                assert!(
                    found.vector.is_none() || found.vector == vector.as_ref(),
                    "{body}"
                );
            }
        }
    }

    #[test]
    fn vectors_are_read_as_the_body_is_split_while_they_take_no_more_than_their_text() {
        let read = |numbers: &str| {
            let body = format!(r#"{{"documents":[{{"a":{{"vector":[{numbers}]}}}}]}}"#);
            let mut documents = split(&body).unwrap().documents;
            let Some(RawDocument::Members(mut members)) = documents.pop() else {
                panic!("{documents:?}");
            };
            members.remove(0).vector
        };
        let vector = read("0.5,-25e1").map(|read| read.vector);
        assert_eq!(vector, Some(vec![0.5, -250.0]));
        assert_eq!(read(&vec!["0"; 100].join(",")), None);
    }
}
