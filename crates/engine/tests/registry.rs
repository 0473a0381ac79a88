//! Indexes come and go; a data directory belongs to one process and one format.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pelorus_engine::Engine;
use serde_json::json;
use support::{Fixture, definition, embed, ids, tensor_leg};

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn open_error(directory: &Path) -> &'static str {
    match Engine::open(directory, b"{}") {
        Ok(_) => panic!("opened"),
        Err(error) => error.code,
    }
}

#[test]
fn an_index_is_created_once_listed_and_dropped() {
    let fixture = Fixture::unstructured("a");
    let again = fixture
        .engine
        .create_index("a", &definition(json!({})))
        .unwrap_err();
    assert_eq!(
        (again.code, again.message.as_str()),
        ("index_already_exists", "Index a already exists")
    );
    fixture
        .engine
        .create_index("B", &definition(json!({})))
        .unwrap();
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["B", "a"]);
    fixture.engine.drop_index("a").unwrap();
    assert_eq!(
        fixture.engine.drop_index("a").unwrap_err().code,
        "index_not_found"
    );
    fixture.add("B", json!({"documents": [{"_id": "x", "n": 1}]}));
    fixture
        .engine
        .create_index("a", &definition(json!({})))
        .unwrap();
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["B", "a"]);
    assert_eq!(
        fixture.get("a", &["x"], false)["results"][0]["_found"],
        false
    );
    assert_eq!(
        fixture.get("B", &["x"], false)["results"][0]["_found"],
        true
    );
    let left: Vec<_> = fs::read_dir(fixture.directory.path().join("trash"))
        .unwrap()
        .collect();
    assert!(left.is_empty());
}

#[test]
fn a_definition_that_cannot_be_read_leaves_nothing_behind() {
    let fixture = Fixture::new();
    for broken in [
        &b"{}"[..],
        b"no json",
        &definition(json!({"annParameters": {
        "spaceType": "flat", "parameters": {"efConstruction": 1, "m": 1}}})),
        &definition(json!({"vectorNumericType": "int8"})),
        &definition(json!({"dimensions": 0})),
        &definition(json!({"dimensions": 4097})),
        &definition(json!({"annParameters": {
        "spaceType": "geodegrees", "parameters": {"efConstruction": 1, "m": 1}}})),
    ] {
        assert_eq!(
            fixture.engine.create_index("a", broken).unwrap_err().code,
            "invalid_argument"
        );
    }
    assert!(fixture.engine.list_indexes().is_empty());
    fixture
        .engine
        .create_index("a", &definition(json!({})))
        .unwrap();
}

#[test]
fn a_directory_in_use_of_a_newer_format_or_alien_is_refused_untouched() {
    let fixture = Fixture::unstructured("a");
    assert_eq!(
        open_error(fixture.directory.path()),
        "data_directory_in_use"
    );
    fixture.engine.close();
    fs::remove_file(fixture.directory.path().join("lock")).unwrap();
    fs::write(fixture.directory.path().join("format"), "2\n").unwrap();
    let before = files(fixture.directory.path());
    assert_eq!(open_error(fixture.directory.path()), "newer_format");
    assert_eq!(files(fixture.directory.path()), before);
    fs::write(fixture.directory.path().join("format"), "what").unwrap();
    assert_eq!(
        open_error(fixture.directory.path()),
        "data_directory_unreadable"
    );
    let file = fixture.directory.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(open_error(&file), "data_directory_unreadable");
}

#[test]
fn a_damaged_index_answers_with_the_reason_and_the_others_serve() {
    let fixture = Fixture::unstructured("a");
    fixture.add("a", json!({"documents": [{"_id": "x", "n": 1}]}));
    fixture.engine.close();
    let indexes = fixture.directory.path().join("indexes");
    let home = fs::read_dir(&indexes)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let truth = home.join("index.redb");
    let mut bytes = fs::read(&truth).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    fs::write(&truth, &bytes).unwrap();
    let engine = Engine::open(fixture.directory.path(), b"{}").unwrap();
    engine.create_index("b", &definition(json!({}))).unwrap();
    assert_eq!(engine.list_indexes(), ["b"]);
    assert_eq!(fs::read(&truth).unwrap(), bytes);
}

#[test]
fn a_document_that_is_being_replaced_is_always_found_exactly_once() {
    let fixture = Fixture::unstructured("a");
    let body = |n: usize| {
        json!({"documents": [
            {"_id": "x", "group": "g", "n": n, "title": "steady words",
             "v": {"vector": embed("x")}}],
            "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}})
    };
    fixture.add("a", body(0));
    let stop = Arc::new(AtomicBool::new(false));
    let fixture = Arc::new(fixture);
    let readers: Vec<_> = (0..2)
        .map(|reader| {
            let (fixture, stop) = (fixture.clone(), stop.clone());
            std::thread::spawn(move || {
                let mut searches = 0;
                while !stop.load(Ordering::Relaxed) {
                    let filter = if reader == 0 {
                        json!("group:g")
                    } else {
                        json!(null)
                    };
                    let plan = json!({"tensor": tensor_leg(), "filter": filter});
                    let found = ids(&fixture.search("a", plan, &embed("x")));
                    assert_eq!(found, ["x"], "after {searches} searches");
                    searches += 1;
                }
                searches
            })
        })
        .collect();
    for n in 1..200 {
        fixture.add("a", body(n));
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.join().unwrap() > 0);
    }
    let stats: serde_json::Value =
        serde_json::from_slice(&fixture.engine.stats("a").unwrap()).unwrap();
    assert_eq!(stats["numberOfDocuments"], 1);
}
