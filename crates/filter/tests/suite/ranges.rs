//! The texts that are ranges: those an independent reader takes, and no other.

use pelorus_filter::{End, Filter, Limit, Moment, Number, parse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[track_caller]
fn refusal(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn a_range_that_is_never_closed_is_refused_where_it_ends() {
    for text in [
        "a:[1 TO 5",
        "a:[* TO 5",
        "a:[1 TO 5 ",
        r"a:[1 TO 5\",
        "(a:[1 TO 5",
    ] {
        let end = text.chars().count();
        let term = text.trim_start_matches('(');
        let expected = format!(
            "\nat position {end}: Cannot parse range term '{term}': Expected ] after the upper limit"
        );
        let message = refusal(text);
        assert!(message.ends_with(&expected), "{message}");
    }
}

#[test]
fn text_after_an_open_bracket_belongs_to_the_range() {
    let message = refusal("a:[1 TO 5 AND b:2");
    assert!(
        message.ends_with("Invalid range limit '5 AND b:2'"),
        "{message}"
    );
    let message = refusal("a:[1 TO 5) OR b:[1 TO 2]");
    assert!(
        message.ends_with("Invalid range limit '5) OR b:[1 TO 2'"),
        "{message}"
    );
}

#[test]
fn a_range_needs_both_of_its_limits() {
    for text in [
        "a:[", "a:[1", "a:[1 TO", "a:[1]", "a:[]", "a:[TO]", "a:[1TO5]", "a:[1,5]",
    ] {
        let message = refusal(text);
        assert!(
            message.ends_with("Expected two limits with TO between them"),
            "{message}"
        );
    }
    for text in ["a:[1 TO ]", "a:[1 TO ", "a:[ TO 5]", "a:[ TO ]"] {
        let message = refusal(text);
        assert!(message.ends_with("Invalid range limit ''"), "{message}");
    }
}

/// The limits of a text that is one range over the field `a` and nothing else.
fn limits_of(text: &str) -> Option<(Option<f64>, Option<f64>)> {
    let (inner, rest) = text.strip_prefix("a:[")?.split_once(']')?;
    let at = inner.to_ascii_uppercase().find(" TO ")?;
    let lower = limit_of(&inner[..at])?;
    let upper = limit_of(&inner[at + 4..])?;
    let is_range = rest.trim_matches(' ').is_empty() && (lower.is_some() || upper.is_some());
    is_range.then_some((lower, upper))
}

fn limit_of(text: &str) -> Option<Option<f64>> {
    let text = text.trim_matches(' ');
    if text == "*" {
        return Some(None);
    }
    let numeric = !text.is_empty() && text.chars().all(|c| "0123456789+-.e".contains(c));
    let number: f64 = text.parse().ok()?;
    (numeric && number.is_finite()).then_some(Some(number))
}

/// Texts that are ranges or nearly so.
fn range_like() -> impl Strategy<Value = String> {
    let pieces = [
        "1", "-2.5", "1e3", "*", " ", " TO ", " to ", "TO", "]", "[", "{", "}", "(", ")", ",", "x",
        "é",
    ];
    let limit = || {
        prop_oneof![
            3 => prop::sample::select(vec!["1", "-2.5", "1e3", "*", " 7 ", "+0"]).prop_map(str::to_owned),
            1 => prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..4).prop_map(|p| p.concat()),
        ]
    };
    let between = prop::sample::select(vec![
        " TO ", " TO ", " to ", "  TO  ", "TO ", " TO", " ", "",
    ]);
    let end = prop::sample::select(vec![
        "]", "]", "] ", "", " ", "}", ")", "]]", "])", "]x", "] x",
    ]);
    (limit(), between, limit(), end)
        .prop_map(|(lower, between, upper, end)| format!("a:[{lower}{between}{upper}{end}"))
}

fn as_limits(filter: &Filter) -> Option<(Option<f64>, Option<f64>)> {
    let Filter::Range { lower, upper, .. } = filter else {
        return None;
    };
    let number = |limit: &Option<Limit>| match limit {
        Some(Limit::Number(number)) => Some(number.as_f64()),
        None => None,
        Some(Limit::Moment(_) | Limit::Decimal(_)) => unreachable!("neither is generated"),
    };
    Some((number(lower), number(upper)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5000,
        rng_seed: RngSeed::Fixed(0x70e1_0516),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn only_what_is_written_as_a_range_is_taken_for_one(text in range_like()) {
        let parsed = parse(&text).ok();
        let limits = parsed.as_ref().map(as_limits);
        prop_assert_eq!(limits, limits_of(&text).map(Some), "{}", text);
    }

    #[test]
    fn no_beginning_of_a_range_is_one(lower in any::<i32>(), upper in any::<i32>(), keep in 1_usize..100) {
        let whole = format!("a:[{lower} TO {upper}]");
        let cut = &whole[..whole.len() - 1 - keep % (whole.len() - 3)];
        prop_assert!(parse(&whole).is_ok());
        prop_assert!(parse(cut).is_err(), "{}", cut);
    }
}

/// The limits of a range of dates, in seconds.
fn limits(text: &str) -> (Option<Number>, Option<Number>) {
    let seconds = |limit: Option<Limit>| match limit? {
        Limit::Moment(moment) => Some(moment.seconds()),
        other => panic!("{other:?}"),
    };
    match parse(text).expect(text) {
        Filter::Range { lower, upper, .. } => (seconds(lower), seconds(upper)),
        other => panic!("{other}"),
    }
}

/// Days since 1970 of a day of the Gregorian calendar, by counting them.
fn days(year: i64, month: u32, day: u32) -> i64 {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let in_year = |year| if is_leap(year) { 366 } else { 365 };
    let in_month = |month: u32| match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let years: i64 = match year < 1970 {
        true => -(year..1970).map(in_year).sum::<i64>(),
        false => (1970..year).map(in_year).sum(),
    };
    years + (1..month).map(in_month).sum::<i64>() + i64::from(day) - 1
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn days_are_seconds_from_their_first_moment_to_their_last(
        year in 0_i64..3000, month in 1_u32..=12, day in 1_u32..=28, second in 0_i64..86_400,
    ) {
        let text = format!("{year:04}-{month:02}-{day:02}");
        let start = days(year, month, day) * 86_400;
        let (lower, upper) = limits(&format!("t:[{text} TO {text}]"));
        prop_assert_eq!(lower, Some(Number::Int(start)));
        let upper = upper.expect("a limit");
        prop_assert!(upper.compare(Number::Int(start + 86_399)).is_gt());
        prop_assert!(upper.compare(Number::Float((start + 86_400) as f64 - 0.001)).is_gt());
        prop_assert!(upper.compare(Number::Int(start + 86_400)).is_lt());
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let instant = start + hour * 3600 + minute * 60 + second;
        for (zone, offset) in [("", 0), ("Z", 0), ("+02:00", 7_200), ("-05:30", -19_800)] {
            let text = format!("{text}T{hour:02}:{minute:02}:{second:02}{zone}");
            let expected = Some(Number::Int(instant - offset));
            prop_assert_eq!(limits(&format!("t:[{} TO {}]", text, text)), (expected, expected));
        }
    }
}

#[test]
fn instants_have_minutes_or_fractions_of_seconds() {
    let (lower, upper) = limits("t:[1970-01-02T00:01 TO 1970-01-02T00:00:00.25Z]");
    assert_eq!(lower, Some(Number::Int(86_460)));
    assert_eq!(upper, Some(Number::Float(86_400.25)));
}

#[test]
fn a_month_is_from_its_first_day_to_its_last() {
    for (month, first, last) in [
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023-02", "2023-02-01", "2023-02-28"),
        ("9999-12", "9999-12-01", "9999-12-31"),
    ] {
        let months = parse(&format!("t:[{month} TO {month}]")).unwrap();
        assert_eq!(months, parse(&format!("t:[{first} TO {last}]")).unwrap());
        assert_eq!(months.to_string(), format!("t:[{first} TO {last}]"));
    }
}

#[test]
fn an_integer_of_four_digits_is_a_year_where_dates_are_compared() {
    let year = Limit::Number(Number::Int(2024));
    for (end, day) in [(End::Lower, "2024-01-01"), (End::Upper, "2024-12-31")] {
        assert_eq!(year.moment(end), Moment::parse(day, end));
    }
    for number in [Number::Int(999), Number::Int(10_000), Number::Float(2024.0)] {
        assert_eq!(Limit::Number(number).moment(End::Lower), None);
    }
}

#[test]
fn a_number_that_no_float_is_limits_integers_exactly_and_floats_by_the_nearest() {
    for (text, lower, upper) in [
        ("9223372036854775806.5", Some(i64::MAX), Some(i64::MAX - 1)),
        ("9223372036854775807.5", None, Some(i64::MAX)),
        ("-9223372036854775808.5", Some(i64::MIN), None),
        ("-9223372036854775807.5", Some(i64::MIN + 1), Some(i64::MIN)),
        (
            "9007199254740993.0",
            Some((1 << 53) + 1),
            Some((1 << 53) + 1),
        ),
        (
            "-9007199254740993e0",
            Some(-(1 << 53) - 1),
            Some(-(1 << 53) - 1),
        ),
        ("1.00000000000000000001", Some(2), Some(1)),
        ("0.99999999999999999999", Some(1), Some(0)),
        ("-1.00000000000000000001", Some(-1), Some(-2)),
        ("-0.99999999999999999999", Some(0), Some(-1)),
        ("1e-999", Some(1), Some(0)),
        ("-1e-999", Some(0), Some(-1)),
    ] {
        let limits = parse(&format!("t:[{text} TO {text}]")).unwrap();
        let Filter::Range {
            lower: low,
            upper: high,
            ..
        } = &limits
        else {
            panic!("{limits}");
        };
        let float = Number::Float(text.parse().unwrap());
        for (limit, end, expected) in [(low, End::Lower, lower), (high, End::Upper, upper)] {
            let limit = limit.unwrap();
            assert_eq!(limit.among_floats(), Some(float), "{text}");
            let integer = limit.among_integers(end).unwrap();
            match expected {
                Some(int) => assert_eq!(integer, Number::Int(int), "{text} {end:?}"),
                None => assert!(integer.as_f64().abs() > 1e19, "{text} {end:?}"),
            }
        }
        assert_eq!(parse(&limits.to_string()).unwrap(), limits, "{limits}");
    }
    for text in [
        "0.5",
        "-0.0",
        "2.0",
        "1e3",
        "1e18",
        "9223372036854775808.0",
        "1e300",
        "0.1",
    ] {
        let Filter::Range { lower, .. } = parse(&format!("t:[{text} TO *]")).unwrap() else {
            panic!("a range");
        };
        assert_eq!(lower, Number::parse(text).map(Limit::Number), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(12), ..ProptestConfig::default() })]

    #[test]
    fn a_decimal_limit_is_written_so_that_it_is_read_as_the_same(
        whole in any::<i64>(), shift in 0_u32..63, fraction in "[0-9]{1,30}", exponent in -3_i32..3,
    ) {
        let text = format!("t:[{}.{fraction}e{exponent} TO *]", whole >> shift);
        let filter = parse(&text).unwrap();
        let again = filter.to_string();
        prop_assert_eq!(parse(&again).unwrap(), filter, "{} {}", text, again);
    }
}

#[test]
fn a_blank_may_stand_before_the_time() {
    let expected = Moment::parse("2024-02-29T12:30:05+02:00", End::Lower);
    assert!(expected.is_some());
    assert_eq!(
        Moment::parse("2024-02-29 12:30:05+02:00", End::Lower),
        expected
    );
}

#[test]
fn a_date_that_is_no_day_is_no_limit() {
    for text in [
        "2024-02-30",
        "2023-02-29",
        "2024-13-01",
        "2024-1-1",
        "2024-W01-1",
        "2024-060",
        "24-01-01",
        "2024-01-01T",
        "2024-01-01T25:00",
        "2024-01-01  10:00",
        "2024-1",
        "2024-13",
        "9999-12-31T23:00:00-05:00",
        "2024-01-01T10:00:00+",
        "2024-01-01x",
        "-2024-01-01",
        "20240101T1000",
    ] {
        let message = refusal(&format!("t:[{text} TO *]"));
        assert!(message.contains("Invalid range limit"), "{message}");
    }
    let Filter::Range { lower, .. } = parse("t:[20240101 TO *]").unwrap() else {
        panic!("a range");
    };
    assert_eq!(lower, Some(Limit::Number(Number::Int(20_240_101))));
}
