//! A typed filter over typed values matches what the columns say.

use std::cmp::Ordering;

use pelorus_columns::{
    Callbacks, ColumnError, Columns, FieldKind, FieldSpec, FieldValue, Number, Schema, TypedFilter,
    TypedRules, TypedValue, composed,
};
use pelorus_filter::Filter;
use pelorus_geo::GeoPoint;
use pelorus_kernels::BitSet;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Fields = Vec<(String, FieldValue)>;

/// Texts that are equal but for case or encoding, dates in several spellings, and such as look like numbers.
const TEXTS: &[&str] = &[
    "a",
    "A",
    "citroën",
    "Citroe\u{308}n",
    "5",
    "true",
    "2024-02-29",
    "2024-02",
    "2024",
    "2024-02-29T12:30:00Z",
    "longer than filters take",
];
const TERMS: &[&str] = &[
    "a",
    "CITROËN",
    "citroe\u{308}n",
    "5",
    "5.0",
    "5e0",
    "-0",
    "0.0",
    "TRUE",
    "false",
    "2024-02-29",
    "9007199254740993",
    "9007199254740992",
    "0.1",
    "nan",
];
const LIMITS: &[&str] = &[
    "*",
    "0",
    "-0.0",
    "5",
    "2.5",
    "9007199254740993",
    "1e300",
    "2024",
    "2024-02-29",
    "2024-02",
    "1709164800",
    "1709164800000",
];
const INTS: &[i64] = &[
    0,
    5,
    -1,
    9_007_199_254_740_992,
    9_007_199_254_740_993,
    i64::MAX,
    i64::MIN,
    1_709_164_800,
    1_709_164_800_000,
];
const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    5.0,
    2.5,
    0.1,
    9_007_199_254_740_992.0,
    1e300,
    1_709_164_800.5,
];
/// Latitudes and longitudes, at the antimeridian and on edges too.
const POINTS: &[[f64; 2]] = &[[48.1, 11.5], [48.137, 11.575], [-18.1, 180.0], [90.0, 3.0]];
const AREAS: &[&str] = &[
    "(48.1, 11.5, 10km)",
    "(-18.1, 179.9, 20km)",
    "BOX (48.137, 11, 90, 11.575)",
    "BOX (-20, 170, 0, -170)",
    "POLYGON (48, 11, 49, 11, 48.1, 12)",
];
const IDS: &[&str] = &["x", "X", "é", "e\u{301}"];
const FIELDS: &[&str] = &[
    "f", "g", "m.k", "group", "text", "int", "float", "small", "truth", "texts", "ints", "spot",
    "nope", "_id",
];

fn matches(filter: &TypedFilter, id: &str, values: &[(String, TypedValue)]) -> bool {
    let has = |field: &String, test: &dyn Fn(&TypedValue) -> bool| {
        values
            .iter()
            .any(|(name, value)| name == field && test(value))
    };
    match filter {
        TypedFilter::And(filters) => filters.iter().all(|one| matches(one, id, values)),
        TypedFilter::Or(filters) => filters.iter().any(|one| matches(one, id, values)),
        TypedFilter::Not(filter) => !matches(filter, id, values),
        TypedFilter::Ids(ids) => ids.contains(&composed(id).into_owned()),
        TypedFilter::Texts { field, keys } => has(field, &|value| match value {
            TypedValue::Texts(texts) => texts.iter().any(|text| keys.contains(text)),
            _ => false,
        }),
        TypedFilter::Truth { field, truth } => {
            has(field, &|value| *value == TypedValue::Truth(*truth))
        }
        TypedFilter::Ints { field, ints } => has(field, &|value| match value {
            TypedValue::Ints(stored) => stored.iter().any(|int| ints.contains(int)),
            _ => false,
        }),
        // By all bits, as an index elsewhere may compare them.
        TypedFilter::Floats { field, floats } => has(field, &|value| match value {
            TypedValue::Floats(stored) => stored.iter().any(|float| {
                let same = |other: &f64| float.total_cmp(other) == Ordering::Equal;
                floats.iter().any(same)
            }),
            _ => false,
        }),
        TypedFilter::IntRange { field, least, most } => has(field, &|value| match value {
            TypedValue::Ints(stored) => stored.iter().any(|int| (least..=most).contains(&int)),
            _ => false,
        }),
        TypedFilter::FloatRange { field, least, most } => has(field, &|value| match value {
            TypedValue::Floats(stored) => stored
                .iter()
                .any(|float| float.total_cmp(least).is_ge() && float.total_cmp(most).is_le()),
            _ => false,
        }),
        TypedFilter::MomentRange { field, least, most } => has(field, &|value| match value {
            TypedValue::Moments(stored) => stored.iter().any(|moment| {
                least.is_none_or(|least| least <= *moment)
                    && most.is_none_or(|most| *moment <= most)
            }),
            _ => false,
        }),
        TypedFilter::IdPrefix(start) => composed(id).starts_with(start),
        TypedFilter::TextPrefix { field, key } => has(field, &|value| match value {
            TypedValue::Texts(texts) => texts.iter().any(|text| text.starts_with(key)),
            _ => false,
        }),
        TypedFilter::Within { field, area } => has(field, &|value| match value {
            TypedValue::Point(point) => area.bounds().contains(*point) && area.contains(*point),
            _ => false,
        }),
        TypedFilter::Exists { field } => has(field, &|_| true),
        TypedFilter::Contains { .. } => unreachable!("not generated"),
    }
}

fn pick<T: Copy + std::fmt::Debug>(values: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(values)
}

fn text() -> impl Strategy<Value = String> {
    pick(TEXTS).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        3 => text().prop_map(FieldValue::Text),
        2 => pick(INTS).prop_map(FieldValue::Int),
        2 => pick(FLOATS).prop_map(FieldValue::Float),
        1 => any::<bool>().prop_map(FieldValue::Bool),
        1 => pick(POINTS).prop_map(|[lat, lon]| {
            FieldValue::Point(GeoPoint::of_degrees(lat, lon).expect("a place on the earth"))
        }),
        1 => prop::collection::vec(text(), 0..4).prop_map(FieldValue::TextList),
        1 => prop::collection::vec(pick(INTS), 0..4).prop_map(FieldValue::IntList),
        1 => prop::collection::vec(pick(FLOATS), 0..4).prop_map(FieldValue::FloatList),
        1 => pick(INTS).prop_map(|int| FieldValue::Map(vec![("k".into(), Number::Int(int))])),
    ]
}

fn fields() -> impl Strategy<Value = Fields> {
    let names = prop::sample::select(&[
        "f", "g", "m", "text", "int", "float", "small", "truth", "texts", "ints", "spot",
    ]);
    let group =
        prop::option::of(text().prop_map(|text| ("group".to_owned(), FieldValue::Text(text))));
    let others = prop::collection::btree_map(names.prop_map(str::to_owned), value(), 0..6);
    (others, group).prop_map(|(others, group)| others.into_iter().chain(group).collect())
}

/// A filter as it is written: the parser knows more about limits than a test should.
fn filter() -> impl Strategy<Value = Filter> {
    let quoted = |text: &str| text.replace(':', "\\:").replace(' ', "\\ ");
    let equals = (pick(FIELDS), prop_oneof![pick(TERMS), pick(IDS)])
        .prop_map(move |(field, value)| format!("{field}:{}", quoted(value)));
    let list = (pick(FIELDS), prop::collection::vec(pick(TERMS), 1..4))
        .prop_map(|(field, values)| format!("{field} IN ({})", values.join(", ")));
    let range = (pick(FIELDS), pick(LIMITS), pick(LIMITS))
        .prop_map(|(field, lower, upper)| format!("{field}:[{lower} TO {upper}]"));
    let comparison = (
        pick(FIELDS),
        pick(&["<", "<=", ">", ">=", "=", "!="]),
        pick(LIMITS),
    );
    let comparison =
        comparison.prop_map(|(field, operator, limit)| format!("{field} {operator} {limit}"));
    let starts = pick(&[
        "a",
        "CIT",
        "citroe\u{308}",
        "2024-02",
        "5",
        "x",
        "longer",
        "e",
    ]);
    let prefix = (pick(FIELDS), starts).prop_map(|(field, start)| format!("{field}:{start}*"));
    let exists = pick(FIELDS).prop_map(|field| format!("{field} EXISTS"));
    let area =
        (pick(FIELDS), pick(AREAS)).prop_map(|(field, area)| format!("{field} WITHIN {area}"));
    let term =
        prop_oneof![1 => area, 4 => equals, 2 => list, 3 => range, 3 => comparison, 1 => exists, 2 => prefix]
            .prop_filter_map("no filter", |text| pelorus_filter::parse(&text).ok());
    term.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::all_of),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::any_of),
            inner.prop_map(Filter::negated),
        ]
    })
}

fn structured() -> Schema {
    let kinds = [
        ("text", FieldKind::Text),
        ("int", FieldKind::Long),
        ("float", FieldKind::Double),
        ("small", FieldKind::Float),
        ("truth", FieldKind::Bool),
        ("texts", FieldKind::TextArray),
        ("ints", FieldKind::LongArray),
        ("spot", FieldKind::GeoPoint),
    ];
    let fields = kinds.map(|(name, kind)| FieldSpec {
        name: name.into(),
        kind,
        filter: true,
        score_modifier: true,
    });
    Schema::Structured {
        index: "shop".into(),
        fields: fields.into(),
    }
}

fn unstructured() -> Schema {
    Schema::Unstructured {
        filter_string_max_length: 20,
        collapse_field: Some("group".into()),
    }
}

fn check(
    schema: Schema,
    documents: &[(&str, Fields)],
    filters: &[Filter],
) -> Result<(), TestCaseError> {
    let rules = TypedRules::new(schema.clone());
    let mut columns = Columns::new(schema);
    for (doc, (id, fields)) in (0..).zip(documents) {
        columns.insert(doc, id, fields);
    }
    let alive: BitSet = (0..documents.len() as u32).collect();
    let callbacks = Callbacks {
        contains: &|_, _| unreachable!("not generated"),
        go_on: &|| Ok(()),
    };
    for filter in filters {
        let expected: Result<BitSet, ColumnError> = columns.evaluate(filter, &alive, &callbacks);
        let typed = match (rules.filter(filter), expected) {
            (Ok(typed), Ok(expected)) => (typed, expected),
            (typed, expected) => {
                prop_assert_eq!(typed.err(), expected.err(), "{}", filter);
                continue;
            }
        };
        let (typed, expected) = typed;
        let matching: BitSet = (0..)
            .zip(documents)
            .filter(|(_, (id, fields))| matches(&typed, id, &rules.values(fields)))
            .map(|(doc, _)| doc)
            .collect();
        prop_assert_eq!(matching, expected, "{}: {:?}", filter, typed);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn typed_filters_match_what_the_columns_of_an_unstructured_index_say(
        documents in prop::collection::vec((pick(IDS), fields()), 1..20),
        filters in prop::collection::vec(filter(), 1..8),
    ) {
        check(unstructured(), &documents, &filters)?;
    }

    #[test]
    fn typed_filters_match_what_the_columns_of_a_structured_index_say(
        documents in prop::collection::vec((pick(IDS), fields()), 1..20),
        filters in prop::collection::vec(filter(), 1..8),
    ) {
        check(structured(), &documents, &filters)?;
    }
}
