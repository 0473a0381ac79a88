//! Filters in the query DSL match what the columns say, over the terms that documents have.

use pelorus_columns::{
    Callbacks, ColumnError, Columns, FieldValue, Number, Schema, TypedRules, composed,
};
use pelorus_geo::GeoPoint;
use pelorus_kernels::BitSet;
use pelorus_opensearch::{filter_query, id_term, value_terms};
use pelorus_random::SplitMix64;
use serde_json::Value;

const DOCUMENTS: u32 = 400;

/// The answer of OpenSearch for a document with these terms.
fn matches(query: &Value, terms: &[String]) -> bool {
    let (kind, body) = query.as_object().unwrap().iter().next().unwrap();
    let list = |name: &str| {
        let list = body.get(name).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let has = |term: &Value| terms.iter().any(|one| Some(&**one) == term.as_str());
    match kind.as_str() {
        "match_none" => false,
        "bool" => {
            let should = list("should");
            assert!(
                should.is_empty() || body["minimum_should_match"] == 1,
                "{query}"
            );
            (should.is_empty() || should.iter().any(|one| matches(one, terms)))
                && list("filter").iter().all(|one| matches(one, terms))
                && !list("must_not").iter().any(|one| matches(one, terms))
        }
        "term" => has(&body["values"]),
        "terms" => body["values"].as_array().unwrap().iter().any(has),
        "prefix" => {
            let start = body["values"].as_str().unwrap();
            terms.iter().any(|term| term.starts_with(start))
        }
        "range" => {
            let limits = &body["values"];
            let least = limits["gte"].as_str().unwrap();
            let most = limits["lte"].as_str().unwrap();
            terms.iter().any(|term| least <= &**term && &**term <= most)
        }
        other => panic!("no such query is written: {other}"),
    }
}

fn value(random: &mut SplitMix64) -> FieldValue {
    const TEXTS: [&str; 10] = [
        "a",
        "A",
        "citroën",
        "Citroe\u{308}n",
        "5",
        "true",
        "2024-02-29",
        "2024",
        "2024-02-29T12:30:00Z",
        "longer than filters take",
    ];
    const INTS: [i64; 8] = [
        0,
        5,
        -1,
        9_007_199_254_740_992,
        9_007_199_254_740_993,
        i64::MAX,
        i64::MIN,
        1_709_164_800,
    ];
    const FLOATS: [f64; 8] = [
        0.0,
        -0.0,
        5.0,
        2.5,
        0.1,
        9_007_199_254_740_992.0,
        -1e300,
        1_709_164_800.5,
    ];
    let text = |random: &mut SplitMix64| (*random.pick(&TEXTS)).to_owned();
    const POINTS: [[f64; 2]; 4] = [[48.1, 11.5], [0.0, 180.0], [-90.0, 3.0], [0.0, -179.9]];
    match random.below(8) {
        7 => {
            let [lat, lon] = *random.pick(&POINTS);
            FieldValue::Point(GeoPoint::of_degrees(lat, lon).unwrap())
        }
        0 | 1 => FieldValue::Text(text(random)),
        2 => FieldValue::Int(*random.pick(&INTS)),
        3 => FieldValue::Float(*random.pick(&FLOATS)),
        4 => FieldValue::Bool(random.below(2) == 0),
        5 => FieldValue::TextList((0..1 + random.below(3)).map(|_| text(random)).collect()),
        _ => FieldValue::Map(vec![("k".to_owned(), Number::Int(*random.pick(&INTS)))]),
    }
}

const FILTERS: &[&str] = &[
    "f:a",
    "NOT f:A",
    "f:CITROËN",
    "f:5",
    "f:5.0",
    "f:5e0",
    "f:-0",
    "f:true",
    "f:FALSE",
    "_id:d3",
    "_id IN (d1, d5, x)",
    "f IN (a, 5, true)",
    "f IN (9007199254740993)",
    "f:9007199254740993",
    "f:[0 TO 5]",
    "f:[* TO 0]",
    "f:[-0.0 TO *]",
    "f:[0.1 TO 9007199254740993]",
    "f:[2024 TO 2024]",
    "f:[2024-02-29 TO *]",
    "f:[* TO 2024-02-29]",
    "f:[5 TO 1]",
    "f:[1709164800 TO 1709164801]",
    "f.k:[-1 TO 5]",
    "f.k:5",
    "group:a",
    "group:A",
    "nobody:1",
    "NOT nobody:1",
    "f:a OR (NOT g:5 AND NOT f:[0 TO 9])",
    "NOT (f:a OR g:a)",
    "f:[* TO 9223372036854775807]",
    "f:a AND f:A",
    "f:a OR f:5 OR _id:d3 OR f IN (2.5, true)",
    "f:a OR f:[0 TO 5] OR (g:5 OR g:[2 TO 3])",
    "f > 0",
    "f < 5",
    "f >= 2.5",
    "f <= 9007199254740992",
    "f > 9007199254740992",
    "f != 5",
    "f = 5",
    "f > 2024-02-29",
    "f < 2024-02-29T12:30:00Z",
    "f = 2024-02-29",
    "f EXISTS",
    "NOT f EXISTS",
    "f.k EXISTS",
    "_id EXISTS",
    "nobody EXISTS",
    "g NOT IN (a, 5, true)",
    "f:CIT*",
    "f:citroe\u{308}*",
    "f:2024*",
    "NOT f:20*",
    "f:longer*",
    "_id:d1*",
    "group:A*",
    "nobody:a*",
    "f WITHIN BOX (48.1, 11.5, 48.1, 11.5)",
    "f WITHIN BOX (-1, 170, 1, -179.9)",
    "f WITHIN BOX (-90, -180, 0, 180)",
    "NOT f WITHIN BOX (-90, 0, 90, 180)",
    "f WITHIN (48.1, 11.5, 30000km)",
    "nobody WITHIN BOX (-90, -180, 90, 180)",
];

#[test]
fn filters_over_terms_match_what_the_columns_say() {
    let schema = Schema::Unstructured {
        filter_string_max_length: 20,
        collapse_field: Some("group".to_owned()),
    };
    let rules = TypedRules::new(schema.clone());
    let mut columns = Columns::new(schema);
    let mut random = SplitMix64(41);
    let mut documents = Vec::new();
    for doc in 0..DOCUMENTS {
        let mut fields: Vec<(String, FieldValue)> = Vec::new();
        for name in ["f", "g"] {
            if random.below(4) > 0 {
                fields.push((name.to_owned(), value(&mut random)));
            }
        }
        if random.below(2) == 0 {
            let text = (*random.pick(&["a", "A"])).to_owned();
            fields.push(("group".to_owned(), FieldValue::Text(text)));
        }
        let id = format!("d{doc}");
        columns.insert(doc, &id, &fields);
        let mut terms = vec![id_term(&composed(&id))];
        terms.extend(value_terms(&rules.values(&fields)));
        documents.push(terms);
    }
    let alive: BitSet = (0..DOCUMENTS).collect();
    let callbacks = Callbacks {
        contains: &|_, _| unreachable!("no filter here asks"),
        go_on: &|| Ok(()),
    };
    let mut telling = 0;
    for text in FILTERS {
        let filter = pelorus_filter::parse(text).unwrap();
        let contains = |_: &str, _: &str| -> Result<Value, ColumnError> {
            unreachable!("no filter here asks")
        };
        let query = filter_query(&rules.filter(&filter).unwrap(), &contains).unwrap();
        let expected = columns.evaluate::<ColumnError>(&filter, &alive, &callbacks);
        let found = (0..).zip(&documents);
        let found = found.filter(|(_, terms)| matches(&query, terms));
        let found: BitSet = found.map(|(doc, _)| doc).collect();
        assert_eq!(found, expected.unwrap(), "{text}: {query}");
        telling += usize::from(!found.is_empty() && found.len() < DOCUMENTS as usize);
    }
    assert!(telling > 35, "{telling} filters tell documents apart");
}

#[test]
fn any_of_many_values_is_one_clause() {
    let rules = TypedRules::new(Schema::Unstructured {
        filter_string_max_length: 20,
        collapse_field: None,
    });
    let any: Vec<String> = (0..1_000).map(|at| format!("f:{at}")).collect();
    let filter = pelorus_filter::parse(&any.join(" OR ")).unwrap();
    let contains =
        |_: &str, _: &str| -> Result<Value, ColumnError> { unreachable!("no filter here asks") };
    let query = filter_query(&rules.filter(&filter).unwrap(), &contains).unwrap();
    let terms = query["terms"]["values"].as_array().unwrap();
    assert!(terms.len() >= 1_000, "{} terms", terms.len());
}
