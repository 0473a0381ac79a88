//! Free pages of a store are given back to the disk, and nobody notices.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Fixture, tensor_leg};
use pelorus_engine::Engine;
use serde_json::{Value, json};

/// By then the background has done the awaited work. Usually that takes a second.
const PATIENCE: Duration = Duration::from_secs(300);

fn documents(numbers: impl Iterator<Item = usize>, note: &str) -> Value {
    let vector = |n: usize| json!({"vector": [n as f32, 1.0, 0.0, 1.0], "content": "x"});
    let document = |n: usize| json!({"_id": format!("d{n}"), "note": note, "v": vector(n)});
    json!({"documents": numbers.map(document).collect::<Vec<_>>(), "tensorFields": ["v"],
        "mappings": {"v": {"type": "custom_vector"}}})
}

fn add(fixture: &Fixture, numbers: std::ops::Range<usize>, note: &str) {
    let answer = fixture.add("u", documents(numbers, note));
    assert_eq!(answer["errors"], false, "{answer}");
}

fn exact_leg() -> Value {
    let mut leg = tensor_leg();
    leg["approximate"] = json!(false);
    leg
}

fn compact(engine: &Engine) {
    let (done, answer) = mpsc::channel();
    engine.compact_store("u", Box::new(move |result| done.send(result).unwrap()));
    answer.recv().unwrap().unwrap();
}

/// Bytes of the store of the only index, and which file that is.
fn store(directory: &Path) -> (u64, u64) {
    let mut indexes = fs::read_dir(directory.join("indexes")).unwrap();
    let folder = indexes.next().unwrap().unwrap().path();
    let file = fs::metadata(folder.join("index.redb")).unwrap();
    (file.blocks() * 512, file.ino())
}

#[test]
fn an_index_at_rest_gives_back_what_its_store_has_free() {
    let fixture = Fixture::unstructured("u");
    let note = "a long note ".repeat(100);
    for first in (0..9_000).step_by(500) {
        add(&fixture, first..first + 500, &note);
    }
    let (full, _) = store(fixture.directory.path());
    let gone: Vec<String> = (100..9_000).map(|n| format!("d{n}")).collect();
    for some in gone.chunks(500) {
        let ids: Vec<&str> = some.iter().map(String::as_str).collect();
        fixture.delete("u", &ids);
    }
    // At the latest after 4,096 changes it looks again.
    let start = Instant::now();
    while store(fixture.directory.path()).0 > full / 3 * 2 {
        assert!(
            start.elapsed() < PATIENCE,
            "nothing of {full} bytes is given back"
        );
        thread::sleep(Duration::from_millis(20));
    }
    let fixture = fixture.crash();
    let answer = fixture.search("u", json!({"tensor": exact_leg(), "limit": 200}), &[1.0; 4]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 100);
}

#[test]
fn stores_are_exchanged_under_those_who_read_and_write() {
    let fixture = Fixture::unstructured("u");
    add(&fixture, 0..500, "first");
    let request = json!({"exposeFacets": false, "exposeTensors": false}).to_string();
    let scan = fixture.engine.scan_documents("u", request.as_bytes());
    let scan = scan.unwrap();
    let over = AtomicBool::new(false);
    let written = AtomicUsize::new(0);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..150 {
                let first = 500 + 4 * round;
                add(&fixture, first..first + 4, "later");
                written.store(first + 4, Ordering::Release);
                thread::sleep(Duration::from_millis(round as u64 % 5));
            }
            over.store(true, Ordering::Release);
        });
        scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                let known = written.load(Ordering::Acquire);
                let plan = json!({"tensor": exact_leg(), "limit": 2000});
                let answer = fixture.search("u", plan, &[1.0; 4]);
                let found = answer["hits"].as_array().unwrap().len();
                assert!(found >= known, "{found} of {known}");
            }
        });
        while !over.load(Ordering::Acquire) {
            compact(&fixture.engine);
        }
        writer.join().unwrap();
    });
    let (_, before) = store(fixture.directory.path());
    compact(&fixture.engine);
    assert_ne!(store(fixture.directory.path()).1, before);

    // The view of the first store, which has no name any more.
    let (mut met, mut next) = (0, Some(0));
    while let Some(start) = next {
        let page = scan.page(start, 100).unwrap();
        next = page.next;
        let page: Value = serde_json::from_slice(&page.body).unwrap();
        let documents = page["documents"].as_array().unwrap();
        assert!(documents.iter().all(|document| document["note"] == "first"));
        met += documents.len();
    }
    assert_eq!(met, 500);
    drop(scan);

    let fixture = fixture.crash();
    let plan = json!({"tensor": exact_leg(), "limit": 2000});
    let answer = fixture.search("u", plan, &[1.0; 4]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1_100);
}
