//! The audit finds whatever checksums do not see, has it made anew, and says nothing of a healthy index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Fixture, embed, ids, tensor_leg};

const DOCUMENTS: usize = 300;

/// Documents of which `text` tells the words and `vector` the text whose vector they have.
fn index_of(text: impl Fn(usize) -> String, vector: impl Fn(usize) -> String) -> Fixture {
    let fixture = Fixture::unstructured("u");
    for start in (0..DOCUMENTS).step_by(50) {
        let documents: Vec<Value> = (start..start + 50)
            .map(|n| {
                json!({"_id": format!("d{n}"), "text": text(n), "price": n,
                    "v": {"vector": embed(&vector(n)), "content": ""}})
            })
            .collect();
        let body = json!({"documents": documents, "tensorFields": ["v"],
            "mappings": {"v": {"type": "custom_vector"}}});
        assert_eq!(fixture.add("u", body)["errors"], false);
    }
    fixture
}

fn usual(n: usize) -> String {
    format!("number {n} of a red dog")
}

fn home(fixture: &Fixture) -> PathBuf {
    let mut indexes = fs::read_dir(fixture.directory.path().join("indexes")).unwrap();
    indexes.next().unwrap().unwrap().path()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

/// Puts a folder of `other` in the place of that of `fixture`: its checksums are right, and its contents wrong.
fn exchange(fixture: Fixture, other: &Fixture, folder: &str) -> Fixture {
    fixture.engine.close();
    other.engine.close();
    let target = home(&fixture).join(folder);
    fs::remove_dir_all(&target).unwrap();
    copy(&home(other).join(folder), &target);
    fixture.reopen()
}

fn stats(fixture: &Fixture) -> Value {
    serde_json::from_slice(&fixture.engine.stats("u").unwrap()).unwrap()
}

fn differences(fixture: &Fixture) -> [u64; 5] {
    let of = &stats(fixture)["audit"]["differences"];
    ["ordinals", "columns", "text", "vectors", "graph"].map(|name| of[name].as_u64().unwrap())
}

fn await_green(fixture: &Fixture) {
    for _ in 0..10_000 {
        let health: Value = serde_json::from_slice(&fixture.engine.health()).unwrap();
        if health["status"] == "green" {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("it is not mended");
}

fn with_word(fixture: &Fixture, word: &str) -> Vec<String> {
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 1_000,
        "lexical": {"text": word}});
    let mut found = ids(&fixture.search("u", plan, &[]));
    found.sort();
    found
}

fn nearest(fixture: &Fixture, text: &str) -> String {
    let plan = json!({"tensor": tensor_leg(), "limit": 1});
    ids(&fixture.search("u", plan, &embed(text))).remove(0)
}

/// Audits an index in which so many documents differ, and once more when it is mended.
fn audit(fixture: &Fixture, expected: [u64; 5]) {
    assert!(fixture.engine.audit("u").unwrap(), "it finds them");
    await_green(fixture);
    assert_eq!(differences(fixture), expected);
    assert!(!fixture.engine.audit("u").unwrap(), "it is mended");
    assert_eq!(stats(fixture)["audit"]["rounds"], 1);
}

#[test]
fn words_that_are_not_those_of_the_documents_are_found_and_made_anew() {
    let right = |n| format!("v {n}");
    let other = index_of(
        |n| match n {
            // Another word, one more word, the same words in another order.
            7 => "number 7 of a red cat".to_owned(),
            8 => "number 8 of a red dog dog".to_owned(),
            9 => "number 9 of a dog red".to_owned(),
            n => usual(n),
        },
        right,
    );
    let fixture = exchange(index_of(usual, right), &other, "lexical");
    assert_eq!(with_word(&fixture, "cat"), ["d7"], "it is wrong");
    audit(&fixture, [0, 0, 3, 0, 0]);
    assert_eq!(with_word(&fixture, "cat").len(), 0);
    assert_eq!(with_word(&fixture, "\"red dog\"").len(), DOCUMENTS);
}

#[test]
fn vectors_that_are_not_those_of_the_documents_are_found_and_made_anew() {
    let swapped = |n| match n {
        3 => "v 4".to_owned(),
        4 => "v 3".to_owned(),
        n => format!("v {n}"),
    };
    let other = index_of(usual, swapped);
    let fixture = index_of(usual, |n| format!("v {n}"));
    let fixture = exchange(fixture, &other, "vectors");
    assert_eq!(nearest(&fixture, "v 3"), "d4", "it is wrong");
    audit(&fixture, [0, 0, 0, 2, 0]);
    assert_eq!(nearest(&fixture, "v 3"), "d3");
}

#[test]
fn nothing_is_said_of_a_healthy_index_while_it_is_written() {
    let fixture = index_of(usual, |n| format!("v {n}"));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut n = 0;
            while !is_over.load(Ordering::Relaxed) {
                let id = format!("d{}", n % (DOCUMENTS + 20));
                match n % 5 {
                    0 => drop(fixture.delete("u", &[&id])),
                    1 => drop(fixture.update("u", json!([{"_id": id, "price": n}]))),
                    2 => {
                        drop(fixture.update("u", json!([{"_id": id, "text": format!("text {n}")}])))
                    }
                    _ => {
                        let vector = json!({"vector": embed(&format!("new {n}")), "content": ""});
                        let body = json!({"documents": [{"_id": id, "text": usual(n), "v": vector}],
                            "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}});
                        assert_eq!(fixture.add("u", body)["errors"], false);
                    }
                }
                n += 7;
            }
        });
        for _ in 0..40 {
            assert!(!fixture.engine.audit("u").unwrap());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(differences(&fixture), [0; 5]);
    let health: Value = serde_json::from_slice(&fixture.engine.health()).unwrap();
    assert_eq!(health["status"], "green");
    assert_eq!(stats(&fixture)["audit"]["rounds"], 40);
}

#[test]
fn an_index_with_updates_deletes_and_a_restart_has_no_differences() {
    let fixture = index_of(usual, |n| format!("v {n}"));
    for n in (0..DOCUMENTS).step_by(3) {
        fixture.update(
            "u",
            json!([{"_id": format!("d{n}"), "price": 1.5, "tags": ["a", "B", "b"]}]),
        );
    }
    for n in (0..DOCUMENTS).step_by(5) {
        fixture.delete("u", &[&format!("d{n}")]);
    }
    assert!(!fixture.engine.audit("u").unwrap());
    let fixture = fixture.reopen();
    assert!(!fixture.engine.audit("u").unwrap());
    let fixture = fixture.crash();
    assert!(!fixture.engine.audit("u").unwrap());
    assert_eq!(stats(&fixture)["audit"]["documents"], 240);
}
