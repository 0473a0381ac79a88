//! Terms that the language has beyond its first ones: what exists, what is in no list, and comparisons.

use pelorus_filter::{End, Filter, Limit, Moment, Number, PREFIX_BYTES_MAX, parse};
use pelorus_geo::{Area, GeoPoint};

fn field() -> String {
    "price".to_owned()
}

fn number(int: i64) -> Limit {
    Limit::Number(Number::Int(int))
}

fn beyond(limit: Limit, end: End) -> Filter {
    Filter::Beyond {
        field: field(),
        limit,
        end,
    }
}

fn date(text: &str, end: End) -> Limit {
    Limit::Moment(Moment::parse(text, end).unwrap())
}

#[test]
fn comparisons_are_ranges_or_what_is_beyond_a_limit() {
    for (comparison, term) in [
        ("price >= 10", "price:[10 TO *]"),
        ("price <= -1.5", "price:[* TO -1.5]"),
        ("price = 1e3", "price:[1e3 TO 1e3]"),
        ("price != 10", "NOT price:[10 TO 10]"),
        ("price = 2024-02", "price:[2024-02 TO 2024-02]"),
        (
            "price != 2024-02-29T12:30:00+02:00",
            "NOT price:[2024-02-29T10:30:00Z TO 2024-02-29T10:30:00Z]",
        ),
        ("NOT price >= 10 AND a:b", "NOT price:[10 TO *] AND a:b"),
        ("(price  <=  10)", "price:[* TO 10]"),
        ("price >=10", "price:[10 TO *]"),
        (
            "price >= (2024-02-29 12:30)",
            "price:[2024-02-29T12:30 TO *]",
        ),
    ] {
        assert_eq!(parse(comparison), parse(term), "{comparison}");
        parse(term).unwrap();
    }
    for (comparison, filter) in [
        ("price > 10", beyond(number(10), End::Lower)),
        ("price < 10", beyond(number(10), End::Upper)),
        (
            "price > 2024-02-29",
            beyond(date("2024-02-29", End::Upper), End::Lower),
        ),
        (
            "price < 2024-02-29",
            beyond(date("2024-02-29", End::Lower), End::Upper),
        ),
    ] {
        assert_eq!(parse(comparison), Ok(filter));
        assert_eq!(parse(comparison).unwrap().to_string(), comparison);
    }
}

#[test]
fn keywords_stand_between_blanks_in_any_case() {
    let exists = Filter::Exists { field: field() };
    let list = parse("price IN (1, 2)").unwrap();
    let contains = parse("price CONTAINS a").unwrap();
    for (written, filter) in [
        ("price EXISTS", exists.clone()),
        ("(price exists)", exists.clone()),
        ("NOT price EXISTS", exists.clone().negated()),
        ("price NOT EXISTS", exists.clone().negated()),
        ("NOT price NOT EXISTS", exists.negated().negated()),
        ("price NOT IN (1, 2)", list.clone().negated()),
        ("price not in (1, 2)", list.negated()),
        ("price NOT CONTAINS a", contains.negated()),
    ] {
        assert_eq!(parse(written), Ok(filter), "{written}");
    }
    for (written, position, reason) in [
        ("EXISTS", 6, "Cannot parse token 'EXISTS'"),
        ("price EXISTS:1", 5, "Cannot parse token 'price'"),
        ("price EXISTSx", 5, "Cannot parse token 'price'"),
        ("EXISTS(price)", 6, "Unexpected ("),
        ("price NOT a:b", 5, "Cannot parse token 'price'"),
        ("price NOT > 5", 5, "Cannot parse token 'price'"),
        ("price NOT IN 1, 2", 13, "Expected ( after ' IN '"),
        (
            "price EXISTS a:b",
            13,
            "Unexpected term 'a:b'. Expected an operator",
        ),
    ] {
        let message = parse(written).unwrap_err().to_string();
        let expected = format!("at position {position}: {reason}");
        assert!(message.ends_with(&expected), "{written}: {message}");
    }
}

#[test]
fn a_star_behind_a_value_stands_for_the_rest_of_a_text() {
    for (written, prefix) in [
        ("price:Ac*", "Ac"),
        ("price:Ac\\ me*", "Ac me"),
        ("price:a\\*b*", "a*b"),
        ("price:\\(a*", "(a"),
        ("price:\\>5*", ">5"),
        ("price:5*", "5"),
        ("price:\"Ac\"*", "\"Ac\""),
        ("price:x:y*", "x:y"),
    ] {
        let filter = Filter::Prefix {
            field: field(),
            prefix: prefix.to_owned(),
        };
        assert_eq!(parse(written), Ok(filter.clone()), "{written}");
        assert_eq!(parse(&filter.to_string()), Ok(filter), "{written}");
    }
    for (written, value) in [
        ("price:Ac\\*", "Ac*"),
        ("price:(Ac*)", "Ac*"),
        ("price:Ac\\\\*", "Ac\\*"),
        ("price:A*c", "A*c"),
    ] {
        let value = value.to_owned();
        let field = field();
        assert_eq!(parse(written), Ok(Filter::Equals { field, value }));
    }
    assert!(parse("price:>5*").is_err());
    let long = |bytes: usize| parse(&format!("price:{}*", "a".repeat(bytes)));
    assert!(long(PREFIX_BYTES_MAX).is_ok());
    let message = long(PREFIX_BYTES_MAX + 1).unwrap_err().to_string();
    assert!(
        message.ends_with("exceeds the maximum of 1024"),
        "{message}"
    );
}

#[test]
fn filters_that_had_a_meaning_before_keep_it() {
    for (written, field, value) in [
        ("a:EXISTS", "a", "EXISTS"),
        ("a:(b EXISTS)", "a", "b EXISTS"),
        ("a>b:5", "a>b", "5"),
        ("made>2026-01-01T10:00Z", "made>2026-01-01T10", "00Z"),
        ("NOT:1", "NOT", "1"),
        ("EXISTS:1", "EXISTS", "1"),
        ("a:>=", "a", ">="),
    ] {
        let (field, value) = (field.to_owned(), value.to_owned());
        assert_eq!(parse(written), Ok(Filter::Equals { field, value }));
    }
    let list = parse("a>b IN (1)").unwrap();
    assert_eq!(list.to_string(), "a>b IN (1)");
}

#[test]
fn areas_are_read_with_latitude_before_longitude() {
    let circle = |radius| Area::circle(GeoPoint::of_degrees(48.1, 11.5).unwrap(), radius);
    let corners = |south, west, north, east| Area::of_corners(south, west, north, east).unwrap();
    let triangle = Area::of_polygon(&[[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]).unwrap();
    for (written, expected) in [
        ("(48.1, 11.5, 10km)", circle(10_000.0)),
        ("(48.1,11.5,500M)", circle(500.0)),
        ("( 48.1 , 1.15e1 , 2 mi )", circle(2.0 * 1_609.344)),
        (
            "BOX (48, 11.3, 48.3, 11.8)",
            corners(48.0, 11.3, 48.3, 11.8),
        ),
        (
            "box(-17, 177, -16, -179)",
            corners(-17.0, 177.0, -16.0, -179.0),
        ),
        ("POLYGON (0, 0, 0, 4, 4, 0)", triangle.clone()),
        ("polygon  (0,0,0,4,4,0,0,0)", triangle),
    ] {
        let filter = parse(&format!("NOT price WITHIN {written} AND a:b")).unwrap();
        let within = Filter::Within {
            field: field(),
            area: Box::new(expected),
        };
        let a = Filter::Equals {
            field: "a".to_owned(),
            value: "b".to_owned(),
        };
        assert_eq!(
            filter,
            Filter::all_of(vec![within.clone().negated(), a]),
            "{written}"
        );
        assert_eq!(
            parse(&format!("price not within {written}")),
            Ok(within.negated())
        );
    }
}

#[test]
fn an_area_that_cannot_be_read_is_told_with_those_that_can() {
    for (area, fault) in [
        ("48.1, 11.5, 10km", "no ( behind WITHIN"),
        ("(48.1, 11.5, 10km", "no ) behind it"),
        (
            "(48.1, 11.5)",
            "expected latitude, longitude and radius, but received 2",
        ),
        (
            "(48.1, 11.5, 10)",
            "'10' is no radius, which is a number with km, m or mi behind it",
        ),
        ("(48.1, 11.5, -1km)", "'-1km' is no radius"),
        ("(48.1, east, 1km)", "'east' is no number"),
        (
            "(91, 11.5, 10km)",
            "a latitude is -90 to 90 degrees, but received 91",
        ),
        (
            "(11.5, 200, 10km)",
            "a longitude is -180 to 180 degrees, but received 200",
        ),
        (
            "BOX (1, 2, 3)",
            "expected 4 numbers, latitude and longitude of two corners, but received 3",
        ),
        (
            "BOX (5, 2, 3, 4)",
            "the first corner of a box is the southern one, but its latitude 5 is above 3",
        ),
        (
            "POLYGON (1, 2, 3, 4, 5)",
            "expected two numbers for each point, its latitude and its longitude",
        ),
        (
            "POLYGON (1, 2, 3, 4)",
            "a polygon has at least 3 different points, but received 2",
        ),
        (
            "POLYGON (60, 0, 60, 120, 60, -120)",
            "the polygon goes round a pole",
        ),
        (
            "POLYGON (0, 0, 0, 180, 9, 90)",
            "points 1 and 2 of the polygon are 180 degrees of longitude apart",
        ),
    ] {
        let text = format!("place WITHIN {area}");
        let error = parse(&text).unwrap_err().to_string();
        assert!(
            error.contains(&format!("Cannot read the area: {fault}")),
            "{error}"
        );
        assert!(
            error.contains("Expected place WITHIN (48.1, 11.5, 10km), latitude"),
            "{error}"
        );
    }
    // Areas beyond the bound are refused before much of them is read.
    let long = format!("place WITHIN POLYGON ({}0)", "1, ".repeat(100_000));
    assert!(
        parse(&long)
            .unwrap_err()
            .to_string()
            .contains("at most 1000 points")
    );
}
