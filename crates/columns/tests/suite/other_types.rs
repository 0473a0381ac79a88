//! Values and limits of another type than a field holds: compared where they can be, and refused with a term that works
//! where their meaning is known.

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldKind, FieldSpec, FieldValue, Schema};
use pelorus_kernels::BitSet;

fn unstructured() -> Schema {
    Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    }
}

fn structured(kind: FieldKind) -> Schema {
    Schema::Structured {
        index: "shop".into(),
        fields: vec![FieldSpec {
            name: "f".into(),
            kind,
            filter: true,
            score_modifier: false,
        }],
    }
}

/// A document for each value, from 0 on, which it has in the field `f`.
fn columns(schema: Schema, values: &[FieldValue]) -> Columns {
    let mut columns = Columns::new(schema);
    for (doc, value) in (0..).zip(values) {
        columns.insert(doc, &format!("d{doc}"), &[("f".into(), value.clone())]);
    }
    columns
}

fn found(columns: &Columns, filter: &str) -> Result<Vec<u32>, String> {
    let filter = pelorus_filter::parse(filter).expect(filter);
    let callbacks = Callbacks {
        contains: &|_, _| unreachable!("no CONTAINS here"),
        go_on: &|| Ok(()),
    };
    let alive: BitSet = (0..64).filter(|&doc| columns.id(doc).is_some()).collect();
    let found = columns
        .check(&filter, &|_| false)
        .and_then(|()| columns.evaluate::<ColumnError>(&filter, &alive, &callbacks));
    found
        .map(|docs| docs.iter().collect())
        .map_err(|error| error.to_string())
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

#[test]
fn texts_in_iso_8601_are_compared_as_dates() {
    let values = [
        text("2023-12-31"),
        text("2024-01-01"),
        text("2024-06-15T12:30:00Z"),
        text("2024-12-31 23:59:59.999"),
        text("2025-01-01T00:30:00+01:00"),
        text("2025-01-01"),
        text("2024-07"),
        text("soon"),
        FieldValue::TextList(vec!["new".into(), "2024-03-01".into()]),
    ];
    let in_2024 = vec![1, 2, 3, 4, 6, 8];
    for columns in [
        columns(unstructured(), &values),
        columns(structured(FieldKind::Text), &values),
    ] {
        for range in [
            "f:[2024-01-01 TO 2024-12-31]",
            "f:[2024 TO 2024]",
            "f:[2024-01 TO 2024]",
        ] {
            assert_eq!(found(&columns, range).unwrap(), in_2024, "{range}");
        }
        assert_eq!(found(&columns, "f:[* TO 2023]").unwrap(), [0]);
        assert_eq!(
            found(&columns, "f:[2024-06-15T12:30:00.001Z TO 2024-07-01]").unwrap(),
            [6]
        );
        assert_eq!(
            found(&columns, "NOT f:[2024 TO *]").unwrap(),
            [0, 7],
            "what is no date is in no range"
        );
    }
}

#[test]
fn texts_of_four_digits_are_years_among_dates() {
    let values = [
        "2023",
        "2024",
        "2024-06-15",
        "2025",
        "20240",
        "999",
        "2024-12-31T23:59:59Z",
    ];
    let lists = FieldValue::TextList(vec!["new".into(), "2024".into()]);
    let values: Vec<FieldValue> = values.map(text).into_iter().chain([lists]).collect();
    for (schema, values) in [
        (unstructured(), &values[..]),
        (structured(FieldKind::Text), &values[..7]),
    ] {
        let columns = columns(schema, values);
        for range in [
            "f:[2024-01-01 TO 2024-12-31]",
            "f:[2024 TO 2024]",
            "f:[2024-01 TO 2024]",
        ] {
            let expected: Vec<u32> = [1, 2, 6, 7].into_iter().take(values.len() - 4).collect();
            assert_eq!(found(&columns, range).unwrap(), expected, "{range}");
        }
        let before = found(&columns, "f:[* TO 2023-12-31]").unwrap();
        assert_eq!(before, [0], "a year begins with its first moment");
        let later = found(&columns, "f:[2024-01-02 TO *]").unwrap();
        assert_eq!(later, [2, 3, 6], "a year is its first moment");
    }
}

#[test]
fn texts_of_four_digits_alone_are_as_any_where_limits_are_no_years() {
    let codes = columns(unstructured(), &["1234", "2000", "9999"].map(text));
    assert_eq!(found(&codes, "f:[1 TO 5000]").unwrap(), [0; 0]);
    assert_eq!(found(&codes, "f:[1000 TO 2000]").unwrap(), [0, 1]);
    assert_eq!(found(&codes, "f:[* TO 2000-12-31]").unwrap(), [0, 1]);
    let dates = columns(unstructured(), &[text("1234"), text("2024-02-29")]);
    let refusal = found(&dates, "f:[1 TO 5000]").unwrap_err();
    assert!(refusal.contains("holds dates as texts"), "{refusal}");
    let words = columns(unstructured(), &[text("2024-02-29"), text("soon")]);
    assert_eq!(found(&words, "f:[2024-01-01 TO 5]").unwrap(), [0; 0]);
}

#[test]
fn integers_are_compared_exactly_with_limits_that_are_no_floats() {
    let ints = [
        i64::MIN,
        i64::MIN + 1,
        -(1 << 53) - 1,
        (1 << 53) + 1,
        i64::MAX - 1,
        i64::MAX,
    ];
    let values = ints.map(FieldValue::Int);
    let lists = ints.map(|int| FieldValue::IntList(vec![int]));
    for (schema, values) in [
        (unstructured(), &values),
        (structured(FieldKind::Long), &values),
        (structured(FieldKind::LongArray), &lists),
    ] {
        let columns = columns(schema, values);
        for (range, expected) in [
            ("f:[9223372036854775806.5 TO *]", &[5][..]),
            ("f:[* TO 9223372036854775806.5]", &[0, 1, 2, 3, 4]),
            ("f:[9223372036854775807.5 TO *]", &[]),
            ("f:[* TO -9223372036854775807.5]", &[0]),
            ("f:[-9223372036854775807.5 TO -1]", &[1, 2]),
            ("f:[* TO -9223372036854775808.5]", &[]),
            ("f:[-9223372036854775808.5 TO -9223372036854775808.0]", &[0]),
            ("f:[9007199254740992.5 TO 9007199254740993.5]", &[3]),
            ("f:[9007199254740993.5 TO 9223372036854775806.0]", &[4]),
            ("f:[9007199254740993e0 TO 9007199254740993.0]", &[3]),
            ("f:[-9007199254740993.5 TO -9007199254740992.5]", &[2]),
        ] {
            assert_eq!(found(&columns, range).unwrap(), expected, "{range}");
        }
    }
    // A float is the same as any text that it is the nearest float of.
    let floats = [0.1, 9_007_199_254_740_994.0, 9_223_372_036_854_775_808.0];
    let values = floats.map(FieldValue::Float);
    for schema in [unstructured(), structured(FieldKind::Double)] {
        let columns = columns(schema, &values);
        for (doc, text) in (0..).zip(["0.1", "9007199254740993.5", "9223372036854775806.5"]) {
            let range = format!("f:[{text} TO {text}]");
            assert_eq!(found(&columns, &range).unwrap(), [doc], "{range}");
        }
    }
}

#[test]
fn an_integer_is_found_by_its_exponent() {
    let values = [1000, 1500, 9_007_199_254_740_993, i64::MAX].map(FieldValue::Int);
    let of_any = columns(unstructured(), &values);
    let declared = columns(structured(FieldKind::Long), &values);
    for (value, doc) in [
        ("1e3", 0),
        ("1E+3", 0),
        ("1.5e3", 1),
        ("9007199254740993e0", 2),
        ("9.223372036854775807e18", 3),
    ] {
        for columns in [&of_any, &declared] {
            assert_eq!(
                found(columns, &format!("f:{value}")).unwrap(),
                [doc],
                "{value}"
            );
        }
        assert_eq!(
            found(&of_any, &format!("f IN (7, {value})")).unwrap(),
            [doc]
        );
    }
    assert_eq!(found(&of_any, "f:1000.0").unwrap(), [0; 0]);
    assert_eq!(found(&declared, "f:1000.0").unwrap(), [0]);
    assert_eq!(found(&declared, "f:9007199254740993.0").unwrap(), [2]);
}

#[test]
fn numbers_are_compared_with_dates_in_seconds_or_milliseconds() {
    let start = 1_704_067_200_i64; // 2024-01-01
    let end = 1_735_689_600_i64; // 2025-01-01
    let at = [start - 1, start, end - 1, end];
    let seconds = at.map(FieldValue::Int);
    let milliseconds = at.map(|at| FieldValue::Int(at * 1000));
    let floats = at.map(|at| FieldValue::Float(at as f64 + 0.25));
    let float_milliseconds = at.map(|at| FieldValue::Float(at as f64 * 1000.0 + 0.25));
    for values in [seconds, milliseconds, floats, float_milliseconds] {
        let kind = match values[0] {
            FieldValue::Int(_) => FieldKind::Long,
            _ => FieldKind::Double,
        };
        for schema in [unstructured(), structured(kind)] {
            let columns = columns(schema, &values);
            for (range, expected) in [
                ("f:[2024-01-01 TO 2024-12-31]", vec![1, 2]),
                ("f:[2024-01-01 TO *]", vec![1, 2, 3]),
                ("f:[* TO 2023-12]", vec![0]),
            ] {
                assert_eq!(
                    found(&columns, range).unwrap(),
                    expected,
                    "{values:?} {range}"
                );
            }
        }
    }
    // The years 0 to 9999 are seconds, numbers beyond them milliseconds.
    let bounds = [
        -62_167_219_201_i64,
        -62_167_219_200,
        253_402_300_799,
        253_402_300_800,
    ];
    let columns = columns(unstructured(), &bounds.map(FieldValue::Int));
    assert_eq!(found(&columns, "f:[9999 TO 9999-12-31]").unwrap(), [2]);
    assert_eq!(found(&columns, "f:[0000-01-01 TO 0000-12]").unwrap(), [1]);
    assert_eq!(found(&columns, "f:[1978-01-11 TO 1978]").unwrap(), [3]);
}

#[test]
fn a_range_that_texts_cannot_be_compared_with_says_so() {
    let words = columns(unstructured(), &[text("soon"), text("234")]);
    let refusal = found(&words, "f:[2024-01-01 TO *]").unwrap_err();
    assert!(refusal.contains("none of which is a date"), "{refusal}");
    for range in ["f:[1 TO 500]", "f:[2024 TO *]", "g:[2024-01-01 TO *]"] {
        assert_eq!(found(&words, range).unwrap(), [0; 0], "{range}");
    }
    let dates = columns(unstructured(), &[text("2024-02-29")]);
    let refusal = found(&dates, "f:[1704067200 TO *]").unwrap_err();
    let (_, expected) = refusal.split_once("such as ").unwrap();
    assert_eq!(found(&dates, expected).unwrap(), [0], "{refusal}");
    for filter in ["_id:[1 TO *]", "_id:[2024-01-01 TO *]"] {
        let refusal = found(&dates, filter).unwrap_err();
        assert!(refusal.contains("ids have no order"), "{refusal}");
    }
    let truths = columns(structured(FieldKind::Bool), &[FieldValue::Bool(true)]);
    let refusal = found(&truths, "f:[2024-01-01 TO *]").unwrap_err();
    assert!(refusal.contains("is of type: 'bool'"), "{refusal}");
}

#[test]
fn a_value_that_means_another_is_refused_with_a_term_that_finds_it() {
    let numbers = [-5, 5, 7, 10, 1000, 1_704_067_200].map(FieldValue::Int);
    for (schema, values, terms) in [
        (unstructured(), &numbers[..], &[][..]),
        (structured(FieldKind::Long), &numbers, &[]),
        (structured(FieldKind::Double), &numbers, &[]),
        (
            unstructured(),
            &[FieldValue::Bool(true)],
            &["f:yes", "f:y", "f:ON", "f:1", "f:(\"true\")"],
        ),
        (
            structured(FieldKind::Bool),
            &[FieldValue::Bool(true)],
            &["f:yes", "f:ON"],
        ),
    ] {
        let columns = columns(schema, values);
        let of_numbers = [
            "f:2024-01-01",
            "f:5..10",
            "f:1,000",
            "f:$10",
            "f:($10.00)",
            "f:(10 EUR)",
            "f:\"7\"",
            "f:5-7",
            "f:-$5",
            "f:–5",
            "f:−5",
            "f:-5--4",
            "f:5+",
            "f:1’000",
            "f:1\u{a0}000",
            "f:(1 000)",
            "f:$1,000+",
            "f:>1k",
            "f:(>1 000)",
            "f:(>5 €)",
            "f:>0x5",
            "f:&gt;5",
            "f:{gt:5}",
            "f:$gt:5",
            "f:5USD",
            "f:5f",
            "f:1k",
        ];
        let terms = if terms.is_empty() {
            &of_numbers[..]
        } else {
            terms
        };
        for term in terms {
            let refusal = found(&columns, term).unwrap_err();
            let (_, expected) = refusal.split_once("Expected ").unwrap();
            let expected = expected.split(", which").next().unwrap();
            assert!(!found(&columns, expected).unwrap().is_empty(), "{refusal}");
            assert!(found(&columns, &format!("NOT {term}")).is_err());
        }
    }
    let columns = columns(unstructured(), &numbers);
    let refusal = found(&columns, "f:1*5").unwrap_err();
    assert!(
        refusal.contains("Expected a number such as 1000.5, a range"),
        "{refusal}"
    );
    for odd in [
        "f IN (5, $10)",
        "f IN (5USD)",
        "f IN (7, 1,000)",
        "f:>five",
        "f:>>5",
        "f:5kg",
        "NOT f:12-AB",
        "f:7 OR f:1*5",
    ] {
        assert!(found(&columns, odd).is_err(), "{odd}");
    }
    assert_eq!(found(&columns, "f IN (5, 1, 500)").unwrap(), [1]);
    assert_eq!(found(&columns, "f:cheap").unwrap(), [0; 0]);
}

#[test]
fn texts_and_fields_of_several_types_are_asked_for_the_letters() {
    let letters = ["2024-01-01", "5..10", "1,000", "$10", "1*5", "yes"];
    let values = letters.map(text);
    for more in [None, Some(FieldValue::Int(5)), Some(FieldValue::Bool(true))] {
        let values: Vec<FieldValue> = values.iter().cloned().chain(more).collect();
        let columns = columns(unstructured(), &values);
        for (doc, letters) in (0..).zip(letters) {
            assert_eq!(found(&columns, &format!("f:{letters}")).unwrap(), [doc]);
        }
    }
}

#[test]
fn a_filter_is_not_refused_since_a_document_was_deleted() {
    let values = [
        FieldValue::Int(5),
        text("5kg"),
        FieldValue::TextList(vec!["6kg".into()]),
        FieldValue::Bool(true),
    ];
    for gone in 1..values.len() {
        let mut columns = columns(unstructured(), &[values[0].clone(), values[gone].clone()]);
        columns.remove(1);
        match gone {
            // Truth values are no texts: what means a number is told.
            3 => assert!(found(&columns, "f:5kg").is_err()),
            _ => assert_eq!(found(&columns, "f:5kg").unwrap(), [0; 0]),
        }
        columns.remove(0);
        assert_eq!(
            found(&columns, "f:5kg").unwrap(),
            [0; 0],
            "nothing is known of it"
        );
    }
    let mut columns = columns(
        unstructured(),
        &[FieldValue::Bool(true), FieldValue::Int(1)],
    );
    columns.remove(1);
    assert_eq!(found(&columns, "f:1").unwrap(), [0; 0]);
}

#[test]
fn texts_that_no_column_holds_are_texts() {
    let columns = columns(
        unstructured(),
        &[FieldValue::Int(5), text(&"long".repeat(20))],
    );
    let filter = pelorus_filter::parse("f:5kg").unwrap();
    assert!(columns.check(&filter, &|_| false).is_err());
    assert!(columns.check(&filter, &|field| field == "f").is_ok());
    assert!(columns.check(&filter, &|field| field != "f").is_err());
}

#[test]
fn truth_values_have_no_ranges() {
    let truths = columns(unstructured(), &[FieldValue::Bool(true)]);
    let refusal = found(&truths, "f:[0 TO 1]").unwrap_err();
    assert!(refusal.contains("have no order"), "{refusal}");
    let both = columns(
        unstructured(),
        &[FieldValue::Bool(true), FieldValue::Int(1)],
    );
    assert_eq!(found(&both, "f:[0 TO 1]").unwrap(), [1]);
}

#[test]
fn a_declared_field_is_known_before_its_first_document() {
    let columns = columns(structured(FieldKind::Int), &[]);
    for odd in ["f:1k", "f:$5", "f:>five", "NOT f:(5 or 6)"] {
        assert!(found(&columns, odd).is_err(), "{odd}");
    }
    assert_eq!(found(&columns, "f:cheap").unwrap(), [0; 0]);
    assert_eq!(
        found(&self::columns(unstructured(), &[]), "f:1k").unwrap(),
        [0; 0]
    );
}
