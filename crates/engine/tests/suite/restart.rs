//! Data derived from the store are read at start, caught up, or made anew: the answers are the
//! same.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Fixture, embed, full, ids, tensor_leg};
use serde_json::{Value, json};

const DOCUMENTS: usize = 200;

/// Documents with one or two tensor fields, whose names some file systems take for one.
fn body(numbers: impl Iterator<Item = usize>, salt: &str) -> Value {
    let vector = |text: String| json!({"vector": embed(&text), "content": text});
    let document = |n: usize| {
        let mut document = json!({"_id": format!("d{n}"), "title": format!("number {n}"),
            "v": vector(format!("v {n} {salt}"))});
        if n.is_multiple_of(2) {
            document["V"] = vector(format!("w {n} {salt}"));
        }
        document
    };
    let mapping = json!({"type": "custom_vector"});
    json!({"documents": numbers.map(document).collect::<Vec<_>>(),
        "tensorFields": ["v", "V"],
        "mappings": {"v": mapping, "V": mapping}})
}

fn add(fixture: &Fixture, numbers: impl Iterator<Item = usize>, salt: &str) {
    assert_eq!(fixture.add("u", body(numbers, salt))["errors"], false);
}

fn catalogue() -> Fixture {
    let fixture = Fixture::unstructured("u");
    for start in (0..DOCUMENTS).step_by(50) {
        add(&fixture, start..start + 50, "first");
    }
    fixture
}

/// The answers to some searches.
fn answers(fixture: &Fixture) -> Vec<Value> {
    let fields = [Value::Null, json!(["v"]), json!(["V"])];
    let plan = |fields: &Value, limit: usize| {
        let mut tensor = tensor_leg();
        tensor["fields"] = fields.clone();
        json!({"tensor": tensor, "limit": limit})
    };
    let searches = fields.iter().flat_map(|fields| {
        let query = embed(&format!("query {fields}"));
        [5, 1000].map(|limit| fixture.search("u", plan(fields, limit), &query))
    });
    searches.collect()
}

/// The folder of the only index.
fn home(fixture: &Fixture) -> PathBuf {
    let mut indexes = fs::read_dir(fixture.directory.path().join("indexes")).unwrap();
    indexes.next().unwrap().unwrap().path()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Closes the index, changes its files, opens it again.
fn meddle(fixture: Fixture, with: impl FnOnce(&Path)) -> Fixture {
    fixture.engine.close();
    with(&home(&fixture));
    fixture.reopen()
}

#[test]
fn a_restart_finds_exactly_what_was_found_before() {
    let mut fixture = catalogue();
    let first = answers(&fixture);
    assert_eq!(ids(&first[1]).len(), DOCUMENTS);
    assert_eq!(ids(&first[5]).len(), DOCUMENTS / 2);
    fixture = fixture.reopen();
    let saved = files(&home(&fixture).join("vectors"));
    let snapshots = saved.iter().filter(|file| file.ends_with("graph.snapshot"));
    assert_eq!(snapshots.count(), 2, "{saved:?}");
    assert_eq!(answers(&fixture), first);
    // Changes after the snapshots, before an end without a goodbye.
    for round in 0..3 {
        let gone: Vec<String> = (0..20).map(|n| format!("d{}", 7 * n + round)).collect();
        let gone: Vec<&str> = gone.iter().map(String::as_str).collect();
        fixture.delete("u", &gone);
        add(&fixture, 30 + round..90, "second");
        add(&fixture, DOCUMENTS..DOCUMENTS + 30, "third");
        let before = answers(&fixture);
        fixture = fixture.crash();
        assert_eq!(answers(&fixture), before, "round {round}");
        fixture = match round {
            0 => fixture.crash(),
            _ => fixture.reopen(),
        };
        assert_eq!(answers(&fixture), before, "round {round}, again");
    }
}

#[test]
fn a_derived_file_that_is_damaged_or_missing_is_made_anew() {
    let mut fixture = catalogue();
    let expected = answers(&fixture);
    fixture = fixture.reopen();
    let folder = home(&fixture);
    let derived = files(&folder.join("vectors"));
    assert!(derived.len() >= 5, "{derived:?}");
    for file in &derived {
        let length = fs::metadata(file).unwrap().len() as usize;
        for at in [0, length / 2, length - 1] {
            fixture = meddle(fixture, |_| {
                let mut bytes = fs::read(file).unwrap();
                let at = at.min(bytes.len() - 1);
                bytes[at] ^= 0x10;
                fs::write(file, bytes).unwrap();
            });
            assert_eq!(answers(&fixture), expected, "{file:?} at {at}");
        }
        fixture = meddle(fixture, |_| fs::remove_file(file).unwrap());
        assert_eq!(answers(&fixture), expected, "{file:?} is gone");
    }
    for part in ["vectors/0", "vectors/1", "vectors", "lexical"] {
        fixture = meddle(fixture, |home| {
            fs::remove_dir_all(home.join(part)).unwrap();
        });
        assert_eq!(answers(&fixture), expected, "{part} is gone");
    }
}

#[test]
fn drafts_that_a_killed_process_left_are_removed() {
    let fixture = catalogue().reopen();
    let before = answers(&fixture);
    let names = [
        "vectors/fields.draft",
        "vectors/0/graph.snapshot.draft",
        "vectors/0/rows.draft",
        "lexical/manifest.draft",
    ];
    let fixture = meddle(fixture, |home| {
        for name in names {
            assert!(home.join(name).parent().unwrap().is_dir(), "{name}");
            fs::write(home.join(name), [7; 100]).unwrap();
        }
    });
    assert_eq!(answers(&fixture), before);
    let left = files(&home(&fixture));
    let is_draft = |path: &&PathBuf| path.to_string_lossy().ends_with(".draft");
    assert_eq!(left.iter().find(is_draft), None);
}

#[test]
fn vectors_saved_by_another_version_are_made_anew() {
    let fixture = catalogue();
    let expected = answers(&fixture);
    let fixture = meddle(fixture.reopen(), |home| {
        let is_snapshot = |file: &PathBuf| file.ends_with("graph.snapshot");
        let snapshots = files(&home.join("vectors")).into_iter().filter(is_snapshot);
        let snapshots: Vec<PathBuf> = snapshots.collect();
        assert_eq!(snapshots.len(), 2);
        for file in snapshots {
            let mut bytes = fs::read(&file).unwrap();
            // The version, and the checksum of it all.
            bytes[7] -= 1;
            let body = bytes.len() - 4;
            let sum = crc32fast::hash(&bytes[..body]);
            bytes[body..].copy_from_slice(&sum.to_le_bytes());
            fs::write(file, bytes).unwrap();
        }
    });
    assert_eq!(answers(&fixture), expected);
}

#[test]
fn snapshots_of_a_later_state_than_the_documents_are_not_believed() {
    let fixture = catalogue();
    let expected = answers(&fixture);
    fixture.engine.close();
    let home = home(&fixture);
    let early = fs::read(home.join("index.redb")).unwrap();
    let fixture = fixture.reopen();
    add(&fixture, 0..100, "second");
    let fixture = meddle(fixture, |home| {
        fs::write(home.join("index.redb"), early).unwrap();
        // Postings are as late.
        fs::remove_dir_all(home.join("lexical")).unwrap();
    });
    assert_eq!(answers(&fixture), expected);
    add(&fixture, 0..100, "third");
    let third = answers(&fixture);
    assert_ne!(third, expected);
    assert_eq!(answers(&fixture.reopen()), third);
}

#[test]
fn a_field_whose_documents_are_all_gone_is_forgotten_with_its_files() {
    let fixture = catalogue();
    let even: Vec<String> = (0..DOCUMENTS).step_by(2).map(|n| format!("d{n}")).collect();
    let even: Vec<&str> = even.iter().map(String::as_str).collect();
    for some in even.chunks(50) {
        fixture.delete("u", some);
    }
    let fixture = fixture.reopen();
    let folders = |fixture: &Fixture| {
        let entries = fs::read_dir(home(fixture).join("vectors")).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().is_dir())
            .count()
    };
    assert_eq!(folders(&fixture), 1);
    add(&fixture, 0..2, "second");
    let fixture = fixture.crash();
    assert_eq!(ids(&answers(&fixture)[5]).len(), 1);
    assert_eq!(folders(&fixture), 2);
}

#[test]
fn derived_files_that_cannot_be_made_take_nothing_away() {
    let fixture = Fixture::unstructured("u");
    let in_the_way = ["vectors", "lexical"].map(|part| home(&fixture).join(part));
    let fixture = meddle(fixture, |_| {
        for path in &in_the_way {
            let _ = fs::remove_dir_all(path);
            fs::write(path, "x").unwrap();
        }
    });
    add(&fixture, 0..DOCUMENTS, "first");
    let expected = answers(&fixture);
    assert_eq!(ids(&expected[1]).len(), DOCUMENTS);
    let words = |fixture: &Fixture| {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 1000,
            "lexical": {"text": "number", "fields": null}});
        ids(&fixture.search("u", plan, &[])).len()
    };
    assert_eq!(words(&fixture), DOCUMENTS);
    let fixture = fixture.reopen();
    assert_eq!(
        answers(&fixture),
        expected,
        "what is in the way stays there"
    );
    let fixture = meddle(fixture, |_| {
        for path in in_the_way.iter().filter(|path| path.is_file()) {
            fs::remove_file(path).unwrap();
        }
    });
    assert_eq!(answers(&fixture), expected);
    assert_eq!(words(&fixture), DOCUMENTS);
    let fixture = fixture.reopen();
    assert_eq!(answers(&fixture), expected);
    assert!(home(&fixture).join("vectors/fields").is_file(), "saved");
}

/// Tells whether a search may name the tensor fields and the text field of the catalogue.
fn knows_its_fields(fixture: &Fixture) -> bool {
    let mut tensor = tensor_leg();
    tensor["fields"] = json!(["v", "V"]);
    let lexical = json!({"text": "number", "fields": ["title"]});
    let by_vector = fixture.try_search("u", json!({"tensor": tensor}), &embed("query"));
    let by_words =
        json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": lexical});
    by_vector.is_ok() && fixture.try_search("u", full(by_words), &[]).is_ok()
}

#[test]
fn fields_stay_known_when_their_last_document_is_gone() {
    let fixture = Fixture::unstructured("u");
    assert!(!knows_its_fields(&fixture));
    add(&fixture, 0..3, "first");
    fixture.delete("u", &["d0", "d1", "d2"]);
    assert!(knows_its_fields(&fixture));
    let fixture = fixture.crash();
    assert!(knows_its_fields(&fixture));
    let fixture = fixture.reopen();
    assert!(knows_its_fields(&fixture));
    let answer = fixture.try_search("u", json!({"tensor": {"fields": ["other"]}}), &[]);
    assert!(answer.is_err());
    add(&fixture, 0..3, "second");
    let fixture = fixture.reopen();
    assert!(knows_its_fields(&fixture));
}

/// The contents of a folder and of all below, itself first.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(folders(&path));
        }
    }
    found
}

#[test]
fn files_of_nobody_in_any_folder_are_no_obstacle() {
    let fixture = catalogue().reopen();
    let expected = answers(&fixture);
    fixture.engine.close();
    let root = fixture.directory.path().to_owned();
    // As a stop amid the replacing of any file leaves them, and as other programs do.
    for path in files(&root) {
        let mut draft = path.into_os_string();
        draft.push(".draft");
        fs::write(draft, "half of it").unwrap();
    }
    for folder in folders(&root) {
        for name in [".DS_Store", "lost", "manifest.7.tmp"] {
            fs::write(folder.join(name), "not ours").unwrap();
        }
    }
    let mut fixture = fixture;
    for _ in 0..2 {
        fixture = fixture.reopen();
        assert_eq!(fixture.engine.list_indexes(), ["u"]);
        assert_eq!(answers(&fixture), expected);
        add(&fixture, 0..1, "first");
    }
    assert_eq!(fs::read(root.join("lost")).unwrap(), b"not ours");
}

#[test]
fn deleted_documents_stay_deleted_over_five_restarts_of_every_kind() {
    let mut fixture = catalogue();
    let id = |n: usize| format!("d{n}");
    let gone: Vec<String> = (0..DOCUMENTS).filter(|n| n % 4 < 2).map(id).collect();
    let gone: Vec<&str> = gone.iter().map(String::as_str).collect();
    fixture.delete("u", &gone);
    let expected = answers(&fixture);
    assert_eq!(ids(&expected[1]).len(), DOCUMENTS / 2);
    for restart in 0..5 {
        fixture = match restart % 2 {
            0 => fixture.crash(),
            _ => fixture.reopen(),
        };
        assert_eq!(answers(&fixture), expected, "restart {restart}");
        let found = fixture.get("u", &gone, false);
        let mut found = found["results"].as_array().unwrap().iter();
        assert!(found.all(|one| one["_found"] == false), "{restart}");
        let stats: Value = serde_json::from_slice(&fixture.engine.stats("u").unwrap()).unwrap();
        assert_eq!(stats["numberOfDocuments"], DOCUMENTS / 2);
    }
}
