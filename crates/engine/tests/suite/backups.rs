//! Copies of an index in pieces: whatever is written before, beside and after them, what is made of the pieces is the
//! index as it was when the copy began.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::mpsc;

use crate::support::{Fixture, definition, embed, full, ids};
use pelorus_engine::{Engine, IndexBackup};
use pelorus_random::{SplitMix64, fnv1a};
use serde_json::{Value, json};

/// All that an index answers with.
#[derive(Debug, PartialEq)]
struct Contents {
    definition: Vec<u8>,
    documents: BTreeMap<String, Value>,
    queries: Value,
}

fn contents(engine: &Engine, name: &str) -> Contents {
    let request = json!({"exposeFacets": true, "exposeTensors": true}).to_string();
    let scan = engine.scan_documents(name, request.as_bytes()).unwrap();
    let (mut documents, mut next) = (BTreeMap::new(), Some(0));
    while let Some(start) = next {
        let page = scan.page(start, 50).unwrap();
        next = page.next;
        let page: Value = serde_json::from_slice(&page.body).unwrap();
        for document in page["documents"].as_array().unwrap() {
            documents.insert(
                document["_id"].as_str().unwrap().to_owned(),
                document.clone(),
            );
        }
    }
    let queries = engine.scan_queries(name, br#"{"limit": 1000}"#).unwrap();
    Contents {
        definition: engine.definition(name).unwrap(),
        documents,
        queries: serde_json::from_slice(&queries).unwrap(),
    }
}

fn pieces(backup: &IndexBackup) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| backup.next_piece().unwrap()).collect()
}

fn restore(engine: &Engine, name: &str, pieces: &[Vec<u8>]) -> pelorus_engine::Result<()> {
    let mut restore = engine.restore(name)?;
    for piece in pieces {
        restore.add(piece)?;
    }
    restore.finish()
}

fn document(id: usize, seed: usize) -> Value {
    json!({"_id": format!("d{id}"), "group": seed % 7, "title": format!("text {seed}"),
        "v": {"vector": embed(&format!("vector {seed}")), "content": format!("content {seed}")}})
}

fn add(fixture: &Fixture, documents: &[Value]) {
    let body = json!({"documents": documents, "tensorFields": ["v", "title"],
        "mappings": {"v": {"type": "custom_vector"}}});
    let answer = fixture.add("i", body);
    assert_eq!(answer["errors"], json!(false), "{answer}");
}

fn refer(engine: &Engine) {
    let (done, answer) = mpsc::channel();
    engine.refer_to_vectors("i", Box::new(move |result| done.send(result).unwrap()));
    answer.recv().unwrap().unwrap();
}

fn put_query(engine: &Engine, query: &str, popularity: usize) {
    let (done, answer) = mpsc::channel();
    let request =
        json!({"queries": [{"query": query, "popularity": popularity, "metadata": "{}"}]});
    let done = Box::new(move |result: Result<_, _>| done.send(result).unwrap());
    engine.put_queries("i", request.to_string().as_bytes(), done);
    answer.recv().unwrap().unwrap();
}

/// Some writes of all kinds.
fn write_some(fixture: &Fixture, random: &mut SplitMix64) {
    for _ in 0..random.below(6) {
        let id = random.below(60);
        match random.below(8) {
            0 => _ = fixture.delete("i", &[&format!("d{id}")]),
            1 => {
                let change = json!([{"_id": format!("d{id}"), "group": random.below(100)}]);
                fixture.update("i", change);
            }
            2 => refer(&fixture.engine),
            3 => put_query(&fixture.engine, &format!("query {id}"), random.below(9)),
            _ => {
                let count = 1 + random.below(5);
                let seed = random.below(1_000);
                let documents: Vec<_> = (0..count).map(|at| document(id + at, seed + at)).collect();
                add(fixture, &documents);
            }
        }
    }
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let settings = definition(json!({"model": "random/small"}));
    fixture.engine.create_index("i", &settings).unwrap();
    fixture
}

#[test]
fn an_index_is_restored_as_it_was_when_its_copy_began() {
    for seed in 0..4 {
        let mut random = SplitMix64(seed);
        let fixture = fixture();
        for round in 0..4 {
            write_some(&fixture, &mut random);
            let expected = contents(&fixture.engine, "i");
            let backup = fixture.engine.back_up("i").unwrap();
            let mut pieces = Vec::new();
            while let Some(piece) = backup.next_piece().unwrap() {
                pieces.push(piece);
                write_some(&fixture, &mut random);
            }
            assert_eq!(backup.documents().unwrap(), expected.documents.len() as u64);
            let other = Fixture::new();
            restore(&other.engine, "copy", &pieces).unwrap();
            let when = format!("seed {seed}, round {round}");
            assert_eq!(contents(&other.engine, "copy"), expected, "{when}");
            let other = other.reopen();
            assert_eq!(
                contents(&other.engine, "copy"),
                expected,
                "{when}, reopened"
            );
            // Beside the index that it is of, and searched like it.
            restore(&fixture.engine, "copy", &pieces).unwrap();
            assert_eq!(
                contents(&fixture.engine, "copy"),
                expected,
                "{when}, beside it"
            );
            if let Some((id, _)) = expected.documents.first_key_value() {
                let plan = json!({"limit": 100, "retrievalMethod": "lexical", "rankingMethod": "lexical",
                    "lexical": {"text": "text"}});
                let plan = full(plan).to_string();
                let found = fixture.engine.search("copy", plan.as_bytes(), &[]).unwrap();
                let found = ids(&serde_json::from_slice(&found).unwrap());
                assert!(found.contains(id), "{when}: {found:?} lacks {id}");
            }
            fixture.engine.drop_index("copy").unwrap();
        }
    }
}

#[test]
fn a_copy_of_the_same_rows_is_the_same_pieces_and_a_change_is_in_few_of_them() {
    let fixture = Fixture::new();
    fixture
        .engine
        .create_index("i", &definition(json!({"embeds": true})))
        .unwrap();
    let body = "x".repeat(3_000);
    for at in 0..80 {
        let documents: Vec<_> = (0..100)
            .map(|n| json!({"_id": format!("{at}-{n}"), "t": body}))
            .collect();
        fixture.add("i", json!({"documents": documents}));
    }
    let sums = |pieces: &[Vec<u8>]| {
        pieces
            .iter()
            .map(|piece| fnv1a(piece))
            .collect::<BTreeSet<_>>()
    };
    let copied = || pieces(&fixture.engine.back_up("i").unwrap());
    let first = copied();
    assert!(first.len() > 10, "{} pieces", first.len());
    assert_eq!(sums(&copied()), sums(&first));

    // One document is changed under its ordinal, one is new.
    fixture.update("i", json!([{"_id": "3-7", "n": 1}]));
    fixture.add("i", json!({"documents": [{"_id": "new", "t": "y"}]}));
    let second = copied();
    let changed = sums(&second).difference(&sums(&first)).count();
    // The counts, the documents around the changed one, and the last documents with their tensors.
    assert_eq!(changed, 4, "of {} pieces", second.len());
}

#[test]
fn an_index_of_pieces_that_are_damaged_missing_or_in_another_order_never_is() {
    let fixture = fixture();
    add(&fixture, &[document(1, 1), document(2, 2)]);
    put_query(&fixture.engine, "a query", 3);
    let whole = pieces(&fixture.engine.back_up("i").unwrap());
    let code = |pieces: &[Vec<u8>]| restore(&fixture.engine, "copy", pieces).unwrap_err().code();
    for at in 0..whole.len() {
        let mut missing = whole.clone();
        missing.remove(at);
        assert_eq!(code(&missing), "backup_damaged", "without piece {at}");
        let mut twice = whole.clone();
        twice.insert(at, whole[at].clone());
        assert_eq!(code(&twice), "backup_damaged", "piece {at} twice");
        for end in 0..whole[at].len() {
            let mut cut = whole.clone();
            cut[at].truncate(end);
            assert_eq!(code(&cut), "backup_damaged", "piece {at} cut to {end}");
        }
        let mut newer = whole.clone();
        newer[at][3] += 1;
        assert_eq!(code(&newer), "newer_format");
    }
    let mut swapped = whole.clone();
    swapped.swap(1, 2);
    assert_eq!(code(&swapped), "backup_damaged");
    assert_eq!(code(&[]), "backup_damaged");
    assert_eq!(fixture.engine.list_indexes(), ["i"]);
    let building = fixture.directory.path().join("building");
    assert_eq!(fs::read_dir(building).unwrap().count(), 0);
    restore(&fixture.engine, "copy", &whole).unwrap();
}

#[test]
fn the_name_of_an_index_that_is_restored_is_taken_until_that_ends() {
    let fixture = fixture();
    add(&fixture, &[document(1, 1)]);
    let whole = pieces(&fixture.engine.back_up("i").unwrap());
    let taken = |name: &str| {
        let created = fixture.engine.create_index(name, &definition(json!({})));
        let restored = fixture.engine.restore(name).map(|_| ());
        [created, restored].map(|result| result.unwrap_err().code())
    };
    assert_eq!(taken("i"), ["index_already_exists"; 2]);
    let mut restore = fixture.engine.restore("copy").unwrap();
    restore.add(&whole[0]).unwrap();
    assert_eq!(taken("copy"), ["index_already_exists"; 2]);
    assert_eq!(fixture.engine.list_indexes(), ["i"]);
    drop(restore);
    fixture
        .engine
        .create_index("copy", &definition(json!({})))
        .unwrap();
}

#[test]
fn an_end_in_the_middle_of_a_restore_leaves_nothing() {
    let mut fixture = fixture();
    add(&fixture, &[document(1, 1)]);
    let whole = pieces(&fixture.engine.back_up("i").unwrap());
    for taken in 1..=whole.len() {
        let mut restore = fixture.engine.restore("copy").unwrap();
        whole[..taken]
            .iter()
            .for_each(|piece| restore.add(piece).unwrap());
        // As at the end of a process: nothing is removed.
        let building = fixture.directory.path().join("building");
        let kept: Vec<_> = fs::read_dir(&building)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        let aside = tempfile::tempdir().unwrap();
        fs::rename(&kept[0], aside.path().join("kept")).unwrap();
        drop(restore);
        fs::rename(aside.path().join("kept"), &kept[0]).unwrap();
        fixture = fixture.reopen();
        assert_eq!(fixture.engine.list_indexes(), ["i"]);
        assert_eq!(fs::read_dir(&building).unwrap().count(), 0);
    }
}
