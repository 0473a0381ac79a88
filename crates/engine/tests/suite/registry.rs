//! Indexes come and go; a data directory belongs to one process and one format.

use crate::support;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Fixture, definition, embed, ids, tensor_leg};
use pelorus_engine::{Cancellation, Engine};
use serde_json::{Value, json};

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
        Err(error) => error.code(),
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
        (again.code(), again.to_string().as_str()),
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
        fixture.engine.drop_index("a").unwrap_err().code(),
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
        &definition(json!({"vectorNumericType": "int4"})),
        &definition(json!({"dimensions": 0})),
        &definition(json!({"dimensions": 4097})),
        &definition(json!({"annParameters": {
        "spaceType": "geodegrees", "parameters": {"efConstruction": 1, "m": 1}}})),
    ] {
        assert_eq!(
            fixture.engine.create_index("a", broken).unwrap_err().code(),
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
    fs::remove_file(fixture.directory.path().join("lock")).unwrap();
    if cfg!(unix) {
        assert_eq!(
            open_error(fixture.directory.path()),
            "data_directory_in_use"
        );
        assert!(!fixture.directory.path().join("lock").exists());
    }
    fixture.engine.close();
    fs::write(fixture.directory.path().join("format"), "3\n").unwrap();
    let before = files(fixture.directory.path());
    assert_eq!(open_error(fixture.directory.path()), "newer_format");
    assert_eq!(files(fixture.directory.path()), before);
    let alien = tempfile::tempdir().unwrap();
    fs::write(alien.path().join("format"), "what").unwrap();
    let before = files(alien.path());
    assert_eq!(open_error(alien.path()), "data_directory_unreadable");
    assert_eq!(files(alien.path()), before);
    let file = fixture.directory.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(open_error(&file), "data_directory_unreadable");
}

#[test]
fn a_damaged_format_beside_indexes_is_written_anew() {
    let fixture = Fixture::unstructured("a");
    fixture.engine.close();
    let path = fixture.directory.path().join("format");
    let sound = fs::read(&path).unwrap();
    for damaged in [&b""[..], b"\xff\xfe\x00", b"r\n", b"-2\n"] {
        fs::write(&path, damaged).unwrap();
        let engine = Engine::open(fixture.directory.path(), b"{}").unwrap();
        let health: Value = serde_json::from_slice(&engine.health()).unwrap();
        assert_eq!(health["indexes"], json!([]), "{damaged:?}");
        engine.close();
        assert_eq!(fs::read(&path).unwrap(), sound);
    }
    fs::write(&path, "99999999999\n").unwrap();
    assert_eq!(open_error(fixture.directory.path()), "newer_format");
}

/// The folder of an index.
fn home(directory: &Path, index: &str) -> PathBuf {
    let entries = fs::read_dir(directory.join("indexes")).unwrap();
    let mut homes = entries.map(|entry| entry.unwrap().path());
    let end = format!(".{index}");
    homes
        .find(|home| home.to_string_lossy().ends_with(&end))
        .unwrap()
}

fn health(engine: &Engine) -> Value {
    serde_json::from_slice(&engine.health()).unwrap()
}

fn found(fixture: &Fixture, index: &str, id: &str) -> Value {
    fixture.get(index, &[id], false)["results"][0]["_found"].clone()
}

/// Waits until it is so; fails long after any machine should have got there.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Indexes `a` and `b` with a document each; the store of `a` is cut to half its length. Gives
/// the store's file and its bytes as they were.
fn with_a_damaged_index() -> (Fixture, PathBuf, Vec<u8>) {
    let fixture = Fixture::unstructured("a");
    fixture
        .engine
        .create_index("b", &definition(json!({})))
        .unwrap();
    for index in ["a", "b"] {
        fixture.add(index, json!({"documents": [{"_id": "x", "n": 1}]}));
    }
    fixture.engine.close();
    let store = home(fixture.directory.path(), "a").join("index.redb");
    let bytes = fs::read(&store).unwrap();
    fs::write(&store, &bytes[..bytes.len() / 2]).unwrap();
    (fixture.reopen(), store, bytes)
}

#[test]
fn a_damaged_index_keeps_its_name_and_says_why_and_the_others_serve() {
    let (fixture, store, bytes) = with_a_damaged_index();
    let engine = &fixture.engine;
    assert_eq!(engine.list_indexes(), ["a", "b"]);
    assert_eq!(found(&fixture, "b", "x"), true);
    let failures = [
        engine.definition("a").unwrap_err(),
        engine.stats("a").unwrap_err(),
        engine
            .get_documents("a", br#"{"documentIds": ["x"], "exposeFacets": false}"#)
            .err()
            .unwrap(),
        fixture
            .try_add("a", json!({"documents": [{"_id": "y"}]}))
            .err()
            .unwrap(),
    ];
    for error in failures {
        assert_eq!(error.code(), "backend_data_parsing_error");
        assert!(
            error.to_string().starts_with("Index a cannot be opened: "),
            "{error}"
        );
        assert!(error.to_string().contains("restore the files"), "{error}");
    }
    let taken = engine
        .create_index("a", &definition(json!({})))
        .unwrap_err();
    assert_eq!(taken.code(), "index_already_exists");
    let health = health(engine);
    assert_eq!(health["status"], "red");
    let sick: Vec<&Value> = health["indexes"].as_array().unwrap().iter().collect();
    assert_eq!(sick.len(), 1);
    assert_eq!(
        (&sick[0]["name"], &sick[0]["status"]),
        (&json!("a"), &json!("red"))
    );
    assert_eq!(sick[0]["code"], "backend_data_parsing_error");
    assert_eq!(
        fs::read(&store).unwrap(),
        bytes[..bytes.len() / 2],
        "left as it was"
    );
}

#[test]
fn a_damaged_index_is_open_again_once_its_files_are_restored() {
    let (fixture, store, bytes) = with_a_damaged_index();
    fs::write(&store, &bytes).unwrap();
    wait_until("it is open again", || {
        health(&fixture.engine)["status"] == "green"
    });
    assert_eq!(found(&fixture, "a", "x"), true);
    fixture.add("a", json!({"documents": [{"_id": "y", "n": 1}]}));
    let fixture = fixture.reopen();
    assert_eq!(found(&fixture, "a", "y"), true);
}

#[test]
fn a_damaged_index_that_is_deleted_is_moved_aside_and_never_erased() {
    let (fixture, _, bytes) = with_a_damaged_index();
    fixture.engine.drop_index("a").unwrap();
    assert_eq!(fixture.engine.list_indexes(), ["b"]);
    assert_eq!(health(&fixture.engine)["status"], "green");
    fixture
        .engine
        .create_index("a", &definition(json!({})))
        .unwrap();
    assert_eq!(found(&fixture, "a", "x"), false);
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["a", "b"]);
    let aside = fs::read_dir(fixture.directory.path().join("damaged")).unwrap();
    let aside: Vec<PathBuf> = aside.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    let kept = fs::read(aside[0].join("index.redb")).unwrap();
    assert_eq!(kept, bytes[..bytes.len() / 2]);
}

#[test]
fn two_folders_of_one_name_are_told_and_neither_is_guessed() {
    let fixture = Fixture::unstructured("a");
    fixture.add("a", json!({"documents": [{"_id": "x", "n": 1}]}));
    fixture.engine.close();
    let first = home(fixture.directory.path(), "a");
    let second = first.with_file_name("00000000000000000000000000000000.a");
    fs::create_dir(&second).unwrap();
    fs::copy(first.join("index.redb"), second.join("index.redb")).unwrap();
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["a"]);
    let error = fixture.engine.stats("a").unwrap_err();
    assert!(
        error.to_string().contains("2 folders hold an index"),
        "{error}"
    );
    let taken = fixture.engine.create_index("a", &definition(json!({})));
    assert_eq!(taken.unwrap_err().code(), "index_already_exists");
    fs::remove_dir_all(&second).unwrap();
    wait_until("the one that is left is open", || {
        health(&fixture.engine)["status"] == "green"
    });
    assert_eq!(found(&fixture, "a", "x"), true);
}

#[test]
fn a_folder_of_an_earlier_version_is_named_after_its_index() {
    let fixture = Fixture::unstructured("a");
    fixture.add("a", json!({"documents": [{"_id": "x", "n": 1}]}));
    fixture.engine.close();
    let named = home(fixture.directory.path(), "a");
    let nameless = named.with_file_name("0123456789abcdef0123456789abcdef");
    fs::rename(&named, &nameless).unwrap();
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["a"]);
    assert_eq!(found(&fixture, "a", "x"), true);
    assert!(!nameless.exists());
    home(fixture.directory.path(), "a");
}

#[test]
fn a_folder_of_another_index_is_not_taken_for_this_one() {
    let fixture = Fixture::unstructured("a");
    fixture.engine.close();
    let home = home(fixture.directory.path(), "a");
    let renamed = home.to_string_lossy().replace(".a", ".b");
    fs::rename(&home, renamed).unwrap();
    let fixture = fixture.reopen();
    assert_eq!(fixture.engine.list_indexes(), ["b"]);
    let error = fixture.engine.stats("b").unwrap_err();
    assert!(
        error.to_string().contains("its store for index a"),
        "{error}"
    );
}

#[test]
fn idle_indexes_are_closed_and_opened_again_by_the_next_call() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Engine::open(directory.path(), br#"{"openFilesMax": 4}"#).unwrap();
    let fixture = Fixture {
        engine: open(),
        directory: tempfile::tempdir().unwrap(),
    };
    let names: Vec<String> = (0..12).map(|n| format!("i{n:02}")).collect();
    for name in &names {
        fixture
            .engine
            .create_index(name, &definition(json!({})))
            .unwrap();
        let vector = json!({"vector": embed(name)});
        fixture.add(
            name,
            json!({"documents": [{"_id": name, "title": "words", "v": vector}],
            "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}}),
        );
    }
    let check = |fixture: &Fixture| {
        assert_eq!(fixture.engine.list_indexes(), names);
        for name in names.iter().rev() {
            assert_eq!(found(fixture, name, name), true);
            let plan = json!({"tensor": tensor_leg()});
            assert_eq!(
                ids(&fixture.search(name, plan, &embed(name))),
                [name.as_str()]
            );
            fixture.engine.definition(name).unwrap();
        }
        assert_eq!(health(&fixture.engine)["status"], "green");
    };
    check(&fixture);
    #[cfg(target_os = "linux")]
    {
        let files = fs::read_dir("/proc/self/fd").unwrap();
        let stores = files.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok());
        let stores = stores
            .filter(|file| file.starts_with(directory.path()) && file.ends_with("index.redb"));
        assert!(stores.count() <= 4);
    }
    fixture.engine.close();
    check(&Fixture {
        engine: open(),
        directory: fixture.directory,
    });
}

#[test]
fn an_index_that_is_read_page_by_page_stays_open_and_keeps_no_other_from_it() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture {
        engine: Engine::open(directory.path(), br#"{"openFilesMax": 2}"#).unwrap(),
        directory,
    };
    let names: Vec<String> = (0..6).map(|n| format!("i{n}")).collect();
    let plan = support::full(
        json!({"retrievalMethod": "lexical", "rankingMethod": "lexical",
                                    "lexical": {"text": "words"}}),
    );
    let plan = plan.to_string();
    let mut rankings = Vec::new();
    for name in &names {
        let engine = &fixture.engine;
        engine.create_index(name, &definition(json!({}))).unwrap();
        fixture.add(
            name,
            json!({"documents": [{"_id": name, "title": "words"}]}),
        );
        let never = Cancellation::never();
        let ranked = engine.rank_until(name, plan.as_bytes(), &[], &never);
        rankings.push(ranked.unwrap());
    }
    for (name, ranked) in names.iter().zip(&rankings) {
        assert_eq!(found(&fixture, name, name), true);
        let page = ranked.page(0, 1, &Cancellation::never()).unwrap();
        let page: Value = serde_json::from_slice(&page).unwrap();
        assert_eq!(ids(&page), [name.as_str()]);
    }
    // Let go, they are closed again by whoever needs their files.
    rankings.clear();
    for name in &names {
        assert_eq!(found(&fixture, name, name), true);
    }
}

#[test]
fn many_threads_use_more_indexes_than_may_be_open() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), br#"{"openFilesMax": 2}"#).unwrap();
    let fixture = Fixture { engine, directory };
    let names: Vec<String> = (0..5).map(|n| format!("i{n}")).collect();
    for name in &names {
        fixture
            .engine
            .create_index(name, &definition(json!({})))
            .unwrap();
    }
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (fixture, names) = (&fixture, &names);
            scope.spawn(move || {
                for n in 0..40 {
                    let name = &names[(n * (thread + 1) + thread) % names.len()];
                    let id = format!("{thread}-{n}");
                    fixture.add(name, json!({"documents": [{"_id": id}]}));
                    assert_eq!(found(fixture, name, &id), true, "{name} {id}");
                }
            });
        }
    });
    let documents: u64 = names
        .iter()
        .map(|name| {
            let stats = fixture.engine.stats(name).unwrap();
            let stats: Value = serde_json::from_slice(&stats).unwrap();
            stats["numberOfDocuments"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(documents, 160);
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
    let stats: Value = serde_json::from_slice(&fixture.engine.stats("a").unwrap()).unwrap();
    assert_eq!(stats["numberOfDocuments"], 1);
}
