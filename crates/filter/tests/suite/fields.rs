//! The fields that a filter names.

use pelorus_filter::parse;

#[test]
fn every_field_is_told_once_however_deep_and_however_it_is_written() {
    let cases: [(&str, &[&str]); 7] = [
        ("a:1", &["a"]),
        ("a:1 AND a:2", &["a"]),
        (
            "NOT (a:1 OR NOT (b:[1 TO 2] AND c IN (x, y)))",
            &["a", "b", "c"],
        ),
        ("title CONTAINS red", &["title"]),
        (r"sec\ret:1", &["secret"]),
        (r"two\ words:(a: b:c)", &["two words"]),
        ("map.key:1 OR _id:x", &["_id", "map.key"]),
    ];
    for (text, fields) in cases {
        let filter = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            filter.fields().into_iter().collect::<Vec<_>>(),
            fields,
            "{text}"
        );
    }
}
