//! Takes the vectors out of the body of a search, so that whoever checks the rest parses a few hundred bytes, and the
//! numbers of a vector are read once, by another thread if need be.

use std::ops::Range;

use serde_json::value::RawValue;

use crate::reader::Reader;

/// The body of a search, taken apart.
#[derive(Debug, PartialEq)]
pub struct SearchBody {
    /// The body with `[row]` in place of each vector, its place in `vectors`. Where a vector may stand there
    /// is no other list of numbers: a body that had one was not taken apart.
    pub rest: String,
    /// Lists of numbers by all that was seen of them: [`read_vector`] tells.
    pub vectors: Vec<WrittenVector>,
    /// The place of the value of the last member `q` in the body.
    pub q: Option<Range<usize>>,
}

/// A vector in the body of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenVector {
    /// The place of its list in the body, brackets included.
    pub list: Range<usize>,
    /// The number of its components, if it is a list of numbers.
    pub length: usize,
}

/// Most vectors of one body: more than any search takes.
const VECTORS_MAX: usize = 128;
/// Most numbers of a vector: as many as the contract takes.
const NUMBERS_MAX: usize = 4096;

/// Takes the vectors of `q.customVector.vector` and of the items of `context.tensor` out of a body. If they are
/// vectors to [`read_vector`] too, the rest is JSON if, and only if, the body is; if one is not, the rest means nothing.
/// None where there is no vector, or where anything about one, or on the way to one, is seen to be
/// unusual: such a body is to be read as a whole, by a reader that can tell its errors.
pub fn split_search(body: &[u8]) -> Option<SearchBody> {
    let body = std::str::from_utf8(body).ok()?;
    let mut split = Split {
        body,
        reader: Reader::new(body),
        copied: 0,
        parts: SearchBody {
            rest: String::with_capacity(body.len().min(1024)),
            vectors: Vec::new(),
            q: None,
        },
    };
    split.object(|split, name| match name {
        r#""q""# => split.query(),
        r#""context""# => split.context(),
        _ => split.value(),
    })?;
    let is_whole = split.reader.peek().is_none();
    let Split {
        copied, mut parts, ..
    } = split;
    parts.rest.push_str(&body[copied..]);
    (is_whole && !parts.vectors.is_empty()).then_some(parts)
}

/// The components of a vector, each finite, as its list is written. None where that is no list of finite numbers.
pub fn read_vector(list: &[u8]) -> Option<Vec<f32>> {
    let mut vector = Vec::with_capacity(list.len() / 8);
    let mut reader = Reader::new(std::str::from_utf8(list).ok()?);
    reader.push_floats(&mut vector)?;
    let is_vector = reader.peek().is_none() && vector.iter().all(|x| x.is_finite());
    is_vector.then_some(vector)
}

/// The number of items of the list that `text` begins with, and its bytes. None where it has another item than
/// numbers, or none.
fn measure_list(text: &str) -> Option<(usize, usize)> {
    let end = text.find(']')?;
    let items = text.as_bytes().get(1..end)?;
    if items.trim_ascii_start().is_empty() {
        return None;
    }
    let mut commas = 0;
    let mut has_others = false;
    // Without a branch for each byte, and with counts of one byte, it is compiled to vector instructions.
    for part in items.chunks(u8::MAX as usize) {
        let mut commas_here = 0_u8;
        for &byte in part {
            commas_here += u8::from(byte == b',');
            has_others |= !is_of_numbers(byte);
        }
        commas += usize::from(commas_here);
    }
    (!has_others).then_some((commas + 1, end + 1))
}

/// Tells whether a byte may be of a list of numbers: all of these are, and `/` is not.
fn is_of_numbers(byte: u8) -> bool {
    let is_blank = (byte == b' ') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r');
    (byte.wrapping_sub(b'+') <= b'9' - b'+') | ((byte | 0x20) == b'e') | is_blank
}

struct Split<'a> {
    body: &'a str,
    reader: Reader<'a>,
    /// Up to where the body is in the rest.
    copied: usize,
    parts: SearchBody,
}

impl<'a> Split<'a> {
    fn query(&mut self) -> Option<()> {
        let start = self.reader.at();
        self.object(|split, name| match name {
            r#""customVector""# => split.holder(),
            _ => split.value(),
        })?;
        self.parts.q = Some(start..self.reader.at());
        Some(())
    }

    fn context(&mut self) -> Option<()> {
        self.object(|split, name| match name {
            r#""tensor""# => split.items(Self::holder),
            _ => split.value(),
        })
    }

    /// An object with a member `vector`.
    fn holder(&mut self) -> Option<()> {
        self.object(|split, name| match name {
            r#""vector""# => split.vector(),
            _ => split.value(),
        })
    }

    fn vector(&mut self) -> Option<()> {
        let start = self.reader.at();
        if self.reader.peek()? != b'[' {
            return None;
        }
        let (length, bytes) = measure_list(&self.body[start..])?;
        let row = self.parts.vectors.len();
        if length > NUMBERS_MAX || row == VECTORS_MAX {
            return None;
        }
        let end = start + bytes;
        self.parts.vectors.push(WrittenVector {
            list: start..end,
            length,
        });
        self.parts.rest.push_str(&self.body[self.copied..start]);
        self.parts.rest.push_str(&format!("[{row}]"));
        self.copied = end;
        self.reader.go_to(end);
        Some(())
    }

    /// Hands each member of an object over, with the reader at its value; the name is as it is written.
    /// Passes any other value.
    fn object(&mut self, member: impl Fn(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        if self.reader.peek()? != b'{' {
            return self.value();
        }
        self.reader.pass(b'{')?;
        if self.reader.peek()? == b'}' {
            return self.reader.pass(b'}');
        }
        loop {
            self.reader.peek()?;
            let name = self.reader.value::<&RawValue>()?.get();
            if !name.starts_with('"') || name.contains('\\') {
                return None;
            }
            self.reader.pass(b':')?;
            self.reader.peek()?;
            member(self, name)?;
            if self.reader.ends(b'}')? {
                return Some(());
            }
        }
    }

    /// Hands each item of an array over. Passes any other value.
    fn items(&mut self, item: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        if self.reader.peek()? != b'[' {
            return self.value();
        }
        self.reader.pass(b'[')?;
        if self.reader.peek()? == b']' {
            return self.reader.pass(b']');
        }
        loop {
            self.reader.peek()?;
            item(self)?;
            if self.reader.ends(b']')? {
                return Some(());
            }
        }
    }

    fn value(&mut self) -> Option<()> {
        self.reader.value::<&RawValue>().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn split(body: &str) -> Option<SearchBody> {
        split_search(body.as_bytes())
    }

    /// The vectors of a body that was taken apart. None where one is no vector.
    fn vectors(body: &[u8], parts: &SearchBody) -> Option<Vec<Vec<f32>>> {
        let vectors = parts.vectors.iter();
        vectors
            .map(|WrittenVector { list, length }| {
                let vector = read_vector(&body[list.clone()])?;
                assert_eq!(vector.len(), *length);
                Some(vector)
            })
            .collect()
    }

    /// The vectors of a body that is taken apart, and whose vectors are some.
    fn read(body: &str) -> Option<Vec<Vec<f32>>> {
        vectors(body.as_bytes(), &split(body)?)
    }

    #[test]
    fn vectors_leave_the_body_and_all_else_keeps_its_bytes() {
        let body = r#" {"limit":9007199254740993, "q": {"customVector":{"vector": [0.5,-25e1 ], "content":"a\"]"}} ,
            "context":{"tensor":[{"vector":[9],"weight":2.50},{"weight":1,"vector":[1,2,3]}]},"é":[1,2]}"#;
        let parts = split(body).unwrap();
        assert_eq!(
            parts.rest,
            body.replace("[0.5,-25e1 ]", "[0]")
                .replace("[9]", "[1]")
                .replace("[1,2,3]", "[2]")
        );
        assert_eq!(
            vectors(body.as_bytes(), &parts).unwrap(),
            [vec![0.5, -250.0], vec![9.0], vec![1.0, 2.0, 3.0]]
        );
        let q = r#"{"customVector":{"vector": [0.5,-25e1 ], "content":"a\"]"}}"#;
        assert_eq!(&body[parts.q.unwrap()], q);
    }

    #[test]
    fn each_of_repeated_members_has_its_own_row_and_the_last_q_counts() {
        let one = r#"{"customVector":{"vector":[7,8]}}"#;
        let body = format!(r#"{{"q":{one},"q":"text","q":{{"customVector":{{"vector":[9]}}}}}}"#);
        let parts = split(&body).unwrap();
        assert_eq!(
            vectors(body.as_bytes(), &parts).unwrap(),
            [vec![7.0, 8.0], vec![9.0]]
        );
        assert_eq!(
            &body[parts.q.unwrap()],
            r#"{"customVector":{"vector":[9]}}"#
        );
        assert!(
            parts
                .rest
                .ends_with(r#""q":{"customVector":{"vector":[1]}}}"#)
        );
    }

    #[test]
    fn an_unusual_body_is_left_whole() {
        let in_query =
            |vector: &str| format!(r#"{{"q":{{"customVector":{{"vector":{vector}}}}}}}"#);
        for vector in [
            "[]",
            "[null]",
            "[\"1\",2]",
            "[[1]]",
            "[1e39]",
            "[1,]",
            "[01]",
            "[NaN]",
            "[1",
            "[+1]",
            "1",
            "[1]]",
        ] {
            assert_eq!(read(&in_query(vector)), None, "{vector}");
        }
        for vector in [
            "[]",
            "[ ]",
            "[null]",
            "[\"1\",2]",
            "[[1]]",
            "[NaN]",
            "[{\"a\":1}]",
            "1",
            "[1",
        ] {
            assert_eq!(split(&in_query(vector)), None, "{vector}");
        }
        let long = |count: usize| in_query(&format!("[{}]", vec!["0"; count].join(",")));
        assert!(split(&long(NUMBERS_MAX)).is_some());
        assert_eq!(split(&long(NUMBERS_MAX + 1)), None);
        let many = |count: usize| {
            let items = vec![r#"{"vector":[1]}"#; count].join(",");
            format!(r#"{{"context":{{"tensor":[{items}]}}}}"#)
        };
        assert!(split(&many(VECTORS_MAX)).is_some());
        assert_eq!(split(&many(VECTORS_MAX + 1)), None);
        for body in [
            "",
            "{}",
            "[1]",
            "5",
            r#"{"q":"text"}"#,
            r#"{"q":{"a":1.5}}"#,
            r#"{"vector":[1]}"#,
            r#"{"q":{"customVector":{"vector":[1]}}"#,
            r#"{"q":{"customVector":{"vector":[1]}}} {}"#,
            r#"{"\u0071":{"customVector":{"vector":[1]}},"q":{"customVector":{"vector":[1]}}}"#,
            r#"{"q":{"customVector":{"vector":[1],"vect\u006fr":[0]}}}"#,
        ] {
            assert_eq!(split(body), None, "{body}");
        }
        assert_eq!(
            split_search(b"{\"q\":{\"customVector\":{\"vector\":[1],\"content\":\"\xff\"}}}"),
            None
        );
    }

    #[test]
    fn a_list_is_measured_however_long_it_is() {
        for count in [1, 2, 254, 255, 256, 257, 1000, NUMBERS_MAX] {
            let list = format!("[{}]", vec!["-1.5e+3"; count].join(",\t"));
            assert_eq!(
                measure_list(&format!("{list}]}}")),
                Some((count, list.len()))
            );
            assert_eq!(read_vector(list.as_bytes()).unwrap(), vec![-1500.0; count]);
            for other in ['"', '[', '{', 'n', '\u{e9}'] {
                let mut spoilt = list.clone();
                spoilt.replace_range(list.len() - 2..list.len() - 1, &other.to_string());
                assert_eq!(measure_list(&spoilt), None, "{other}");
                assert_eq!(read_vector(spoilt.as_bytes()), None, "{other}");
            }
        }
        assert_eq!(measure_list("[1,2"), None);
        for other in ["[1] 2", "[1],", "[1]]", " 1", "", "[1e39]"] {
            assert_eq!(read_vector(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn half_a_million_levels_are_only_bytes() {
        let deep = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
        let body = format!(r#"{{"a":{deep},"q":{{"customVector":{{"vector":[1]}}}}}}"#);
        assert_eq!(read(&body).unwrap(), [[1.0]]);
    }

    /// Bodies of searches with members that repeat, in any order.
    fn bodies() -> impl Strategy<Value = String> {
        let number = prop_oneof![
            any::<f32>()
                .prop_filter("JSON", |x| x.is_finite())
                .prop_map(|x| x.to_string()),
            any::<f64>().prop_map(|x| json!(x).to_string()),
            any::<i64>().prop_map(|n| n.to_string()),
            Just("1E2".to_owned()),
            Just("-0".to_owned()),
        ];
        let vector = prop_oneof![
            8 => prop::collection::vec(number, 1..5).prop_map(|numbers| format!("[{}]", numbers.join(" , "))),
            1 => Just("[\"1\"]".to_owned()),
            1 => Just("null".to_owned()),
        ];
        let name = prop_oneof![
            6 => Just("vector"), 2 => Just("content"), 1 => Just("weight"), 1 => Just("\\u0076ector")
        ];
        let holder = prop::collection::vec((name, vector), 0..3).prop_map(object);
        let query = (
            prop_oneof![9 => Just("customVector"), 1 => Just("a")],
            holder.clone(),
        );
        let query = prop::collection::vec(query, 0..3).prop_map(object);
        let tensor =
            prop::collection::vec(holder, 0..3).prop_map(|items| format!("[{}]", items.join(",")));
        let context = prop::collection::vec((Just("tensor"), tensor), 0..3).prop_map(object);
        let member = prop_oneof![
            query.prop_map(|value| ("q", value)),
            context.prop_map(|value| ("context", value)),
            any::<String>().prop_map(|text| ("filter", json!(text).to_string())),
        ];
        prop::collection::vec(member, 1..4).prop_map(object)
    }

    fn object(members: Vec<(&str, String)>) -> String {
        let members = members
            .into_iter()
            .map(|(name, value)| format!("\"{name}\" : {value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    /// The lists where a vector may stand in a parsed body.
    fn places(body: &mut Value) -> Vec<&mut Value> {
        let Value::Object(members) = body else {
            return Vec::new();
        };
        let mut holders = Vec::new();
        for (name, value) in members {
            match name.as_str() {
                "q" => holders.extend(value.get_mut("customVector")),
                "context" => holders.extend(
                    value
                        .get_mut("tensor")
                        .and_then(Value::as_array_mut)
                        .into_iter()
                        .flatten(),
                ),
                _ => {}
            }
        }
        holders
            .into_iter()
            .filter_map(|holder| holder.get_mut("vector"))
            .collect()
    }

    /// Checks that the parts of a body, put together again, are what it says to a parser.
    fn agree(body: &[u8]) {
        let Some(parts) = split_search(body) else {
            return;
        };
        let Some(vectors) = vectors(body, &parts) else {
            return;
        };
        let whole = serde_json::from_slice::<Value>(body);
        let mut rest = match (serde_json::from_str::<Value>(&parts.rest), &whole) {
            (Ok(rest), Ok(_)) => rest,
            (Err(_), Err(_)) => return,
            (rest, whole) => panic!("{rest:?} {whole:?}"),
        };
        let mut whole = whole.unwrap();
        let (mut taken, mut given) = (places(&mut rest), places(&mut whole));
        assert_eq!(taken.len(), given.len());
        for (taken, given) in taken.iter_mut().zip(&mut given) {
            let row = taken[0].as_u64().unwrap() as usize;
            let found = &vectors[row];
            let expected: Vec<f32> = given
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap() as f32)
                .collect();
            assert_eq!(found.len(), expected.len());
            assert!(
                found
                    .iter()
                    .zip(&expected)
                    .all(|(a, b)| a.to_bits() == b.to_bits()),
                "{found:?} {expected:?}"
            );
            (**taken, **given) = (Value::Null, Value::Null);
        }
        assert_eq!(rest, whole);
        if let Some(q) = parts.q {
            let mut q: Value = serde_json::from_slice(&body[q]).unwrap();
            if let Some(vector) = q
                .get_mut("customVector")
                .and_then(|holder| holder.get_mut("vector"))
            {
                *vector = Value::Null;
            }
            assert_eq!(Some(&q), whole.get("q"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(5), ..ProptestConfig::default() })]

        #[test]
        fn parts_make_up_the_body(body in bodies()) {
            agree(body.as_bytes());
        }

        #[test]
        fn no_more_is_taken_out_than_json_says(
            body in bodies(),
            at in any::<prop::sample::Index>(),
            other in prop::sample::select(br#"0159.-eE+,:"[]{} \nqv"#.as_slice()),
        ) {
            let mut bytes = body.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = other;
            agree(&bytes);
            bytes.truncate(at);
            agree(&bytes);
        }
    }
}
