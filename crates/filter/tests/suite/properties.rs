//! Random filters survive printing and parsing; random texts never break the parser.

use pelorus_filter::{End, Filter, Limit, Moment, Number, parse};
use pelorus_geo::{Area, GeoPoint};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Text rich in the characters that mean something to the grammar.
fn text(minimum: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::sample::select(" ()[]:,\\*\"{}><.-\t\nANDORINTO".chars().collect::<Vec<_>>()),
        3 => prop::char::range('a', 'e'),
        1 => any::<char>(),
    ];
    prop::collection::vec(character, minimum..8).prop_map(|chars| chars.into_iter().collect())
}

fn field() -> impl Strategy<Value = String> {
    let words = [
        "AND", "OR", "NOT", "IN", "CONTAINS", "EXISTS", "TO", "_id", "map.key",
    ];
    prop_oneof![
        text(1),
        prop::sample::select(words.to_vec()).prop_map(str::to_owned)
    ]
}

/// Tells whether a float is what its shortest digits are, or beyond all integers: others are read as decimals.
fn has_its_digits(float: &f64) -> bool {
    !(9_007_199_254_740_992.0..1e20).contains(&float.abs())
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::Int),
        (prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO)
            .prop_filter("one that its digits are", has_its_digits)
            .prop_map(Number::Float),
    ]
}

/// Dates at the end that they are written at, which decides which moment a day is.
fn limit(end: End) -> impl Strategy<Value = Limit> {
    let dates = [
        "2024-02-29",
        "0000-01-01",
        "9999-12-31",
        "1969-12-31T23:59:59.999999999Z",
        "2024-02-29T12:30:05.25+02:00",
        "2024-12",
    ];
    let date = move |text| Moment::parse(text, end).map(Limit::Moment);
    prop_oneof![
        3 => number().prop_map(Limit::Number),
        1 => prop::sample::select(dates.to_vec()).prop_map(move |text| date(text).expect(text)),
    ]
}

fn range() -> impl Strategy<Value = Filter> {
    let limits = (
        prop::option::of(limit(End::Lower)),
        prop::option::of(limit(End::Upper)),
    );
    let limits = limits.prop_filter("a limit", |(lower, upper)| {
        lower.is_some() || upper.is_some()
    });
    (field(), limits).prop_map(|(field, (lower, upper))| Filter::Range {
        field,
        lower,
        upper,
    })
}

/// A day is beyond where all of it is, so that a limit at one end is written as the date that ends or begins there.
fn beyond() -> impl Strategy<Value = Filter> {
    let at = |end: End| {
        (field(), limit(end.other())).prop_map(move |(field, limit)| Filter::Beyond {
            field,
            limit,
            end,
        })
    };
    prop_oneof![at(End::Lower), at(End::Upper)]
}

fn prefix() -> impl Strategy<Value = String> {
    text(1).prop_filter("an end that is no escape", |text| !text.ends_with('\\'))
}

fn degrees() -> impl Strategy<Value = [f64; 2]> {
    let edges = |most: f64| prop::sample::select(vec![-most, -most / 2.0, 0.0, most / 3.0, most]);
    (
        prop_oneof![-90.0..=90.0_f64, edges(90.0)],
        prop_oneof![-180.0..=180.0_f64, edges(180.0)],
    )
        .prop_map(|(lat, lon)| [lat, lon])
}

fn area() -> impl Strategy<Value = Area> {
    let circle =
        (degrees(), prop_oneof![0.0..1e8_f64, Just(0.0)]).prop_map(|([lat, lon], radius)| {
            Area::circle(GeoPoint::of_degrees(lat, lon).unwrap(), radius)
        });
    let corners = (degrees(), degrees()).prop_map(|([a, west], [b, east])| {
        Area::of_corners(a.min(b), west, a.max(b), east).unwrap()
    });
    let polygon = prop::collection::vec(degrees(), 3..8)
        .prop_filter_map("no polygon", |points| Area::of_polygon(&points).ok());
    prop_oneof![circle, corners, polygon]
}

fn term() -> impl Strategy<Value = Filter> {
    prop_oneof![
        (field(), text(1)).prop_map(|(field, value)| Filter::Equals { field, value }),
        (field(), text(1)).prop_map(|(field, value)| Filter::Contains { field, value }),
        (field(), prop::collection::vec(text(0), 1..5))
            .prop_map(|(field, values)| Filter::In { field, values }),
        range(),
        beyond(),
        (field(), prefix()).prop_map(|(field, prefix)| Filter::Prefix { field, prefix }),
        field().prop_map(|field| Filter::Exists { field }),
        (field(), area()).prop_map(|(field, area)| Filter::Within {
            field,
            area: Box::new(area)
        }),
    ]
}

fn filter() -> impl Strategy<Value = Filter> {
    term().prop_recursive(6, 40, 4, |inner| {
        let children = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            children().prop_map(Filter::all_of),
            children().prop_map(Filter::any_of),
            inner.clone().prop_map(Filter::negated),
        ]
    })
}

/// Snippets that, put together, reach every state of the parser far more often than random text.
fn grammar_soup() -> impl Strategy<Value = String> {
    let pieces = [
        "a:1",
        "a",
        ":",
        "(",
        ")",
        "[",
        "]",
        " ",
        " AND ",
        " OR ",
        "NOT ",
        " IN (",
        ",",
        " CONTAINS ",
        " NOT",
        " EXISTS",
        " >",
        " <",
        "=",
        "!",
        "b*",
        "2024-02-29",
        "[1 TO 2]",
        " TO ",
        "*",
        "\\",
        "\"",
        "é",
        "_id",
        "nan",
        "1e9",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|p| p.concat())
}

/// A text that parses must print to one that parses to the same tree; any other must be refused at
/// a place inside it.
fn check_any_text(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(filter) => prop_assert_eq!(parse(&filter.to_string()), Ok(filter)),
        Err(pelorus_filter::FilterError::At { position, .. }) => {
            prop_assert!(position <= text.chars().count());
        }
        Err(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_canonical_form_parses_back_to_the_same_filter(filter in filter()) {
        let text = filter.to_string();
        prop_assert_eq!(parse(&text), Ok(filter), "{}", text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        check_any_text(&text)?;
    }

    #[test]
    fn pieces_of_the_grammar_in_any_order_never_panic(text in grammar_soup()) {
        check_any_text(&text)?;
    }
}
