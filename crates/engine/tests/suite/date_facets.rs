//! Facets of dates, against dates that are counted one by one on a calendar of the test's own.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use crate::support::{Fixture, definition};

const SECOND: i128 = 1_000_000_000;
const HOUR: i128 = 3_600 * SECOND;
const DAY: i128 = 24 * HOUR;
const DOCUMENTS: usize = 700;
const INTERVALS: [&str; 6] = ["year", "quarter", "month", "week", "day", "hour"];

fn is_leap(year: i128) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_of(year: i128, month: usize) -> i128 {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
}

fn days_of_year(year: i128) -> i128 {
    (1..=12).map(|month| days_of(year, month)).sum()
}

/// The days from 1970 to a day, counted year by year.
fn number_of(year: i128, month: usize, day: i128) -> i128 {
    let years: i128 = match year >= 1970 {
        true => (1970..year).map(days_of_year).sum(),
        false => -(year..1970).map(days_of_year).sum::<i128>(),
    };
    years + (1..month).map(|month| days_of(year, month)).sum::<i128>() + day - 1
}

/// Year, month and day of the day with a number, found by walking there.
fn day_of(mut number: i128) -> (i128, usize, i128) {
    let mut year = 1970;
    while number < 0 {
        year -= 1;
        number += days_of_year(year);
    }
    while number >= days_of_year(year) {
        number -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while number >= days_of(year, month) {
        number -= days_of(year, month);
        month += 1;
    }
    (year, month, number + 1)
}

/// The name of the interval that a moment is in.
fn name_of(interval: &str, moment: i128) -> String {
    let number = moment.div_euclid(DAY);
    let (year, month, day) = day_of(number);
    match interval {
        "year" => format!("{year:04}"),
        "quarter" => format!(
            "{year:04}-{:02}",
            [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10][month - 1]
        ),
        "month" => format!("{year:04}-{month:02}"),
        "week" => {
            // 1970-01-05 is a Monday.
            let monday = (0..7)
                .map(|back| number - back)
                .find(|day| (day - 4) % 7 == 0);
            let (year, month, day) = day_of(monday.unwrap());
            let sign = if year < 0 { "-" } else { "" };
            format!("{sign}{:04}-{month:02}-{day:02}", year.abs())
        }
        "day" => format!("{year:04}-{month:02}-{day:02}"),
        _ => {
            let hour = moment.rem_euclid(DAY) / HOUR;
            format!("{year:04}-{month:02}-{day:02}T{hour:02}:00Z")
        }
    }
}

/// An instant as answers write it.
fn instant_of(moment: i128) -> String {
    let (year, month, day) = day_of(moment.div_euclid(DAY));
    let rest = moment.rem_euclid(DAY);
    let (hour, minute) = (rest / HOUR, rest % HOUR / (60 * SECOND));
    let (second, nanos) = (rest / SECOND % 60, rest % SECOND);
    let fraction = match nanos {
        0 => String::new(),
        _ => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// A value of the field, and the moment that it is.
fn value(dice: &mut SplitMix64) -> (Value, Option<i128>) {
    let year = *dice.pick(&[
        0, 999, 1600, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2024, 2024, 2025, 9999,
    ]);
    let month = 1 + dice.below(12);
    let day = 1 + dice.below(days_of(year, month) as usize) as i128;
    let midnight = number_of(year, month, day) * DAY;
    let (hour, minute, second) = (
        dice.below(24) as i128,
        dice.below(60) as i128,
        dice.below(60) as i128,
    );
    let moment = midnight + ((hour * 60 + minute) * 60 + second) * SECOND;
    let text = format!("{year:04}-{month:02}-{day:02}");
    let instant = format!("{text}T{hour:02}:{minute:02}:{second:02}");
    let none = [
        "",
        "soon",
        "2023-02-29",
        "2024-13",
        "2024-02-29T25:00",
        "12",
        "tomorrow 2024",
    ];
    match dice.below(12) {
        0 if year >= 1_000 => (json!(format!("{year}")), Some(number_of(year, 1, 1) * DAY)),
        1 => (
            json!(format!("{year:04}-{month:02}")),
            Some(number_of(year, month, 1) * DAY),
        ),
        2 | 3 => (json!(text), Some(midnight)),
        4 => (json!(instant), Some(moment)),
        5 => (json!(format!("{instant}.000000001Z")), Some(moment + 1)),
        6 if (1..9_999).contains(&year) => (
            json!(format!("{instant}+05:30")),
            Some(moment - 11 * HOUR / 2),
        ),
        7 => (json!((moment / SECOND) as i64), Some(moment)),
        8 if year >= 1_980 => (
            json!((moment / SECOND * 1_000) as i64 + 250),
            Some(moment + SECOND / 4),
        ),
        9 => (json!(dice.pick(&none)), None),
        10 => (json!([text]), None),
        11 => (json!(true), None),
        _ => (Value::Null, None),
    }
}

struct Document {
    group: String,
    n: usize,
    moment: Option<i128>,
}

fn catalogue() -> (Fixture, Vec<Document>) {
    let mut dice = SplitMix64(0x70e1);
    let fixture = Fixture::new();
    let settings = definition(json!({"collapseFields": [{"name": "sku"}]}));
    fixture.engine.create_index("u", &settings).unwrap();
    let mut documents = Vec::new();
    let mut bodies = Vec::new();
    for at in 0..DOCUMENTS {
        let (value, moment) = value(&mut dice);
        let document = Document {
            group: format!("group {}", dice.below(90)),
            n: dice.below(5),
            moment,
        };
        let mut body = json!({"_id": format!("d{at}"), "word": "storm", "sku": document.group, "n": document.n});
        if !value.is_null() {
            body["d"] = value;
        }
        bodies.push(body);
        documents.push(document);
    }
    for some in bodies.chunks(100) {
        let answer = fixture.add("u", json!({"documents": some}));
        assert_eq!(answer["errors"], false, "{answer}");
    }
    (fixture, documents)
}

fn plan(dates: Value, filter: Value, is_grouped: bool) -> Value {
    let facet = json!({"field": "d", "kind": "date", "maxResults": 1, "order": "desc", "ranges": null, "dates": dates,
                       "excludeTerms": []});
    let collapse = json!({"field": "sku", "sort": null, "counts": false});
    json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 1, "filter": filter,
           "lexical": {"text": "storm"}, "facets": {"fields": [facet], "maxDepth": null},
           "collapse": if is_grouped { collapse } else { Value::Null }})
}

/// The counts of documents, or of their groups, by the names that their moments have.
fn counted<'a>(
    found: &[&'a Document],
    is_grouped: bool,
    name: impl Fn(i128) -> Option<String>,
) -> BTreeMap<String, usize> {
    let mut members: BTreeMap<String, BTreeSet<(usize, &'a str)>> = BTreeMap::new();
    for (at, document) in found.iter().enumerate() {
        if let Some(name) = document.moment.and_then(&name) {
            let at = if is_grouped { 0 } else { at };
            members
                .entry(name)
                .or_default()
                .insert((at, &document.group));
        }
    }
    members
        .into_iter()
        .map(|(name, members)| (name, members.len()))
        .collect()
}

/// The counts of an answer, with whether their names ascend.
fn received(answer: &Value) -> BTreeMap<String, usize> {
    let counts = answer["facets"]["d"].as_object().unwrap();
    let counts = counts.iter().map(|(name, count)| {
        assert_eq!(count.as_object().unwrap().len(), 1, "{count}");
        (name.clone(), count["count"].as_u64().unwrap() as usize)
    });
    counts.collect()
}

#[test]
fn dates_are_counted_by_every_interval_and_range() {
    let (fixture, documents) = catalogue();
    let ranges = json!([
        {"name": "old", "from": null, "to": "1900"},
        {"name": "february", "from": "2024-02", "to": "2024-03"},
        {"name": "a day", "from": "2024-03-05", "to": "2024-03-06T00:00:00.000000001Z"},
        {"name": "late", "from": "2024-07-01T12:00+02:00", "to": null},
    ]);
    let limits: [(&str, i128, i128); 4] = [
        ("old", i128::MIN, number_of(1900, 1, 1) * DAY),
        (
            "february",
            number_of(2024, 2, 1) * DAY,
            number_of(2024, 3, 1) * DAY,
        ),
        (
            "a day",
            number_of(2024, 3, 5) * DAY,
            number_of(2024, 3, 6) * DAY + 1,
        ),
        ("late", number_of(2024, 7, 1) * DAY + 10 * HOUR, i128::MAX),
    ];
    for (filter, is_grouped) in [
        (Value::Null, false),
        (Value::Null, true),
        (json!("n:[0 TO 2]"), false),
        (json!("n:[0 TO 2]"), true),
        (json!("n:9"), false),
    ] {
        let passes = |document: &&Document| match filter.as_str() {
            None => true,
            Some("n:9") => false,
            Some(_) => document.n <= 2,
        };
        let found: Vec<&Document> = documents.iter().filter(passes).collect();
        for interval in INTERVALS {
            let dates = json!({"interval": interval, "ranges": null});
            let answer = fixture.search("u", plan(dates, filter.clone(), is_grouped), &[]);
            let expected = counted(&found, is_grouped, |moment| Some(name_of(interval, moment)));
            assert_eq!(
                received(&answer),
                expected,
                "{interval} {filter} {is_grouped}"
            );
        }
        let dates = json!({"interval": null, "ranges": ranges});
        let answer = fixture.search("u", plan(dates, filter.clone(), is_grouped), &[]);
        let expected = counted(&found, is_grouped, |moment| {
            let range = limits
                .iter()
                .find(|(_, from, to)| (*from..*to).contains(&moment));
            range.map(|(name, ..)| (*name).to_owned())
        });
        assert_eq!(received(&answer), expected, "{filter} {is_grouped}");

        let answer = fixture.search("u", plan(Value::Null, filter.clone(), is_grouped), &[]);
        let moments: Vec<i128> = found
            .iter()
            .filter_map(|document| document.moment)
            .collect();
        let groups = counted(&found, is_grouped, |_| Some(String::new()));
        let mut expected = json!({"count": groups.values().sum::<usize>()});
        if let (false, Some(first), Some(last)) =
            (is_grouped, moments.iter().min(), moments.iter().max())
        {
            expected["min"] = json!(instant_of(*first));
            expected["max"] = json!(instant_of(*last));
        }
        assert_eq!(answer["facets"]["d"], expected, "{filter} {is_grouped}");
    }
}

#[test]
fn intervals_are_listed_in_the_order_of_time() {
    let (fixture, _) = catalogue();
    let dates = json!({"interval": "month", "ranges": null});
    let body = crate::support::full(plan(dates, Value::Null, false)).to_string();
    let answer = fixture.engine.search("u", body.as_bytes(), &[]).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (_, facets) = answer.split_once("\"facets\":{\"d\":{").unwrap();
    let (facets, _) = facets.split_once("}}}").unwrap();
    let names: Vec<&str> = facets
        .split('"')
        .filter(|part| part.contains('-'))
        .collect();
    assert!(names.len() > 12, "{names:?}");
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn more_intervals_than_an_answer_lists_are_refused() {
    let fixture = Fixture::unstructured("u");
    let documents: Vec<Value> = (0..10_001)
        .map(|hour| json!({"_id": format!("d{hour}"), "word": "storm", "d": hour * 3_600}))
        .collect();
    for some in documents.chunks(1_000) {
        fixture.add("u", json!({"documents": some}));
    }
    let counts = |interval: &str, filter: Value| {
        let dates = json!({"interval": interval, "ranges": null});
        fixture.try_search("u", plan(dates, filter, false), &[])
    };
    let error = counts("hour", Value::Null).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(
        error
            .to_string()
            .contains("'d' has more than 10000 intervals"),
        "{error}"
    );
    let answer = counts("hour", json!("NOT _id:d3")).unwrap();
    assert_eq!(received(&answer).len(), 10_000);
    assert_eq!(received(&counts("day", Value::Null).unwrap()).len(), 417);
}

#[test]
fn a_limit_that_is_no_date_is_refused() {
    let (fixture, _) = catalogue();
    let ranges = json!([{"name": "a", "from": "soon", "to": null}]);
    let dates = json!({"interval": null, "ranges": ranges});
    let error = fixture
        .try_search("u", plan(dates, Value::Null, false), &[])
        .unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("received 'soon'"), "{error}");
}
