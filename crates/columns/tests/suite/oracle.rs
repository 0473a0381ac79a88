//! Random documents come and go, and every filter must match just what reading each document, one
//! after the other, says.

use std::collections::BTreeMap;

use pelorus_columns::{
    Callbacks, ColumnError, Columns, FieldKind, FieldSpec, FieldValue, GeoPoint, Number, Schema,
};
use pelorus_filter::{End, Filter, Limit, parse};
use pelorus_kernels::BitSet;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const MAX_LENGTH: usize = 6;
const COLLAPSE: &str = "group";

type Fields = Vec<(String, FieldValue)>;

struct Document {
    id: String,
    fields: Fields,
}

/// Tells whether one document matches, by the letter of the rules; `schema` decides the
/// differences.
fn holds(schema: &Schema, filter: &Filter, document: &Document) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().all(|f| holds(schema, f, document)),
        Filter::Or(filters) => filters.iter().any(|f| holds(schema, f, document)),
        Filter::Not(filter) => !holds(schema, filter, document),
        Filter::Equals { field, value } if field == "_id" => document.id == *value,
        Filter::Equals { field, value } => {
            let collapse = field == COLLAPSE && matches!(schema, Schema::Unstructured { .. });
            rows(document, field).iter().any(|stored| match schema {
                Schema::Unstructured { .. } if collapse => {
                    *stored == FieldValue::Text(value.clone())
                }
                Schema::Unstructured { .. } => equal_unstructured(stored, value),
                Schema::Structured { .. } => equal_structured(stored, value),
            })
        }
        Filter::Range {
            field,
            lower,
            upper,
        } => rows(document, field).iter().any(|stored| {
            let within = |number: f64| {
                lower.is_none_or(|l| number >= plain(l)) && upper.is_none_or(|u| number <= plain(u))
            };
            match stored {
                FieldValue::Int(int) => within(*int as f64),
                FieldValue::Float(float) => within(*float),
                FieldValue::IntList(ints) if matches!(schema, Schema::Structured { .. }) => {
                    ints.iter().any(|&int| within(int as f64))
                }
                _ => false,
            }
        }),
        Filter::Beyond { field, limit, end } => rows(document, field).iter().any(|stored| {
            let beyond = |number: f64| match end {
                End::Lower => number > plain(*limit),
                End::Upper => number < plain(*limit),
            };
            match stored {
                FieldValue::Int(int) => beyond(*int as f64),
                FieldValue::Float(float) => beyond(*float),
                FieldValue::IntList(ints) if matches!(schema, Schema::Structured { .. }) => {
                    ints.iter().any(|&int| beyond(int as f64))
                }
                _ => false,
            }
        }),
        Filter::Prefix { field, prefix } if field == "_id" => document.id.starts_with(prefix),
        Filter::Prefix { field, prefix } => rows(document, field).iter().any(|stored| {
            let is_unstructured = matches!(schema, Schema::Unstructured { .. });
            let is_group = field == COLLAPSE && is_unstructured;
            let begins = |text: &String| match is_group {
                true => text.starts_with(prefix),
                false => text.to_lowercase().starts_with(&prefix.to_lowercase()),
            };
            match stored {
                FieldValue::Text(text) => {
                    let is_long = text.chars().count() > MAX_LENGTH;
                    begins(text) && !(is_long && is_unstructured && !is_group)
                }
                FieldValue::TextList(texts) => texts.iter().any(begins),
                _ => false,
            }
        }),
        Filter::Exists { field } => {
            let entries = document
                .fields
                .iter()
                .filter_map(|(name, value)| match value {
                    FieldValue::Map(entries) => Some((name, entries)),
                    _ => None,
                });
            field == "_id"
                || document.fields.iter().any(|(name, _)| name == field)
                || entries.into_iter().any(|(name, entries)| {
                    let mut keys = entries.iter();
                    keys.any(|(key, _)| format!("{name}.{key}") == *field)
                })
        }
        Filter::In { field, values } => values.iter().any(|value| {
            let equals = Filter::Equals {
                field: field.clone(),
                value: value.clone(),
            };
            holds(schema, &equals, document)
        }),
        Filter::Within { field, area } => rows(document, field).iter().any(|stored| match stored {
            FieldValue::Point(point) => area.contains(*point),
            _ => false,
        }),
        Filter::Contains { .. } => unreachable!("not generated"),
    }
}

/// A limit of a range that has no dates.
fn plain(limit: Limit) -> f64 {
    match limit {
        Limit::Number(number) => number.as_f64(),
        Limit::Moment(_) | Limit::Decimal(_) => unreachable!("not generated"),
    }
}

/// The values of a field, with map entries as fields of their own.
fn rows(document: &Document, field: &str) -> Vec<FieldValue> {
    let mut rows = Vec::new();
    for (name, value) in &document.fields {
        match value {
            FieldValue::Map(entries) => {
                for (key, number) in entries
                    .iter()
                    .filter(|(key, _)| format!("{name}.{key}") == field)
                {
                    let _ = key;
                    rows.push(match number {
                        Number::Int(int) => FieldValue::Int(*int),
                        Number::Float(float) => FieldValue::Float(*float),
                    });
                }
            }
            value if name == field => rows.push(value.clone()),
            _ => {}
        }
    }
    rows
}

fn equal_unstructured(stored: &FieldValue, value: &str) -> bool {
    match stored {
        FieldValue::Text(text) => {
            text.chars().count() <= MAX_LENGTH && text.to_lowercase() == value.to_lowercase()
        }
        FieldValue::TextList(texts) => texts
            .iter()
            .any(|text| text.to_lowercase() == value.to_lowercase()),
        FieldValue::Bool(truth) => value.to_lowercase() == truth.to_string(),
        FieldValue::Int(int) => {
            value.parse() == Ok(*int) || value.contains('e') && value.parse() == Ok(*int as f64)
        }
        FieldValue::Float(float) => value.parse() == Ok(*float),
        FieldValue::IntList(_)
        | FieldValue::FloatList(_)
        | FieldValue::Map(_)
        | FieldValue::Sparse(_)
        | FieldValue::Multi(_)
        | FieldValue::Point(_) => false,
    }
}

/// As [`equal_unstructured`], but at any length, and for numbers by value.
fn equal_structured(stored: &FieldValue, value: &str) -> bool {
    match stored {
        FieldValue::Text(text) => text.to_lowercase() == value.to_lowercase(),
        FieldValue::Int(int) => value.parse() == Ok(*int as f64),
        FieldValue::IntList(ints) => ints.iter().any(|&int| value.parse() == Ok(int as f64)),
        other => equal_unstructured(other, value),
    }
}

fn pick(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(words).prop_map(str::to_owned)
}

/// Few values, so that documents and filters meet; some are longer than the texts that can be
/// filtered by.
const WORDS: &[&str] = &[
    "a", "A", "b c", "5", "-1", "2.5", "True", "false", "seven 7", "ÄÖ", "äö",
];
const TERMS: &[&str] = &[
    "a", "B C", "5", "5.0", "-1", "2.5", "2.50", "1e0", "TRUE", "False", "Seven 7", "äÖ", "nan",
];
const IDS: &[&str] = &["x", "X", "y", "z"];

fn int() -> impl Strategy<Value = i64> {
    -1..6_i64
}

fn float() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![-1.0, 0.0, 1.0, 2.5, 5.0])
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![int().prop_map(Number::Int), float().prop_map(Number::Float)]
}

fn texts() -> impl Strategy<Value = FieldValue> {
    prop::collection::vec(pick(WORDS), 0..9).prop_map(FieldValue::TextList)
}

fn ints() -> impl Strategy<Value = FieldValue> {
    prop::collection::vec(int(), 0..4).prop_map(FieldValue::IntList)
}

/// Whole degrees, so that they are on edges of areas.
fn point() -> impl Strategy<Value = FieldValue> {
    (-3..=3_i32, 177..=183_i32).prop_map(|(lat, lon)| {
        let lon = if lon > 180 { lon - 360 } else { lon };
        let point = GeoPoint::of_degrees(lat.into(), lon.into());
        FieldValue::Point(point.expect("a place on the earth"))
    })
}

fn within(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    const AREAS: &[&str] = &[
        "(0, 180, 300km)",
        "(1, -179, 0m)",
        "BOX (-1, 178, 1, -178)",
        "BOX (-90, -180, 90, 180)",
        "POLYGON (-2, 178, -2, -178, 3, 180)",
    ];
    (pick(fields), pick(AREAS)).prop_map(|(field, area)| {
        parse(&format!("{field} WITHIN {area}")).expect("a term that is read")
    })
}

fn any_value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        pick(WORDS).prop_map(FieldValue::Text),
        any::<bool>().prop_map(FieldValue::Bool),
        int().prop_map(FieldValue::Int),
        float().prop_map(FieldValue::Float),
        texts(),
        ints(),
        point(),
        prop::collection::btree_map(pick(&["k", "l"]), number(), 0..3)
            .prop_map(|entries| FieldValue::Map(entries.into_iter().collect())),
    ]
}

fn unstructured_fields() -> impl Strategy<Value = Fields> {
    let mixed = prop::collection::btree_map(pick(&["f", "g", "h"]), any_value(), 0..4);
    let group = prop::option::of(pick(WORDS));
    (mixed, group).prop_map(|(mixed, group)| {
        let group = group.map(|text| (COLLAPSE.to_owned(), FieldValue::Text(text)));
        mixed.into_iter().chain(group).collect()
    })
}

fn structured_fields() -> impl Strategy<Value = Fields> {
    let maybe = |value: BoxedStrategy<FieldValue>| prop::option::of(value);
    (
        maybe(pick(WORDS).prop_map(FieldValue::Text).boxed()),
        maybe(int().prop_map(FieldValue::Int).boxed()),
        maybe(float().prop_map(FieldValue::Float).boxed()),
        maybe(any::<bool>().prop_map(FieldValue::Bool).boxed()),
        maybe(texts().boxed()),
        maybe(ints().boxed()),
        maybe(point().boxed()),
    )
        .prop_map(|(text, int, float, truth, texts, ints, point)| {
            let named = [
                ("text", text),
                ("int", int),
                ("float", float),
                ("bool", truth),
                ("texts", texts),
                ("ints", ints),
                ("point", point),
            ];
            let present = named
                .into_iter()
                .filter_map(|(name, value)| Some((name.into(), value?)));
            present.collect()
        })
}

/// Limits in either order, and open ends.
fn range(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    let limit = || prop::option::of(number().prop_map(Limit::Number));
    (pick(fields), limit(), limit()).prop_map(|(field, lower, upper)| Filter::Range {
        field,
        lower,
        upper,
    })
}

fn beyond(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    let limit = number().prop_map(Limit::Number);
    let end = prop::sample::select(vec![End::Lower, End::Upper]);
    (pick(fields), limit, end).prop_map(|(field, limit, end)| Filter::Beyond { field, limit, end })
}

fn exists(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    pick(fields).prop_map(|field| Filter::Exists { field })
}

fn prefix(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    const STARTS: &[&str] = &["a", "A", "b", "B C", "5", "-", "t", "SEVEN", "ä", "Äö", "x"];
    (pick(fields), pick(STARTS)).prop_map(|(field, prefix)| Filter::Prefix { field, prefix })
}

fn equals(fields: &'static [&'static str]) -> impl Strategy<Value = Filter> {
    (pick(fields), pick(TERMS)).prop_map(|(field, value)| Filter::Equals { field, value })
}

fn list(
    fields: &'static [&'static str],
    values: &'static [&'static str],
) -> impl Strategy<Value = Filter> {
    (pick(fields), prop::collection::vec(pick(values), 1..4))
        .prop_map(|(field, values)| Filter::In { field, values })
}

fn id() -> impl Strategy<Value = Filter> {
    pick(IDS).prop_map(|value| Filter::Equals {
        field: "_id".into(),
        value,
    })
}

fn combined(term: BoxedStrategy<Filter>) -> impl Strategy<Value = Filter> {
    term.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::all_of),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::any_of),
            inner.prop_map(Filter::negated),
        ]
    })
}

fn unstructured_filter() -> impl Strategy<Value = Filter> {
    const FIELDS: &[&str] = &["f", "g", "h", "f.k", "g.l", "group", "nope"];
    combined(
        prop_oneof![4 => equals(FIELDS), 2 => range(FIELDS), 2 => list(FIELDS, TERMS),
            1 => list(&["_id"], IDS), 1 => id(), 1 => beyond(FIELDS), 1 => exists(FIELDS),
            1 => exists(&["_id"]), 2 => prefix(FIELDS), 1 => prefix(&["_id"]),
            2 => within(FIELDS)]
        .boxed(),
    )
}

fn structured_filter() -> impl Strategy<Value = Filter> {
    const INTS: &[&str] = &["5", "-1", "+2", "007", "99999999999999999999"];
    const NUMBERS: &[&str] = &["5", "-1.5", "0.5", "1e3", "-0"];
    combined(
        prop_oneof![
            4 => equals(&["text", "int", "float", "bool", "texts", "ints"]),
            2 => range(&["int", "float", "ints"]),
            1 => beyond(&["int", "float", "ints"]),
            1 => exists(&["text", "int", "float", "bool", "texts", "ints", "point", "_id"]),
            2 => within(&["point"]),
            2 => prefix(&["text", "int", "texts", "_id"]),
            1 => list(&["text", "texts"], TERMS),
            1 => list(&["int", "ints"], INTS),
            1 => list(&["float"], NUMBERS),
            1 => list(&["bool"], &["true", "FALSE"]),
            1 => list(&["_id"], IDS),
            1 => id(),
        ]
        .boxed(),
    )
}

fn structured() -> Schema {
    let kinds = [
        ("text", FieldKind::Text),
        ("int", FieldKind::Long),
        ("float", FieldKind::Double),
        ("bool", FieldKind::Bool),
        ("texts", FieldKind::TextArray),
        ("ints", FieldKind::IntArray),
        ("point", FieldKind::GeoPoint),
    ];
    let fields = kinds.map(|(name, kind)| FieldSpec {
        name: name.into(),
        kind,
        filter: true,
        score_modifier: false,
    });
    Schema::Structured {
        index: "shop".into(),
        fields: fields.into(),
    }
}

fn unstructured() -> Schema {
    Schema::Unstructured {
        filter_string_max_length: MAX_LENGTH as i64,
        collapse_field: Some(COLLAPSE.into()),
    }
}

/// A change of an ordinal.
#[derive(Debug, Clone)]
enum Change {
    Write(String, Fields),
    /// The document that is there, with the values that it shares with these fields changed.
    Revise(Fields),
    Remove,
}

type Step = (u32, Change);

fn steps(fields: BoxedStrategy<Fields>) -> impl Strategy<Value = Vec<Step>> {
    let ordinal = prop_oneof![4 => 0..40_u32, 1 => 1020..1030_u32];
    let change = prop_oneof![
        3 => (pick(IDS), fields.clone()).prop_map(|(id, fields)| Change::Write(id, fields)),
        2 => fields.prop_map(Change::Revise),
        1 => Just(Change::Remove),
    ];
    prop::collection::vec((ordinal, change), 1..80)
}

fn revise(document: &mut Document, fields: Fields) {
    for (name, value) in fields {
        let mut stored = document.fields.iter_mut();
        if let Some((_, stored)) = stored.find(|(stored, _)| *stored == name) {
            *stored = value;
        }
    }
}

fn check(
    schema: Schema,
    steps: Vec<Step>,
    filters: &[Filter],
    hidden: &[u32],
) -> Result<(), TestCaseError> {
    let mut columns = Columns::new(schema.clone());
    let mut documents = BTreeMap::new();
    for (doc, change) in steps {
        match change {
            Change::Write(id, fields) => {
                columns.insert(doc, &id, &fields);
                documents.insert(doc, Document { id, fields });
            }
            Change::Revise(fields) => {
                if let Some(document) = documents.get_mut(&doc) {
                    revise(document, fields);
                    columns.insert(doc, &document.id, &document.fields);
                }
            }
            Change::Remove => {
                columns.remove(doc);
                documents.remove(&doc);
            }
        }
    }
    let alive: BitSet = documents
        .keys()
        .copied()
        .filter(|doc| !hidden.contains(doc))
        .collect();
    for filter in filters {
        let matching = columns
            .evaluate::<ColumnError>(
                filter,
                &alive,
                &Callbacks {
                    contains: &|_, _| unreachable!("not generated"),
                    go_on: &|| Ok(()),
                },
            )
            .expect("only terms with a meaning");
        let expected: BitSet = alive
            .iter()
            .filter(|doc| holds(&schema, filter, &documents[doc]))
            .collect();
        prop_assert_eq!(matching, expected, "{}", filter);
    }
    check_values(&schema, &columns, &documents, &alive)?;
    for doc in documents.keys() {
        columns.remove(*doc);
    }
    prop_assert_eq!(columns.memory_bytes(), 0);
    Ok(())
}

/// Checks that values read by document are those taken in, spelt alike.
fn check_values(
    schema: &Schema,
    columns: &Columns,
    documents: &BTreeMap<u32, Document>,
    alive: &BitSet,
) -> Result<(), TestCaseError> {
    const FIELDS: [&str; 12] = [
        "f", "g", "h", "f.k", "g.l", COLLAPSE, "text", "int", "float", "texts", "ints", "nope",
    ];
    for field in FIELDS {
        let (mut singles, mut elements, mut numbers) = (vec![], vec![], vec![]);
        for doc in alive.iter() {
            for value in rows(&documents[&doc], field) {
                match value {
                    FieldValue::Text(text) => {
                        let long = text.chars().count() > MAX_LENGTH && field != COLLAPSE;
                        if !(long && matches!(schema, Schema::Unstructured { .. })) {
                            singles.push((doc, text));
                        }
                    }
                    FieldValue::TextList(texts) => {
                        elements.extend(texts.into_iter().map(|text| (doc, text)));
                    }
                    FieldValue::Int(int) => numbers.push((doc, Number::Int(int))),
                    FieldValue::Float(float) => numbers.push((doc, Number::Float(float))),
                    _ => {}
                }
            }
        }
        elements.sort();
        elements.dedup();
        let (mut read_singles, mut read_elements, mut read_numbers) = (vec![], vec![], vec![]);
        if let Some(texts) = columns.texts(field) {
            let text = |id| texts.text(texts.at(texts.place(id))).to_owned();
            texts.for_each_single(alive, |doc, id| read_singles.push((doc, text(id))));
            texts.for_each_element(alive, |doc, id| read_elements.push((doc, text(id))));
            for (doc, text) in &read_singles {
                prop_assert_eq!(texts.id(text), texts.single(*doc));
            }
        }
        read_elements.sort();
        if let Some(column) = columns.numbers(field) {
            column.for_each_in(alive, |doc, number| read_numbers.push((doc, number)));
            for (doc, number) in &read_numbers {
                prop_assert_eq!(column.get(*doc), Some(*number));
            }
        }
        read_numbers.sort_by_key(|(doc, _)| *doc);
        prop_assert_eq!(read_singles, singles, "{}", field);
        prop_assert_eq!(read_elements, elements, "{}", field);
        prop_assert_eq!(read_numbers, numbers, "{}", field);
    }
    for doc in alive.iter() {
        prop_assert_eq!(columns.id(doc), Some(documents[&doc].id.as_str()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn unstructured_filters_match_what_a_plain_reading_says(
        steps in steps(unstructured_fields().boxed()),
        filters in prop::collection::vec(unstructured_filter(), 1..8),
        hidden in prop::collection::vec(0..40_u32, 0..6),
    ) {
        check(unstructured(), steps, &filters, &hidden)?;
    }

    #[test]
    fn structured_filters_match_what_a_plain_reading_says(
        steps in steps(structured_fields().boxed()),
        filters in prop::collection::vec(structured_filter(), 1..8),
        hidden in prop::collection::vec(0..40_u32, 0..6),
    ) {
        check(structured(), steps, &filters, &hidden)?;
    }
}
