//! Scans and searches that are read page by page: the room that they hold back on the disk is bounded, and whoever
//! reads on after that is told.

use std::fs;

use crate::support::{DIMENSIONS, Fixture, definition, full, tensor_leg};
use pelorus_cancellation::Cancellation;
use pelorus_engine::{DocumentScan, Engine};
use serde_json::{Value, json};

/// Bytes that a reading may hold back here.
const HELD_BYTES: u64 = 4 << 20;
const DOCUMENTS: usize = 300;
/// Bytes that all of the documents have at least.
const ROUND_BYTES: u64 = 4_000 * DOCUMENTS as u64;

fn made() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let options = json!({"heldBytesMin": HELD_BYTES}).to_string();
    let engine = Engine::open(directory.path(), options.as_bytes()).unwrap();
    engine.create_index("i", &definition(json!({}))).unwrap();
    Fixture { directory, engine }
}

/// Adds documents of four kilobytes each, or replaces them.
fn add(fixture: &Fixture, ids: std::ops::Range<usize>, round: usize) {
    for some in ids.collect::<Vec<_>>().chunks(100) {
        let document = |id: &usize| {
            let vector: Vec<usize> = (0..DIMENSIONS).map(|i| 1 + (id * 7 + i) % 11).collect();
            json!({"_id": format!("d{id}"), "round": round, "bulk": "x".repeat(4_000), "v": {"vector": vector}})
        };
        let documents: Vec<Value> = some.iter().map(document).collect();
        let answer = fixture.add(
            "i",
            json!({"documents": documents, "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}}),
        );
        assert_eq!(answer["errors"], json!(false), "{answer}");
    }
}

fn scan(engine: &Engine) -> DocumentScan {
    let request = json!({"exposeFacets": false, "exposeTensors": false}).to_string();
    engine.scan_documents("i", request.as_bytes()).unwrap()
}

/// Bytes of the file of the store.
fn file_bytes(fixture: &Fixture) -> u64 {
    let indexes = fixture.directory.path().join("indexes");
    let home = fs::read_dir(indexes).unwrap().next().unwrap().unwrap();
    fs::metadata(home.path().join("index.redb")).unwrap().len()
}

#[test]
fn a_scan_that_holds_back_too_much_is_ended_and_the_disk_grows_no_more() {
    let fixture = made();
    add(&fixture, 0..DOCUMENTS, 0);
    let slow = scan(&fixture.engine);
    assert_eq!(slow.page(0, 1).unwrap().count, 1);
    let mut rounds = 0;
    let error = loop {
        rounds += 1;
        add(&fixture, 0..DOCUMENTS, rounds);
        match slow.page(1, 1) {
            Ok(page) => assert!(
                String::from_utf8(page.body)
                    .unwrap()
                    .contains(r#""round":0"#)
            ),
            Err(error) => break error,
        }
        assert!(rounds < 100, "it was never ended");
    };
    assert_eq!(error.code(), "snapshot_too_old");
    assert!(
        error.to_string().contains("Begin again without a cursor"),
        "{error}"
    );
    assert_eq!(
        slow.page(0, 1).unwrap_err().code(),
        "snapshot_too_old",
        "for good"
    );
    // The room that it held back is used again: as many bytes as the file has are written and it does
    // not grow. It may grow before that, where the room is given back late; held back for good, it
    // would have to grow each time.
    let mut round = 1_000;
    let settled = (0..6).any(|_| {
        let before = file_bytes(&fixture);
        for _ in 0..=before / ROUND_BYTES {
            round += 1;
            add(&fixture, 0..DOCUMENTS, round);
        }
        file_bytes(&fixture) <= before
    });
    assert!(settled, "{} bytes, and it grew on", file_bytes(&fixture));
    let again = scan(&fixture.engine);
    assert_eq!(again.page(0, DOCUMENTS).unwrap().count, DOCUMENTS);
}

#[test]
fn new_documents_are_no_reason_to_end_a_scan() {
    let fixture = made();
    add(&fixture, 0..DOCUMENTS, 0);
    let slow = scan(&fixture.engine);
    let before = file_bytes(&fixture);
    add(&fixture, DOCUMENTS..20 * DOCUMENTS, 0);
    assert!(file_bytes(&fixture) > before + 2 * HELD_BYTES);
    assert_eq!(slow.page(0, 10_000).unwrap().count, DOCUMENTS);
}

#[test]
fn a_search_with_a_cursor_is_ended_as_a_scan_is() {
    let fixture = made();
    add(&fixture, 0..DOCUMENTS, 0);
    let plan = full(json!({"limit": 10, "tensor": tensor_leg()})).to_string();
    let query = vec![0.5; DIMENSIONS];
    let ranked = fixture
        .engine
        .rank_until("i", plan.as_bytes(), &query, &Cancellation::never())
        .unwrap();
    assert_eq!(ranked.count(), DOCUMENTS);
    let never = Cancellation::never();
    let mut rounds = 0;
    let error = loop {
        rounds += 1;
        add(&fixture, 0..DOCUMENTS, rounds);
        match ranked.page(10, 10, &never) {
            Ok(page) => assert!(String::from_utf8(page).unwrap().contains(r#""round":0"#)),
            Err(error) => break error,
        }
        assert!(rounds < 100, "it was never ended");
    };
    assert_eq!(error.code(), "snapshot_too_old");
    assert_eq!(ranked.count(), DOCUMENTS, "that is known without it");
}
