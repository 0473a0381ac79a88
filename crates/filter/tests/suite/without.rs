//! Terms taken out of a filter.

use pelorus_filter::{Filter, parse};
use proptest::collection::vec;
use proptest::prelude::*;

fn left(filter: &str, terms: &[&str]) -> Option<String> {
    let terms: Vec<Filter> = terms.iter().map(|term| parse(term).unwrap()).collect();
    let left = parse(filter).unwrap();
    let left = left.without(&|term: &Filter| terms.contains(term));
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
fn a_negated_term_goes_by_the_term_and_by_its_negation() {
    let filter = "NOT color:red AND size:M";
    for term in ["color:red", "NOT color:red", "NOT (color:red)"] {
        assert_eq!(left(filter, &[term]).as_deref(), Some("size:M"), "{term}");
    }
    let both = "color:red OR NOT color:red AND size:M";
    assert_eq!(left(both, &["color:red"]).as_deref(), Some("size:M"));
    assert_eq!(
        left(both, &["NOT color:red"]).as_deref(),
        Some("color:red OR size:M")
    );
    for nested in ["NOT (NOT color:red)", "NOT (color:red OR NOT color:red)"] {
        assert_eq!(left(nested, &["color:red"]), None, "{nested}");
    }
}

/// Filters over four terms.
fn filters() -> impl Strategy<Value = Filter> {
    let term = (0..4_usize).prop_map(|at| Filter::Equals {
        field: "f".to_owned(),
        value: at.to_string(),
    });
    term.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Filter::negated),
            vec(inner.clone(), 2..4).prop_map(Filter::all_of),
            vec(inner, 2..4).prop_map(Filter::any_of),
        ]
    })
}

/// Evaluates a filter without the terms of `out`, with the others that hold; none where nothing is left.
fn holds(filter: &Filter, holding: [bool; 4], out: [bool; 4]) -> Option<bool> {
    let each = |filters: &[Filter]| -> Vec<bool> {
        let values = filters.iter().map(|filter| holds(filter, holding, out));
        values.flatten().collect()
    };
    match filter {
        Filter::Equals { value, .. } => {
            let at: usize = value.parse().unwrap();
            (!out[at]).then_some(holding[at])
        }
        Filter::Not(filter) => holds(filter, holding, out).map(|value| !value),
        Filter::And(filters) => {
            let values = each(filters);
            (!values.is_empty()).then(|| values.iter().all(|value| *value))
        }
        Filter::Or(filters) => {
            let values = each(filters);
            (!values.is_empty()).then(|| values.iter().any(|value| *value))
        }
        other => panic!("{other}"),
    }
}

proptest! {
    #[test]
    fn what_is_left_holds_as_if_the_terms_had_not_been_written(filter in filters(), out: [bool; 4]) {
        let taken = (0..4).filter(|&at| out[at]);
        let terms: Vec<Filter> = taken.map(|at| parse(&format!("f:{at}")).unwrap()).collect();
        let left = filter.clone().without(&|term: &Filter| terms.contains(term));
        for case in 0..16_u8 {
            let holding = std::array::from_fn(|at| case >> at & 1 == 1);
            let expected = holds(&filter, holding, out);
            let received = left.as_ref().and_then(|left| holds(left, holding, [false; 4]));
            prop_assert_eq!(received, expected);
        }
        if let Some(left) = left {
            prop_assert_eq!(parse(&left.to_string()).unwrap(), left);
        }
    }
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
