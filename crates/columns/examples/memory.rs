//! Bytes that the columns of a million synthetic documents hold, and the time of a few filters and of
//! counting three fields of 100,000 documents.
//!
//! `cargo run --release -p pelorus-columns --example memory`
//!
//! Two shapes: products with texts in mixed case, one of which is different in each document, and the
//! same in lower case.
#![allow(clippy::unwrap_used, reason = "an example stops at the first surprise")]

use std::time::Instant;

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldValue, Number, Schema};
use pelorus_kernels::BitSet;

const DOCUMENTS: u32 = 1_000_000;

fn main() {
    for lower in [false, true] {
        measure(lower);
    }
}

fn measure(lower: bool) {
    let mut columns = Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: Some("sku".to_owned()),
    });
    let start = Instant::now();
    for doc in 0..DOCUMENTS {
        columns.insert(doc, &format!("document-{doc}"), &fields(doc, lower));
    }
    let inserted = start.elapsed();
    let bytes = columns.memory_bytes();
    println!(
        "{} case: {} bytes a document, taken in at {:.2} us each",
        if lower { "lower" } else { "mixed" },
        bytes / DOCUMENTS as usize,
        inserted.as_secs_f64() * 1e6 / f64::from(DOCUMENTS)
    );
    let alive = BitSet::full(DOCUMENTS);
    let alone = Callbacks {
        contains: &|_, _| unreachable!(),
        go_on: &|| Ok(()),
    };
    for text in [
        "brand:(brand 17)",
        "tags:(tag 5)",
        "title:(a name of product 77)",
        "price:[100 TO 200]",
    ] {
        let filter = pelorus_filter::parse(text).unwrap();
        let mut least = f64::INFINITY;
        let mut count = 0;
        for _ in 0..20 {
            let start = Instant::now();
            let matches = columns
                .matches::<ColumnError>(&filter, &alive, DOCUMENTS, &alone)
                .unwrap();
            least = least.min(start.elapsed().as_secs_f64() * 1e6);
            count = matches.count();
        }
        println!("  {text}: {count} documents in {least:.0} us");
    }
    let matches: BitSet = (0..DOCUMENTS).filter(|doc| doc % 10 == 3).collect();
    for (name, count) in [
        ("brand", brands as fn(&Columns, &BitSet) -> usize),
        ("tags", tags),
        ("price", prices),
    ] {
        let mut least = f64::INFINITY;
        let mut counted = 0;
        for _ in 0..20 {
            let start = Instant::now();
            counted = count(&columns, &matches);
            least = least.min(start.elapsed().as_secs_f64() * 1e6);
        }
        println!(
            "  {name} of {} documents: {counted} in {least:.0} us",
            matches.len()
        );
    }
}

/// Different brands.
fn brands(columns: &Columns, docs: &BitSet) -> usize {
    let texts = columns.texts("brand").unwrap();
    let mut counts = vec![0_u64; texts.places_end()];
    texts.for_each_single(docs, |_, id| counts[texts.place(id)] += 1);
    counts.iter().filter(|count| **count > 0).count()
}

/// Different tags.
fn tags(columns: &Columns, docs: &BitSet) -> usize {
    let texts = columns.texts("tags").unwrap();
    let mut counts = vec![0_u64; texts.places_end()];
    texts.for_each_element(docs, |_, id| counts[texts.place(id)] += 1);
    counts.iter().filter(|count| **count > 0).count()
}

/// The sum of prices.
fn prices(columns: &Columns, docs: &BitSet) -> usize {
    let mut sum = 0.0;
    let prices = columns.numbers("price").unwrap();
    prices.for_each_in(docs, |_, price| sum += price.as_f64());
    sum as usize
}

fn fields(doc: u32, lower: bool) -> Vec<(String, FieldValue)> {
    let spread = doc.wrapping_mul(2_654_435_761) >> 8;
    let text = |text: String| match lower {
        true => text.to_lowercase(),
        false => text,
    };
    let tags = (0..3).map(|n| text(format!("Tag {}", (spread + n * 7) % 500)));
    vec![
        (
            "brand".into(),
            FieldValue::Text(text(format!("Brand {}", spread % 1_000))),
        ),
        (
            "title".into(),
            FieldValue::Text(text(format!("A Name of Product {doc}"))),
        ),
        (
            "sku".into(),
            FieldValue::Text(text(format!("SKU {}", doc / 4))),
        ),
        ("tags".into(), FieldValue::TextList(tags.collect())),
        ("price".into(), FieldValue::Int(i64::from(spread % 10_000))),
        (
            "rating".into(),
            FieldValue::Float(f64::from(spread % 50) / 10.0),
        ),
        (
            "stock".into(),
            FieldValue::Map(vec![("north".into(), Number::Int(i64::from(spread % 9)))]),
        ),
    ]
}
