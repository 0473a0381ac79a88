//! Columns whose texts are compared by a form of theirs, against documents one by one.

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldKind, FieldSpec, FieldValue, Schema};
use pelorus_kernels::BitSet;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Every spelling of a text has one form, as a fold has to see to.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace("e\u{301}", "e");
    lower.replace('é', "e").replace('ß', "ss")
}

const TEXTS: [&str; 9] = [
    "cafe",
    "Café",
    "cafe\u{301}",
    "CAFÉ",
    "caf",
    "Maß",
    "mass",
    "e",
    "É",
];

fn schemas() -> [Schema; 2] {
    let field = |name: &str, kind| FieldSpec {
        name: name.to_owned(),
        kind,
        filter: true,
        score_modifier: false,
    };
    [
        Schema::Unstructured {
            filter_string_max_length: 50,
            collapse_field: Some("group".to_owned()),
        },
        Schema::Structured {
            index: "index".to_owned(),
            fields: vec![
                field("text", FieldKind::Text),
                field("list", FieldKind::TextArray),
            ],
        },
    ]
}

fn found(columns: &Columns, filter: &str, alive: &BitSet) -> Vec<u32> {
    let filter = pelorus_filter::parse(filter).unwrap();
    let callbacks: Callbacks<'_, ColumnError> = Callbacks {
        contains: &|_, _| unreachable!("no filter here asks for words"),
        go_on: &|| Ok(()),
    };
    let found = columns.evaluate(&filter, alive, &callbacks).unwrap();
    found.iter().collect()
}

fn text() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn texts_of_one_form_are_found_by_each_of_them(
        documents in vec((text(), vec(text(), 0..4)), 1..12),
        removed in vec(any::<bool>(), 12),
        (asked, other) in (text(), text()),
    ) {
        for schema in schemas() {
            let mut columns = Columns::new(schema).with_fold(plain);
            for (doc, (text, list)) in (0..).zip(&documents) {
                let fields = [
                    ("text".to_owned(), FieldValue::Text(text.clone())),
                    ("list".to_owned(), FieldValue::TextList(list.clone())),
                ];
                columns.insert(doc, &format!("d{doc}"), &fields);
            }
            let mut alive = BitSet::default();
            for (doc, _) in (0..).zip(&documents) {
                match removed[doc as usize] {
                    true => columns.remove(doc),
                    false => drop(alive.insert(doc)),
                }
            }
            let expected = |has: &dyn Fn(&str, &[String]) -> bool| -> Vec<u32> {
                let passing = alive.iter().filter(|&doc| {
                    let (text, list) = &documents[doc as usize];
                    has(text, list)
                });
                passing.collect()
            };
            let is_asked = |one: &str| plain(one) == plain(&asked);
            let is_either = |one: &str| is_asked(one) || plain(one) == plain(&other);
            let begins = |one: &str| plain(one).starts_with(&plain(&asked));
            let filter = |filter: String| found(&columns, &filter, &alive);
            prop_assert_eq!(filter(format!("text:{asked}")), expected(&|text, _| is_asked(text)));
            prop_assert_eq!(
                filter(format!("text IN ({asked}, {other})")),
                expected(&|text, _| is_either(text))
            );
            prop_assert_eq!(filter(format!("text:{asked}*")), expected(&|text, _| begins(text)));
            prop_assert_eq!(
                filter(format!("list:{asked}")),
                expected(&|_, list| list.iter().any(|one| is_asked(one)))
            );
            prop_assert_eq!(
                filter(format!("list:{asked}*")),
                expected(&|_, list| list.iter().any(|one| begins(one)))
            );
            for doc in alive.iter() {
                let texts = columns.texts("text").unwrap();
                let (text, _) = &documents[doc as usize];
                let shown = texts.text(texts.single(doc).unwrap());
                // Encodings of one spelling are not told apart.
                prop_assert_eq!(pelorus_columns::composed(shown), pelorus_columns::composed(text));
            }
        }
    }
}

#[test]
fn ids_and_the_field_that_groups_are_compared_as_ever() {
    let [schema, _] = schemas();
    let mut columns = Columns::new(schema).with_fold(plain);
    let group = ("group".to_owned(), FieldValue::Text("Café".to_owned()));
    columns.insert(0, "Café", &[group]);
    let alive: BitSet = std::iter::once(0).collect();
    for (filter, expected) in [
        ("_id:Café", vec![0]),
        ("_id:cafe", vec![]),
        ("group:Café", vec![0]),
        ("group:café", vec![]),
        ("group:cafe", vec![]),
    ] {
        assert_eq!(found(&columns, filter, &alive), expected, "{filter}");
    }
}
