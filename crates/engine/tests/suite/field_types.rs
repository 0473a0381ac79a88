//! The values that each declared type accepts and gives back, and which filters find.

use crate::support;
use std::sync::mpsc;

use crate::support::{EMBEDDED, Fixture, definition};
use pelorus_engine::split_documents;
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};
use serde_json::{Value, json};

const TYPES: [&str; 15] = [
    "text",
    "bool",
    "int",
    "long",
    "float",
    "double",
    "array<text>",
    "array<int>",
    "array<long>",
    "array<float>",
    "array<double>",
    "map<text, int>",
    "map<text, long>",
    "map<text, float>",
    "map<text, double>",
];

/// An index with one field `fld` of a type.
fn index_of(kind: &str) -> Fixture {
    let feature = if kind.starts_with("map") {
        "score_modifier"
    } else {
        "filter"
    };
    let fixture = Fixture::new();
    let fields = json!([{"name": "fld", "type": kind, "features": [feature]}]);
    let changes = json!({"type": "structured", "allFields": fields, "tensorFields": []});
    let created = fixture.engine.create_index("i", &definition(changes));
    created.unwrap();
    fixture
}

/// Adds the document `{"_id": "d", "fld": VALUE}`, the value as raw JSON; gives its item.
fn add(fixture: &Fixture, value: &str) -> Value {
    let body = format!(r#"{{"documents":[{{"_id":"d","fld":{value}}}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let (prepared, _) = fixture.engine.prepare("i", &batch, b"{}").unwrap();
    let (done, response) = mpsc::channel();
    let done = Box::new(move |answer| done.send(answer).unwrap());
    fixture.engine.apply(prepared, Vec::new(), EMBEDDED, done);
    let answer: Value = serde_json::from_slice(&response.recv().unwrap().unwrap().body).unwrap();
    answer["items"][0].clone()
}

/// The field as the answer's own text has it.
fn read_back(fixture: &Fixture) -> String {
    let answer = fixture
        .engine
        .get_documents("i", br#"{"documentIds":["d"],"exposeFacets":false}"#);
    let body = String::from_utf8(answer.unwrap().body).unwrap();
    let (_, rest) = body.split_once(r#""_id":"d","fld":"#).unwrap();
    rest.strip_suffix("}]}").unwrap().to_owned()
}

/// A scalar of JSON as it may be written.
fn scalar() -> impl Strategy<Value = String> {
    let edges = [
        "0",
        "-0",
        "1",
        "1.0",
        "-0.0",
        "1e3",
        "0.1",
        "16777217",
        "2147483647",
        "-2147483647",
        "2147483648",
        "-2147483648",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "3.4028235e38",
        "-3.4028235e38",
        "3.4028236e38",
        "340282350000000000000000000000000000000",
        "340282360000000000000000000000000000000",
        "1e-50",
        "1.7976931348623157e308",
        "7.038531e-26",
    ];
    prop_oneof![
        2 => Just("null".to_owned()),
        3 => any::<bool>().prop_map(|truth| truth.to_string()),
        3 => prop_oneof![Just("\"\""), Just("\"a b\""), Just("\"1\""), Just("\"true\"")]
            .prop_map(str::to_owned),
        10 => prop::sample::select(edges.to_vec()).prop_map(str::to_owned),
        3 => any::<i64>().prop_map(|int| int.to_string()),
        3 => any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}")),
        3 => prop::num::f64::NORMAL.prop_map(|x| format!("{x:?}")),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let inner =
        || prop_oneof![8 => scalar(), 1 => Just("{}".to_owned()), 1 => Just("[]".to_owned())];
    let list = prop::collection::vec(inner(), 0..3);
    let map = prop::collection::btree_map("[a-c]", inner(), 0..3);
    prop_oneof![
        3 => scalar(),
        2 => scalar().prop_map(|one| format!("[{one}]")),
        1 => list.prop_map(|items| format!("[{}]", items.join(","))),
        2 => scalar().prop_map(|one| format!("{{\"k\":{one}}}")),
        1 => map.prop_map(|entries| {
            let entries: Vec<String> = entries.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
            format!("{{{}}}", entries.join(","))
        }),
    ]
}

/// The value that a type holds for a scalar, by the definition of the type; none when it takes no
/// such value.
fn held(kind: &str, json: &str) -> Option<String> {
    let number = || json.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let whole = || number() && !json.contains(['.', 'e', 'E']);
    let float = || number().then(|| json.parse::<f64>().unwrap());
    match kind {
        "text" => json.starts_with('"').then(|| json.to_owned()),
        "bool" => matches!(json, "true" | "false").then(|| json.to_owned()),
        "int" | "long" => {
            let int: i64 = whole().then(|| json.parse().ok())??;
            let within = kind == "long" || int.abs_diff(0) <= 2_147_483_647;
            within.then(|| int.to_string())
        }
        "float" => {
            let float = float().filter(|x| x.abs() <= 3.402_823_5e38)?;
            Some(format!("{:e}", float as f32))
        }
        "double" => Some(format!("{:e}", float().filter(|x| x.is_finite())?)),
        _ => None,
    }
}

/// Numbers are compared by value, not by how they are written.
fn same(kind: &str, held: &str, read: &str) -> bool {
    match kind {
        "float" => {
            let held: f32 = held.parse().unwrap();
            // As a client reads it: by way of 64 bits.
            held.to_bits() == (read.parse::<f64>().unwrap() as f32).to_bits()
        }
        "double" => {
            held.parse::<f64>().unwrap().to_bits() == read.parse::<f64>().unwrap().to_bits()
        }
        _ => held == read,
    }
}

fn raw_items(json: &str) -> Vec<String> {
    let items: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(json).unwrap();
    items.iter().map(|item| item.get().to_owned()).collect()
}

fn raw_entries(json: &str) -> Vec<(String, String)> {
    let entries: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(json).unwrap();
    let entry = |(key, raw): (_, Box<serde_json::value::RawValue>)| (key, raw.get().to_owned());
    entries.into_iter().map(entry).collect()
}

/// Tells whether all of a list are of one of the types a list may be of.
fn of_one_kind(items: &[String]) -> bool {
    let kind = |json: &String| match json.as_bytes()[0] {
        b'"' => "str",
        b'-' | b'0'..=b'9' if json.contains(['.', 'e', 'E']) => "float",
        b'-' | b'0'..=b'9' => "int",
        _ => "other",
    };
    items
        .iter()
        .all(|item| kind(item) != "other" && kind(item) == kind(&items[0]))
}

/// Checks that the type takes the value, and then, that it came back as the type holds it.
fn check(kind: &str, json: &str, read: Option<&str>) -> Result<(), TestCaseError> {
    let inner = |open: &str| kind.strip_prefix(open).and_then(|k| k.strip_suffix('>'));
    let expected: Option<Vec<(&str, String, String)>> = if let Some(item) = inner("array<") {
        let items = json.starts_with('[').then(|| raw_items(json));
        let items = items.filter(|items| of_one_kind(items));
        let read = read.map(raw_items).unwrap_or_default();
        items.and_then(|items| {
            let pair = |(at, sent): (usize, &String)| {
                Some((
                    item,
                    held(item, sent)?,
                    read.get(at).cloned().unwrap_or_default(),
                ))
            };
            items.iter().enumerate().map(pair).collect()
        })
    } else if let Some(item) = inner("map<text, ") {
        let entries = json.starts_with('{').then(|| raw_entries(json));
        let read = read.map(raw_entries).unwrap_or_default();
        entries.and_then(|entries| {
            let pair = |(at, (_, sent)): (usize, &(String, String))| {
                let (_, read) = read.get(at).cloned().unwrap_or_default();
                Some((item, held(item, sent)?, read))
            };
            entries.iter().enumerate().map(pair).collect()
        })
    } else {
        let read = read.unwrap_or_default().to_owned();
        held(kind, json).map(|held| vec![(kind, held, read)])
    };
    prop_assert_eq!(read.is_some(), expected.is_some(), "{} as {}", json, kind);
    for (kind, held, read) in expected.into_iter().flatten().filter(|_| read.is_some()) {
        prop_assert!(
            same(kind, &held, &read),
            "{} as {}: {} is not {}",
            json,
            kind,
            read,
            held
        );
    }
    Ok(())
}

#[test]
fn a_type_takes_exactly_what_its_definition_says_and_gives_back_what_it_holds() {
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::with_cases(150),
        TestRng::deterministic_rng(Default::default()),
    );
    for kind in TYPES {
        let fixture = index_of(kind);
        let outcome = runner.run(&value(), |json| {
            let item = add(&fixture, &json);
            let read = (item["status"] == 200).then(|| read_back(&fixture));
            if read.is_none() {
                let message = item["message"].as_str().unwrap();
                prop_assert!(message.contains("fld"), "{} as {}: {}", json, kind, message);
            }
            check(kind, &json, read.as_deref())?;
            // A value that came back is found by itself.
            let scalar = !kind.contains('<') && !["text", "bool"].contains(&kind);
            if let Some(value) = read.filter(|_| scalar) {
                for filter in [
                    format!("fld:({value})"),
                    format!("fld:({json})"),
                    format!("fld:[{value} TO {value}]"),
                ] {
                    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "filter": filter,
                        "lexical": {"text": "*", "fields": null}});
                    let found = fixture.try_search("i", plan, &[]);
                    let found = found.map(|answer| support::ids(&answer));
                    let found = found.map_err(|error| error.to_string());
                    prop_assert_eq!(found, Ok(vec!["d".to_owned()]), "{} as {}", filter, kind);
                }
            }
            Ok(())
        });
        outcome.unwrap();
    }
}
