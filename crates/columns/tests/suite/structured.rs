//! Declared fields: which terms they take, and with which messages they refuse.

use pelorus_columns::{
    Callbacks, ColumnError, Columns, FieldKind, FieldSpec, FieldValue, GeoPoint, Number, Schema,
};
use pelorus_kernels::BitSet;

/// Every kind that a filter may name.
const KINDS: [FieldKind; 12] = [
    FieldKind::Text,
    FieldKind::CustomVector,
    FieldKind::TextArray,
    FieldKind::Bool,
    FieldKind::Int,
    FieldKind::Long,
    FieldKind::Float,
    FieldKind::Double,
    FieldKind::IntArray,
    FieldKind::LongArray,
    FieldKind::FloatArray,
    FieldKind::DoubleArray,
];

fn field(name: &str, kind: FieldKind) -> FieldSpec {
    FieldSpec {
        name: name.into(),
        kind,
        filter: true,
        score_modifier: true,
    }
}

/// One document, 1, with the given value in a field `f` of the given kind.
fn one(kind: FieldKind, value: FieldValue) -> Columns {
    let fields = vec![field("f", kind)];
    let mut columns = Columns::new(Schema::Structured {
        index: "shop".into(),
        fields,
    });
    columns.insert(1, "a", &[("f".to_owned(), value)]);
    columns
}

fn evaluate(columns: &Columns, filter: &str) -> Result<bool, ColumnError> {
    let filter = pelorus_filter::parse(filter).expect(filter);
    let alive = BitSet::from_iter([1]);
    let contains = |_: &str, _: &str| unreachable!("no CONTAINS here");
    columns
        .evaluate(
            &filter,
            &alive,
            &Callbacks {
                contains: &contains,
                go_on: &|| Ok(()),
            },
        )
        .map(|matching| !matching.is_empty())
}

#[track_caller]
fn matches(columns: &Columns, filter: &str, expected: bool) {
    assert_eq!(evaluate(columns, filter), Ok(expected), "{filter}");
}

#[track_caller]
fn refuses(columns: &Columns, filter: &str, message: &str) {
    let refused = evaluate(columns, filter).expect_err(filter);
    assert_eq!(refused.to_string(), message, "{filter}");
}

#[test]
fn only_fields_with_the_feature_can_be_filtered_by() {
    let mut fields: Vec<FieldSpec> = [
        ("t", FieldKind::Text),
        ("n", FieldKind::Int),
        ("m", FieldKind::IntMap),
    ]
    .map(|(name, kind)| field(name, kind))
    .into();
    fields.push(FieldSpec {
        filter: false,
        ..field("plain", FieldKind::Int)
    });
    let columns = Columns::new(Schema::Structured {
        index: "shop".into(),
        fields,
    });
    for name in ["plain", "nope", "m", "m.k"] {
        let message = format!(
            "Index 'shop' has no filterable field '{name}'. Available filterable fields are: 't, n'"
        );
        for filter in [
            format!("{name}:1"),
            format!("{name}:[1 TO 2]"),
            format!("{name} IN (1)"),
        ] {
            refuses(&columns, &filter, &message);
        }
    }
    matches(&columns, "t:x OR n:1", false);
}

#[test]
fn texts_match_whole_in_any_case_and_at_any_length() {
    let long = "Long ".repeat(100);
    for kind in [FieldKind::Text, FieldKind::CustomVector] {
        let columns = one(kind, FieldValue::Text(long.clone()));
        matches(&columns, &format!("f:({})", long.to_lowercase()), true);
        matches(&columns, "f:long", false);
        matches(&columns, &format!("f IN (x, ({long}))"), true);
    }
    let list = one(
        FieldKind::TextArray,
        FieldValue::TextList(vec!["a".into(), "B c".into()]),
    );
    matches(&list, "f:(b C)", true);
    matches(&list, "f:b", false);
    matches(&list, "f IN ((b c), d)", true);
    matches(&list, "f IN ()", false);
}

#[test]
fn numbers_are_equal_by_value() {
    for kind in [FieldKind::Int, FieldKind::Long] {
        let columns = one(kind, FieldValue::Int(5));
        for (filter, expected) in [
            ("f:5", true),
            ("f:5.0", true),
            ("f:5.5", false),
            ("f:x", false),
        ] {
            matches(&columns, filter, expected);
        }
    }
    for kind in [FieldKind::Float, FieldKind::Double] {
        let columns = one(kind, FieldValue::Float(0.61));
        matches(&columns, "f:0.61", true);
        matches(&columns, "f:[0.61 TO 0.61]", true);
        matches(&columns, "f:(>0.5)", false);
        let whole = one(kind, FieldValue::Int(5));
        matches(&whole, "f:5 AND f:5.0 AND f:[5 TO 5]", true);
    }
}

#[test]
fn truth_values_match_in_any_case_and_are_no_numbers() {
    let columns = one(FieldKind::Bool, FieldValue::Bool(false));
    matches(&columns, "f:False", true);
    matches(&columns, "f:true OR f:0", false);
    for kind in [FieldKind::Int, FieldKind::Float, FieldKind::Double] {
        matches(&one(kind, FieldValue::Bool(true)), "f:1 OR f:true", false);
    }
}

#[test]
fn a_range_needs_one_element_within_both_limits() {
    for kind in [FieldKind::IntArray, FieldKind::LongArray] {
        let columns = one(kind, FieldValue::IntList(vec![1, 9]));
        matches(&columns, "f:[3 TO 7]", false);
        matches(&columns, "f:[3 TO 9]", true);
        matches(&columns, "f:9", true);
        matches(&columns, "f IN (8, 1)", true);
    }
    for kind in [FieldKind::FloatArray, FieldKind::DoubleArray] {
        let columns = one(kind, FieldValue::FloatList(vec![0.5, 9.5]));
        matches(&columns, "f:[1 TO 9]", false);
        matches(&columns, "f:[9 TO *]", true);
        matches(&one(kind, FieldValue::IntList(vec![3])), "f:3", true);
    }
}

#[test]
fn ranges_are_for_numbers() {
    for kind in KINDS {
        let columns = one(kind, FieldValue::Bool(true));
        let text = [
            FieldKind::Text,
            FieldKind::CustomVector,
            FieldKind::TextArray,
        ];
        if text.contains(&kind) || kind == FieldKind::Bool {
            let message = format!(
                "Range filters are only supported for numeric fields, and between dates for texts. However, 'f' is of type: \
                 '{kind}'."
            );
            refuses(&columns, "f:[1 TO 2]", &message);
        } else {
            assert!(evaluate(&columns, "f:[1 TO 2]").is_ok(), "{kind}");
        }
    }
    refuses(
        &one(FieldKind::Int, FieldValue::Int(1)),
        "_id:[1 TO 2]",
        "'_id' has no ranges, as ids have no order. Expected _id:value or _id IN (value, value)",
    );
}

#[test]
fn elements_of_lists_are_of_the_type_of_the_field() {
    for (kind, element_kind) in [
        (FieldKind::Int, "int"),
        (FieldKind::LongArray, "int"),
        (FieldKind::Float, "float"),
        (FieldKind::DoubleArray, "float"),
        (FieldKind::Bool, "bool"),
    ] {
        let known = if kind == FieldKind::Bool { "true" } else { "1" };
        refuses(
            &one(kind, FieldValue::Int(1)),
            &format!("f IN ({known}, x)"),
            &format!(
                "Attempting to use the IN filter operator on field: 'f' of type: '{kind}', but \
                 found list element 'x', which is not of type '{element_kind}'."
            ),
        );
    }
    let float = one(FieldKind::Float, FieldValue::Float(0.61));
    matches(&float, "f IN (7, 0.61)", true);
    matches(&float, "f IN (7, 0.62)", false);
    let floats = one(
        FieldKind::DoubleArray,
        FieldValue::FloatList(vec![0.5, -0.0]),
    );
    matches(&floats, "f IN (3, 0)", true);
    matches(&floats, "f IN (3)", false);
    let truth = one(FieldKind::Bool, FieldValue::Bool(false));
    matches(&truth, "f IN (true)", false);
    matches(&truth, "f IN (true, FALSE)", true);
    let columns = one(FieldKind::Int, FieldValue::Int(1));
    matches(&columns, "_id IN (b, a)", true);
    matches(&columns, "f IN (2, 99999999999999999999, +1)", true);
    assert!(evaluate(&columns, "f IN (1.0)").is_err());
    assert!(evaluate(&columns, "f IN ()").is_err());
}

#[test]
fn values_of_another_type_are_not_taken_in() {
    let columns = one(FieldKind::Int, FieldValue::Text("5".into()));
    matches(&columns, "f:5", false);
    let columns = one(FieldKind::Text, FieldValue::Int(5));
    matches(&columns, "f:5", false);
}

#[test]
fn modifier_fields_are_read_in_their_precision() {
    let map = |number| FieldValue::Map(vec![("a.b".into(), number)]);
    let read = |kind, value: FieldValue, name: &str| {
        let columns = one(kind, value.clone());
        let number = columns.number(name, 1);
        assert_eq!(columns.number_in(name, &[("f".into(), value)]), number);
        number
    };
    let (third, third32) = (1.0 / 3.0, f64::from(1.0_f32 / 3.0));
    assert_eq!(
        read(FieldKind::Double, FieldValue::Float(third), "f"),
        Some(Number::Float(third))
    );
    assert_eq!(
        read(FieldKind::Float, FieldValue::Float(third), "f"),
        Some(Number::Float(third32))
    );
    assert_eq!(
        read(FieldKind::DoubleMap, map(Number::Float(third)), "f.a.b"),
        Some(Number::Float(third))
    );
    assert_eq!(
        read(FieldKind::FloatMap, map(Number::Float(third)), "f.a.b"),
        Some(Number::Float(third32))
    );
    assert_eq!(
        read(FieldKind::IntMap, map(Number::Int(7)), "f.a.b"),
        Some(Number::Int(7))
    );
    assert_eq!(
        read(FieldKind::LongMap, map(Number::Float(1.5)), "f.a.b"),
        Some(Number::Float(1.5))
    );
}

#[test]
fn a_term_without_meaning_is_an_error_wherever_it_stands() {
    let columns = one(FieldKind::Int, FieldValue::Int(1));
    for filter in ["f:3 AND g:2", "NOT (f:1 OR g:2)", "g IN (2) AND f:3"] {
        assert!(evaluate(&columns, filter).is_err(), "{filter}");
    }
}

#[test]
fn areas_are_asked_of_geo_points_alone_and_values_of_all_others() {
    let point = GeoPoint::of_degrees(48.1, 11.5).unwrap();
    let columns = one(FieldKind::GeoPoint, FieldValue::Point(point));
    matches(&columns, "f WITHIN (48.1, 11.6, 10km)", true);
    matches(&columns, "f WITHIN (48.1, 11.6, 1km)", false);
    matches(&columns, "f EXISTS", true);
    let message = "Field 'f' holds geo points, which areas hold and no value equals. Expected f WITHIN (48.1, 11.5, 10km), \
                   or f EXISTS";
    for filter in ["f:5", "f:(48.1,11.5)", "f IN (1, 2)", "f:4*"] {
        refuses(&columns, filter, message);
    }
    refuses(
        &columns,
        "f > 5",
        "Range filters are only supported for numeric fields, and between dates for texts. However, 'f' is of type: \
         'geo_point'.",
    );
    let numbers = one(FieldKind::Int, FieldValue::Int(1));
    let no_points =
        |holds: &str| format!("holds {holds}, and no geo points that an area could hold");
    for (field, holds) in [("f", "values of the type int"), ("_id", "ids")] {
        let error = evaluate(&numbers, &format!("{field} WITHIN (1, 1, 1m)")).unwrap_err();
        assert!(error.to_string().ends_with(&no_points(holds)), "{error}");
    }
}
