//! Distances are read like numbers of a field, by every way to read one.

use std::collections::BTreeMap;

use pelorus_columns::{Columns, FieldValue, GeoPoint, Number, Schema};
use pelorus_kernels::BitSet;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn point(lat: f64, lon: f64) -> GeoPoint {
    GeoPoint::of_degrees(lat, lon).unwrap()
}

fn columns() -> Columns {
    Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn distances_are_those_of_each_point(
        documents in prop::collection::btree_map(
            prop_oneof![0..100_u32, 1020..1030_u32], prop::option::of((-90.0..=90.0_f64, -180.0..=180.0_f64)), 1..60,
        ),
        lat in -90.0..=90.0_f64,
        lon in -180.0..=180.0_f64,
    ) {
        let mut columns = columns();
        for (&doc, place) in &documents {
            let value = match place {
                Some((lat, lon)) => FieldValue::Point(point(*lat, *lon)),
                None => FieldValue::Int(1),
            };
            let fields = [("home".to_owned(), value)];
            let name = format!("home@{lat},{lon}");
            columns.insert(doc, "id", &fields);
            prop_assert_eq!(columns.number_in(&name, &fields), columns.number(&name, doc));
        }
        let from = point(lat, lon);
        let expected: BTreeMap<u32, f64> = documents
            .iter()
            .filter_map(|(&doc, place)| Some((doc, place.as_ref()?)))
            .map(|(doc, (lat, lon))| (doc, from.distance_m(point(*lat, *lon))))
            .collect();
        let numbers = columns.numbers(&format!("home@{lat},{lon}")).unwrap();
        let docs: Vec<u32> = (0..1100).collect();
        let mut gathered = vec![0.0; docs.len()];
        numbers.gather(&docs, &mut gathered);
        let mut visited = BTreeMap::new();
        numbers.for_each(|doc, number| {
            visited.insert(doc, number.as_f64());
        });
        prop_assert_eq!(&visited, &expected);
        let mut within = BTreeMap::new();
        let all: BitSet = docs.iter().copied().collect();
        numbers.for_each_in(&all, |doc, number| {
            within.insert(doc, number.as_f64());
        });
        prop_assert_eq!(&within, &expected);
        for doc in docs {
            let distance = expected.get(&doc).copied();
            prop_assert_eq!(numbers.get(doc), distance.map(Number::Float));
            let gathered = Some(gathered[doc as usize]).filter(|distance| !distance.is_nan());
            prop_assert_eq!(gathered, distance);
        }
    }
}

#[test]
fn a_field_has_no_distances_but_from_a_place_and_no_numbers_where_it_has_points() {
    let mut columns = columns();
    columns.insert(
        1,
        "a",
        &[("home".to_owned(), FieldValue::Point(point(1.0, 2.0)))],
    );
    assert_eq!(columns.number("home", 1), None);
    assert_eq!(columns.number("home@1,2", 1), Some(Number::Float(0.0)));
    assert!(columns.numbers("home@91,2").is_none());
    assert!(columns.numbers("work@1,2").is_none());
}
