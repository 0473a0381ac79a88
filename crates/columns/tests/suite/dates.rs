//! Dates are read like numbers of a field, by every way to read one, as a calendar of its own tells them.

use std::collections::BTreeMap;

use pelorus_columns::{Columns, DatePart, FieldValue, Number, Schema};
use pelorus_kernels::BitSet;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// Days from 1970 to a day of the Gregorian calendar, counted year by year and month by month.
fn days(year: i128, month: usize, day: i128) -> i128 {
    let is_leap = |year: i128| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let of_year = |year| if is_leap(year) { 366 } else { 365 };
    let before: i128 = match year >= 1970 {
        true => (1970..year).map(of_year).sum(),
        false => -(year..1970).map(of_year).sum::<i128>(),
    };
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    before + months[..month - 1].iter().sum::<i128>() + day - 1
}

/// A value of a field with the nanosecond that it is as a date, and as a time.
type Told = (FieldValue, Option<i128>, Option<f64>);

fn text(text: String, date: Option<i128>) -> Told {
    let time = date.map(|date| date as f64 / 1e9);
    (FieldValue::Text(text), date, time)
}

prop_compose! {
    fn written_date()(
        year in prop_oneof![0..10_000_i128, 1960..2040_i128, 2024..2026_i128], month in 1..=12_usize, day in 1..=28_i128,
        hour in 0..24_i128, minute in 0..60_i128, second in 0..60_i128, nanos in 0..SECOND, offset in -12..=14_i128,
        form in 0..7_usize,
    ) -> Told {
        let date = format!("{year:04}-{month:02}-{day:02}");
        let midnight = days(year, month, day) * DAY;
        let seconds = ((hour * 60 + minute) * 60 + second) * SECOND;
        let sign = if offset < 0 { '-' } else { '+' };
        let instant = format!("{date}T{hour:02}:{minute:02}:{second:02}");
        let with_offset = midnight + seconds + nanos - offset * 3_600 * SECOND;
        match form {
            0 if year >= 1_000 => text(format!("{year:04}"), Some(days(year, 1, 1) * DAY)),
            0 => text(format!("{year:04}"), None),
            1 => text(format!("{year:04}-{month:02}"), Some(days(year, month, 1) * DAY)),
            2 => text(date, Some(midnight)),
            3 => text(format!("{date} {hour:02}:{minute:02}"), Some(midnight + (hour * 60 + minute) * 60 * SECOND)),
            4 => text(format!("{instant}Z"), Some(midnight + seconds)),
            5 => text(format!("{instant}.{nanos:09}"), Some(midnight + seconds + nanos)),
            _ => {
                let years = days(0, 1, 1) * DAY..days(10_000, 1, 1) * DAY;
                let within = Some(with_offset).filter(|date| years.contains(date));
                text(format!("{instant}.{nanos:09}{sign}{:02}:00", offset.abs()), within)
            }
        }
    }
}

fn no_date() -> impl Strategy<Value = Told> {
    let texts = [
        "",
        "soon",
        "2024-02-30",
        "2023-02-29",
        "2024-13",
        "2024-00",
        "2024-1-1",
        "24",
        "02024",
        "-2024",
        "20240229",
        "2024-W09",
        "2024-02-29T24:30",
        "2024-02-29T12:61",
        "２０２４",
        "2024-02-29x",
        " 2024",
    ];
    let lists = [vec!["2024-02-29".to_owned()], vec![]];
    prop_oneof![
        prop::sample::select(texts.to_vec()).prop_map(|none| text(none.to_owned(), None)),
        prop::sample::select(lists.to_vec()).prop_map(|list| (
            FieldValue::TextList(list),
            None,
            None
        )),
        any::<bool>().prop_map(|truth| (FieldValue::Bool(truth), None, None)),
        Just((FieldValue::IntList(vec![1]), None, None)),
    ]
}

/// The moment of a number of so many thousandths.
fn unix(thousandths: i128) -> Option<i128> {
    let years = days(0, 1, 1) * DAY..days(10_000, 1, 1) * DAY;
    let moments = [SECOND, SECOND / 1_000].map(|unit| thousandths * unit / 1_000);
    moments.into_iter().find(|moment| years.contains(moment))
}

fn written_number() -> impl Strategy<Value = Told> {
    let int = prop_oneof![
        -100..100_i64,
        1_500_000_000..1_800_000_000_i64,
        1_500_000_000_000..1_800_000_000_000_i64,
        253_402_300_700..253_402_300_900_i64,
        -62_167_219_300..-62_167_219_100_i64,
        253_402_300_799_000..253_402_300_801_000_i64,
        any::<i64>(),
    ];
    let int = int.prop_map(|int| {
        let date = unix(i128::from(int) * 1_000);
        (FieldValue::Int(int), date, Some(int as f64))
    });
    // Eighths have an exact float, and are told exactly here.
    let float = prop_oneof![
        -1_000..1_000_i64,
        8 * 1_500_000_000..8 * 1_800_000_000_i64,
        8 * 1_500_000_000_000..8 * 1_800_000_000_000_i64,
    ];
    let float = float.prop_map(|eighths| {
        let number = eighths as f64 / 8.0;
        let date = unix(i128::from(eighths) * 125);
        (FieldValue::Float(number), date, Some(number))
    });
    prop_oneof![int, float]
}

fn columns() -> Columns {
    Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    })
}

/// The number that a part of a date is.
fn part_of(date: i128, part: DatePart) -> Number {
    match part {
        DatePart::Seconds => Number::Int(date.div_euclid(SECOND) as i64),
        DatePart::Nanoseconds => Number::Int(date.rem_euclid(SECOND) as i64),
        DatePart::Date | DatePart::Time => {
            let (seconds, nanoseconds) = (date.div_euclid(SECOND), date.rem_euclid(SECOND));
            Number::Float(seconds as f64 + nanoseconds as f64 / 1e9)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn dates_are_those_of_each_value_through_changes(
        steps in prop::collection::vec(
            (
                prop_oneof![0..40_u32, 1020..1030_u32],
                prop::option::weighted(0.9, prop_oneof![4 => written_date(), 1 => no_date(), 2 => written_number()]),
            ),
            1..120,
        ),
    ) {
        let mut columns = columns();
        let mut documents: BTreeMap<u32, Told> = BTreeMap::new();
        for (doc, value) in steps {
            match value {
                Some(told) => {
                    columns.insert(doc, "id", &[("d".to_owned(), told.0.clone())]);
                    documents.insert(doc, told);
                }
                None => {
                    columns.remove(doc);
                    documents.remove(&doc);
                }
            }
        }
        let docs: Vec<u32> = (0..1100).collect();
        let all: BitSet = docs.iter().copied().collect();
        for part in [DatePart::Time, DatePart::Date, DatePart::Seconds, DatePart::Nanoseconds] {
            let name = part.name("d");
            let expected: BTreeMap<u32, Number> = documents.iter().filter_map(|(&doc, (value, date, time))| {
                let number = match (part, value) {
                    (DatePart::Time, FieldValue::Int(int)) => Number::Int(*int),
                    (DatePart::Time, FieldValue::Float(float)) => Number::Float(*float),
                    (DatePart::Time, _) => time.and(*date).map(|date| part_of(date, part))?,
                    _ => part_of((*date)?, part),
                };
                Some((doc, number))
            }).collect();
            let Some(numbers) = columns.numbers(&name) else {
                prop_assert!(documents.is_empty());
                continue;
            };
            let mut gathered = vec![0.0; docs.len()];
            numbers.gather(&docs, &mut gathered);
            let (mut visited, mut within) = (BTreeMap::new(), BTreeMap::new());
            numbers.for_each(|doc, number| {
                visited.insert(doc, number);
            });
            numbers.for_each_in(&all, |doc, number| {
                within.insert(doc, number);
            });
            prop_assert_eq!(&visited, &expected);
            prop_assert_eq!(&within, &expected);
            for &doc in &docs {
                let number = expected.get(&doc).copied();
                prop_assert_eq!(numbers.get(doc), number, "{} {:?}", name, documents.get(&doc));
                let gathered = Some(gathered[doc as usize]).filter(|number| !number.is_nan());
                prop_assert_eq!(gathered, number.map(Number::as_f64));
                if let Some((value, ..)) = documents.get(&doc) {
                    let fields = [("d".to_owned(), value.clone())];
                    prop_assert_eq!(columns.number_in(&name, &fields), number);
                }
            }
        }
        if let Some(dates) = columns.dates("d") {
            let mut found = BTreeMap::new();
            dates.for_each_in(&all, |doc, date| {
                found.insert(doc, date);
            });
            let moments = found.iter().map(|(&doc, date)| {
                (doc, i128::from(date.seconds()) * SECOND + i128::from(date.nanoseconds()))
            });
            let expected: Vec<(u32, i128)> =
                documents.iter().filter_map(|(&doc, (_, date, _))| Some((doc, (*date)?))).collect();
            prop_assert_eq!(moments.collect::<Vec<_>>(), expected);
            let read = docs.iter().filter_map(|&doc| Some((doc, dates.get(doc)?)));
            prop_assert_eq!(read.collect::<BTreeMap<_, _>>(), found);
        }
        for doc in docs {
            columns.remove(doc);
        }
        prop_assert_eq!(columns.field_count(), 0);
    }
}

#[test]
fn texts_of_other_case_are_dates_of_their_own_and_leave_no_memory() {
    let mut columns = columns();
    let before = columns.memory_bytes();
    let insert = |columns: &mut Columns, doc: u32, text: &str| {
        let fields = [("d".to_owned(), FieldValue::Text(text.to_owned()))];
        columns.insert(doc, "id", &fields);
    };
    insert(&mut columns, 1, "2024-02-29T12:30z");
    insert(&mut columns, 2, "2024-02-29T12:30Z");
    insert(&mut columns, 3, "2024-02-29T12:30Z");
    columns.remove(2);
    let seconds = |columns: &Columns, doc| columns.number("@seconds:d", doc);
    assert_eq!(seconds(&columns, 1), None, "as filters read it");
    assert_eq!(seconds(&columns, 3), Some(Number::Int(1_709_209_800)));
    columns.remove(1);
    assert_eq!(seconds(&columns, 3), Some(Number::Int(1_709_209_800)));
    columns.remove(3);
    insert(&mut columns, 4, "no date");
    assert_eq!(seconds(&columns, 4), None);
    columns.remove(4);
    assert_eq!(columns.memory_bytes(), before);
}
