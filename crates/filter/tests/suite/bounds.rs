//! The parser's refusals of large texts, which must be cheap.

use pelorus_filter::{
    CLAUSES_MAX, DEPTH_MAX, LIST_VALUES_MAX, ListLimit, TEXT_BYTES_MAX, parse, parse_within,
};

#[track_caller]
fn message(text: &str) -> String {
    parse(text).expect_err("over a bound").to_string()
}

fn nested(depth: usize) -> String {
    format!("{}a:1{}", "(".repeat(depth), ")".repeat(depth))
}

#[test]
fn parentheses_nest_to_the_documented_depth() {
    assert!(parse(&nested(DEPTH_MAX)).is_ok());
    let refused = message(&nested(DEPTH_MAX + 1));
    assert!(refused.ends_with("at position 64: Expressions nest deeper than 64 levels"));
}

#[test]
fn a_deep_tree_survives_every_recursion() {
    let text = format!(
        "{}a:1{}",
        "NOT (b:2 OR c:3 AND ".repeat(DEPTH_MAX),
        ")".repeat(DEPTH_MAX)
    );
    let filter = parse(&text).expect("within the bounds");
    assert_eq!(parse(&filter.to_string()), Ok(filter));
}

#[test]
fn terms_are_counted() {
    let joined = |count| vec!["a:1"; count].join(" AND ");
    assert!(parse(&joined(CLAUSES_MAX)).is_ok());
    assert_eq!(
        message(&joined(CLAUSES_MAX + 1)),
        "The filter has more than 1024 terms, which is the maximum."
    );
}

#[test]
fn list_values_are_counted() {
    let list = |count| format!("_id IN ({})", vec!["1"; count].join(","));
    assert!(parse(&list(LIST_VALUES_MAX)).is_ok());
    assert_eq!(
        message(&list(LIST_VALUES_MAX + 1)),
        "The IN filter contains 10001 values, which exceeds the maximum of 10000."
    );
}

#[test]
fn the_caller_may_set_another_bound_for_lists() {
    let limit = |values_max| ListLimit {
        values_max,
        setting: Some("LIST_VALUES"),
    };
    assert!(parse_within("a IN (1,2)", limit(2)).is_ok());
    let refused = parse_within("a IN (1,2,3)", limit(2)).expect_err("over the bound");
    assert_eq!(
        refused.to_string(),
        "The IN filter contains 3 values, which exceeds the maximum of 2 (LIST_VALUES)."
    );
    let list = format!("a IN ({})", vec!["1"; LIST_VALUES_MAX + 1].join(","));
    assert!(parse_within(&list, limit(LIST_VALUES_MAX + 1)).is_ok());
}

#[test]
fn text_is_bounded_in_bytes() {
    let text = |bytes: usize| format!("a:{}", "b".repeat(bytes - 2));
    assert!(parse(&text(TEXT_BYTES_MAX)).is_ok());
    assert_eq!(
        message(&text(TEXT_BYTES_MAX + 1)),
        "The filter is 524289 bytes long, which exceeds the maximum of 524288."
    );
}

#[test]
fn a_refusal_shows_no_more_than_a_part_of_what_was_sent() {
    let long = "é".repeat(100_000);
    for text in [
        format!("{long}:1 {long}:2"),
        format!("{long} a:1"),
        format!("a:1 AND {long}"),
        format!("a:[{long}"),
        format!("a:[{long} TO 1]"),
        format!("a:({long})x"),
        format!("a:{long})"),
        format!("a:1 {long}"),
        format!("({long}"),
        format!("a IN ({long} b)"),
    ] {
        let refused = message(&text);
        assert!(refused.chars().count() < 1400, "{refused}");
    }
}

#[test]
fn the_caret_stands_below_the_place_in_a_long_filter_too() {
    let text = format!("{}b:1 {}", "a:1 AND ".repeat(100), "c:2 AND ".repeat(100));
    let refused = message(&text);
    let lines: Vec<&str> = refused.lines().collect();
    let place = lines[2].find('^').expect("a caret");
    assert_eq!(lines[1].len(), "Error parsing filter: ".len() + 256);
    assert_eq!(&lines[1][place..place + 4], "c:2 ");
    assert!(refused.ends_with("at position 804: Unexpected term 'c:2'. Expected an operator"));
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    for piece in [
        "(",
        ")",
        "\\",
        "a",
        "a:(",
        "a:[",
        "a IN (",
        "a IN (1,",
        "a CONTAINS ",
        " IN ",
        "NOT ",
        "a:1 AND ",
        "a:1 OR NOT ",
        "(a:1)AND ",
        "a:[1 TO ",
        "a:[ TO ",
        ",",
        " ",
        "a:\\)",
        "é",
        "é:(\\",
        "a IN (\\,",
    ] {
        for lead in ["", "a:", "a:(", "a:[", "a IN ("] {
            let what = format!("{lead}{piece}{piece}...");
            let text =
                |len: usize| lead.to_owned() + &piece.repeat((len - lead.len()) / piece.len());
            pelorus_growth::assert_linear(&what, 8 * 1024, text, |text: &String| {
                drop(parse(text).map_err(|error| error.to_string()));
            });
        }
    }
}
