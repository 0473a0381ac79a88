//! Which texts are ranges: those an independent reader takes, and no other.

use pelorus_filter::{Filter, Number, parse};
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
fn what_follows_an_open_bracket_belongs_to_the_range() {
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
    Some((lower.map(Number::as_f64), upper.map(Number::as_f64)))
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
