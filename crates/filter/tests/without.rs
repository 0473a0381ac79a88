//! Terms taken out of a filter.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use pelorus_filter::{Filter, parse};

fn left(filter: &str, terms: &[&str]) -> Option<String> {
    let terms: Vec<Filter> = terms.iter().map(|term| parse(term).unwrap()).collect();
    let left = parse(filter).unwrap().without(&terms);
    left.map(|filter| filter.to_string())
}

#[test]
fn a_term_leaves_the_others_of_its_group() {
    for (filter, term, expected) in [
        ("color:red", "color:red", None),
        ("color:red AND size:M", "color:red", Some("size:M")),
        ("color:red OR size:M", "size:M", Some("color:red")),
        (
            "color:(dark red) AND size:M",
            "color:(dark red)",
            Some("size:M"),
        ),
        (
            "price:[1 TO 5] AND size:M",
            "price:[1 TO 5]",
            Some("size:M"),
        ),
        ("_id IN (a,  b) AND size:M", "_id IN (a, b)", Some("size:M")),
        ("a:1 AND (b:2 OR c:3)", "b:2", Some("a:1 AND c:3")),
        ("a:1 OR (b:2 AND c:3)", "b:2", Some("a:1 OR c:3")),
        ("a:1 AND (b:2 OR b:2)", "b:2", Some("a:1")),
        ("a:1 AND NOT (b:2 OR c:3)", "b:2", Some("a:1 AND NOT c:3")),
        ("NOT (NOT a:1)", "NOT a:1", None),
    ] {
        assert_eq!(
            left(filter, &[term]).as_deref(),
            expected,
            "{filter} without {term}"
        );
    }
}

#[test]
fn a_negated_term_is_taken_out_by_its_negation_alone() {
    let filter = "NOT color:red AND size:M";
    assert_eq!(
        left(filter, &["color:red"]).as_deref(),
        Some("NOT color:red AND size:M")
    );
    assert_eq!(
        left(filter, &["NOT (color:red)"]).as_deref(),
        Some("size:M")
    );
}

#[test]
fn several_terms_and_terms_that_are_not_there() {
    let filter = "a:1 AND b:2 AND c:3";
    assert_eq!(left(filter, &["a:1", "c:3"]).as_deref(), Some("b:2"));
    assert_eq!(left(filter, &["a:1", "b:2", "c:3"]), None);
    assert_eq!(
        left(filter, &["a:2", "a:1 AND b:2"]).as_deref(),
        Some(filter)
    );
    assert_eq!(left(filter, &[]).as_deref(), Some(filter));
}
