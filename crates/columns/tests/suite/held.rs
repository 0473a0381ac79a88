//! Filters are refused by what an index that is kept elsewhere has held just as by its columns.

use std::collections::BTreeMap;

use pelorus_columns::{Columns, FieldKind, FieldSpec, FieldValue, HeldValues, Schema, TypedRules};

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

fn unstructured() -> Schema {
    Schema::Unstructured {
        filter_string_max_length: 20,
        collapse_field: Some("group".into()),
    }
}

fn structured() -> Schema {
    let field = |name: &str, kind| FieldSpec {
        name: name.into(),
        kind,
        filter: true,
        score_modifier: false,
    };
    Schema::Structured {
        index: "shop".into(),
        fields: vec![field("f", FieldKind::Text), field("n", FieldKind::Int)],
    }
}

/// The values of `f` in an index, one a document.
fn contents() -> Vec<Vec<FieldValue>> {
    let [date, year, other] = [text("2024-02-29"), text("2024"), text("some text")];
    vec![
        vec![],
        vec![FieldValue::Int(5)],
        vec![FieldValue::Float(5.5)],
        vec![FieldValue::Bool(true)],
        vec![FieldValue::Bool(true), FieldValue::Int(5)],
        vec![FieldValue::Int(5), other.clone()],
        vec![FieldValue::Int(5), text(&"long ".repeat(9))],
        vec![date.clone()],
        vec![year.clone()],
        vec![date.clone(), year.clone()],
        vec![date.clone(), other.clone()],
        vec![year, other.clone()],
        vec![other],
        vec![FieldValue::TextList(vec!["2024-02-29".into(), "x".into()])],
        vec![date, FieldValue::Int(5)],
    ]
}

#[test]
fn filters_are_refused_as_by_columns() {
    let filters = [
        "f:5",
        "f:5kg",
        "f:words",
        "f:yes",
        "f:1",
        "f:2024-02-29",
        "f:(>5)",
        "f:[0 TO 1]",
        "f:[2024-01-01 TO *]",
        "f:[1709208000 TO *]",
        "f:[2020 TO 2024]",
        "f IN (5kg)",
        "f IN (1,000)",
        "NOT f:5kg",
        "_id:5kg OR f:(12 345)",
        "group:5kg",
        "other:5kg AND other:[0 TO 1]",
        "n:5kg",
        "n:[0 TO 1]",
        "m.k:5kg",
        "f:5*",
        "n:a* OR group:a*",
        "m.k:5*",
        "f > 2024-01-01",
        "f < 5",
        "f EXISTS",
    ];
    let mut refused = 0;
    for schema in [unstructured(), structured()] {
        for values in contents() {
            let rules = TypedRules::new(schema.clone());
            let mut columns = Columns::new(schema.clone());
            let mut held: BTreeMap<String, HeldValues> = BTreeMap::new();
            for (doc, value) in (0..).zip(&values) {
                let map = FieldValue::Map(vec![("k".into(), pelorus_columns::Number::Int(1))]);
                let group = text("a");
                let fields = [
                    ("f".to_owned(), value.clone()),
                    ("m".to_owned(), map),
                    ("group".to_owned(), group),
                ];
                columns.insert(doc, &format!("d{doc}"), &fields);
                for (column, values) in rules.held(&fields) {
                    let known = held.entry(column).or_default();
                    *known = known.union(values);
                }
            }
            for filter in filters {
                let parsed = pelorus_filter::parse(filter).expect(filter);
                for has_texts in [false, true] {
                    let has_had_texts = |_: &str| has_texts;
                    let expected = columns.check(&parsed, &has_had_texts);
                    let held = |column: &str| held.get(column).copied();
                    let checked = rules.check(&parsed, &held, &has_had_texts);
                    let words = |result: Result<(), pelorus_columns::ColumnError>| {
                        result.map_err(|error| error.to_string())
                    };
                    refused += usize::from(expected.is_err());
                    assert_eq!(words(checked), words(expected), "{filter} over {values:?}");
                }
            }
        }
    }
    assert!(refused > 50, "{refused} refusals");
}
