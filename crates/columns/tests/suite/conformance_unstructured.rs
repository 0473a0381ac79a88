//! The reference table of filters and the documents they match on an unstructured index, and the
//! rules stated beside it.

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldValue, Number, Schema};
use pelorus_kernels::BitSet;

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

fn columns(collapse_field: Option<&str>) -> Columns {
    Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: collapse_field.map(str::to_owned),
    })
}

fn insert(columns: &mut Columns, doc: u32, id: &str, fields: &[(&str, FieldValue)]) {
    let fields: Vec<(String, FieldValue)> = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    columns.insert(doc, id, &fields);
}

/// Documents 1 to 4 of the reference.
fn reference() -> Columns {
    let mut columns = columns(None);
    let abc = || ("abc", text("some text"));
    insert(
        &mut columns,
        1,
        "5678",
        &[abc(), ("other", text("baaadd")), ("s", text("b"))],
    );
    let other = text("Close match hehehe");
    insert(
        &mut columns,
        2,
        "1234",
        &[abc(), ("other", other), ("n", FieldValue::Int(2))],
    );
    insert(
        &mut columns,
        3,
        "1233",
        &[abc(), ("flag", FieldValue::Bool(true))],
    );
    let tags = FieldValue::TextList(vec!["tag1".into(), "tag2 some".into()]);
    let map = FieldValue::Map(vec![("k".into(), Number::Int(5))]);
    insert(
        &mut columns,
        4,
        "9",
        &[
            ("tags", tags),
            ("fake", text("234")),
            ("fl", FieldValue::Float(0.61)),
            ("t", text("True")),
            ("m", map),
        ],
    );
    columns
}

fn evaluate(columns: &Columns, filter: &str) -> Result<Vec<u32>, ColumnError> {
    let filter = pelorus_filter::parse(filter).expect(filter);
    let alive = (1..=4).collect();
    let contains = |field: &str, value: &str| match field {
        "title" => Ok(BitSet::from_iter([value.len() as u32, 77])),
        _ => Err(ColumnError::NotFilterable {
            index: "u".to_owned(),
            field: field.to_owned(),
            filterable: vec!["title".to_owned()],
        }),
    };
    columns
        .evaluate(
            &filter,
            &alive,
            &Callbacks {
                contains: &contains,
                go_on: &|| Ok(()),
            },
        )
        .map(|matching| matching.iter().collect())
}

#[track_caller]
fn matches(columns: &Columns, filter: &str, expected: &[u32]) {
    assert_eq!(
        evaluate(columns, filter).as_deref(),
        Ok(expected),
        "{filter}"
    );
}

#[test]
fn filters_match_the_documents_of_the_reference_table() {
    let columns = reference();
    for (filter, expected) in [
        ("s:b", &[1_u32] as &[u32]),
        ("other:(Close match hehehe)", &[2]),
        ("other:(close MATCH hehehe)", &[2]),
        ("n:2", &[2]),
        ("n:[0 TO 30]", &[2]),
        ("n:[5 TO 30]", &[]),
        ("flag:true", &[3]),
        ("flag:tRue", &[3]),
        ("flag:false", &[]),
        ("flag:some_value", &[]),
        ("t:true", &[4]),
        ("tags:tag1", &[4]),
        ("tags:(tag2 some)", &[4]),
        ("tags:tag2", &[]),
        ("fake:234", &[4]),
        ("fake:[1 TO 500]", &[]),
        ("fl:0.61", &[4]),
        ("m.k:5", &[4]),
        ("m.k:[1 TO 9]", &[4]),
        ("NOT s:b", &[2, 3, 4]),
        ("_id:5678 OR _id:1234", &[1, 2]),
        ("_id IN (5678, nope)", &[1]),
        ("missing:1", &[]),
    ] {
        matches(&columns, filter, expected);
    }
}

#[test]
fn a_list_means_any_of_its_values() {
    for (filter, expected) in [
        ("n IN (2)", &[2_u32] as &[u32]),
        ("n IN (1, 2.0, x)", &[]),
        ("flag IN (TRUE, none)", &[3]),
        ("tags IN (TAG1, b)", &[4]),
        ("fake IN (234)", &[4]),
        ("fl IN (0.61, 7)", &[4]),
        ("m.k IN (4, 5)", &[4]),
        ("missing IN (1)", &[]),
        ("NOT s IN (b, c)", &[2, 3, 4]),
    ] {
        matches(&reference(), filter, expected);
    }
}

#[test]
fn a_whole_number_means_floats_too_but_a_point_means_only_floats() {
    let mut columns = columns(None);
    insert(&mut columns, 1, "a", &[("n", FieldValue::Int(5))]);
    insert(&mut columns, 2, "b", &[("n", FieldValue::Float(5.0))]);
    insert(&mut columns, 3, "c", &[("n", text("5"))]);
    matches(&columns, "n:5", &[1, 2, 3]);
    matches(&columns, "n:5.0", &[2]);
    matches(&columns, "n:5e0", &[1, 2]);
    matches(&columns, "n:0.5e1", &[1, 2]);
    matches(&columns, "n:[4.5 TO 5]", &[1, 2]);
}

#[test]
fn big_integers_are_compared_exactly() {
    let mut columns = columns(None);
    let past_floats = (1 << 53) + 1;
    insert(&mut columns, 1, "a", &[("n", FieldValue::Int(past_floats))]);
    insert(
        &mut columns,
        2,
        "b",
        &[("n", FieldValue::Int(past_floats - 1))],
    );
    insert(
        &mut columns,
        3,
        "c",
        &[("n", FieldValue::Float((past_floats - 1) as f64))],
    );
    matches(&columns, "n:9007199254740993", &[1]);
    matches(&columns, "n:9007199254740992", &[2, 3]);
    matches(&columns, "n:[9007199254740993 TO *]", &[1]);
    matches(&columns, "n:[* TO 9007199254740992]", &[2, 3]);
}

#[test]
fn texts_are_filterable_to_their_length_in_code_points_and_lists_always() {
    let mut columns = columns(None);
    let (fits, long) = ("ä".repeat(50), "ä".repeat(51));
    insert(&mut columns, 1, "a", &[("s", text(&fits))]);
    insert(&mut columns, 2, "b", &[("s", text(&long))]);
    insert(
        &mut columns,
        3,
        "c",
        &[("s", FieldValue::TextList(vec![long.clone()]))],
    );
    matches(&columns, &format!("s:{}", fits.to_uppercase()), &[1]);
    matches(&columns, &format!("s:{long}"), &[3]);
}

#[test]
fn the_collapse_field_is_compared_exactly_and_at_any_length() {
    let mut columns = columns(Some("group"));
    let long = "G".repeat(60);
    insert(&mut columns, 1, "a", &[("group", text(&long))]);
    insert(&mut columns, 2, "b", &[("group", text("true"))]);
    matches(&columns, &format!("group:{long}"), &[1]);
    matches(&columns, &format!("group:{}", long.to_lowercase()), &[]);
    matches(&columns, "group:true", &[2]);
    matches(&columns, "group:True", &[]);
}

#[test]
fn ids_and_field_names_are_compared_exactly() {
    let mut columns = columns(None);
    insert(&mut columns, 1, "Ab", &[("Name", text("x"))]);
    matches(&columns, "_id:Ab", &[1]);
    matches(&columns, "_id:ab", &[]);
    matches(&columns, "name:x", &[]);
}

#[test]
fn versions_of_a_document_may_overlap_until_the_old_one_is_removed() {
    let mut columns = columns(None);
    insert(&mut columns, 1, "a", &[("s", text("old"))]);
    insert(&mut columns, 2, "a", &[("s", text("new"))]);
    matches(&columns, "_id:a", &[1, 2]);
    columns.remove(1);
    matches(&columns, "_id:a", &[2]);
    matches(&columns, "s:old", &[]);
}

#[test]
fn only_documents_alive_match() {
    let mut columns = columns(None);
    insert(
        &mut columns,
        200,
        "a",
        &[("s", text("x")), ("n", FieldValue::Int(1))],
    );
    insert(
        &mut columns,
        4,
        "b",
        &[("s", text("x")), ("n", FieldValue::Int(1))],
    );
    matches(&columns, "s:x AND n:1", &[4]);
    matches(&columns, "NOT s:y", &[1, 2, 3, 4]);
}

#[test]
fn contains_is_asked_of_the_caller() {
    let columns = reference();
    matches(&columns, "title CONTAINS abc", &[3]);
    matches(&columns, "NOT title CONTAINS abc", &[1, 2, 4]);
    let refused = evaluate(&columns, "s:b AND body CONTAINS x").expect_err("an error");
    assert!(matches!(refused, ColumnError::NotFilterable { field, .. } if field == "body"));
}

#[test]
fn numbers_are_read_by_ordinal() {
    let columns = reference();
    assert_eq!(columns.number("n", 2), Some(Number::Int(2)));
    assert_eq!(columns.number("fl", 4), Some(Number::Float(0.61)));
    assert_eq!(columns.number("m.k", 4), Some(Number::Int(5)));
    for (field, doc) in [
        ("n", 1),
        ("fake", 4),
        ("flag", 3),
        ("m", 4),
        ("nope", 1),
        ("n", 9999),
    ] {
        assert_eq!(columns.number(field, doc), None, "{field} of {doc}");
    }
    let numbers = columns.numbers("fl").expect("a column");
    let mut visited = Vec::new();
    numbers.for_each(|doc, number| visited.push((doc, number)));
    assert_eq!(visited, [(4, Number::Float(0.61))]);
    let numbers = columns.numbers("n").expect("a column");
    assert_eq!(
        (numbers.get(2), numbers.get(3)),
        (Some(Number::Int(2)), None)
    );
}

#[test]
fn the_visible_version_of_an_id_is_found_among_all() {
    let mut columns = columns(None);
    for (doc, id) in [(1, "a"), (2, "A"), (3, "a"), (70_000, "a")] {
        insert(&mut columns, doc, id, &[]);
    }
    let version = |columns: &Columns, id, visible: &[u32]| {
        columns.version_of(id, |doc| visible.contains(&doc))
    };
    for (visible, expected) in [
        (&[1, 2][..], Some(1)),
        (&[3, 2], Some(3)),
        (&[70_000], Some(70_000)),
        (&[2], None),
        (&[], None),
    ] {
        assert_eq!(version(&columns, "a", visible), expected);
    }
    assert_eq!(version(&columns, "A", &[1, 2]), Some(2));
    assert_eq!(version(&columns, "b", &[1, 2]), None);
    assert_eq!(columns.id_count(), 2);
    for doc in [1, 3, 70_000] {
        columns.remove(doc);
    }
    assert_eq!(version(&columns, "a", &[1, 2, 3]), None);
    assert_eq!(columns.id_count(), 1);
}

#[test]
fn a_text_is_as_long_as_its_letters_however_they_are_encoded() {
    let (composed, decomposed) = ("\u{e9}".repeat(50), "e\u{301}".repeat(50));
    let mut columns = columns(None);
    insert(&mut columns, 1, "a", &[("f", text(&composed))]);
    insert(&mut columns, 2, "b", &[("f", text(&decomposed))]);
    insert(
        &mut columns,
        3,
        "c",
        &[("f", text(&format!("{decomposed}x")))],
    );
    for letters in [&composed, &decomposed] {
        matches(&columns, &format!("f:{letters}"), &[1, 2]);
    }
    matches(&columns, &format!("f:{decomposed}x"), &[]);
}
