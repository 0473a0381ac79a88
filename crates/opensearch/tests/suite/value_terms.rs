//! Values as terms: in the order of values, and one for each.

use std::collections::BTreeSet;

use pelorus_columns::TypedValue;
use pelorus_filter::{End, Moment};
use pelorus_opensearch::{id_term, value_terms};

fn term(column: &str, value: TypedValue) -> String {
    let mut terms = value_terms(&[(column.to_owned(), value)]);
    assert_eq!(terms.len(), 1);
    terms.remove(0)
}

/// The term by which a text is found as a whole.
fn text(column: &str, key: &str) -> String {
    texts(column, key).remove(0)
}

fn texts(column: &str, key: &str) -> Vec<String> {
    value_terms(&[(column.to_owned(), TypedValue::Texts(vec![key.to_owned()]))])
}

#[test]
fn a_text_that_is_longer_than_terms_has_one_of_its_start() {
    assert_eq!(texts("a", "x"), ["t1:a:=x"]);
    let terms = texts("a", &"é".repeat(5_000));
    assert_eq!(terms.len(), 2);
    assert_eq!(terms[1], format!("s1:a:{}", "é".repeat(4_000)));
}

#[test]
fn terms_are_in_the_order_of_their_values() {
    let ints = [i64::MIN, -2, -1, 0, 1, 1 << 53, (1 << 53) + 1, i64::MAX];
    assert!(
        ints.map(|int| term("c", TypedValue::Ints(vec![int])))
            .is_sorted()
    );
    let floats = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.5,
        -f64::MIN_POSITIVE,
        0.0,
        5e-324,
        0.1,
        1e300,
        f64::INFINITY,
    ];
    assert!(
        floats
            .map(|float| term("c", TypedValue::Floats(vec![float])))
            .is_sorted()
    );
    let dates = [
        "0000-01-01",
        "1969-12-31",
        "1970-01-01",
        "2024-02-29",
        "9999-12-31",
    ];
    let moments = dates.map(|date| Moment::parse(date, End::Lower).unwrap());
    assert!(
        moments
            .map(|moment| term("c", TypedValue::Moments(vec![moment])))
            .is_sorted()
    );
}

#[test]
fn no_two_values_have_one_term() {
    let long = "x".repeat(9_000);
    let terms = [
        text("a", "1"),
        text("a:1", ""),
        text("", "a:1"),
        text("a", "#1"),
        term("a", TypedValue::Truth(true)),
        id_term("1"),
        text("a", &long),
        text("a", &format!("{}y", &long[1..])),
        text("a", &format!("{long}x")),
    ];
    let distinct: BTreeSet<&String> = terms.iter().collect();
    assert_eq!(distinct.len(), terms.len());
    assert!(
        terms.iter().all(|term| term.len() < 32_766),
        "Lucene's bound"
    );
}
