//! Grammar rules that the reference states in words rather than in its table.

use pelorus_filter::{Filter, parse};

#[track_caller]
fn reason(text: &str) -> String {
    let message = parse(text).expect_err(text).to_string();
    message
        .rsplit(": ")
        .next()
        .map(str::to_owned)
        .unwrap_or(message)
}

fn contains(field: &str, value: &str) -> Filter {
    Filter::Contains {
        field: field.into(),
        value: value.into(),
    }
}

#[test]
fn contains_takes_a_bare_or_grouped_value() {
    assert_eq!(parse("title CONTAINS shoe"), Ok(contains("title", "shoe")));
    assert_eq!(
        parse("title contains (red shoe)"),
        Ok(contains("title", "red shoe"))
    );
    assert_eq!(
        parse("NOT title CONTAINS shoe AND (body CONTAINS (x y))"),
        Ok(Filter::And(vec![
            contains("title", "shoe").negated(),
            contains("body", "x y")
        ]))
    );
    assert_eq!(
        reason("title CONTAINS [1 TO 2]"),
        "Unexpected [ after CONTAINS operator."
    );
    assert_eq!(
        reason("title CONTAINS "),
        "Cannot parse token 'title CONTAINS '"
    );
    assert_eq!(
        reason("title CONTAINS ()"),
        "Cannot parse token 'title CONTAINS ()'"
    );
    assert_eq!(reason("title CONTAINS(x)"), "Cannot parse token 'title'");
}

#[test]
fn tabs_and_newlines_are_ordinary_characters() {
    let expected = Filter::Equals {
        field: "a".into(),
        value: "1\tAND\nb".into(),
    };
    assert_eq!(parse("a:1\tAND\nb"), Ok(expected));
}

#[test]
fn positions_count_code_points() {
    let message = parse("ä:ö ü:ß").expect_err("two terms").to_string();
    assert!(
        message.contains("\nat position 4: Unexpected term 'ü:ß'"),
        "{message}"
    );
    let message = parse("(ä:1) (ö:2)")
        .expect_err("two expressions")
        .to_string();
    assert!(message.ends_with("at position 10: Unexpected expression ending at position 10"));
}

#[test]
fn an_escaped_operator_is_no_operator() {
    assert_eq!(reason(r"a:1 \AND b:2"), r"Cannot parse token '\AND'");
    let expected = Filter::In {
        field: "NOT".into(),
        values: vec!["1".into()],
    };
    assert_eq!(parse(r"\NOT IN (1)"), Ok(expected));
    assert_eq!(reason("NOT IN (1)"), "Cannot parse token 'IN'");
}

#[test]
fn operators_in_a_row_name_the_second_one() {
    assert_eq!(
        reason("a:1 AND OR b:2"),
        "Expected term or expression, but found OR"
    );
    assert_eq!(
        reason("NOT AND a:1"),
        "Expected term or expression, but found AND"
    );
    assert_eq!(reason("a:1 NOT b:2"), "Unexpected modifier 'NOT'");
    assert_eq!(
        reason("(a:1 AND)"),
        "Expected term or expression, but found AND"
    );
    assert_eq!(
        reason("(NOT)"),
        "Expected term or expression, but found NOT"
    );
}

#[test]
fn list_items_are_strict_about_what_surrounds_them() {
    let spaces = "Unexpected white space in IN term list";
    assert_eq!(reason("a IN ( 1)"), spaces);
    assert_eq!(reason("a IN (1 )"), spaces);
    assert_eq!(reason("a IN ((x) , y)"), spaces);
    assert_eq!(reason("a IN ((x)y)"), "Expected end of term, but found 'y'");
    assert_eq!(reason("a IN (1)b"), "Expected end of term, but found 'b'");
    assert_eq!(
        reason("a IN (1, 2"),
        "Unbalanced parentheses. Expected a ) before the end"
    );
    assert_eq!(
        reason("a IN ((x"),
        "Unbalanced parentheses. Expected a ) before the end"
    );
    assert_eq!(reason("a IN  (1)"), "Expected ( after ' IN '");
    assert_eq!(reason("a:b IN (1)"), "Cannot parse token 'IN'");
}

#[test]
fn special_numbers_are_no_range_limits() {
    for limit in ["nan", "inf", "-inf", "Infinity", "1e999", "0x", ""] {
        let expected = format!("Invalid range limit '{limit}'");
        assert_eq!(reason(&format!("a:[{limit} TO 5]")), expected);
    }
    assert_eq!(
        reason("a:[1_000 TO 5]"),
        "Invalid range limit '1_000'. Expected 1000"
    );
    assert_eq!(
        reason("a:[0x1 TO 5]"),
        "Invalid range limit '0x1'. Expected 1"
    );
}
