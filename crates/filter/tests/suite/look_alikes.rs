//! Values that mean something in other filter languages are refused with a form that works here.

use pelorus_filter::{Filter, parse, spelled_comparison};

/// The filters that a message names: the expected one, and the literal.
fn named(message: &str) -> Vec<String> {
    let (_, expected) = message.split_once("Expected ").unwrap();
    let (expected, literal) = expected.split_once("; for the text itself ").unwrap();
    let expected = expected
        .split_once(", ")
        .map_or(expected, |(first, _)| first);
    vec![expected.to_owned(), literal.to_owned()]
}

fn equals(field: &str, value: &str) -> Filter {
    Filter::Equals {
        field: field.to_owned(),
        value: value.to_owned(),
    }
}

#[test]
fn comparisons_are_refused_with_the_range_that_they_mean() {
    for (value, expected) in [
        (">10", "price:[10 TO *]"),
        (">=-1.5", "price:[-1.5 TO *]"),
        ("<1e3", "price:[* TO 1e3]"),
        ("<=2024-02-29", "price:[* TO 2024-02-29]"),
        ("=2024-02-29", "price:[2024-02-29 TO 2024-02-29]"),
        ("!=2024-02-29", "NOT price:[2024-02-29 TO 2024-02-29]"),
        ("=10", "price:10"),
        ("==10", "price:10"),
        ("!=10", "NOT price:10"),
    ] {
        let message = parse(&format!("brand:acme AND price:{value}"))
            .unwrap_err()
            .to_string();
        let names = named(&message);
        assert_eq!(names[0], expected, "{message}");
        parse(&names[0]).unwrap();
        assert_eq!(parse(&names[1]).unwrap(), equals("price", value));
        assert!(message.contains("at position 21: "), "{message}");
        assert!(parse(&format!("price IN (1, {value})")).is_err());
    }
}

#[test]
fn a_number_in_another_spelling_behind_an_operator_is_read_or_left_to_its_writer() {
    for (value, expected) in [
        (">$5", "price:[5 TO *]"),
        (">1,000", "price:[1000 TO *]"),
        ("≥5", "price:[5 TO *]"),
        ("=>5", "price:[5 TO *]"),
        ("≤−5", "price:[* TO -5]"),
        ("<-$5.50", "price:[* TO -5.5]"),
        ("<–5", "price:[* TO -5]"),
        (">1\u{a0}000", "price:[1000 TO *]"),
        ("<1’000", "price:[* TO 1000]"),
        (">\"5\"", "price:[5 TO *]"),
        ("<>$5", "NOT price:5"),
        ("≠5", "NOT price:5"),
        ("=€10,50", "price:10.5"),
        (">10,5", "a number as in price:[1000.5 TO *]"),
        (">€1.000", "a number as in price:[1000.5 TO *]"),
        ("<01/02/2024", "a number as in price:[* TO 1000.5]"),
        ("!=50%", "a number as in NOT price:1000.5"),
    ] {
        let message = parse(&format!("NOT price:{value}"))
            .unwrap_err()
            .to_string();
        let names = named(&message);
        assert_eq!(names[0], expected, "{message}");
        parse(expected.trim_start_matches("a number as in ")).unwrap();
        assert_eq!(parse(&names[1]).unwrap(), equals("price", value));
        assert!(message.contains("at position 10: "), "{message}");
    }
    let message = parse("price:>1\\ 000").unwrap_err().to_string();
    assert_eq!(named(&message)[0], "price:[1000 TO *]");
    let message = parse("price:[$5 TO 10,5]").unwrap_err().to_string();
    assert!(
        message.ends_with("Invalid range limit '$5'. Expected 5"),
        "{message}"
    );
    let message = parse("price:[5 TO 10,5]").unwrap_err().to_string();
    assert!(message.ends_with("Invalid range limit '10,5'"), "{message}");
}

#[test]
fn a_term_that_is_written_otherwise_is_refused_with_the_one_that_is_meant() {
    for (filter, expected) in [
        ("price:[1k TO 5k]", "Expected 1000"),
        ("price:[5..7]", "as in [5 TO 7]"),
        ("price:[5-7]", "as in [5 TO 7]"),
        ("price:[$1,000–$2,000]", "as in [1000 TO 2000]"),
        ("a:b AND price:5 to 7", "Expected price:[5 TO 7]"),
        ("(price:$5 TO 1k)", "Expected price:[5 TO 1000]"),
        (
            "price>5",
            "Expected price:[5 TO *], which includes 5, or price > 5",
        ),
        (
            "price>=5USD",
            "Expected price:[5 TO *], which includes 5, or price >= 5",
        ),
        (
            "NOT (price<=1k)",
            "Expected price:[* TO 1000], which includes 1000, or price <= 1000",
        ),
        (
            "price > $5 AND a:b",
            "Cannot compare with '$5'. Expected price > 5",
        ),
        ("price=5", "Expected price:5"),
        ("price!=5", "Expected NOT price:5"),
        (
            "price>2024-02-29",
            "Expected price:[2024-02-29 TO *], which includes 2024-02-29, or price > 2024-02-29",
        ),
        (
            "price >= cheap",
            "Cannot compare with 'cheap'. Expected a number as in price >= 1000.5, or a date as in price >= 2024-02-29",
        ),
        (
            "brand = acme",
            "Cannot compare with 'acme'. Expected a number or a date, or for texts and truth values brand:value",
        ),
        (
            "brand != acme",
            "Cannot compare with 'acme'. Expected a number or a date, or for texts and truth values NOT brand:value",
        ),
    ] {
        let message = parse(filter).unwrap_err().to_string();
        assert!(message.ends_with(expected), "{filter}: {message}");
    }
    for (filter, reason) in [
        ("price>five", "Cannot parse token 'price>five'"),
        ("price >", "Cannot parse token 'price'"),
        ("price >> 5", "Cannot parse token 'price'"),
        ("price > )", "Cannot parse token 'price'"),
        (">5", "Cannot parse token '>5'"),
        ("a:b to 7", "Cannot parse token 'to'"),
        ("to 7", "Cannot parse token 'to'"),
        ("price:[5, 7]", "Expected two limits with TO between them"),
    ] {
        let message = parse(filter).unwrap_err().to_string();
        assert!(message.ends_with(reason), "{filter}: {message}");
    }
}

#[test]
fn wildcards_are_refused_but_at_the_end_of_a_term() {
    for value in ["*", "*me", "*cm*", "a*m*", "**"] {
        for filter in [format!("brand:{value}"), format!("brand IN (x, {value})")] {
            let message = parse(&filter).unwrap_err().to_string();
            assert_eq!(parse(&named(&message)[1]).unwrap(), equals("brand", value));
        }
    }
    let message = parse("brand:*").unwrap_err().to_string();
    assert_eq!(named(&message)[0], "brand EXISTS");
    let message = parse("brand IN (x, Ac*)").unwrap_err().to_string();
    assert!(
        message.contains("Expected brand:Ac* as a term of its own"),
        "{message}"
    );
}

#[test]
fn a_range_in_parentheses_is_refused_with_that_in_brackets() {
    for limits in ["10 TO 20", "* to 5", "1.5 TO *", "2024-01-01 TO 2024-12-31"] {
        let message = parse(&format!("price:({limits})")).unwrap_err().to_string();
        let names = named(&message);
        assert_eq!(parse(&names[0]), parse(&format!("price:[{limits}]")));
        assert_eq!(parse(&names[1]).unwrap(), equals("price", limits));
        assert!(parse(&format!("price:({limits}")).is_err());
    }
    for (limits, expected) in [
        ("$10 TO $20", "price:[10 TO 20]"),
        ("1 000 to 2,000.5", "price:[1000 TO 2000.5]"),
        ("* TO −5", "price:[* TO -5]"),
        ("10,5 TO 20", "numbers as in price:[1000.5 TO 2000]"),
    ] {
        let message = parse(&format!("price:({limits})")).unwrap_err().to_string();
        let names = named(&message);
        assert_eq!(names[0], expected);
        assert_eq!(parse(&names[1]).unwrap(), equals("price", limits));
    }
}

#[test]
fn no_message_names_a_range_of_ids() {
    for (written, expected) in [("_id:>1", "_id:1"), ("_id:<=7", "_id:7")] {
        let message = parse(written).unwrap_err().to_string();
        assert_eq!(named(&message)[0], expected, "{message}");
    }
    assert_eq!(parse("_id:(1 TO 2)").unwrap(), equals("_id", "1 TO 2"));
}

#[test]
fn values_that_may_be_meant_are_taken() {
    for (written, value) in [
        ("M*A*S*H", "M*A*S*H"),
        ("2*3", "2*3"),
        ("5\\*", "5*"),
        ("(5*)", "5*"),
        ("\\*", "*"),
        ("<b>", "<b>"),
        (">", ">"),
        (">_<", ">_<"),
        ("=", "="),
        (">5kg", ">5kg"),
        ("≥", "≥"),
        ("=>", "=>"),
        ("\\>$5", ">$5"),
        ("(>$5)", ">$5"),
        ("\\>10", ">10"),
        ("(>10)", ">10"),
        ("(back TO front)", "back TO front"),
        ("(from 10 TO 20)", "from 10 TO 20"),
        ("10\\ TO\\ 20", "10 TO 20"),
        ("(10\\ TO 20)", "10 TO 20"),
        ("10-20", "10-20"),
        ("\"Ac*\"", "\"Ac*\""),
    ] {
        let filter = format!("a:{written}");
        assert_eq!(parse(&filter).unwrap(), equals("a", value), "{filter}");
    }
}

#[test]
fn their_canonical_text_is_read_as_the_same() {
    for value in [
        "*",
        "Ac*",
        "*me",
        ">10",
        "=5",
        "10 TO 20",
        "* TO 5",
        "5*",
        "\\*",
        "a\\*",
        ">$5",
        ">1 000",
        "≥10,5",
        "$1 TO $2",
        "1\\000 TO 5",
        "1\\ TO 5",
    ] {
        let all = [
            equals("a", value),
            Filter::In {
                field: "a".to_owned(),
                values: vec![value.to_owned(), "x".to_owned()],
            },
        ];
        for filter in all {
            assert_eq!(parse(&filter.to_string()).unwrap(), filter, "{filter}");
        }
    }
}

#[test]
fn messages_repeat_no_long_limits() {
    let zeros = "0".repeat(100);
    let comparison = |limit: &str| spelled_comparison("n", &format!(">{limit}"));
    assert!(comparison("05").is_some());
    assert_eq!(comparison(&format!("{zeros}5")), None);
    let refusal = |filter: &str| parse(filter).unwrap_err().to_string();
    assert!(refusal("n:5 to 7").contains("Expected n:[5 TO 7]"));
    assert!(!refusal(&format!("n:{zeros}5 to 7")).contains("Expected n:["));
}
