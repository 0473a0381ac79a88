//! Values of a field of numbers in every mixture of operators and spellings: found as they are meant, or refused, and the
//! term of a refusal finds what was meant.

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldValue, Schema};
use pelorus_filter::{Filter, parse};
use pelorus_kernels::BitSet;

const VALUES: [f64; 10] = [
    -1000.0, -5.0, 0.0, 5.0, 5.5, 16.0, 999.0, 1000.0, 1000.5, 2000.0,
];

/// Operators before a number, and the values that pass; `None` for what has no one meaning.
type Meaning = Option<fn(f64, f64) -> bool>;

const OPERATORS: [(&str, &str, Meaning); 27] = [
    ("", "", Some(|value, number| value == number)),
    ("=", "", Some(|value, number| value == number)),
    ("==", "", Some(|value, number| value == number)),
    (">", "", Some(|value, number| value >= number)),
    (">=", "", Some(|value, number| value >= number)),
    ("=>", "", Some(|value, number| value >= number)),
    ("≥", "", Some(|value, number| value >= number)),
    ("＞", "", Some(|value, number| value >= number)),
    ("> ", "", Some(|value, number| value >= number)),
    ("&gt;", "", Some(|value, number| value >= number)),
    ("&gt;=", "", Some(|value, number| value >= number)),
    ("{gt:", "}", Some(|value, number| value >= number)),
    ("{\"$gte\": ", "}", Some(|value, number| value >= number)),
    ("$gt:", "", Some(|value, number| value >= number)),
    ("min:", "", Some(|value, number| value >= number)),
    ("<", "", Some(|value, number| value <= number)),
    ("&lt;", "", Some(|value, number| value <= number)),
    ("≤", "", Some(|value, number| value <= number)),
    ("lte ", "", Some(|value, number| value <= number)),
    ("!=", "", Some(|value, number| value != number)),
    ("≠", "", Some(|value, number| value != number)),
    ("", "+", Some(|value, number| value >= number)),
    ("", "..", Some(|value, number| value >= number)),
    (">>", "", None),
    ("~", "", None),
    ("^", "", None),
    ("", "*", None),
];

const NUMBERS: [(&str, Option<f64>); 36] = [
    ("5", Some(5.0)),
    ("5.5", Some(5.5)),
    ("-5", Some(-5.0)),
    ("−5", Some(-5.0)),
    ("1e3", Some(1000.0)),
    ("$5", Some(5.0)),
    ("5 €", Some(5.0)),
    ("5USD", Some(5.0)),
    ("USD5", Some(5.0)),
    ("EUR 1,000.50", Some(1000.5)),
    ("5.50USD", Some(5.5)),
    ("1k", Some(1000.0)),
    ("1K", Some(1000.0)),
    ("-1k", Some(-1000.0)),
    ("0x10", Some(16.0)),
    ("5f", Some(5.0)),
    ("5.5F", Some(5.5)),
    ("1,000", Some(1000.0)),
    ("1 000", Some(1000.0)),
    ("1_000", Some(1000.0)),
    ("٥", Some(5.0)),
    ("５", Some(5.0)),
    ("5\u{200b}", Some(5.0)),
    ("\"5\"", Some(5.0)),
    ("5L", None),
    ("5M", None),
    ("5kg", None),
    ("5%", None),
    ("½", None),
    ("1.2.3", None),
    ("10,5", None),
    ("€1.000", None),
    ("12-AB", None),
    ("AB-123", None),
    ("1kk", None),
    ("0xg", None),
];

fn columns() -> Columns {
    let mut columns = Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    });
    for (doc, value) in (0..).zip(VALUES) {
        // Numbers with a point find floats alone, so all are floats.
        columns.insert(
            doc,
            &format!("d{doc}"),
            &[("unit price".into(), FieldValue::Float(value))],
        );
    }
    columns
}

fn found(columns: &Columns, filter: &Filter) -> Result<Vec<u32>, ColumnError> {
    let callbacks = Callbacks {
        contains: &|_, _| unreachable!("no CONTAINS here"),
        go_on: &|| Ok(()),
    };
    columns.check(filter, &|_| false)?;
    let alive: BitSet = (0..VALUES.len() as u32).collect();
    let found: Result<BitSet, ColumnError> = columns.evaluate(filter, &alive, &callbacks);
    Ok(found?.iter().collect())
}

#[test]
fn no_mixture_matches_nothing_in_silence() {
    let columns = columns();
    let mut hints = 0;
    for (before, behind, meaning) in OPERATORS {
        for (number, meant) in NUMBERS {
            let value = format!("{before}{number}{behind}");
            let term = Filter::Equals {
                field: "unit price".into(),
                value: value.clone(),
            };
            let passing = meaning.zip(meant).map(|(passes, number)| {
                let docs = (0..)
                    .zip(VALUES)
                    .filter(|&(_, value)| passes(value, number));
                docs.map(|(doc, _)| doc).collect::<Vec<u32>>()
            });
            for filter in [
                term.clone(),
                term.clone().negated(),
                Filter::In {
                    field: "unit price".into(),
                    values: vec!["7".into(), value.clone()],
                },
            ] {
                let refusal = match found(&columns, &filter) {
                    Ok(docs) => {
                        let is_negated = matches!(filter, Filter::Not(_));
                        let all = 0..VALUES.len() as u32;
                        let expected = passing.clone().map(|passing| match is_negated {
                            true => all.filter(|doc| !passing.contains(doc)).collect(),
                            false => passing,
                        });
                        assert_eq!(Some(docs), expected, "{filter}");
                        continue;
                    }
                    Err(refusal) => refusal.to_string(),
                };
                let (_, expected) = refusal.split_once("Expected ").unwrap();
                let expected = expected.split(", which").next().unwrap();
                if expected.starts_with("a number such as") {
                    continue;
                }
                let docs = found(&columns, &parse(expected).unwrap()).unwrap();
                assert_eq!(Some(docs), passing, "{value}: {refusal}");
                hints += 1;
            }
        }
    }
    assert!(
        hints > 1200,
        "{hints} of {}",
        OPERATORS.len() * NUMBERS.len() * 3
    );
}
